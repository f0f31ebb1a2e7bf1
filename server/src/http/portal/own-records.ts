import { isId } from '../../core/ids.ts';
import { readList, type ListQuery } from '../../db/list-query.ts';
import { isErased } from '../../model/change.ts';
import type { PortalFeature } from '../../model/callers/portal.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { customer, type CustomerRecord } from '../../resources/customer.ts';
import type { ApplicationRecord } from '../../resources/letting/application/fields.ts';
import { application } from '../../resources/letting/application/index.ts';
import { tenancy, type TenancyRecord } from '../../resources/letting/tenancy/index.ts';
import { portalSession, statusOf, type PortalSessionRecord } from '../../resources/portal-session.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import type { HttpContext } from '../context.ts';
import { portalSessionInvalid } from '../pipeline/portal.ts';
import type { ApiRequest } from '../request.ts';
import { recordMissing } from '../response/errors.ts';
import { idInPath, loadPage } from '../routes/records/load-record.ts';

/** The person for whom a view is made. */
export interface Viewer {
  accountId: string;
  customerId: string;
  features: ReadonlySet<PortalFeature>;
}

/** Returns the person of a request, for whom views are made. */
export function viewerOf({ accountId, principal: { renter } }: ApiRequest): Viewer {
  if (!renter) throw new Error('Bug! A request reached the portal without a session.');
  return { accountId, customerId: renter.customerId, features: renter.features };
}

/** @throws {ApiError} `portal_session_invalid` if the person was erased meanwhile. */
export async function readPerson(context: HttpContext, request: ApiRequest): Promise<CustomerRecord> {
  const { accountId, customerId } = viewerOf(request);
  const person = await context.readRecord(customer, accountId, customerId);
  if (!person || isErased(person)) throw portalSessionInvalid();
  return person;
}

/**
 * Reads the session of a request past the cache.
 *
 * @throws {ApiError} `portal_session_invalid` if it was ended meanwhile.
 */
export async function requireOpen(
  context: HttpContext,
  { accountId, principal }: ApiRequest,
): Promise<PortalSessionRecord> {
  const session = await context.readRecord(portalSession, accountId, principal.id);
  if (!session || statusOf(session, realSecondsOf(context)) !== 'active') throw portalSessionInvalid();
  return session;
}

/** @throws {ApiError} `resource_missing`, for an application of other persons too. */
export async function loadApplication(context: HttpContext, request: ApiRequest): Promise<ApplicationRecord> {
  const record = await loadHere(context, application, request);
  if (!record.customers.includes(viewerOf(request).customerId)) throw recordMissing(application, record.id);
  return record;
}

/** @throws {ApiError} `resource_missing`, for a tenancy of other persons and for one that was never signed, too. */
export async function loadTenancy(context: HttpContext, request: ApiRequest): Promise<TenancyRecord> {
  const record = await loadHere(context, tenancy, request);
  if (record.signed_on === null || !record.customers.includes(viewerOf(request).customerId))
    throw recordMissing(tenancy, record.id);
  return record;
}

async function loadHere<R extends StoredRecord>(
  context: HttpContext,
  resource: Resource<R>,
  request: ApiRequest,
): Promise<R> {
  const id: string = idInPath(request);
  const record = isId(resource.prefix, id) ? await context.readRecord(resource, request.accountId, id) : null;
  if (!record) throw recordMissing(resource, id);
  return record;
}

/** Records of one person that a view reads. There are seldom more than a few. */
const ownRecordsMax = 50;

/** Returns the newest records with this person. In a read, they count towards the memory of the request. */
export async function readOwn<R extends StoredRecord>(
  context: HttpContext,
  resource: Resource<R>,
  request: ApiRequest,
): Promise<R[]> {
  const { accountId, customerId } = viewerOf(request);
  const filter = { column: 'customer', match: 'exact', schema: {} } as const;
  const query: ListQuery = {
    accountId,
    filters: [{ filter, value: customerId }],
    created: {},
    limit: ownRecordsMax,
    offset: 0,
    cursor: null,
  };
  const page = request.memory
    ? await loadPage(context, resource, query, request)
    : await readList(context.lister, resource, query, 'all');
  return (page.records ?? []) as R[];
}

/** Reads a record by an id that may be of another system, or null. */
export async function readLinked<R extends StoredRecord>(
  { readRecord }: HttpContext,
  resource: Resource<R>,
  accountId: string,
  id: string | null,
): Promise<R | null> {
  return id !== null && isId(resource.prefix, id) ? readRecord(resource, accountId, id) : null;
}

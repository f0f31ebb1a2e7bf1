import { today } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { account, type AccountRecord } from '../../resources/account/index.ts';
import type { CustomerRecord } from '../../resources/customer.ts';
import { application } from '../../resources/letting/application/index.ts';
import { guarantor, type GuarantorRecord } from '../../resources/letting/guarantor.ts';
import { portalSession } from '../../resources/portal-session.ts';
import { reference } from '../../resources/reference/index.ts';
import type { ReferenceRecord } from '../../resources/reference/record.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { readLinked, readOwn, viewerOf, type Viewer } from './own-records.ts';
import { addressView, referenceView } from './views.ts';

/** Returns what the portal shows first: the person, the session, and the account with its letterhead. */
export async function meView(context: HttpContext, request: ApiRequest, person: CustomerRecord): Promise<JsonObject> {
  const viewer = viewerOf(request);
  const { timeZone } = request.account;
  const nowSeconds = toSeconds(context.clock.nowMs());
  const showsApplications = viewer.features.has('applications');
  const [session, owner, guarantees, references] = await Promise.all([
    context.readRecord(portalSession, viewer.accountId, request.principal.id),
    readOwner(context, viewer.accountId),
    showsApplications ? readOwn(context, guarantor, request) : [],
    showsApplications ? readOwn(context, reference, request) : [],
  ]);
  const bank = owner?.letterhead?.bank;
  return {
    object: 'portal_customer',
    id: person.id,
    name: person.name,
    details: viewer.features.has('details') ? detailsView(person) : null,
    guarantees: guarantees.map(guaranteeView),
    references: await Promise.all(references.map((each) => ownReferenceView(context, viewer, each))),
    session: {
      id: request.principal.id,
      features: [...viewer.features],
      return_url: session?.return_url ?? null,
      opened_at: session?.opened_at ?? null,
      expires_at: request.principal.renter?.lastsUntil ?? null,
    },
    account: {
      ...(await brandView(context, owner)),
      // Where tenants pay, as their invoices show it.
      bank: bank && viewer.features.has('money') ? { ...bank } : null,
    },
    mode: context.config.mode,
    time_zone: timeZone,
    today: today(nowSeconds, timeZone),
    now: nowSeconds,
  };
}

function detailsView({ email, phone, date_of_birth, addresses }: CustomerRecord): JsonObject {
  return {
    email,
    phone,
    date_of_birth,
    addresses: addresses.map((each) => ({ ...addressView(each), from: each.from, to: each.to })),
  };
}

/** Shows the guarantee alone. Its application belongs to other persons. */
function guaranteeView({ id, status, limit, agreed_on, released_on }: GuarantorRecord): JsonObject {
  return { id, status, limit: limit && { ...limit }, agreed_on, released_on };
}

/** Shows the application of a check to its applicants only. A guarantor learns when it is decided. */
async function ownReferenceView(context: HttpContext, viewer: Viewer, own: ReferenceRecord): Promise<JsonObject> {
  const wish = await readLinked(context, application, viewer.accountId, own.application);
  const isApplicant = wish?.customers.includes(viewer.customerId) === true;
  return {
    ...referenceView(own, (wish?.decision ?? null) !== null),
    application: isApplicant ? own.application : null,
  };
}

/** Returns the account of a portal. Null if it is none any more. */
export function readOwner({ readRecord }: HttpContext, accountId: string): Promise<AccountRecord | null> {
  return readRecord(account, accountId, accountId);
}

/** Returns the name, the addresses and the look of the agent. */
export async function brandView({ logos }: HttpContext, owner: AccountRecord | null): Promise<JsonObject> {
  const letterhead = owner?.letterhead ?? null;
  const logo = owner && (await logos.of(owner));
  return {
    name: owner?.name ?? null,
    letterhead_name: letterhead?.name ?? owner?.name ?? null,
    email: letterhead?.email ?? null,
    phone: letterhead?.phone ?? null,
    address: letterhead && addressView(letterhead.address),
    logo: logo && { content_type: logo.type, data: logo.base64 },
    brand_color: letterhead?.brand_color ?? null,
  };
}

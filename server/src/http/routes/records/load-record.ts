import { isErased, isGone } from '../../../model/change.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { isId, type Id } from '../../../core/ids.ts';
import { fieldOf, type StoredRecord } from '../../../model/record.ts';
import type { Resource } from '../../../model/resource.ts';
import { ownAccount } from '../../../model/traits/own-account.ts';
import { ownKeysOnly } from '../../../model/traits/own-keys-only.ts';
import { readList, type ListPage, type ListQuery } from '../../../db/list-query.ts';
import { pageBytesMax } from '../../read-memory.ts';
import { recordMissing } from '../../response/errors.ts';
import type { ApiRequest } from '../../request.ts';
import type { HttpContext } from '../../context.ts';

/**
 * Reads the record of the path.
 *
 * @throws {ApiError} `resource_missing`, with the same message for a record of another account and for one that does not exist.
 * @throws {ApiError} `account_invalid` if only keys of the record's own account may read it.
 */
export async function load(context: HttpContext, resource: Resource, request: ApiRequest): Promise<StoredRecord> {
  const id = idInPath(request);
  const record = isId(resource.prefix, id) ? await readOwned(context, resource, request.accountId, id) : null;
  // The log of a request about an erased person has no body.
  if (record && isErased(record)) request.bodyText = null;
  if (!record) throw recordMissing(resource, id);
  requireOwnKey(resource, record, request);
  return record;
}

/** @throws {ApiError} `account_invalid` if only keys of the record's own account may read it. The request's key is of another account. */
export function requireOwnKey(
  resource: Resource,
  record: StoredRecord,
  { accountId, principal }: Pick<ApiRequest, 'accountId' | 'principal'>,
): void {
  const rule = ownKeysOnly.of(resource);
  if (!rule || accountId === principal.accountId || !rule.applies(record)) return;
  throw new ApiError('account_invalid', rule.message, { status: 400, type: 'invalid_request_error' });
}

/**
 * Reads the record of the path like `load`, and refuses an erased one.
 *
 * @throws {ApiError} `resource_missing` if the record is an erased person.
 * @throws {ApiError} `status_transition_invalid` if the record is about an erased person.
 */
export async function loadPresent(
  context: HttpContext,
  resource: Resource,
  request: ApiRequest,
): Promise<StoredRecord> {
  const record = await load(context, resource, request);
  if (!isErased(record)) return record;
  if (!isGone(resource, record)) throw personErased(resource, record);
  throw new ApiError(
    'resource_missing',
    `The ${resource.object} \`${record.id}\` was deleted, so it cannot be changed.`,
    { param: 'id' },
  );
}

function personErased({ object }: Resource, record: StoredRecord): ApiError {
  const status = fieldOf(record, 'status');
  const state = typeof status === 'string' ? status : 'erased';
  return new ApiError(
    'status_transition_invalid',
    `The ${object} ${record.id} is ${state}. Its person was erased, so it cannot be changed.`,
  );
}

/**
 * Reads a page of a list. A page with a large record counts towards the request's memory, with its `bytes`.
 *
 * @throws {ApiError} `parameter_invalid` if the page is too large.
 */
export async function loadPage(
  { lister, listQueue }: HttpContext,
  resource: Resource,
  query: ListQuery,
  request: ApiRequest,
): Promise<ListPage & { records: StoredRecord[] }> {
  const memory = request.memory!;
  const { payer } = request;
  const small = await listQueue.run(payer, memory, () => readList(lister, resource, query, 'small'));
  if (small.records) return { ...small, records: small.records, bytes: 0 };
  if (small.bytes > pageBytesMax)
    throw invalidParameter(
      'limit',
      `These ${query.limit} records have more than ${pageBytesMax / 1024 / 1024} MB. Send a smaller \`limit\`.`,
    );
  memory.use(small.bytes);
  const page = await listQueue.run(payer, memory, () => readList(lister, resource, query, 'all'));
  return { ...page, records: page.records!, bytes: small.bytes };
}

async function readOwned(
  context: HttpContext,
  resource: Resource,
  accountId: string,
  id: string,
): Promise<StoredRecord | null> {
  const own = ownAccount.of(resource);
  if (!own) return context.readRecord(resource, accountId, id);
  const record = await context.readRecord(resource, id, id);
  return record && fieldOf(record, own.column) === accountId ? record : null;
}

export function idInPath(request: ApiRequest): Id {
  return (request.incoming.params as { id: Id }).id;
}

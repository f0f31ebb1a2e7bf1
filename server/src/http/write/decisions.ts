import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { isId } from '../../core/ids.ts';
import { readRelated, type ReadRecords } from '../../commit/read-related.ts';
import type { Guard } from '../../commit/write-request.ts';
import { readCount, readList } from '../../db/list-query.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { decideAction, decideCreate, decideUpdate, toDecision } from '../../model/change.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import { Related } from '../../model/related.ts';
import type { Action, Filter, RecordChange, Resource } from '../../model/resource.ts';
import { endsWith, type ChangeOf } from '../../model/traits/ends-with.ts';
import { inUse } from '../../model/traits/in-use.ts';
import { linksHere } from '../../model/traits/links-here.ts';
import { limited, outsideLimit } from '../../model/traits/limited.ts';
import { supersedes } from '../../model/traits/supersedes.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { displayName, type GuardedDecision } from '../route.ts';
import { requireLinksHere } from './linked-records.ts';

/** Reads what the creation of a record relies on, and decides it. */
export async function decideCreation(
  context: HttpContext,
  resource: Resource,
  request: ApiRequest,
  input: JsonObject,
  caller: Caller,
): Promise<GuardedDecision> {
  const id = request.upload?.id ?? context.ids.make(resource.prefix);
  const { related, guards } = await readFor(context, resource, request, resource.create?.reads, null, input);
  const { changes, emails = [] } = decideCreate(resource, id, request.accountId, input, caller, related);
  await requireRoom(context, resource, request.accountId);
  const [change] = changes;
  return { changes: [...changes, ...(await superseded(context, resource, change.after!, caller))], emails, guards };
}

/** Reads what the update of a record relies on, and decides it. */
export async function decideUpdateOf(
  context: HttpContext,
  resource: Resource,
  before: StoredRecord,
  request: ApiRequest,
  input: JsonObject,
  caller: Caller,
): Promise<GuardedDecision> {
  const { related, guards } = await readFor(context, resource, request, resource.update?.reads, before, input);
  const decided = decideUpdate(resource, before, input, caller, related);
  const [change] = decided.changes;
  return {
    ...decided,
    changes: [...decided.changes, ...(await endedWith(context, resource, { before, after: change.after }, caller))],
    guards,
  };
}

/**
 * Reads what an action on a record relies on, and decides it.
 *
 * @throws {ApiError} `permission_denied` if a person has to decide, and the key is an agent's.
 */
export async function decideActionOn(
  context: HttpContext,
  resource: Resource,
  action: Action,
  before: StoredRecord,
  request: ApiRequest,
  input: JsonObject,
  caller: Caller,
): Promise<GuardedDecision> {
  if (action.refusesAgents !== undefined && caller.isAgent)
    throw new ApiError('permission_denied', action.refusesAgents);
  const named = await loadNamed(context, action, request, input);
  const { related, guards } = await readFor(context, resource, request, action.reads, before, input);
  return { ...decideAction(resource, action, before, input, caller, named, related), guards };
}

/**
 * Refuses the deletion of a record that others rely on.
 *
 * @returns the records that the refusal would follow from, as guards.
 * @throws {ApiError} `record_in_use`, or the other code of the kind.
 */
export async function requireUnused(
  context: HttpContext,
  resource: Resource,
  { accountId }: ApiRequest,
  before: StoredRecord,
): Promise<Guard[]> {
  const rule = inUse.of(resource);
  if (!rule) return [];
  const { related, guards } = await readRelated(context, accountId, resource, before, rule.reads ?? []);
  rule.check(before, related);
  return guards;
}

const nothingRead: ReadRecords = { related: new Related(), guards: [] };

/** Reads the records at these paths of links: from the body, and else from the record. */
async function readFor(
  context: HttpContext,
  resource: Resource,
  request: ApiRequest,
  paths: readonly string[] = [],
  before: StoredRecord | null,
  input: JsonObject,
): Promise<ReadRecords> {
  if (paths.length === 0 && !linksHere.has(resource)) return nothingRead;
  await requireLinksHere(context, request, resource, before, input);
  return readRelated(context, request.accountId, resource, { ...before, ...input }, paths);
}

/** Each new record ends its predecessor, so more than a few are still open only after simultaneous requests. */
const supersededMax = 50;

/** Returns the ends of earlier records that a new one supersedes. */
async function superseded(
  { lister }: HttpContext,
  resource: Resource,
  record: StoredRecord,
  caller: Caller,
): Promise<RecordChange[]> {
  const rule = supersedes.of(resource);
  if (!rule) return [];
  const filter: Filter = { column: rule.column, match: 'caseless', schema: {} };
  const value = String(fieldOf(record, rule.column));
  const earlier = await readNewest(lister, resource, record.account_id, { filter, value }, supersededMax);
  return earlier.flatMap((each) => {
    const end = rule.end(each, caller);
    return end ? toDecision(resource, each, end).changes : [];
  });
}

/** Few records have so many that end with them. The oldest ones beyond this number stay. */
const endedMax = 1_000;

/** Returns the ends of records that end with a change of another one. */
export async function endedWith(
  { lister, resources }: HttpContext,
  changed: Resource,
  change: ChangeOf,
  caller: Caller,
): Promise<RecordChange[]> {
  const ends: RecordChange[] = [];
  for (const resource of resources) {
    const rule = endsWith.of(resource);
    if (rule?.of !== changed.path || rule.concerns?.(change) === false) continue;
    const { account_id: accountId, id } = change.before;
    const filter: Filter = { column: rule.column, match: 'exact', schema: {} };
    for (const each of await readNewest(lister, resource, accountId, { filter, value: id }, endedMax)) {
      const end = rule.end(each, change, caller);
      if (end) ends.push(...toDecision(resource, each, end).changes);
    }
  }
  return ends;
}

/** Returns the newest records of an account that a filter matches. */
async function readNewest(
  lister: HttpContext['lister'],
  resource: Resource,
  accountId: string,
  filter: { filter: Filter; value: string },
  limit: number,
): Promise<StoredRecord[]> {
  const asked = { accountId, filters: [filter], created: {}, limit, offset: 0, cursor: null };
  const { records } = await readList(lister, resource, asked, 'all');
  return records ?? [];
}

/**
 * Checks a limit early, with a helpful message. The committer enforces it in the end.
 *
 * @throws {ApiError} `limit_reached` if the account already has as many as allowed.
 */
async function requireRoom(context: HttpContext, resource: Resource, accountId: string): Promise<void> {
  const most = limited.of(resource);
  if (most === undefined || (await readCount(context.reader, resource, accountId)) < most) return;
  const outside = outsideLimit.of(resource);
  const besides = outside ? ` Those with the ${outside.column} \`${outside.value}\` do not count.` : '';
  throw new ApiError(
    'limit_reached',
    `This account already has ${most} ${resource.path}, the limit. Delete one that you no longer need.${besides}`,
  );
}

/**
 * Reads the records that the body names.
 *
 * @throws {ApiError} `resource_missing` with status 400 and the member's name.
 */
async function loadNamed(
  context: HttpContext,
  { names = {} }: Action,
  request: ApiRequest,
  input: JsonObject,
): Promise<Record<string, StoredRecord>> {
  const named: Record<string, StoredRecord> = {};
  for (const [member, path] of Object.entries(names)) {
    const resource = resourceAt(context, path);
    const id = input[member];
    if (typeof id !== 'string') throw new Error(`Bug! \`${member}\` names a record, but is no text.`);
    const record = isId(resource.prefix, id) ? await readNamed(context, resource, request, id) : null;
    if (!record) {
      const message = `There is no ${displayName(resource.object)} \`${id.slice(0, 80)}\` in this account. Send an existing id: \`${resource.prefix}_…\`.`;
      throw new ApiError('resource_missing', message, { param: member, status: 400 });
    }
    named[member] = record;
  }
  return named;
}

/** Reads a named record of the account acted upon, or else of the key's own account. */
async function readNamed(
  { readRecord }: HttpContext,
  resource: Resource,
  { accountId, principal }: ApiRequest,
  id: string,
): Promise<StoredRecord | null> {
  const record = await readRecord(resource, accountId, id);
  return record ?? (principal.accountId === accountId ? null : readRecord(resource, principal.accountId, id));
}

export function resourceAt({ resources }: HttpContext, path: string): Resource {
  const resource = resources.find((candidate) => candidate.path === path);
  if (!resource) throw new Error(`Bug! There is no resource ${path}.`);
  return resource;
}

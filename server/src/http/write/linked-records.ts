import { isGone } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import { idsAt } from '../../model/links.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Resource, RecordChange } from '../../model/resource.ts';
import type { Guard } from '../../commit/write-request.ts';
import { copiesLinks } from '../../model/traits/copies-links.ts';
import { judgesLinks } from '../../model/traits/judges-links.ts';
import { linksHere } from '../../model/traits/links-here.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { aOrAn, displayName } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';

/**
 * Refuses links that can only be mistakes. An id with one of our prefixes must have that of the linked kind. An id in our form must exist,
 * and must not belong to an erased person. Any other id may belong to another system, unless the account's links are strict. A link that
 * the record had before, or that the decision copied from another record, is not checked again.
 *
 * @returns the linked records as they are now, as guards: another process may delete one before the commit.
 * @throws {ApiError} `resource_missing` with status 400 and the field, or `parameter_invalid` for a record that does not suit the link.
 */
export async function requireLinkedRecords(
  context: HttpContext,
  request: ApiRequest,
  changes: readonly RecordChange[],
): Promise<Guard[]> {
  const guards: Guard[] = [];
  // A new record may link to another new one.
  const made = new Set(changes.flatMap(({ before, after }) => (before ? [] : [after.id as string])));
  for (const { resource, before, after } of changes) {
    const copied = copiesLinks.of(resource) ?? [];
    const links = Object.keys(resource.links ?? {}).filter((link) => !copied.includes(link));
    guards.push(...(await requireLinks(context, request, resource, links, before, after, made)));
  }
  return guards;
}

/**
 * Refuses links that must name a record of the account and do not. Decisions rely on these records, so it runs before the decision.
 *
 * @param before the record with its present links. Null if it is new.
 * @param input the members of the body.
 * @throws {ApiError} `resource_missing` with status 400 and the field.
 */
export async function requireLinksHere(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource,
  before: StoredRecord | null,
  input: JsonObject,
): Promise<void> {
  await requireLinks(context, request, resource, linksHere.of(resource) ?? [], before, input);
}

async function requireLinks(
  context: HttpContext,
  request: ApiRequest,
  resource: Resource,
  links: readonly string[],
  before: StoredRecord | null,
  after: Readonly<Record<string, unknown>> | null,
  made: ReadonlySet<string> = new Set(),
): Promise<Guard[]> {
  const isStrict = request.account?.linkedRecords === 'strict';
  const guards: Guard[] = [];
  for (const field of links) {
    const target = context.resources.find(
      (candidate) => candidate.path === (resource.links?.[field] ?? resource.hiddenLinks?.[field]),
    );
    const known = new Set(idsAt(before, field).map(({ id }) => id));
    const isHere = linksHere.of(resource)?.includes(field) === true;
    for (const { id, param } of idsAt(after, field)) {
      if (known.has(id) || made.has(id)) continue;
      const record = target && isId(target.prefix, id) ? await context.readRecord(target, request.accountId, id) : null;
      const message = faultOf(context, { field, target, id, record, isStrict, isHere });
      if (message !== null) throw new ApiError('resource_missing', message, { param, status: 400 });
      if (!target || !record) continue;
      const fault = judgesLinks.of(resource)?.[field]?.(record) ?? null;
      if (fault !== null) throw invalidParameter(param, fault);
      const { account_id, revision } = record;
      guards.push({ resource: target, record: { account_id, id: record.id, revision } });
    }
  }
  return guards;
}

interface Link {
  field: string;
  /** The kind of record that the field links to. Undefined if this server does not have that kind. */
  target: Resource | undefined;
  id: string;
  /** The linked record, or null if there is none. */
  record: StoredRecord | null;
  isStrict: boolean;
  /** Whether the link must name a record of the account, even if the account's links are open. */
  isHere: boolean;
}

/** Says why a link is refused, and what to send instead. Returns null if the link is valid. */
function faultOf({ resources }: HttpContext, { field, target, id, record, isStrict, isHere }: Link): string | null {
  const begin = id.slice(0, Math.max(0, id.indexOf('_')));
  const kind = resources.find(({ prefix }) => prefix === begin);
  if (kind && kind !== target) {
    const wanted = target ? `that of ${aOrAn(target)} (\`${target.prefix}_…\`)` : 'an id of your own system';
    const orOwn = target && !isHere ? ', or one of your own system' : '';
    return `\`${id.slice(0, 80)}\` begins like the id of ${aOrAn(kind)}. For \`${field}\`, send ${wanted}${orOwn}.`;
  }
  if (!target) return null;
  if (record)
    return isGone(target, record)
      ? `The ${displayName(target.object)} \`${id}\` was deleted, so you cannot link to it. Choose another one.`
      : null;
  if (isHere)
    return `There is no ${displayName(target.object)} \`${id.slice(0, 80)}\` in this account. Create it first, and send its id: \`${target.prefix}_…\`.`;
  if (!isStrict) {
    if (!isId(target.prefix, id)) return null;
    return `There is no ${displayName(target.object)} \`${id}\` in this account. Send an existing id, or an id of your own system in another form.`;
  }
  return `There is no ${displayName(target.object)} \`${id.slice(0, 80)}\` in this account, and the account’s links are strict. Create the record first, or set the account’s \`linked_records\` to \`open\`.`;
}

import { isGone } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { Resource, RecordChange } from '../../model/resource.ts';
import type { Guard } from '../../commit/write-request.ts';
import { ApiError } from '../../core/errors.ts';
import { aOrAn, displayName } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';

/**
 * Refuses links that can only be mistakes. An id with one of our prefixes must have that of the linked kind. An id in our form must exist,
 * and must not belong to an erased person. Any other id may belong to another system, unless the account's links are strict. A link that
 * the record had before is not checked again.
 *
 * @returns the linked records as they are now, as guards: another process may delete one before the commit.
 * @throws {ApiError} `resource_missing` with status 400 and the field.
 */
export async function requireLinkedRecords(
  context: HttpContext,
  request: ApiRequest,
  changes: readonly RecordChange[],
): Promise<Guard[]> {
  const isStrict = request.account?.linkedRecords === 'strict';
  const guards: Guard[] = [];
  for (const { resource, before, after } of changes) {
    for (const [field, path] of Object.entries(resource.links ?? {})) {
      const target = context.resources.find((candidate) => candidate.path === path);
      const [known, linked] = [before, after].map((record) => record && fieldOf(record, field));
      for (const [index, id] of idsIn(linked).entries()) {
        if (idsIn(known).includes(id)) continue;
        const record =
          target && isId(target.prefix, id) ? await context.readRecord(target, request.accountId, id) : null;
        const message = faultOf(context, { field, target, id, record, isStrict });
        const param = Array.isArray(linked) ? `${field}[${index}]` : field;
        if (message !== null) throw new ApiError('resource_missing', message, { param, status: 400 });
        if (!target || !record) continue;
        const { account_id, revision } = record;
        guards.push({ resource: target, record: { account_id, id: record.id, revision } });
      }
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
}

/** Says why a link is refused, and what to send instead. Returns null if the link is valid. */
function faultOf({ resources }: HttpContext, { field, target, id, record, isStrict }: Link): string | null {
  const begin = id.slice(0, Math.max(0, id.indexOf('_')));
  const kind = resources.find(({ prefix }) => prefix === begin);
  if (kind && kind !== target) {
    const wanted = target ? `that of ${aOrAn(target)} (\`${target.prefix}_…\`), or one` : 'an id';
    return `\`${id.slice(0, 80)}\` begins like the id of ${aOrAn(kind)}. For \`${field}\`, send ${wanted} of your own system.`;
  }
  if (!target) return null;
  if (record)
    return isGone(target, record)
      ? `The ${displayName(target.object)} \`${id}\` was deleted, so you cannot link to it. Choose another one.`
      : null;
  if (!isStrict) {
    if (!isId(target.prefix, id)) return null;
    return `There is no ${displayName(target.object)} \`${id}\` in this account. Send an existing id, or an id of your own system in another form.`;
  }
  return `There is no ${displayName(target.object)} \`${id.slice(0, 80)}\` in this account, and the account’s links are strict. Create the record first, or set the account’s \`linked_records\` to \`open\`.`;
}

/** Returns the ids of a link, which is one id or a list. */
function idsIn(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string');
}

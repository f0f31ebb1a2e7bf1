import { isGone } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import type { Resource, RecordChange } from '../../model/resource.ts';
import { ApiError } from '../../core/errors.ts';
import { aOrAn, displayName } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';

/**
 * Refuses links that can only be mistakes. An id that begins with one of our prefixes must have that of the linked kind. An id of our own
 * form must be there, and must not be that of a person who was erased. Every other id may belong to a system of the account's own, unless
 * the account's links are strict. A link that the record had before is not judged again.
 *
 * @throws {ApiError} `resource_missing` with status 400, naming the field.
 */
export async function requireLinkedRecords(
  context: HttpContext,
  request: ApiRequest,
  changes: readonly RecordChange[],
): Promise<void> {
  const isStrict = request.account?.linkedRecords === 'strict';
  for (const { resource, before, after } of changes) {
    for (const [field, path] of Object.entries(resource.links ?? {})) {
      const target = context.resources.find((candidate) => candidate.path === path);
      const [known, linked] = [before, after].map((record) => (record as Record<string, unknown> | null)?.[field]);
      for (const [index, id] of idsIn(linked).entries()) {
        if (idsIn(known).includes(id)) continue;
        const message = await faultOf(context, request, { field, target, id, isStrict });
        const param = Array.isArray(linked) ? `${field}[${index}]` : field;
        if (message !== null) throw new ApiError('resource_missing', message, { param, status: 400 });
      }
    }
  }
}

interface Link {
  field: string;
  /** The kind of record that the field links to; undefined if this server has none such. */
  target: Resource | undefined;
  id: string;
  isStrict: boolean;
}

/** Returns why a record cannot be linked to, and what to send instead; null if it can. */
async function faultOf(
  { readRecord, resources }: HttpContext,
  request: ApiRequest,
  { field, target, id, isStrict }: Link,
): Promise<string | null> {
  const begin = id.slice(0, Math.max(0, id.indexOf('_')));
  const kind = resources.find(({ prefix }) => prefix === begin);
  if (kind && kind !== target) {
    const wanted = target ? `that of ${aOrAn(target)} (\`${target.prefix}_…\`), or one` : 'an id';
    return `\`${id.slice(0, 80)}\` begins as the id of ${aOrAn(kind)} does. \`${field}\` takes ${wanted} of your own system.`;
  }
  if (!target) return null;
  const isOwn = isId(target.prefix, id);
  const record = isOwn ? await readRecord(target, request.accountId, id) : null;
  if (record)
    return isGone(target, record)
      ? `The ${displayName(target.object)} \`${id}\` was deleted, and nothing can be about them any more.`
      : null;
  if (!isStrict) {
    if (!isOwn) return null;
    return `There is no ${displayName(target.object)} \`${id}\` in this account. Send the id of one that is here, or one of your own system, which does not have the form of ours.`;
  }
  return `There is no ${displayName(target.object)} \`${id.slice(0, 80)}\` in this account, and its links are strict. Create it first, or set \`linked_records\` of the account to \`open\`.`;
}

/** A link names one record, or a list of them. */
function idsIn(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string');
}

import { isGone, type RecordChange } from '../core/change.ts';
import { isId } from '../core/ids.ts';
import type { Resource } from '../core/resource.ts';
import { ApiError } from '../core/errors.ts';
import type { Call, HttpContext } from './call.ts';

/**
 * An account whose links are strict names only records that it has here. An account whose links are open keeps some of them in
 * a system of its own, so ids are taken as they are; but nobody who was erased here is spoken of again. Links to kinds of record that
 * this server does not have are always open, and what was linked before is not looked for again.
 *
 * @throws {ApiError} `resource_missing` with status 400, naming the field.
 */
export async function requireLinkedRecords(
  context: HttpContext,
  call: Call,
  changes: readonly RecordChange[],
): Promise<void> {
  const isStrict = call.account?.linkedRecords === 'strict';
  for (const { resource, before, after } of changes) {
    for (const [field, path] of Object.entries(resource.links ?? {})) {
      const target = context.resources.find((candidate) => candidate.path === path);
      if (!target || (!isStrict && target.delete !== 'erases')) continue;
      const [known, linked] = [before, after].map((record) => (record as Record<string, unknown> | null)?.[field]);
      for (const [index, id] of idsIn(linked).entries()) {
        if (idsIn(known).includes(id)) continue;
        const message = await faultOf(context, call, target, id, isStrict);
        const param = Array.isArray(linked) ? `${field}[${index}]` : field;
        if (message !== null) throw new ApiError('resource_missing', message, { param, status: 400 });
      }
    }
  }
}

/** Why a record cannot be linked to; null if it can. */
async function faultOf(
  { readRecord }: HttpContext,
  call: Call,
  target: Resource,
  id: string,
  isStrict: boolean,
): Promise<string | null> {
  const record = isId(target.prefix, id) ? await readRecord(target, call.accountId, id) : null;
  if (record)
    return isGone(target, record)
      ? `The ${target.object} \`${id}\` was deleted, and nothing can be about them any more.`
      : null;
  if (!isStrict) return null;
  return `There is no ${target.object} \`${id.slice(0, 80)}\` in this account, and its links are strict. Create it first, or set \`linked_records\` of the account to \`open\`.`;
}

/** A link names one record, or a list of them. */
function idsIn(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string');
}

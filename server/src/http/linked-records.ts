import { isGone, type RecordChange } from '../core/change.ts';
import { isId } from '../core/ids.ts';
import type { Resource } from '../core/resource.ts';
import { ApiError } from '../core/errors.ts';
import type { Call, HttpContext } from './call.ts';

/**
 * An account whose links are strict names only records that it has here. An account whose links are open keeps some of them in
 * a system of its own, so ids are taken as they are. Links to kinds of record that this server does not have are always open.
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
    const earlier = before as Record<string, unknown> | null;
    for (const [field, path] of Object.entries(resource.links ?? {})) {
      const linked = (after as Record<string, unknown> | null)?.[field];
      const target = context.resources.find((candidate) => candidate.path === path);
      // Nobody who was erased is spoken of again, however open the links.
      if (!target || (!isStrict && target.delete !== 'erases')) continue;
      // What was linked before is not looked for again.
      const known = new Set(idsIn(earlier?.[field]));
      for (const [index, id] of idsIn(linked).entries()) {
        if (known.has(id) || (!isStrict && !isId(target.prefix, id))) continue;
        const record = await context.readRecord(target, call.accountId, id);
        if (record && !isGone(target, record)) continue;
        if (!record && !isStrict) continue;
        if (record) throw deleted(target, id, Array.isArray(linked) ? `${field}[${index}]` : field);
        throw new ApiError(
          'resource_missing',
          `There is no ${target.object} \`${id.slice(0, 80)}\` in this account, and its links are strict. Create it first, or set \`linked_records\` of the account to \`open\`.`,
          { param: Array.isArray(linked) ? `${field}[${index}]` : field, status: 400 },
        );
      }
    }
  }
}

function deleted({ object }: Resource, id: string, param: string): ApiError {
  const message = `The ${object} \`${id}\` was deleted, and nothing can be about them any more.`;
  return new ApiError('resource_missing', message, { param, status: 400 });
}

/** A link names one record, or a list of them. */
function idsIn(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string');
}

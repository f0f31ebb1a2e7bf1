import { isGone, type RecordChange } from '../core/change.ts';
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
  if (call.account?.linkedRecords !== 'strict') return;
  for (const { resource, before, after } of changes) {
    const earlier = before as Record<string, unknown> | null;
    for (const [field, path] of Object.entries(resource.links ?? {})) {
      const linked = (after as Record<string, unknown> | null)?.[field];
      const target = context.resources.find((candidate) => candidate.path === path);
      if (!target) continue;
      // What was linked before is not looked for again.
      const known = new Set(idsIn(earlier?.[field]));
      for (const [index, id] of idsIn(linked).entries()) {
        if (known.has(id)) continue;
        const record = await context.readRecord(target, call.accountId, id);
        if (record && !isGone(target, record)) continue;
        throw new ApiError(
          'resource_missing',
          `There is no ${target.object} \`${id.slice(0, 80)}\` in this account, and its links are strict. Create it first, or set \`linked_records\` of the account to \`open\`.`,
          { param: Array.isArray(linked) ? `${field}[${index}]` : field, status: 400 },
        );
      }
    }
  }
}

/** A link names one record, or a list of them. */
function idsIn(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string');
}

import type { Guard } from '../../commit/write-request.ts';
import { ApiError } from '../../core/errors.ts';
import { readList } from '../../db/list-query.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { RecordChange } from '../../model/resource.ts';
import { keepsOne, type KeepsOne } from '../../model/traits/keeps-one.ts';
import type { HttpContext } from '../context.ts';

/**
 * Refuses a change that would end the last record that an account must keep, such as its last owner.
 *
 * @returns the record that is left, as a guard: another process may end that one at the same time.
 * @throws {ApiError} `status_transition_invalid`.
 */
export async function requireOneLeft(
  { lister, readRecord }: HttpContext,
  changes: readonly RecordChange[],
): Promise<Guard[]> {
  const guards: Guard[] = [];
  for (const { resource, before, after } of changes) {
    const rule = keepsOne.of(resource);
    if (!rule || !before || !isKept(rule, before) || (after && isKept(rule, after))) continue;
    const { records } = await readList(
      lister,
      resource,
      {
        accountId: before.account_id,
        filters: Object.entries(rule.having).map(([column, value]) => ({
          filter: { column, match: 'exact', schema: {} },
          value,
        })),
        created: {},
        limit: 2,
        offset: 0,
        cursor: null,
      },
      'all',
    );
    const other = records?.find(({ id }) => id !== before.id);
    const left = other && (await readRecord(resource, other.account_id, other.id));
    if (!left || !isKept(rule, left)) throw new ApiError('status_transition_invalid', rule.message(before));
    guards.push({ resource, record: left });
  }
  return guards;
}

function isKept({ having }: KeepsOne, record: StoredRecord): boolean {
  return Object.entries(having).every(([name, value]) => fieldOf(record, name) === value);
}

import { toSeconds, type Clock } from '../core/clock.ts';
import { counter, counterIdOf } from '../model/invoice-counter.ts';
import { toDecision } from '../model/change.ts';
import { fieldOf, type StoredRecord } from '../model/record.ts';
import type { RecordChange, Resource } from '../model/resource.ts';
import { numbered } from '../model/traits/numbered.ts';

interface NumbersContext {
  /** Reads one record of the account, or null. */
  readRecord: (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;
  clock: Clock;
}

/** Numbers the records that need it, in the order of the changes, and adds the change of the account's counter. */
export async function withNumbers(
  { readRecord, clock }: NumbersContext,
  accountId: string,
  changes: readonly RecordChange[],
): Promise<readonly RecordChange[]> {
  if (!changes.some(isDue)) return changes;
  const id = counterIdOf(accountId);
  const before = await readRecord(counter, accountId, id);
  let last = before ? Number(fieldOf(before, 'last')) : 0;
  const given = changes.map((change) => (isDue(change) ? numberedAs(change, ++last) : change));
  if (before)
    return [...given, ...toDecision(counter, before, { after: Object.assign({ ...before }, { last }) }).changes];
  const first = { id, account_id: accountId, created: toSeconds(clock.nowMs()), revision: 1, last };
  return [...given, { resource: counter, before: null, after: first }];
}

function isDue({ resource, before, after }: RecordChange): boolean {
  return after !== null && after !== before && numbered.of(resource)?.isDue(after) === true;
}

function numberedAs(change: RecordChange, number: number): RecordChange {
  const { resource, after } = change;
  return { ...change, after: numbered.of(resource)!.withNumber(after!, number) };
}

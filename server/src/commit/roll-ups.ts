import { toDecision } from '../model/change.ts';
import { isId } from '../core/ids.ts';
import { fieldOf, type StoredRecord } from '../model/record.ts';
import type { Resource, RecordChange } from '../model/resource.ts';
import { sumsUp } from '../model/traits/sums-up.ts';

interface RollUpContext {
  resources: readonly Resource[];
  /** Reads one record of the account, or null. */
  readRecord: (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;
}

/**
 * Adds the changes of records that sum up the changed ones. An application sums up its references in the transaction that changes them. If
 * the decision itself changes such a record, that change gets the sum too. A link to a record that does not exist leads to another system.
 */
export async function withRollUps(
  { resources, readRecord }: RollUpContext,
  accountId: string,
  changes: readonly RecordChange[],
): Promise<RecordChange[]> {
  const own = new Map<string, RecordChange>(changes.map((change) => [(change.after ?? change.before).id, change]));
  const summing = new Map<string, { resource: Resource; before: StoredRecord; after: StoredRecord }>();
  for (const { resource: changed, before, after } of changes) {
    if (before === after) continue;
    for (const resource of resources) {
      const rollUp = sumsUp.of(resource);
      if (rollUp?.of !== changed.path) continue;
      const [was, is] = [before, after].map((record) => record && fieldOf(record, rollUp.link));
      for (const id of new Set([was, is])) {
        if (typeof id !== 'string' || !isId(resource.prefix, id)) continue;
        const sum = summing.get(id) ?? (await readSum(resource, id));
        if (!sum) continue;
        sum.after = rollUp.adapt(sum.after, id === was ? before : null, id === is ? after : null);
        summing.set(id, sum);
      }
    }
  }
  const sums = [...summing.values()].filter(({ before, after }) => after !== before);
  const others = sums.filter(({ before }) => !own.has(before.id));
  return [
    ...changes.map((change) => withSum(change, summing.get((change.after ?? change.before).id)?.after)),
    ...others.flatMap(({ resource, before, after }) => toDecision(resource, before, { after }).changes),
  ];

  /** Returns the record as the decision leaves it, or null if there is none. */
  async function readSum(resource: Resource, id: string) {
    const change = own.get(id);
    const record = change ? change.after : await readRecord(resource, accountId, id);
    return record && { resource, before: record, after: record };
  }
}

/** Puts the sum into the decision's own change of the record. */
function withSum(change: RecordChange, sum: StoredRecord | undefined): RecordChange {
  const { resource, before, after } = change;
  if (!sum || !after || sum === after) return change;
  if (!before) return { resource, before, after: sum };
  // A change that left the record as it was has not raised its revision.
  return { ...change, after: { ...sum, revision: before.revision + 1 } };
}

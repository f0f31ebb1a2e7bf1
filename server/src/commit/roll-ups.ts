import { decidingOf, type RecordChange } from '../core/change.ts';
import { isId } from '../core/ids.ts';
import type { Resource, StoredRecord } from '../core/resource.ts';
import type { RecordReader } from '../db/records.ts';

/**
 * These changes, and those of the records that sum up what they change: an application tells how its references stand, in the same
 * transaction as they do. A link to a record that is not here is a link to somebody else's system.
 */
export async function withRollUps(
  { resources, readRecord }: { resources: readonly Resource[]; readRecord: RecordReader },
  accountId: string,
  changes: readonly RecordChange[],
): Promise<RecordChange[]> {
  const summing = new Map<string, { resource: Resource; before: StoredRecord; after: StoredRecord }>();
  for (const { resource: changed, before, after } of changes) {
    if (before === after) continue;
    for (const resource of resources) {
      const { rollUp } = resource;
      if (rollUp?.of !== changed.path) continue;
      const [was, is] = [before, after].map((record) => (record as Record<string, unknown> | null)?.[rollUp.link]);
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
  return [
    ...changes,
    ...sums.flatMap(({ resource, before, after }) => decidingOf(resource, before, { after }).changes),
  ];

  async function readSum(resource: Resource, id: string) {
    const record = await readRecord(resource, accountId, id);
    return record && { resource, before: record, after: record };
  }
}

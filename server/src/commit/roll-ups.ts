import type { Clock } from '../core/clock.ts';
import { isId, type IdMaker } from '../core/ids.ts';
import { toDecision } from '../model/change.ts';
import { idsAt } from '../model/links.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource, RecordChange } from '../model/resource.ts';
import { rollUpsOf } from '../model/roll-ups.ts';
import type { ReadByPath, RollUp, RollUpFacts } from '../model/traits/sums-up.ts';
import { withNumbers } from './invoice-numbers.ts';

interface RollUpContext {
  resources: readonly Resource[];
  /** Reads one record of the account, or null. */
  readRecord: (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;
  clock: Clock;
  ids: IdMaker;
}

/** A changed record, by a decision or by a roll-up. */
type Changed = Pick<RecordChange, 'resource' | 'before' | 'after'>;

/** A record that sums up others, before and after. */
interface Sum {
  resource: Resource;
  before: StoredRecord;
  after: StoredRecord;
  verbs: string[];
  rollUps: Set<RollUp>;
}

/**
 * Adds the changes of records that sum up the changed ones. An application sums up its references in the transaction that changes them. If
 * the decision itself changes such a record, that change gets the sum too. A link to a record that does not exist leads to another system.
 * Records that need a number get it here too, because only now are all changes of the mutation known.
 */
export async function withRollUps(
  context: RollUpContext,
  accountId: string,
  decided: readonly RecordChange[],
): Promise<RecordChange[]> {
  const { resources, readRecord, ids, clock } = context;
  const changes = await withNumbers(context, accountId, decided);
  const facts: RollUpFacts = { makeId: (prefix) => ids.make(prefix), nowMs: clock.nowMs() };
  const made: RecordChange[] = [];
  const own = new Map<string, RecordChange>(changes.map((change) => [(change.after ?? change.before).id, change]));
  const sums = new Map<string, Sum>();
  const reads = new Map<string, Promise<StoredRecord | null>>();
  const read: ReadByPath = async (path, id) => {
    const resource = resources.find((candidate) => candidate.path === path);
    if (!resource || !isId(resource.prefix, id)) return null;
    const change = own.get(id);
    if (change) return change.after;
    // Two roll-ups may need the same record, and must see the same state.
    const reading = reads.get(id) ?? readRecord(resource, accountId, id);
    reads.set(id, reading);
    return reading;
  };
  for (const change of changes) await sumUp(change);
  // A payment changes its deposit, which holds the unit.
  const further = [...sums.values()].filter(({ rollUps }) => [...rollUps].some(({ cascades }) => cascades));
  for (const sum of further) await sumUp(sum);
  // Two roll-ups of one record can tell of the same event.
  for (const { before, after, verbs, rollUps } of sums.values())
    verbs.push(...new Set([...rollUps].flatMap((rollUp) => rollUp.verbs?.(before, after) ?? [])));
  const others = [...sums.values()].filter((sum) => sum.after !== sum.before && !own.has(sum.before.id));
  return [
    ...changes.map((change) => withSum(change, sums.get((change.after ?? change.before).id))),
    ...others.flatMap(({ resource, before, after, verbs }) => toDecision(resource, before, { after, verbs }).changes),
    ...made,
  ];

  /** Updates the records that sum up a changed one. */
  async function sumUp({ resource: changed, before, after }: Changed): Promise<void> {
    if (before === after) return;
    for (const [resource, rollUp] of rollUpsOf(resources, changed)) {
      const was = rollUp.find ? await foundBy(rollUp.find, before) : linkedBy(rollUp, before);
      const is = rollUp.find ? await foundBy(rollUp.find, after) : linkedBy(rollUp, after);
      for (const id of new Set([...was, ...is])) {
        const record = sums.get(id)?.after ?? (await read(resource.path, id));
        if (!record) continue;
        const sum = sums.get(id) ?? { resource, before: record, after: record, verbs: [], rollUps: new Set() };
        const adapted = rollUp.adapt(
          sum.after,
          was.includes(id) ? before : null,
          is.includes(id) ? after : null,
          facts,
        );
        made.push(...(adapted.made ?? []));
        sum.after = adapted.after;
        sum.verbs.push(...(adapted.verbs ?? []));
        sum.rollUps.add(rollUp);
        sums.set(id, sum);
      }
    }
  }

  async function foundBy(find: Find, other: StoredRecord | null): Promise<readonly string[]> {
    return other ? find(other, read) : [];
  }
}

type Find = NonNullable<RollUp['find']>;

function linkedBy({ link }: RollUp, other: StoredRecord | null): readonly string[] {
  return idsAt(other, link).map(({ id }) => id);
}

/** Puts the sum into the decision's own change of the record. */
function withSum(change: RecordChange, sum: Sum | undefined): RecordChange {
  const { resource, before, after } = change;
  if (!sum || !after || sum.after === after) return change;
  const verbs = [...(change.verbs ?? []), ...sum.verbs];
  if (!before) return { resource, before, after: sum.after, verbs };
  // A change that left the record as it was has not raised its revision.
  return { ...change, after: { ...sum.after, revision: before.revision + 1 }, verbs };
}

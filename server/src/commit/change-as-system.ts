import type { Clock } from '../core/clock.ts';
import type { IdMaker } from '../core/ids.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { toDecision } from '../model/change.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Related } from '../model/related.ts';
import type { Change, Resource } from '../model/resource.ts';
import type { Committer } from './committer.ts';
import { readRelated } from './read-related.ts';
import { withRollUps } from './roll-ups.ts';

export interface SystemChangeContext {
  committer: Committer;
  readRecord: RecordReader;
  resources: readonly Resource[];
  clock: Clock;
  ids: IdMaker;
}

/**
 * Changes the present state of a record, because the server acts by itself. Does nothing if the record is gone.
 *
 * @param how.locks ids of other records that the change moves: their writes wait for it.
 * @param how.reads paths of links to the records that the decision relies on.
 * @param decide must have no effect of its own, because it is called again if a record has moved meanwhile. Null changes nothing.
 */
export async function changeAsSystem<R extends StoredRecord>(
  context: SystemChangeContext,
  resource: Resource<R>,
  { account_id: accountId, id }: Pick<StoredRecord, 'account_id' | 'id'>,
  { locks = [], reads = [] }: { locks?: readonly string[]; reads?: readonly string[] },
  decide: (now: R, related: Related) => Change<R> | null,
): Promise<void> {
  await context.committer.commitAsSystem({
    accountId,
    locks: [id, ...locks],
    async decide(room) {
      const deciding = { ...context, readRecord: room.readerOf(context.readRecord) };
      const now = await deciding.readRecord(resource, accountId, id);
      if (!now) return null;
      const { related, guards } = await readRelated(deciding, accountId, resource, now, reads);
      const decided = decide(now, related);
      if (!decided) return null;
      return { changes: await withRollUps(deciding, accountId, toDecision(resource, now, decided).changes), guards };
    },
  });
}

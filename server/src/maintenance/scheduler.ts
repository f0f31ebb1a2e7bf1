import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { FileStore } from '../commit/file-store.ts';
import { dropOldHistory } from './drop-old-history.ts';
import { compactActivity } from './compact-activity.ts';
import { compactCounts } from './compact-counts.ts';
import { purgeInTurns } from './purge.ts';
import { purgeEmails } from './purge-emails.ts';
import { purgeIdempotencyKeys } from './purge-idempotency-keys.ts';
import { purgeSignIns } from './purge-sign-ins.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { patient, FairQueue } from '../core/limits/fair-queue.ts';
import type { IdMaker } from '../core/ids.ts';
import type { Resource } from '../model/resource.ts';
import { disableFailingEndpoints } from '../webhooks/auto-disable.ts';
import type { Eraser } from './erasure.ts';
import { Recoveries } from '../webhooks/recover.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { wakeOverdue } from '../external-jobs/overdue.ts';
import { scheduled } from '../model/traits/scheduled.ts';
import { dutiesLockKey, withLock } from '../db/advisory-locks.ts';
import { withClient, type Connection, type Pool } from '../db/pools.ts';
import { makePartitionsAhead } from '../db/partitions.ts';
import type { RecordReader } from '../db/record-reader.ts';

/** Observes the duties for the operator. */
export interface DutyObserver {
  succeeded(duty: string): void;
  failed(duty: string): void;
}

export interface Duties {
  /** Stops them, and waits for those that are running. */
  stop(): Promise<void>;
}

/** Compact every 2 s, so that a count sums a few hundred rows at most under any load. */
const compactCountsEveryMs = 2_000;

/** Milliseconds. Until then, a chart sums the appended rows. */
const compactActivityEveryMs = 10_000;

/** Milliseconds. A search itself indexes what its account has just written. */
const searchIndexEveryMs = 1_000;

/** Milliseconds. Uses of keys and sessions. A crash loses those since the last write. The shown times are exact to a minute anyway. */
const usesEveryMs = 10_000;

/** Milliseconds. Purging is not urgent: a key counts as new when its day is over, even if its row still exists. */
const purgeEveryMs = 60_000;

/** Milliseconds. Until then, a sandbox keeps more e-mails than it may. */
const emailsEveryMs = 10_000;

/** Milliseconds. What has ended is no longer accepted, so its row may stay for hours. */
const signInsEveryMs = 3600_000;

/** Milliseconds. An upload counts as abandoned after an hour. */
const uploadsEveryMs = 5 * 60_000;

/** Milliseconds. The deletion itself mostly erases everything. */
const erasuresEveryMs = 30_000;

/** Milliseconds. The customer has just repaired a receiver, and waits for the recovery. */
const recoveriesEveryMs = 1_000;

/** Milliseconds. Endpoints are disabled after days of failures. */
const disablingEveryMs = 60_000;

/** Milliseconds. So records change at most a minute after their day has begun. */
const daybreakEveryMs = 60_000;

/** Milliseconds. A decision looks at the time itself, so only the shown status and the event wait. */
const expiryEveryMs = 5_000;

/** Milliseconds. The queue has a job for each, unless the queue has a fault. */
const overdueEveryMs = 10 * 60_000;

/** Milliseconds. Partitions are made weeks ahead, so a few days of failures do no harm. */
const partitionsEveryMs = 6 * 3600 * 1000;

/** Milliseconds. Old history goes by the week, and a partition in use is tried again soon. */
const dropEveryMs = 10 * 60_000;

/**
 * Starts the duties, which keep the database in shape while the server runs. Each has its own loop, so none delays another. A duty that
 * fails is retried after its interval.
 */
export function startDuties(context: {
  config: { retentionDays: number };
  connection: Connection;
  poolSizes: { duties: number };
  resources: readonly Resource[];
  /** The e-mails, which no route serves. */
  emails: Resource;
  database: { readers: Pool; listers: Pool };
  readRecord: RecordReader;
  breakDays: (signal: AbortSignal) => Promise<void>;
  expireRecords: (signal: AbortSignal) => Promise<void>;
  ids: IdMaker;
  committer: Committer;
  eraser: Eraser;
  searchIndex: SearchIndex;
  fileStore: FileStore;
  writeUses: (pool: Pool) => Promise<void>;
  metrics: { duties: DutyObserver };
  clock: Clock;
  realClock: Clock;
  log: Logger;
}): Duties {
  const { committer, clock, realClock, log, connection, resources, emails } = context;
  const { retentionDays } = context.config;
  const observer = context.metrics.duties;
  const pool = context.database.readers;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => {});

  const every = async (ms: number, name: string, work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      try {
        await work();
        observer.succeeded(name);
      } catch (error) {
        observer.failed(name);
        log.warn({ duty: name, err: error }, 'a duty failed');
      }
      await pause(ms);
    }
  };

  const recoveries = new Recoveries(context, signal);
  const queue = new FairQueue(context.poolSizes.duties);
  /** Waits for a turn, because the work needs a connection of its own. */
  const apart = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => queue.run(name, patient, work);

  // The names are public: metrics and alerts use them. So `fold counts` keeps its name, and `write key uses` also writes those of sessions.
  const running = [
    every(compactCountsEveryMs, 'fold counts', async () => {
      const accounts = committer.takeCountedAccounts();
      let compacted = accounts.length === 0;
      try {
        compacted ||= await compactCounts(pool, accounts);
      } finally {
        if (!compacted) committer.addCountedAccounts(accounts);
      }
    }),
    every(compactActivityEveryMs, 'fold activity', () => compactActivity(pool, toSeconds(clock.nowMs()))),
    every(searchIndexEveryMs, 'index search', () => context.searchIndex.advance(signal)),
    every(usesEveryMs, 'write key uses', () => context.writeUses(pool)),
    every(purgeEveryMs, 'purge idempotency keys', () =>
      purgeInTurns(() => purgeIdempotencyKeys(pool, clock.nowMs()), signal),
    ),
    every(signInsEveryMs, 'purge sign-ins', () =>
      purgeInTurns(() => purgeSignIns(pool, toSeconds(realClock.nowMs())), signal),
    ),
    every(emailsEveryMs, 'purge e-mails', () =>
      purgeInTurns(() => purgeEmails(pool, toSeconds(realClock.nowMs())), signal),
    ),
    every(uploadsEveryMs, 'purge uploads', () => context.fileStore.purge(realClock.nowMs(), signal)),
    every(erasuresEveryMs, 'finish erasures', () => context.eraser.finish()),
    every(recoveriesEveryMs, 'carry on recoveries', () => apart('recoveries', () => recoveries.advance())),
    every(disablingEveryMs, 'disable failing endpoints', () => disableFailingEndpoints(context)),
    every(daybreakEveryMs, 'break days', () => context.breakDays(signal)),
    every(expiryEveryMs, 'expire records', () => context.expireRecords(signal)),
    ...[...resources, emails]
      .filter((resource) => scheduled.has(resource))
      .map((resource) => every(overdueEveryMs, `wake overdue ${resource.path}`, () => wakeOverdue(context, resource))),
    every(partitionsEveryMs, 'make partitions', () =>
      apart('partitions', () =>
        withClient(connection, (client) =>
          withLock(client, dutiesLockKey, () => makePartitionsAhead(client, clock.nowMs())),
        ),
      ),
    ),
    every(dropEveryMs, 'drop history', () =>
      apart('history', () =>
        dropOldHistory({ connection, readers: pool }, { nowMs: clock.nowMs(), retentionDays, resources }, signal),
      ),
    ),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await context
        .writeUses(pool)
        .catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys and sessions were not written'));
    },
  };
}

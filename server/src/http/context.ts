import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { FileStore } from '../commit/file-store.ts';
import type { EventShape } from '../commit/write-request.ts';
import type { Mode } from '../core/api-keys.ts';
import type { ByteBudget, ByteLimits } from '../core/byte-budget.ts';
import type { Clock } from '../core/clock.ts';
import type { Vault } from '../core/encryption.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { IdMaker } from '../core/ids.ts';
import type { ReferencingServices } from '../core/providers.ts';
import type { RandomBytes } from '../core/random.ts';
import type { AddressRanges } from '../core/target-addresses.ts';
import type { LatestVersion } from '../db/latest-version.ts';
import type { Reader } from '../db/reader.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { SandboxClock } from '../db/sandbox-clock.ts';
import type { TtlCache } from '../db/ttl-cache.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { ReadBudgets, ReadLimits } from './read-room.ts';
import type { AccountFacts, StoredKey } from './request.ts';

/** What answering requests takes; the server's context has it all. */
export interface HttpContext {
  config: {
    mode: Mode;
    publicUrl: string;
    role: 'all' | 'api' | 'worker';
    allowedTargets: AddressRanges;
    rateLimit: number;
    latestVersion: string | null;
    metricsToken: string | null;
    retentionDays: number;
  };
  log: Logger;
  clock: Clock;
  /** The world's, which nobody moves: for what is about machines, and not about the deployment's time. */
  realClock: Clock;
  /** Null in live mode, where time is the world's. */
  sandboxClock: SandboxClock | null;
  ids: IdMaker;
  reader: Reader;
  /** For lists. */
  lister: Reader;
  readRecord: RecordReader;
  committer: Committer;
  fileStore: FileStore;
  eventFeed: EventFeed;
  streamLimits: StreamLimits;
  readLimits: ReadLimits;
  readBudgets: ReadBudgets;
  keyRing: KeyRing;
  /** Notes that a key was used. It never waits. */
  keyUses: { note(key: { accountId: string; id: string }, nowSeconds: number): void };
  accounts: Accounts;
  vault: Vault;
  randomBytes: RandomBytes;
  resources: readonly Resource[];
  /** Every permission that a key can be given. */
  permissions: readonly string[];
  /** Every type that an event can have. */
  eventTypes: readonly string[];
  referencingServices: ReferencingServices;
  versions: ApiVersions;
  latestVersion: LatestVersion;
  /** Erases the history of records that were deleted because they tell of a person. */
  eraser: {
    /** Resolves when that is done, or after a time in which it mostly is; then it goes on. Erases nothing of a record that is not deleted. */
    erasedNow(resource: Resource, accountId: string, id: string): Promise<void>;
  };
  /** Hears what referencing services call back. */
  providerCallbacks: {
    /** Resolves to whether it was signed by the service, for this account, and is kept. */
    take(
      provider: string,
      accountId: string,
      callback: { headers: FastifyRequest['headers']; body: Uint8Array },
    ): Promise<boolean>;
  };
  /** Has the simulated services of a sandbox do what a test wants to see. */
  simulations: {
    /** Resolves when the record shows it. Throws an `ApiError` if it cannot be done, or is not shown in time. */
    play(record: StoredRecord, effect: string, input: object): Promise<void>;
  };
  /** The product's version, as its package tells it. */
  productVersion: string;
  /** The shape in which events are kept just now. */
  eventShape(): EventShape;
  /** Whether the database answers. */
  isReady(): Promise<boolean>;
  /** What the operator watches. */
  metrics: {
    requests: RequestObserver;
    /** Shows what this budget holds, under the name of its kind of work. */
    holdsBytes(kind: 'requests', budget: ByteBudget): void;
    contentType: string;
    /** All of it as text, within two seconds whatever the database does. */
    text(): Promise<string>;
  };
}

/** Who watches requests for the operator. */
export interface RequestObserver {
  began(): void;
  /** @param answered.route its pattern, or undefined; `status` is null if the client went away before. */
  ended(answered: { method: string; route: string | undefined; status: number | null; durationMs: number }): void;
  /** The answer is this error. */
  refused(code: ErrorCode): void;
}

/** API keys by their text. A text is hashed for each look at the database, and not for each request. */
export type KeyRing = TtlCache<StoredKey>;

/** Accounts by their id. */
export type Accounts = TtlCache<AccountFacts>;

export interface StreamLimits {
  /** When nothing was sent for so long, something is, so that proxies keep the connection open. */
  heartbeatMs: number;
  /** A client that has not taken what was sent after this does not read. */
  stalledMs: number;
  /** Of what is read for streams and not yet taken by their clients. */
  bytes: ByteLimits;
}

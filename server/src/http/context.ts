import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { FileStore } from '../commit/file-store.ts';
import type { SealedFiles } from '../commit/sealed-files.ts';
import type { EventShape } from '../commit/write-request.ts';
import type { Mode } from '../core/secrets/api-keys.ts';
import type { ByteBudget, ByteCeiling, ByteLimits, Payer } from '../core/limits/byte-budget.ts';
import type { Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { IdMaker } from '../core/ids.ts';
import type { ReferencingServices } from '../core/vocabulary/providers.ts';
import type { RandomBytes } from '../core/random.ts';
import type { AddressRanges } from '../core/addresses/address-ranges.ts';
import type { Client, FairQueue } from '../core/limits/fair-queue.ts';
import type { LatestVersion } from '../db/latest-version.ts';
import type { Reader } from '../db/reader.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { SandboxClock } from '../db/sandbox-clock.ts';
import type { StatementFacts } from '../db/ledger-statement.ts';
import type { TtlCache } from '../db/ttl-cache.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { StoredRecord } from '../model/record.ts';
import type { StepOperation } from '../model/step-operation.ts';
import type { Resource } from '../model/resource.ts';
import type { Freshness } from '../search/search-index.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { ReadBudgets, ReadLimits } from './read-memory.ts';
import type { IdentityProvider } from '../sign-in/identity-provider.ts';
import type { Passwords } from '../sign-in/passwords.ts';
import type { PortalRing } from '../sign-in/portal-sessions.ts';
import type { SessionRing } from '../sign-in/sessions.ts';
import type { SecretMembers } from '../core/secrets/secret-members.ts';
import type { Tracing } from '../core/tracing.ts';
import type { AccountFacts, StoredKey } from './request.ts';

/** How long a client may take to send a request, in milliseconds. */
export interface ArrivalLimits {
  headMs: number;
  /** All bodies but files are small. */
  bodyMs: number;
  /** Enough for ten megabytes over a slow line. */
  uploadMs: number;
}

/** The parts of the server's context that requests need. */
export interface HttpContext {
  config: {
    mode: Mode;
    cell: string | null;
    publicUrl: string;
    role: 'all' | 'api' | 'worker';
    allowedTargets: AddressRanges;
    trustedProxies: AddressRanges;
    rateLimit: number;
    latestVersion: string | null;
    metricsToken: string | null;
    hasDashboard: boolean;
    retentionDays: number;
    /** How e-mails are sent. Null if none is. */
    smtp: object | null;
  };
  log: Logger;
  clock: Clock;
  /** The real time, which cannot be moved. It is for matters of machines, not of the deployment. */
  realClock: Clock;
  /** Null in live mode, where the clock cannot be moved. */
  sandboxClock: SandboxClock | null;
  ids: IdMaker;
  reader: Reader;
  /** The reader for requests without a key. It leaves half of the connections to those with one. */
  strangersReader: Reader;
  /** The reader of lists. */
  lister: Reader;
  /** Finds, in a text, the ids of records that can hold personal data. */
  personalDataIds: RegExp;
  /** The members of bodies and queries that no log may show. */
  secretMembers: SecretMembers;
  /** Lets trees of accounts take turns at lists, because a list can take long. */
  listQueue: FairQueue;
  /** The reader of searches. Its statements end after a second. */
  searcher: Reader;
  /** Lets trees of accounts take turns at searches. */
  searchQueue: FairQueue;
  /** Imports of files take turns, because each fills the processor for a part of a second. */
  importQueue: FairQueue;
  /** Milliseconds in which a search indexes what its account has just written. */
  searchWaitMs: number;
  /** Milliseconds. An advance of a sandbox's clock waits this long for records that expire, and then for new days. */
  clockWaitMs: number;
  searchIndex: {
    /** Indexes what the account has just written, for a short time. Returns the time until which all changes are found. */
    catchUp(accountId: string, options: { budgetMs: number; nowSeconds: number }): Promise<Freshness>;
  };
  readRecord: RecordReader;
  committer: Committer;
  /** The operations that a workflow may send. */
  apiSteps: { readonly operations: readonly StepOperation[] };
  fileStore: FileStore;
  /** Checks uploaded files, off the event loop and in a process of its own. */
  fileChecker: {
    /** @throws {ApiError} for a document with active content. */
    inspect(payer: Payer, contentType: string, bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void>;
    /**
     * Returns a picture upright and without its metadata.
     *
     * @throws {ApiError} for bytes that are no picture, or one that is too large.
     */
    remake(payer: Payer, contentType: string, bytes: Buffer, bytesMax: number): Promise<Buffer>;
  };
  sealedFiles: SealedFiles;
  eventFeed: EventFeed;
  streamLimits: StreamLimits;
  arrivalLimits: ArrivalLimits;
  readLimits: ReadLimits;
  readBudgets: ReadBudgets;
  /** The memory of all kinds of work together. */
  memory: ByteCeiling;
  keyRing: KeyRing;
  sessionRing: SessionRing;
  passwords: Passwords;
  /** Null if the company has none of its own. */
  identityProvider: IdentityProvider | null;
  /** Notes that a key was used. It never waits. */
  keyUses: UseNotes;
  /** Notes that a session was used. It never waits. */
  sessionUses: UseNotes;
  /** Opened sessions of the portal. */
  portalRing: PortalRing;
  /** Notes that a session of the portal was used. It never waits. */
  portalUses: UseNotes;
  accounts: Accounts;
  encryption: Encryption;
  randomBytes: RandomBytes;
  resources: readonly Resource[];
  /** Every permission that a key can have. */
  permissions: readonly string[];
  /** Every permission that a person can have. */
  permissionsOfPersons: readonly string[];
  /** Every type that an event can have. */
  eventTypes: readonly string[];
  referencingServices: ReferencingServices;
  versions: ApiVersions;
  latestVersion: LatestVersion;
  /** Erases the history of deleted records about a person. */
  eraser: {
    /** Resolves when the erasure is done, or after a timeout. Then it continues. Does nothing for a record that is not deleted. */
    erasedNow(resource: Resource, accountId: string, id: string): Promise<void>;
    /** Returns how many records of each kind the erasure of a person would reach. */
    preview(
      persons: Resource,
      person: StoredRecord,
    ): Promise<Record<'erased' | 'emptied', { object: string; number: number }[]>>;
  };
  /** Makes the changes of all days that have begun. Resolves when they are made, or after the signal. The duty makes the others. */
  breakDays(signal: AbortSignal): Promise<void>;
  /** Ends all records whose time is over. Resolves when that is done, or after the signal. The duty ends the others. */
  expireRecords(signal: AbortSignal): Promise<void>;
  /** Receives callbacks of external services. */
  providerCallbacks: {
    /** Stores a callback. Resolves to false if the service's signature for this account is wrong. */
    take(
      provider: string,
      accountId: string,
      callback: { headers: FastifyRequest['headers']; body: Uint8Array },
    ): Promise<boolean>;
  };
  /** Triggers actions of a sandbox's simulated services, by the path of the kind of record. */
  simulations: Readonly<
    Record<
      string,
      {
        /** Resolves when the record shows the effect. Throws an `ApiError` if that is impossible, or takes too long. */
        play(record: StoredRecord, effect: string, input: JsonObject): Promise<void>;
      }
    >
  >;
  /** The logos of accounts, small enough for a page. */
  logos: {
    /** Returns null if the account has none. */
    of(account: {
      id: string;
      letterhead: { logo?: string | null } | null;
    }): Promise<{ type: string; base64: string } | null>;
  };
  /** Prints documents as PDFs, off the event loop. Trees of accounts take turns. */
  documents: {
    /** Prints a record of the path `invoices`. */
    invoice(payer: Payer, invoice: StoredRecord, client: Client): Promise<Buffer>;
    /** Prints a statement of a record of the path `tenancies`. */
    statement(payer: Payer, tenancy: StoredRecord, facts: StatementFacts, client: Client): Promise<Buffer>;
  };
  /** The folder with the built dashboard. */
  dashboardDir: string;
  /** The folder with the built portal. */
  portalDir: string;
  /** The product's version, from its package. */
  productVersion: string;
  /** Returns the shape of new events. */
  eventShape(): EventShape;
  health: {
    /** Returns within seconds whether this process can take requests. */
    status(): Promise<HealthStatus>;
  };
  /** Records traces for the operator. Null if none are wanted. */
  tracing: Tracing | null;
  /** Metrics for the operator. */
  metrics: {
    requests: RequestObserver;
    /** Adds the bytes of this budget to the metrics, under the name of its kind of work. */
    holdsBytes(kind: 'requests' | 'early' | 'keyless' | 'answers' | 'uploads', budget: ByteBudget): void;
    contentType: string;
    /** Returns all metrics as text, within two seconds even if the database hangs. */
    text(): Promise<string>;
  };
}

/** With `disk_full`, writes fail, but reads do not. With `stopping`, the process takes requests for a few seconds more. */
export type HealthStatus = 'ready' | 'disk_full' | 'unavailable' | 'stopping';

/** Counts requests for the metrics. */
export interface RequestObserver {
  began(): void;
  /** @param answered.route the route's pattern, or undefined. `status` is null if the client disconnected before the response. */
  ended(answered: { method: string; route: string | undefined; status: number | null; durationMs: number }): void;
  /** Counts a response with this error. */
  refused(code: ErrorCode): void;
}

/** Notes the uses of keys or sessions. */
export interface UseNotes {
  note(used: { accountId: string; id: string }, nowSeconds: number): void;
}

/** API keys by their text. A text is hashed for each database read, and not for each request. */
export type KeyRing = TtlCache<StoredKey>;

/** Accounts by their id. */
export type Accounts = TtlCache<AccountFacts>;

export interface StreamLimits {
  /** Sends a heartbeat after so much silence, so that proxies keep the connection open. */
  heartbeatMs: number;
  /** A client that has read nothing for this long is disconnected. */
  stalledMs: number;
  /** Limits of events that are read but not yet sent to clients. */
  bytes: ByteLimits;
}

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { Mode } from '../core/api-keys.ts';
import type { Clock } from '../core/clock.ts';
import { ApiError, type ErrorCode } from '../core/errors.ts';
import type { Id, IdMaker } from '../core/ids.ts';
import type { ReferencingServices } from '../core/providers.ts';
import type { RandomBytes } from '../core/random.ts';
import type { Resource, StoredRecord } from '../model/resource.ts';
import type { AddressRanges } from '../core/target-addresses.ts';
import type { Vault } from '../core/encryption.ts';
import type { EventTails } from '../events/event-feed.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import type { SandboxClock } from '../db/sandbox-clock.ts';
import type { FileStore } from '../commit/file-store.ts';
import type { ByteBudget } from '../core/byte-budget.ts';
import type { EventShape } from '../commit/write-request.ts';
import type { LatestVersion } from '../db/latest-version.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { Accounts, PinnedAccount } from './pipeline/account-context.ts';
import type { BodyBytes } from './body/body-bytes.ts';
import type { StreamLimits } from './routes/sse.ts';
import type { ReadBudgets, ReadLimits, ReadRoom } from './response/read-room.ts';
import type { Expansion } from './response/expand.ts';
import type { KeyRing, SignedInKey } from './pipeline/authenticate.ts';
import type { KeyUses } from './pipeline/key-uses.ts';
import type { Route } from './route.ts';
import type { Upload } from './body/upload.ts';

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
  eventTails: EventTails;
  streamLimits: StreamLimits;
  readLimits: ReadLimits;
  readBudgets: ReadBudgets;
  keyRing: KeyRing;
  keyUses: KeyUses;
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

/** One request on its way through the pipeline: each step adds what it found out. */
export interface Call {
  /** The request's id, and its log's. */
  id: Id<'req'>;
  startedMs: number;
  request: FastifyRequest;
  /** Null until the key is known to be good. */
  key: SignedInKey | null;
  /** The account acted upon: the key's own, unless `Service-Context` names another. */
  accountId: string;
  /** What is known of it; null until the request has a route. */
  account: PinnedAccount | null;
  /** Whether `Service-Context` was sent; then objects carry `account`. */
  withContext: boolean;
  /** The version of the answer. */
  version: string;
  /** The versions that the request could have named, the newest first. */
  versionsServed: readonly string[];
  /** The linked records that are wanted whole. */
  expansion: Expansion;
  route: Route | null;
  /** The `Content-Type` as it was sent; empty if none was. */
  contentType: string;
  /** What the request holds in memory; null if it has no body but a file's. */
  bodyBytes: BodyBytes | null;
  /** The body's text as it was sent, or null if there was none that could be kept. */
  bodyText: string | null;
  /** An `Idempotency-Key` that is well formed and counts. */
  idempotencyKey: string | null;
  /** The request whose stored answer this one gets. */
  originalRequest: string | null;
  /** A file that came with the request and is not made yet. */
  upload: Upload | null;
  /** The memory that it uses for what it reads; null if that is not counted. */
  room: ReadRoom | null;
}

export function newCall(
  context: Pick<HttpContext, 'ids' | 'clock' | 'versions' | 'latestVersion'>,
  request: FastifyRequest,
): Call {
  return {
    id: context.ids.make('req'),
    startedMs: context.clock.nowMs(),
    request,
    key: null,
    accountId: '',
    account: null,
    withContext: false,
    version: context.versions.upTo(context.latestVersion.known)[0]!,
    versionsServed: [],
    expansion: {},
    route: null,
    contentType: '',
    bodyBytes: null,
    bodyText: null,
    idempotencyKey: null,
    originalRequest: null,
    upload: null,
    room: null,
  };
}

/**
 * Reads a header that may come in several lines, or undefined. Node joins the lines of most headers (RFC 9110, 5.3), and of some keeps
 * only the first: what decides something is read with `onlyHeaderOf`.
 */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Reads a header that must not come twice, or undefined. A proxy on the way may have gone by the other line.
 *
 * @param name as it is documented, such as `Service-Context`.
 * @throws {ApiError} `request_invalid` if it was sent more than once, also with the same value.
 */
export function onlyHeaderOf(request: FastifyRequest, name: string): string | undefined {
  const value = headerOf(request, name.toLowerCase());
  // Most headers are not sent, and need not be looked for.
  if (value === undefined || headerLines(request.raw, name).length <= 1) return value;
  throw new ApiError('request_invalid', `The request has more than one \`${name}\`. Send one.`);
}

/** Reads every line of a header as it was sent. */
export function headerLines({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const lines: string[] = [];
  // A name and its value by turns, as they were sent.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name.toLowerCase()) lines.push(rawHeaders[at + 1]!);
  }
  return lines;
}

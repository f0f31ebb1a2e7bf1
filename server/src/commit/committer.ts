import { setTimeout as delay } from 'node:timers/promises';
import { awayCode } from '../db/away.ts';
import { ByteBudget, type ByteCeiling, type ByteLimits, type HeldBytes } from '../core/limits/byte-budget.ts';
import {
  DatabaseError,
  isConnectionFault,
  isUnavailable,
  processIdOf,
  UnavailableError,
  writersMax,
  type Pool,
  type PoolClient,
} from '../db/pools.ts';
import type { BatchSpan, Tracing } from '../core/tracing.ts';
import type { Actor } from '../model/callers/principal.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { exclusiveKeys, prepareEntry, sharedKeys, type RowFactory, type BatchEntry } from './batch-entry.ts';
import { DecisionRoom, NoRoomToDecideError } from './decision-room.ts';
import { OverloadedError, type WriteRequest, type Outcome, type SystemDecision } from './write-request.ts';
import { countRows, provesCommit } from './statements/history.ts';
import type { NewDeliveryClaim, NewDeliveryClaims, NewDeliveryOutcome, MadeDelivery } from './new-delivery-claims.ts';
import { claimedDeliveries, insertsDeliveries, type MadeRow } from './statements/deliveries.ts';
import { statementsOf, type BatchOptions } from './statements/index.ts';
import { refusalCode, type RefusalReason, type Statement } from './statements/statement.ts';
import { onlyRow } from '../db/only-row.ts';

/** Members of a batch. 32 measured best up to 128 connections. Above, larger batches save more than they delay. */
const batchSize = 32;
const batchSizeUnderLoad = 64;
const loadedAbove = 128;

/**
 * Milliseconds between the starts of two batches, because a batch of four costs little more than a batch of one. As many as in the last
 * batch do not wait: they may be all the clients that there are. Neither does a mutation that finds no others, before or with it.
 */
const gatherMs = 4;
const gatherMax = 8;

/** About a second's work. A request beyond it is better rejected, so that its client retries later. */
const pendingMax = 4_000;

/**
 * Bytes that decided mutations may hold. A large mutation holds 1.5 MB. An account's share holds 8 of those, more than keep two writers
 * busy, or 12,000 references.
 */
const commitBytes: ByteLimits = {
  max: 48 * 1024 * 1024,
  maxPerAccount: 12 * 1024 * 1024,
  maxPerTree: 36 * 1024 * 1024,
};

/** Bytes held for a mutation until its size is known. They limit how many mutations decide at once: 48 of one account. */
const undecidedBytes = 256 * 1024;

/** A body is also held in the record, in its event and in the response. */
const bytesPerBodyByte = 6;

/** Bytes of a batch, unless a single mutation has more. A limit is needed because a batch's statements copy all of them. */
const batchBytesMax = 4 * 1024 * 1024;

/** Bytes. Larger mutations are written apart, by one writer at a time: a batch of them takes many times as long. */
const largeBytes = 128 * 1024;

/** Milliseconds. A record that still moves after this long has too many concurrent writers. Waits for room do not count. */
const decisionMsMax = 10_000;

/** Milliseconds. A request waits no longer for room in memory, all its waits together. */
const roomMsMax = 10_000;

/** Milliseconds. A request that earlier changes of its record delay for longer gets an error. Its client has probably given up. */
const lockMsMax = 30_000;

/** Milliseconds. Of two processes that change one record without pause, the loser would keep losing if it never waited. */
const stepAsideMsMax = 64;

/** PostgreSQL picks the loser of a deadlock at random, so the second try nearly always succeeds. */
const deadlockRetriesMax = 5;

/** Milliseconds in which the outcome of a lost commit is looked for. A database that restarts or fails over is back by then. */
const doubtMsDefault = 30_000;

/** Observes the committer for the operator. Each call must return at once. */
export interface CommitObserver {
  /** Receives the number of mutations that wait or are being written. */
  pendingIs(count: number): void;
  /** Receives the result of a batch that was sent to the database. */
  sent(result: Sent['kind'], batch: { entries: number; changes: number }, durationMs: number): void;
}

interface Waiting {
  entry: BatchEntry;
  settle: (outcome: Written) => void;
  fail: (error: UnavailableError) => void;
}

/** As `Outcome`. A member whose record has moved is decided again. */
type Written = Outcome | { kind: 'stale_record' };

type Sent =
  | { kind: 'committed' }
  | { kind: 'members_refused'; reason: RefusalReason; entries: Set<number> }
  | { kind: 'deadlock'; error: unknown }
  | { kind: 'refused'; error: unknown }
  | { kind: 'unavailable'; error: UnavailableError };

/**
 * The only writer. It writes the mutations of concurrent requests in one transaction, with one set of multi-row statements. It resolves
 * each when the batch is durable. A change and everything that follows from it are written together or not at all.
 */
export class Committer {
  readonly #writers: Pool;
  readonly #rowFactory: RowFactory;
  readonly #epoch: number;
  readonly #doubtMs: number;
  readonly #onDeliveries: () => void;
  readonly #newDeliveryClaims: NewDeliveryClaims | null;
  readonly #onEvents: (accountIds: Iterable<string>) => void;
  readonly #observer: CommitObserver | undefined;
  readonly #tracing: Tracing | null;
  readonly #mutex = new KeyedMutex();
  readonly #bytes: ByteBudget;
  #queue: Waiting[] = [];
  #inFlight = 0;
  #isWritingLarge = false;
  #startedAtMs = -Infinity;
  /** The members of the last batch. */
  #lastSize = 0;
  #isGathering = false;
  #pending = 0;
  #countedAccounts = new Set<string>();

  /**
   * @param parts.onDeliveries is called when a batch with unclaimed deliveries is durable; it must return at once.
   * @param parts.newDeliveryClaims claims deliveries as they are made, if this process sends any.
   * @param parts.onEvents is called with the accounts whose events are durable; it must return at once.
   */
  constructor(
    parts: RowFactory & {
      writers: Pool;
      epoch: number;
      onDeliveries?: () => void;
      newDeliveryClaims?: NewDeliveryClaims | null;
      onEvents?: (accountIds: Iterable<string>) => void;
      observer?: CommitObserver;
      tracing?: Tracing | null;
      doubtMs?: number;
      bytes?: ByteLimits;
      /** The memory of the process. Unlimited if left out. */
      memory?: ByteCeiling;
    },
  ) {
    this.#writers = parts.writers;
    this.#rowFactory = parts;
    this.#epoch = parts.epoch;
    this.#onDeliveries = parts.onDeliveries ?? (() => {});
    this.#newDeliveryClaims = parts.newDeliveryClaims ?? null;
    this.#onEvents = parts.onEvents ?? (() => {});
    this.#observer = parts.observer;
    this.#tracing = parts.tracing ?? null;
    this.#doubtMs = parts.doubtMs ?? doubtMsDefault;
    this.#bytes = new ByteBudget(parts.bytes ?? commitBytes, parts.memory);
  }

  /** Whether so many mutations wait that work besides them should rest. A lone client has one. */
  get isBusy(): boolean {
    return this.#pending > writersMax;
  }

  /** The memory that decided mutations hold. */
  get bytes(): ByteBudget {
    return this.#bytes;
  }

  /**
   * Decides and writes a mutation. Resolves when its outcome is known, and with `committed` only when it is durable.
   *
   * @throws {OverloadedError} if too many mutations wait, or too large ones; nothing was written.
   * @throws {UnavailableError} if the database cannot be reached.
   * @throws what `mutation.decide` throws; nothing was written.
   */
  async commit(writeRequest: WriteRequest): Promise<Outcome> {
    if (this.#pending >= pendingMax) throw new OverloadedError('The queue of changes is full.');
    this.#countPending(1);
    try {
      const lockKeys = writeRequest.locks.map((id) => `${writeRequest.accountId} ${id}`);
      const askedMs = performance.now();
      return await this.#mutex.run(lockKeys, () => {
        if (hasClient(writeRequest) && performance.now() - askedMs > lockMsMax)
          throw new OverloadedError('Earlier changes of the record took too long.', 'record');
        return this.#decideAndWrite(writeRequest);
      });
    } finally {
      this.#countPending(-1);
    }
  }

  /**
   * Commits a change that the server makes by itself. No request is behind it, so it has no log and no response. Its events name the
   * system.
   *
   * @param own.decide returns null if there is nothing left to do.
   * @throws as `commit`, and the error with which the database rejected the change.
   */
  async commitAsSystem(own: {
    accountId: string;
    actor?: Actor;
    locks: readonly string[];
    decide: (room: DecisionRoom) => Promise<SystemDecision | null>;
  }): Promise<void> {
    const outcome = await this.commit({
      ...own,
      payer: null,
      request: null,
      claim: null,
      decide: async (room) => ({ changes: [], ...(await own.decide(room)), response: null }),
    });
    if (outcome.kind === 'refused') throw outcome.error;
  }

  /** Returns the accounts whose counts have grown rows since the last call; see `compactCounts`. */
  takeCountedAccounts(): string[] {
    const accounts = [...this.#countedAccounts];
    this.#countedAccounts.clear();
    return accounts;
  }

  /** Takes back accounts whose counts could not be compacted. */
  addCountedAccounts(accountIds: string[]): void {
    for (const id of accountIds) this.#countedAccounts.add(id);
  }

  #countPending(change: 1 | -1): void {
    this.#pending += change;
    this.#observer?.pendingIs(this.#pending);
  }

  /**
   * Decides only when there is room for the decision. A decision that needs more room than it has is dropped. It is made again when all of
   * its room is free, so a mutation that waits holds only its request.
   */
  async #decideAndWrite(writeRequest: WriteRequest): Promise<Outcome> {
    const startedMs = performance.now();
    let roomMs = 0;
    let bytes = undecidedBytesOf(writeRequest);
    for (let losses = 0; performance.now() - startedMs - roomMs < decisionMsMax;) {
      const askedMs = performance.now();
      const held = await this.#takeBytes(writeRequest, bytes, roomMsMax - roomMs);
      roomMs += performance.now() - askedMs;
      const tried = await this.#tryToWrite(writeRequest, held, new DecisionRoom(held, bytes));
      if (tried.kind === 'too_large') {
        bytes = Math.max(bytes, tried.bytes);
      } else if (tried.kind === 'stale_record') {
        if (losses > 0) await delay(Math.min(2 ** (losses - 1), stepAsideMsMax));
        losses++;
      } else {
        return tried;
      }
    }
    throw new OverloadedError('A record moved again and again while it was being changed.', 'record');
  }

  /** Decides and writes in this room, and releases it. No decision outlives this call, so that a mutation that waits holds none. */
  async #tryToWrite(
    writeRequest: WriteRequest,
    held: HeldBytes,
    room: DecisionRoom,
  ): Promise<Written | { kind: 'too_large'; bytes: number }> {
    try {
      const entry = prepareEntry(writeRequest, await writeRequest.decide(room), this.#rowFactory);
      if (!entry.log && entry.events.length === 0 && changesOf(entry) === 0) {
        return { kind: 'committed', response: entry.response };
      }
      if (!held.resize(entry.bytes)) return { kind: 'too_large', bytes: entry.bytes };
      return await (this.#tracing ? this.#enqueueTraced(entry, this.#tracing) : this.#enqueue(entry));
    } catch (error) {
      if (error instanceof NoRoomToDecideError) return { kind: 'too_large', bytes: error.bytes };
      throw error;
    } finally {
      await room.settled();
      held.release();
    }
  }

  /** Waits for room. The server's own mutations have a share beside that of the account's requests, so requests cannot delay them. */
  async #takeBytes(writeRequest: WriteRequest, bytes: number, msMax: number): Promise<HeldBytes> {
    const { accountId, payer } = writeRequest;
    const share = payer ?? `server ${accountId}`;
    const taken = this.#bytes.tryTake(share, bytes);
    if (taken) return taken;
    try {
      // No client waits for the server's own mutations, and none would retry them, so they wait without a limit.
      const signal = hasClient(writeRequest) ? AbortSignal.timeout(Math.max(0, Math.ceil(msMax))) : undefined;
      return await this.#bytes.take(share, bytes, signal);
    } catch {
      const isOfAccount = this.#bytes.isShareFull(share, bytes);
      throw new OverloadedError('There was no room in memory for a change.', isOfAccount ? 'account' : 'process');
    }
  }

  /** Gives each event its place in a trace before it is written, so that its deliveries can continue the trace. */
  async #enqueueTraced(entry: BatchEntry, tracing: Tracing): Promise<Written> {
    const { accountId, traceParent } = entry;
    const spans = entry.events.map((event) => {
      const span = tracing.beginEvent({ id: event.id, type: event.type, accountId }, traceParent);
      event.traceParent = span.position;
      return span;
    });
    const written = await this.#enqueue(entry);
    if (written.kind === 'committed') for (const span of spans) span.end();
    return written;
  }

  #enqueue(entry: BatchEntry): Promise<Written> {
    return new Promise((settle, fail) => {
      this.#queue.push({ entry, settle, fail });
      this.#pump();
    });
  }

  /** Commits groups: a lone request is sent at once, and those that arrive soon after are sent together. */
  #pump(): void {
    while (this.#inFlight < writersMax && this.#queue.length > 0) {
      const areLarge = !this.#isWritingLarge && isLarge(this.#queue[0]!);
      if (!areLarge && this.#gathers()) return;
      const batch = this.#takeBatch(areLarge);
      if (batch.length === 0) return;
      this.#inFlight++;
      if (areLarge) this.#isWritingLarge = true;
      this.#startedAtMs = performance.now();
      this.#lastSize = batch.length;
      void this.#write(batch).finally(() => {
        this.#inFlight--;
        if (areLarge) this.#isWritingLarge = false;
        this.#pump();
      });
    }
  }

  /** Tells whether the next batch waits for further members. Then it starts by itself. */
  #gathers(): boolean {
    const isAlone = this.#inFlight === 0 && this.#lastSize < 2;
    if (isAlone || this.#queue.length >= Math.min(gatherMax, Math.max(2, this.#lastSize))) return false;
    const waitMs = this.#startedAtMs + gatherMs - performance.now();
    if (waitMs <= 0) return false;
    if (this.#isGathering) return true;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      this.#pump();
    }, waitMs);
    return true;
  }

  /**
   * Takes the longest waiting mutations, either large ones or others. Of two that share a record or key, the second waits for the next
   * batch.
   */
  #takeBatch(areLarge: boolean): Waiting[] {
    const size = this.#pending > loadedAbove ? batchSizeUnderLoad : batchSize;
    const batch: Waiting[] = [];
    const passedOver: Waiting[] = [];
    const taken = new Set<string>();
    const guarded = new Set<string>();
    let seen = 0;
    let bytes = 0;
    for (; seen < this.#queue.length && batch.length < size; seen++) {
      const waiting = this.#queue[seen]!;
      if (isLarge(waiting) !== areLarge) {
        passedOver.push(waiting);
        continue;
      }
      if (batch.length > 0 && bytes + waiting.entry.bytes > batchBytesMax) break;
      const exclusives = exclusiveKeys(waiting.entry);
      const shared = sharedKeys(waiting.entry);
      if (exclusives.some((key) => taken.has(key) || guarded.has(key)) || shared.some((key) => taken.has(key))) {
        passedOver.push(waiting);
      } else {
        for (const key of exclusives) taken.add(key);
        for (const key of shared) guarded.add(key);
        bytes += waiting.entry.bytes;
        batch.push(waiting);
      }
    }
    this.#queue = [...passedOver, ...this.#queue.slice(seen)];
    return batch;
  }

  /** Settles every member of a batch with its outcome. Never throws. */
  async #write(batch: Waiting[]): Promise<void> {
    let rest = batch;
    let deadlocks = 0;
    while (rest.length > 0) {
      const entries = rest.map(({ entry }) => entry);
      const startedMs = performance.now();
      const span = this.#tracing?.beginBatch(entries.map(({ traceParent }) => traceParent));
      const sent = await this.#send(entries, span);
      span?.end(sent.kind);
      this.#observer?.sent(sent.kind, sizeOf(entries), performance.now() - startedMs);
      switch (sent.kind) {
        case 'committed':
          for (const { settle, entry } of rest) {
            if (entry.counts.length > 0) this.#countedAccounts.add(entry.accountId);
            settle({ kind: 'committed', response: entry.response });
          }
          this.#onEvents(accountsWithEvents(rest));
          return;
        case 'members_refused':
          rest.forEach(({ settle }, index) => sent.entries.has(index) && settle({ kind: sent.reason }));
          rest = rest.filter((_, index) => !sent.entries.has(index));
          break;
        case 'deadlock':
          if (++deadlocks <= deadlockRetriesMax) break;
          return this.#writeOneByOne(rest, sent.error);
        case 'refused':
          return this.#writeOneByOne(rest, sent.error);
        case 'unavailable':
          for (const { fail } of rest) fail(sent.error);
          return;
      }
    }
  }

  /** Writes each member alone, because PostgreSQL rejected the whole batch for one of them. Only that one fails. */
  async #writeOneByOne(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) return batch[0]!.settle({ kind: 'refused', error });
    for (const waiting of batch) await this.#write([waiting]);
  }

  /**
   * Sends a batch and its commit in one go. If the connection breaks, the outcome is unknown, and the batch is sent again. It has the same
   * ids, and its logs and events come first. Their insert waits for the lost transaction to end, and finds the rows if that one was
   * committed. Any other result is final only when the lost connection's process has ended: before, that transaction may still be
   * running.
   */
  async #send(batch: BatchEntry[], span: BatchSpan | undefined): Promise<Sent> {
    const claim = batch.some(hasEvents) ? (this.#newDeliveryClaims?.begin() ?? null) : null;
    let claimed: NewDeliveryOutcome = 'unknown';
    try {
      return await this.#sendUntilKnown(batch, span, claim, (outcome) => (claimed = outcome));
    } finally {
      claim?.end(claimed);
    }
  }

  /** @param onClaimed is called if it is known which deliveries the batch has claimed. */
  async #sendUntilKnown(
    batch: BatchEntry[],
    span: BatchSpan | undefined,
    claim: NewDeliveryClaim | null,
    onClaimed: (outcome: NewDeliveryOutcome) => void,
  ): Promise<Sent> {
    const startedMs = performance.now();
    const lost: LostConnection[] = [];
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const inDoubt = lost.length > 0;
      const lostAreGone = inDoubt && (await this.#areGone(lost));
      const options = { epoch: this.#epoch, nowMs: this.#rowFactory.clock.nowMs(), again: inDoubt };
      // Only the first trip claims. A later one may find its rows.
      const result = await this.#sendOnce(batch, span, { ...options, claim: inDoubt ? null : claim });
      if (!inDoubt && result.kind === 'done') onClaimed(result.claimed);
      if (!inDoubt && (result.kind === 'answered' || result.kind === 'unreachable')) onClaimed([]);
      if (result.kind === 'done') {
        if (result.unclaimed > 0) this.#onDeliveries();
        return { kind: 'committed' };
      }
      // Polling finds its deliveries.
      if (result.kind === 'proved') return { kind: 'committed' };
      if (result.kind === 'answered' && (!inDoubt || lostAreGone)) return verdictOf(result, batch.length);
      if (result.kind === 'lost') lost.push({ processId: result.processId, lostMs: performance.now() });
      const mayBeThere = lost.length > 0 || result.kind === 'unproved';
      if (!mayBeThere || performance.now() - startedMs > this.#doubtMs) {
        return { kind: 'unavailable', error: new UnavailableError(mayBeThere, result.error) };
      }
      await delay(pauseMs);
    }
  }

  /**
   * Tells whether the processes behind the lost connections have ended, and terminates those that have not. It leaves one that waits for a
   * standby, because that one has committed. Without the wait, clients would see rows that a standby may lack when it takes over.
   */
  async #areGone(lost: LostConnection[]): Promise<boolean> {
    try {
      for (const { processId, lostMs } of lost) {
        // Match only a process of ours that started before the loss, by the database's clock: process ids are reused.
        const { rows } = await this.#writers.query({
          text: `
            select wait_event is distinct from 'SyncRep' and pg_terminate_backend(pid)
            from pg_stat_activity
            where pid = $1 and backend_start < clock_timestamp() - $2 * interval '1 ms'
              and usename = current_user and application_name = current_setting('application_name')`,
          values: [processId, performance.now() - lostMs],
        });
        if (rows.length > 0) return false;
      }
      return true;
    } catch {
      return false;
    }
  }

  async #sendOnce(
    batch: readonly BatchEntry[],
    span: BatchSpan | undefined,
    options: BatchOptions,
  ): Promise<SendResult> {
    const statements = statementsOf(batch, options);
    let client: PoolClient;
    try {
      client = await this.#writers.connect();
    } catch (error) {
      return { kind: 'unreachable', error };
    }
    const queries = [{ text: 'begin' }, ...statements, { text: 'commit' }];
    const sent = queries.map((query) => client.query(query));
    if (span) sent.forEach((result, index) => span.follow(statements[index - 1]?.name ?? queries[index]!.text, result));
    const results = await Promise.allSettled(sent);
    const failure = results.find((result) => result.status === 'rejected');
    const lost = results.find(isLost);
    if (lost) {
      client.release(true);
      return { kind: 'lost', error: lost.reason, processId: processIdOf(client) };
    }
    if (!failure) {
      client.release();
      return { kind: 'done', ...deliveriesIn(batch, statements, results) };
    }
    const error: unknown = failure.reason;
    const statement = statements[results.indexOf(failure) - 1];
    const mayBeProof =
      options.again && statement !== undefined && provesCommit(statement) && codeOf(error) === uniqueViolation;
    const result: SendResult = mayBeProof ? await proofOn(client, batch, error) : { kind: 'answered', error };
    client.release(result.kind === 'unproved');
    return result;
  }
}

/**
 * Finds out whether an earlier trip committed the batch, after PostgreSQL rejected one of its rows as a duplicate. The duplicate alone
 * proves nothing, because a fault may have given two members one id. The batch was committed if all of its rows are there.
 *
 * They must also be as durable as a response promises. A commit that waited for a standby is visible without it if the connection or the
 * database was lost. A writing transaction of our own waits for all earlier writes. It uses the connection that saw the rows. Another one
 * may lead to a standby that has taken over without them.
 */
async function proofOn(client: PoolClient, batch: readonly BatchEntry[], refusal: unknown): Promise<SendResult> {
  try {
    const { rows } = await client.query<{ are_there: boolean }>(countRows(batch));
    if (!onlyRow(rows).are_there) return { kind: 'answered', error: refusal };
    await client.query({ text: `select pg_logical_emit_message(true, 'tenure', 'in doubt')` });
    return { kind: 'proved' };
  } catch (error) {
    return { kind: 'unproved', error };
  }
}

function isLarge({ entry }: Waiting): boolean {
  return entry.bytes > largeBytes;
}

/** Tells whether a client waits for the mutation. Some clients have no payer, such as people that sign in. */
function hasClient({ request }: WriteRequest): boolean {
  return request !== null;
}

function undecidedBytesOf({ request }: WriteRequest): number {
  return Math.max(undecidedBytes, bytesPerBodyByte * (request?.body?.length ?? 0));
}

function sizeOf(entries: BatchEntry[]): { entries: number; changes: number } {
  const changes = entries.reduce((sum, entry) => sum + changesOf(entry), 0);
  return { entries: entries.length, changes };
}

function changesOf({ inserts, updates, deletes }: BatchEntry): number {
  return inserts.length + updates.length + deletes.length;
}

/** How one trip to the database ended. */
type SendResult =
  | { kind: 'done'; claimed: MadeDelivery[]; unclaimed: number }
  /** The batch's rows were there already: an earlier trip committed them, and they are durable. */
  | { kind: 'proved' }
  /** The rows were there, but whether they are durable could not be found out. */
  | { kind: 'unproved'; error: unknown }
  /** PostgreSQL returned an error, so nothing was committed. */
  | { kind: 'answered'; error: unknown }
  /** No connection could be made, so nothing was sent. */
  | { kind: 'unreachable'; error: unknown }
  /** The connection broke after the batch had been sent. */
  | { kind: 'lost'; error: unknown; processId: number };

/** A broken connection, and the time it broke. */
interface LostConnection {
  processId: number;
  lostMs: number;
}

const uniqueViolation = '23505';
const queryCanceled = '57014';
const deadlockCodes = new Set(['40P01', '40001']);

/** Interprets PostgreSQL's error, given that no trip of the batch is still running. */
function verdictOf(result: SendResult & { kind: 'answered' }, entries: number): Sent {
  const { error } = result;
  // One member took too long, or its account is moving. Retry alone, so that the others succeed.
  const code = codeOf(error);
  if ((code === queryCanceled || code === awayCode) && entries > 1) return { kind: 'refused', error };
  if (isUnavailable(error)) return { kind: 'unavailable', error: new UnavailableError(false, error) };
  if (error instanceof DatabaseError && code === refusalCode) {
    const { message, detail } = error;
    const refused = new Set((detail ?? '').split(',').map(Number));
    return { kind: 'members_refused', reason: message as RefusalReason, entries: refused };
  }
  return { kind: code !== undefined && deadlockCodes.has(code) ? 'deadlock' : 'refused', error };
}

/** Returns whether the connection failed during a statement. */
function isLost(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected' && isConnectionFault(result.reason);
}

function accountsWithEvents(batch: Waiting[]): Set<string> {
  return new Set(batch.filter(({ entry }) => entry.events.length > 0).map(({ entry }) => entry.accountId));
}

/** Returns the deliveries that a batch put in the queue: those that it claimed, and the number of the others. */
function deliveriesIn(
  batch: readonly BatchEntry[],
  statements: readonly Statement[],
  results: PromiseSettledResult<{ rowCount: number | null; rows: unknown[] }>[],
): { claimed: MadeDelivery[]; unclaimed: number } {
  const index = statements.findIndex(insertsDeliveries);
  // The first result is that of `begin`.
  const result = results[index + 1];
  if (index < 0 || result?.status !== 'fulfilled') return { claimed: [], unclaimed: 0 };
  const { rowCount, rows } = result.value;
  const claimed = claimedDeliveries(batch, rows as MadeRow[]);
  return { claimed, unclaimed: (rowCount ?? 0) - claimed.length };
}

function hasEvents({ events }: BatchEntry): boolean {
  return events.length > 0;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

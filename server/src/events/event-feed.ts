import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Id } from '../core/ids.ts';
import {
  ByteBudget,
  type ByteCeiling,
  type ByteLimits,
  type HeldBytes,
  type Payer,
} from '../core/limits/byte-budget.ts';
import { patient, FairQueue } from '../core/limits/fair-queue.ts';
import type { Resource } from '../model/resource.ts';
import {
  isAfter,
  PositionRemovedError,
  readEventsAfter,
  readMoment,
  readNewestBefore,
  readNews,
  readOldestEvent,
  readPosition,
  type EventPage,
  type Moment,
  type PlacedEvent,
  type Position,
} from './event-order.ts';
import type { Reader } from '../db/reader.ts';

/** Polls at this interval, because other processes commit without a notification. */
const pollEveryMs = 250;

/** A short pause: a transaction holds events back for milliseconds only, as a rule. */
const heldBackPauseMs = 5;

/** Limits of a page, so that a follower holds little while its client does not read. A larger event is a page of its own. */
const pageSize = 100;
const pageBytesMax = 128 * 1024;

/** A follower reserves so many bytes before it reads, because the size of the next event is unknown. Few events are larger. */
const reservedBytes = 1024 * 1024;

/**
 * Bounds the bytes of events that are read but not yet sent to clients. An account's share serves 8 followers that read large events at
 * once. Or it serves 64 whose clients do not read their page. Other followers wait.
 */
export const subscriptionBytes: ByteLimits = {
  max: 32 * 1024 * 1024,
  maxPerAccount: 8 * 1024 * 1024,
  maxPerTree: 24 * 1024 * 1024,
};

/**
 * Bounds the newest events in memory, which followers will read next. Without room they are evicted, and followers read them from the
 * database. Each event is also kept as text, once for each version in which it is sent.
 */
const keptBytes = { max: 8 * 1024 * 1024, maxPerAccount: 1024 * 1024 };
const keptMs = 2_000;

/** Events for a follower. Their bytes count as held until they are released. */
export interface HeldEvents {
  events: PlacedEvent[];
  bytes: HeldBytes;
}

/**
 * Sends committed events to followers, in the order of each account's events. The newest events of an account are read once for all its
 * followers. Events of an account without followers are not read.
 */
export class EventFeed {
  readonly #reader: Reader;
  readonly #resource: Resource;
  readonly #log: Logger;
  readonly #feeds = new Map<string, AccountFeed>();
  /** Lets trees of accounts take turns at pages. So a tree with many streams does not delay the streams of others. */
  readonly #queue: FairQueue;
  /** Bytes that followers hold, and bytes that are kept for them. */
  readonly budgets: { subscriptions: ByteBudget; kept: ByteBudget };
  readonly #isRetained: (id: Id) => boolean;
  #polling: NodeJS.Timeout | undefined;
  #isAsking = false;
  /** The highest id that a next transaction had while there were feeds. */
  #nextTransactionId = 0n;

  constructor(parts: {
    reader: Reader;
    /** Pages that are read at once. */
    readsAtOnce: number;
    resource: Resource;
    log: Logger;
    subscriptionBytes: ByteLimits;
    memory: ByteCeiling;
    /** Returns whether the event with this id is younger than the retention time. */
    isRetained: (id: Id) => boolean;
  }) {
    this.#reader = parts.reader;
    this.#resource = parts.resource;
    this.#log = parts.log;
    this.#isRetained = parts.isRetained;
    this.#queue = new FairQueue(parts.readsAtOnce);
    this.budgets = {
      subscriptions: new ByteBudget(parts.subscriptionBytes, parts.memory),
      kept: new ByteBudget(keptBytes, parts.memory),
    };
  }

  /** Reads the position of an event. Returns null if the account has no such event. */
  positionOf(accountId: string, id: string): Promise<Position | null> {
    return readPosition(this.#reader, accountId, id);
  }

  /** Reads the id of the account's newest event before a position. Leaves out types with one of these beginnings. */
  newestBefore(accountId: string, position: Position, beginnings: readonly string[]): Promise<Id | null> {
    return readNewestBefore(this.#reader, accountId, position, beginnings);
  }

  /** Reads the id of the account's oldest event. Returns null if the account has no events. */
  oldestOf(accountId: string): Promise<string | null> {
    return readOldestEvent(this.#reader, accountId);
  }

  /**
   * Follows an account: from after a position, or from now on.
   *
   * @param payer the account that uses its own share of memory, and its tree's.
   * @throws {UnavailableError}
   */
  async subscribe(accountId: string, payer: Payer, after: Position | null): Promise<Subscriber> {
    const now = await readMoment(this.#reader, accountId);
    const feed = this.#feedOf(accountId, payer.rootId, now);
    const subscriber = new Subscriber({
      feed,
      position: after ?? now.position,
      since: after ? null : now,
      budget: this.budgets.subscriptions,
      payer,
      onLeave: () => this.#leave(accountId, feed),
    });
    feed.subscribers++;
    return subscriber;
  }

  /** Notifies the feed of new events in these accounts. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    if (this.#feeds.size === 0) return;
    for (const accountId of accountIds) this.#feeds.get(accountId)?.wake();
  }

  #feedOf(accountId: string, rootId: string, now: Moment): AccountFeed {
    const known = this.#feeds.get(accountId);
    if (known) return known;
    const party = { accountId, rootId };
    const page = { accountId, limit: pageSize, bytesMax: pageBytesMax };
    const read = (position: Position, id: Id | null): Promise<EventPage> =>
      this.#queue.run(party, patient, () => readEventsAfter(this.#reader, this.#resource, { ...page, position, id }));
    const keep = (bytes: number): HeldBytes | null => this.budgets.kept.tryTake(party, bytes);
    const feed = new AccountFeed(now.position, {
      read,
      keep,
      isRetained: this.#isRetained,
      onLost: () => this.#end(accountId, feed),
      log: this.#log,
    });
    this.#feeds.set(accountId, feed);
    this.#noteTransaction(now.position.transactionId);
    // Commits since `now` could not wake this feed.
    feed.wake();
    this.#polling ??= setInterval(() => void this.#poll(), pollEveryMs).unref();
    return feed;
  }

  #leave(accountId: string, feed: AccountFeed): void {
    if (--feed.subscribers > 0) return;
    feed.stop();
    this.#remove(accountId, feed);
  }

  /** Ends all streams of a feed. Their clients resume after the last event that they have. */
  #end(accountId: string, feed: AccountFeed): void {
    feed.end();
    this.#remove(accountId, feed);
  }

  #remove(accountId: string, feed: AccountFeed): void {
    if (this.#feeds.get(accountId) !== feed) return;
    this.#feeds.delete(accountId);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
    this.#nextTransactionId = 0n;
  }

  #noteTransaction(id: bigint): void {
    if (id > this.#nextTransactionId) this.#nextTransactionId = id;
  }

  /** Looks for new events of all followed accounts with one query. */
  async #poll(): Promise<void> {
    for (const feed of this.#feeds.values()) feed.forgetOld();
    if (this.#isAsking) return;
    this.#isAsking = true;
    // A feed that begins during the query can know a higher one.
    const known = this.#nextTransactionId;
    try {
      const heads = new Map([...this.#feeds].map(([accountId, { head }]) => [accountId, head]));
      const { accountIds, nextTransactionId } = await readNews(this.#reader, heads);
      // New events then begin before the positions of the feeds, so the feeds would skip them.
      if (nextTransactionId < known) for (const [accountId, feed] of this.#feeds) this.#end(accountId, feed);
      else this.#noteTransaction(nextTransactionId);
      this.wake(accountIds);
    } catch (error) {
      this.#log.debug({ err: error }, 'new events could not be looked for');
    } finally {
      this.#isAsking = false;
    }
  }
}

/** A follower of one account, at its own position. */
export class Subscriber {
  readonly #feed: AccountFeed;
  #position: Position;
  /** The event at the position, or null if the subscriber began there. */
  #id: Id | null = null;
  /** Skips events that were committed before this moment. Null if the subscriber began at a given position. */
  readonly since: Moment | null;
  readonly #budget: ByteBudget;
  readonly #payer: Payer;
  readonly #onLeave: () => void;
  readonly #left = new AbortController();
  /** A wait for room to read. It continues from one call of `next` to the following one. */
  #waiting: Promise<HeldBytes> | null = null;

  constructor(parts: {
    feed: AccountFeed;
    position: Position;
    since: Moment | null;
    budget: ByteBudget;
    payer: Payer;
    onLeave: () => void;
  }) {
    this.#feed = parts.feed;
    this.#position = parts.position;
    this.since = parts.since;
    this.#budget = parts.budget;
    this.#payer = parts.payer;
    this.#onLeave = parts.onLeave;
  }

  /**
   * Returns a page of the next events, which the caller releases. It is empty after `timeoutMs` without an event, without room, or after
   * `leave`.
   *
   * @throws {UnavailableError} if the database cannot be reached.
   * @throws {PositionRemovedError} if some of the events may have been removed before they were read.
   */
  async next(timeoutMs: number): Promise<HeldEvents> {
    const untilMs = performance.now() + timeoutMs;
    while (!this.#hasLeft) {
      if (this.#feed.hasEnded) throw new PositionRemovedError();
      if (this.#feed.isAt(this.#position)) {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) break;
        await this.#feed.grown(leftMs);
        continue;
      }
      const held = this.#takeKept() ?? (await this.#read(untilMs));
      if (!held) break;
      const last = held.events.at(-1);
      if (last) [this.#position, this.#id] = [last.position, last.id as Id];
      const events = held.events.filter(({ position }) => !this.since?.has(position));
      if (events.length > 0) return { events, bytes: held.bytes };
      held.bytes.release();
    }
    return nothing;
  }

  /** Ends a waiting call of `next`. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#left.abort();
    // Release room that was granted at the last moment.
    this.#waiting?.then(
      (bytes) => bytes.release(),
      () => {},
    );
    this.#feed.wakeSubscribers();
    this.#onLeave();
  }

  get #hasLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /** Takes events from the feed. Returns null if the feed no longer has them, or if there is no room without waiting. */
  #takeKept(): HeldEvents | null {
    // Use awaited room first. Otherwise it would be held without a use.
    if (this.#waiting) return null;
    const events = this.#feed.after(this.#position);
    if (events === null) return null;
    const bytes = this.#budget.tryTake(this.#payer, sizeOf(events));
    return bytes && { events, bytes };
  }

  /** Waits for room and reads. Returns null if there was no room in time, or if the follower has left. */
  async #read(untilMs: number): Promise<HeldEvents | null> {
    const bytes = await this.#room(untilMs);
    if (!bytes) return null;
    try {
      const events = this.#feed.after(this.#position) ?? (await this.#readBehind());
      bytes.hold(sizeOf(events));
      return { events, bytes };
    } catch (error) {
      bytes.release();
      throw error;
    }
  }

  async #room(untilMs: number): Promise<HeldBytes | null> {
    const room = this.#waiting ? null : this.#budget.tryTake(this.#payer, reservedBytes);
    if (room) return room;
    const waiting = (this.#waiting ??= this.#budget.take(this.#payer, reservedBytes, this.#left.signal));
    const timeout = new AbortController();
    try {
      const late = delay(Math.max(0, untilMs - performance.now()), null, { signal: timeout.signal, ref: false });
      const bytes = await Promise.race([waiting, late.catch(() => null)]);
      if (bytes) this.#waiting = null;
      return bytes;
    } catch {
      // The follower has left.
      return null;
    } finally {
      timeout.abort();
    }
  }

  /** Reads events that the feed no longer has. After them, the subscriber continues with the feed. */
  async #readBehind(): Promise<PlacedEvent[]> {
    const begin = this.#feed.begin;
    const { events, isAnchored } = await this.#feed.read(this.#position, this.#id);
    // The position of a moment has no event.
    if (!isAnchored && this.#position.ordinal >= 0) throw new PositionRemovedError();
    if (events.length === 0) [this.#position, this.#id] = [begin, null];
    return events;
  }
}

const nothing: HeldEvents = { events: [], bytes: { release() {}, hold() {}, resize: () => true } };

function sizeOf(events: readonly PlacedEvent[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The newest events of one account, for all its followers in this process. */
class AccountFeed {
  readonly read: (position: Position, id: Id | null) => Promise<EventPage>;
  subscribers = 0;
  /** The streams of this feed end. */
  hasEnded = false;
  readonly #log: Logger;
  readonly #takeRoom: (bytes: number) => HeldBytes | null;
  readonly #isRetained: (id: Id) => boolean;
  readonly #onLost: () => void;
  #kept: { event: PlacedEvent; held: HeldBytes; readAtMs: number }[] = [];
  #begin: Position;
  #head: Position;
  /** The event at the head, or null if none was read yet. */
  #headId: Id | null = null;
  #isReading = false;
  #isDue = false;
  #hasStopped = false;
  #heldBackTimer: NodeJS.Timeout | undefined;
  #heldBackPauseMs = heldBackPauseMs;
  #waiting = new Set<() => void>();

  constructor(
    position: Position,
    parts: {
      read: (position: Position, id: Id | null) => Promise<EventPage>;
      keep: (bytes: number) => HeldBytes | null;
      isRetained: (id: Id) => boolean;
      onLost: () => void;
      log: Logger;
    },
  ) {
    this.#begin = position;
    this.#head = position;
    this.read = parts.read;
    this.#takeRoom = parts.keep;
    this.#isRetained = parts.isRetained;
    this.#onLost = parts.onLost;
    this.#log = parts.log;
  }

  /** Returns the position after which all events up to the head are kept. */
  get begin(): Position {
    return this.#begin;
  }

  /** Returns the position of the last event that was read. */
  get head(): Position {
    return this.#head;
  }

  /** Returns whether no event after this position is known. */
  isAt(position: Position): boolean {
    return !isAfter(this.#head, position) && !isAfter(this.#begin, position);
  }

  /** Returns a page of the events after a position, in order. Returns null if they are no longer kept. */
  after(position: Position): PlacedEvent[] | null {
    if (isAfter(this.#begin, position)) return null;
    let first = this.#kept.length;
    while (first > 0 && isAfter(this.#kept[first - 1]!.event.position, position)) first--;
    const page: PlacedEvent[] = [];
    let bytes = 0;
    for (const { event } of this.#kept.slice(first, first + pageSize)) {
      bytes += event.bytes;
      if (bytes > pageBytesMax && page.length > 0) break;
      page.push(event);
    }
    return page;
  }

  /** Resolves if there may be more events, or after `timeoutMs`. */
  grown(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }

  wakeSubscribers(): void {
    for (const done of this.#waiting) done();
  }

  /** Reads new events now, or after the current read. */
  wake(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#readOn();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#heldBackTimer);
    this.#forget(this.#kept.length);
  }

  end(): void {
    this.hasEnded = true;
    this.stop();
    this.wakeSubscribers();
  }

  forgetOld(): void {
    const keptSinceMs = performance.now() - keptMs;
    const firstKept = this.#kept.findIndex(({ readAtMs }) => readAtMs > keptSinceMs);
    this.#forget(firstKept === -1 ? this.#kept.length : firstKept);
  }

  /** Evicts the oldest. */
  #forget(count: number): void {
    for (const { event, held } of this.#kept.splice(0, count)) {
      this.#begin = event.position;
      held.release();
    }
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    clearTimeout(this.#heldBackTimer);
    try {
      while (this.#isDue && !this.#hasStopped) {
        this.#isDue = false;
        const { events, isAnchored, hasMore, isHeldBack } = await this.read(this.#head, this.#headId);
        if (!isAnchored && this.#headId && this.#isRetained(this.#headId)) {
          this.#log.error(
            { event: this.#headId },
            'the database has lost an event that it had committed, so it has lost other changes, too; follow "Fail over" in the guide to operations',
          );
          this.#onLost();
          return;
        }
        this.#keep(events);
        if (hasMore) this.#isDue = true;
        else if (isHeldBack) this.#readLater(events.length > 0);
      }
    } catch (error) {
      // Polling finds the events later.
      this.#log.debug({ err: error }, 'new events could not be read');
    } finally {
      this.#isReading = false;
    }
  }

  #keep(events: PlacedEvent[]): void {
    if (events.length === 0) return;
    const readAtMs = performance.now();
    const last = events.at(-1)!;
    this.#head = last.position;
    this.#headId = last.id as Id;
    for (const event of events) {
      const held = this.#roomFor(event);
      if (held) this.#kept.push({ event, held, readAtMs });
      else this.#begin = event.position;
    }
    this.forgetOld();
    this.wakeSubscribers();
  }

  /** Evicts older events until there is room for this one. Returns null if there is no room even then. */
  #roomFor({ bytes }: PlacedEvent): HeldBytes | null {
    for (;;) {
      const held = this.#hasStopped ? null : this.#takeRoom(bytes);
      if (held || this.#kept.length === 0) return held;
      this.#forget(1);
    }
  }

  /** Reads again soon, and backs off up to the interval of polling. */
  #readLater(hasMoved: boolean): void {
    this.#heldBackPauseMs = hasMoved ? heldBackPauseMs : Math.min(this.#heldBackPauseMs * 2, pollEveryMs);
    clearTimeout(this.#heldBackTimer);
    this.#heldBackTimer = setTimeout(() => this.wake(), this.#heldBackPauseMs).unref();
  }
}

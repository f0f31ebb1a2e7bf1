import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ByteBudget, type ByteLimits, type HeldBytes, type Payer } from '../core/byte-budget.ts';
import type { Resource } from '../model/resource.ts';
import {
  isAfter,
  PositionRemovedError,
  readEventsAfter,
  readMoment,
  readOldestEvent,
  readPosition,
  readWhoMoved,
  type EventPage,
  type Moment,
  type PlacedEvent,
  type Position,
} from './event-order.ts';
import type { Reader } from '../db/reader.ts';

/** Other processes commit too, and tell nobody. */
const pollEveryMs = 250;

/** What a transaction holds back is mostly let go within milliseconds. */
const heldBackPauseMs = 5;

/** A page of events is small, so that a follower whose client does not read holds little. A larger event is a page of its own. */
const pageSize = 100;
const pageBytesMax = 128 * 1024;

/** A follower reserves this much before it reads, because it cannot know the size of the next event. Few are larger. */
const reservedBytes = 1024 * 1024;

/**
 * Bounds what is read for followers and not yet sent to their clients. A share serves 8 that read large events at once, or 64 whose clients
 * do not take a page. Others wait.
 */
export const followedBytes: ByteLimits = {
  max: 32 * 1024 * 1024,
  maxPerAccount: 8 * 1024 * 1024,
  maxPerTree: 24 * 1024 * 1024,
};

/**
 * Bounds the newest events that are kept for followers which are about to take them. Without room they are evicted, and followers read them
 * from the database. A kept event is also kept as text, once for each version in which it is sent.
 */
const keptBytes = { max: 8 * 1024 * 1024, maxPerAccount: 1024 * 1024 };
const keptMs = 2_000;

/** Events that a follower was given. They count as held until they are released. */
export interface HeldEvents {
  events: PlacedEvent[];
  bytes: HeldBytes;
}

/**
 * Lets any number of followers see the events of their accounts as they are committed, in the one order that each account's events have.
 * The newest events of an account are read once for all its followers, and of an account that nobody follows nothing is read at all.
 */
export class EventFeed {
  readonly #reader: Reader;
  readonly #resource: Resource;
  readonly #log: Logger;
  readonly #tails = new Map<string, AccountFeed>();
  /** What followers were given, and what is kept for them. */
  readonly budgets: { followed: ByteBudget; kept: ByteBudget };
  #polling: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(parts: { reader: Reader; resource: Resource; log: Logger; followedBytes: ByteLimits }) {
    this.#reader = parts.reader;
    this.#resource = parts.resource;
    this.#log = parts.log;
    this.budgets = { followed: new ByteBudget(parts.followedBytes), kept: new ByteBudget(keptBytes) };
  }

  /** The place of an event; null if the account has none of this id. */
  positionOf(accountId: string, id: string): Promise<Position | null> {
    return readPosition(this.#reader, accountId, id);
  }

  /** The id of the oldest event that the account still has; null if it has none. */
  oldestOf(accountId: string): Promise<string | null> {
    return readOldestEvent(this.#reader, accountId);
  }

  /**
   * Begins to follow an account: from behind a place, or with what is committed from now on.
   *
   * @param payer the account whose share of memory is used, and its tree's.
   * @throws {UnavailableError}
   */
  async follow(accountId: string, payer: Payer, after: Position | null): Promise<Subscriber> {
    const now = await readMoment(this.#reader);
    const tail = this.#tailOf(accountId, now);
    const follower = new Subscriber({
      tail,
      position: after ?? now.position,
      since: after ? null : now,
      budget: this.budgets.followed,
      payer,
      onLeave: () => this.#leave(accountId, tail),
    });
    tail.followers++;
    return follower;
  }

  /** To be told of the accounts that events were committed for. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    if (this.#tails.size === 0) return;
    for (const accountId of accountIds) this.#tails.get(accountId)?.wake();
  }

  #tailOf(accountId: string, now: Moment): AccountFeed {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const read = (position: Position): Promise<EventPage> =>
      readEventsAfter(this.#reader, this.#resource, {
        accountId,
        position,
        limit: pageSize,
        bytesMax: pageBytesMax,
      });
    const keep = (bytes: number): HeldBytes | null => this.budgets.kept.tryTake(accountId, bytes);
    const tail = new AccountFeed(now.position, read, keep, this.#log);
    this.#tails.set(accountId, tail);
    // What was committed since then woke nobody.
    tail.wake();
    this.#polling ??= setInterval(() => void this.#poll(), pollEveryMs).unref();
    return tail;
  }

  #leave(accountId: string, tail: AccountFeed): void {
    if (--tail.followers > 0) return;
    tail.stop();
    this.#tails.delete(accountId);
    if (this.#tails.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  /** One question for all accounts that are followed. */
  async #poll(): Promise<void> {
    for (const tail of this.#tails.values()) tail.forgetOld();
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const heads = new Map([...this.#tails].map(([accountId, { head }]) => [accountId, head]));
      this.wake(await readWhoMoved(this.#reader, heads));
    } catch (error) {
      this.#log.debug({ err: error }, 'new events could not be looked for');
    } finally {
      this.#isAsking = false;
    }
  }
}

/** One who follows an account, at a place of their own. */
export class Subscriber {
  readonly #tail: AccountFeed;
  #position: Position;
  /** What was committed before is not for them. */
  readonly #since: Moment | null;
  readonly #budget: ByteBudget;
  readonly #payer: Payer;
  readonly #onLeave: () => void;
  readonly #left = new AbortController();
  /** A place in the queue for room to read; it is kept from one call of `next` to the other. */
  #waiting: Promise<HeldBytes> | null = null;

  constructor(parts: {
    tail: AccountFeed;
    position: Position;
    since: Moment | null;
    budget: ByteBudget;
    payer: Payer;
    onLeave: () => void;
  }) {
    this.#tail = parts.tail;
    this.#position = parts.position;
    this.#since = parts.since;
    this.#budget = parts.budget;
    this.#payer = parts.payer;
    this.#onLeave = parts.onLeave;
  }

  /**
   * Returns a page of the next events, to be released. It is empty if there was none within `timeoutMs`, if there was no room for one, or
   * if the follower has left.
   *
   * @throws {UnavailableError} they cannot be read just now.
   * @throws {PositionRemovedError} some of them may have been removed before they were read.
   */
  async next(timeoutMs: number): Promise<HeldEvents> {
    const untilMs = performance.now() + timeoutMs;
    while (!this.#hasLeft) {
      if (this.#tail.isAt(this.#position)) {
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) break;
        await this.#tail.grown(leftMs);
        continue;
      }
      const held = this.#takeKept() ?? (await this.#read(untilMs));
      if (!held) break;
      this.#position = held.events.at(-1)?.position ?? this.#position;
      const events = held.events.filter(({ position }) => !this.#since?.has(position));
      if (events.length > 0) return { events, bytes: held.bytes };
      held.bytes.release();
    }
    return nothing;
  }

  /** Ends a call of `next` that is waiting. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#left.abort();
    // Room that came at the last moment.
    this.#waiting?.then(
      (bytes) => bytes.release(),
      () => {},
    );
    this.#tail.wakeFollowers();
    this.#onLeave();
  }

  get #hasLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /** Takes what the tail has; null if it has it no more, or there is no room without waiting. */
  #takeKept(): HeldEvents | null {
    // Room that is waited for is used first, or it would be held for nothing.
    if (this.#waiting) return null;
    const events = this.#tail.after(this.#position);
    if (events === null) return null;
    const bytes = this.#budget.tryTake(this.#payer, sizeOf(events));
    return bytes && { events, bytes };
  }

  /** Waits for room and reads; null if there was no room in time, or the follower has left. */
  async #read(untilMs: number): Promise<HeldEvents | null> {
    const bytes = await this.#room(untilMs);
    if (!bytes) return null;
    try {
      const events = this.#tail.after(this.#position) ?? (await this.#readBehind());
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

  /** Of what the tail does not have any more; it has what is left when that has been read. */
  async #readBehind(): Promise<PlacedEvent[]> {
    const begin = this.#tail.begin;
    const { events, isAnchored } = await this.#tail.read(this.#position);
    // Where a moment is, there is no event.
    if (!isAnchored && this.#position.ordinal >= 0) throw new PositionRemovedError();
    if (events.length === 0) this.#position = begin;
    return events;
  }
}

const nothing: HeldEvents = { events: [], bytes: { release() {}, hold() {}, resize: () => true } };

function sizeOf(events: readonly PlacedEvent[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The newest events of one account, for all who follow it in this process. */
class AccountFeed {
  readonly read: (position: Position) => Promise<EventPage>;
  followers = 0;
  readonly #log: Logger;
  readonly #takeRoom: (bytes: number) => HeldBytes | null;
  #kept: { event: PlacedEvent; held: HeldBytes; readAtMs: number }[] = [];
  #begin: Position;
  #head: Position;
  #isReading = false;
  #isDue = false;
  #hasStopped = false;
  #heldBackTimer: NodeJS.Timeout | undefined;
  #heldBackPauseMs = heldBackPauseMs;
  #waiting = new Set<() => void>();

  constructor(
    position: Position,
    read: (position: Position) => Promise<EventPage>,
    takeRoom: (bytes: number) => HeldBytes | null,
    log: Logger,
  ) {
    this.#begin = position;
    this.#head = position;
    this.read = read;
    this.#takeRoom = takeRoom;
    this.#log = log;
  }

  /** Everything after this place and up to the head is kept. */
  get begin(): Position {
    return this.#begin;
  }

  /** The place of the last event that was read. */
  get head(): Position {
    return this.#head;
  }

  /** Whether nothing is known to come after this place. */
  isAt(position: Position): boolean {
    return !isAfter(this.#head, position) && !isAfter(this.#begin, position);
  }

  /** A page of the events after a place, in order; null if what follows it is not kept any more. */
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

  /** Resolves when there may be more, or after `timeoutMs`. */
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

  wakeFollowers(): void {
    for (const done of this.#waiting) done();
  }

  /** There may be new events: they are read, now or as soon as those before them have been. */
  wake(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#readOn();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#heldBackTimer);
    this.#forget(this.#kept.length);
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
        const { events, hasMore, isHeldBack } = await this.read(this.#head);
        this.#keep(events);
        if (hasMore) this.#isDue = true;
        else if (isHeldBack) this.#readLater(events.length > 0);
      }
    } catch (error) {
      // They are found by polling when they can be read again.
      this.#log.debug({ err: error }, 'new events could not be read');
    } finally {
      this.#isReading = false;
    }
  }

  #keep(events: PlacedEvent[]): void {
    if (events.length === 0) return;
    const readAtMs = performance.now();
    this.#head = events.at(-1)!.position;
    for (const event of events) {
      const held = this.#roomFor(event);
      if (held) this.#kept.push({ event, held, readAtMs });
      else this.#begin = event.position;
    }
    this.forgetOld();
    this.wakeFollowers();
  }

  /** Evicts older events until there is room for this one; null if there is none even then. */
  #roomFor({ bytes }: PlacedEvent): HeldBytes | null {
    for (;;) {
      const held = this.#hasStopped ? null : this.#takeRoom(bytes);
      if (held || this.#kept.length === 0) return held;
      this.#forget(1);
    }
  }

  /** Looks again soon, then less and less often; in the end polling finds it. */
  #readLater(hasMoved: boolean): void {
    this.#heldBackPauseMs = hasMoved ? heldBackPauseMs : Math.min(this.#heldBackPauseMs * 2, pollEveryMs);
    clearTimeout(this.#heldBackTimer);
    this.#heldBackTimer = setTimeout(() => this.wake(), this.#heldBackPauseMs).unref();
  }
}

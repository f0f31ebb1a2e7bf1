import type { Logger } from 'pino';
import type { Resource } from '../core/resource.ts';
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
import type { Reader } from './reader.ts';

/** Other processes commit too, and tell nobody. */
const pollEveryMs = 250;

/** What a transaction holds back is mostly let go within milliseconds. */
const heldBackPauseMs = 5;

const pageSize = 100;

/** So much of what was read stays for followers that are about to take it, in characters and for so long; others read it themselves. */
const keptCharactersMax = 1_000_000;
const keptMs = 2_000;

/**
 * Lets any number of followers see the events of their accounts as they are committed, in the one order that each account's events have.
 * The newest events of an account are read once for all its followers, and of an account that nobody follows nothing is read at all.
 */
export class EventTails {
  readonly #reader: Reader;
  readonly #resource: Resource;
  readonly #log: Logger;
  readonly #tails = new Map<string, Tail>();
  #polling: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(parts: { reader: Reader; resource: Resource; log: Logger }) {
    this.#reader = parts.reader;
    this.#resource = parts.resource;
    this.#log = parts.log;
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
   * @throws {UnavailableError}
   */
  async follow(accountId: string, after: Position | null): Promise<Follower> {
    const now = await readMoment(this.#reader);
    const tail = this.#tailOf(accountId, now);
    const follower = new Follower(tail, after ?? now.position, after ? null : now, () => this.#leave(accountId, tail));
    tail.followers++;
    return follower;
  }

  /** To be told of the accounts that events were committed for. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    if (this.#tails.size === 0) return;
    for (const accountId of accountIds) this.#tails.get(accountId)?.wake();
  }

  #tailOf(accountId: string, now: Moment): Tail {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const read = (position: Position): Promise<EventPage> =>
      readEventsAfter(this.#reader, this.#resource, { accountId, position, limit: pageSize });
    const tail = new Tail(now.position, read, this.#log);
    this.#tails.set(accountId, tail);
    // What was committed since then woke nobody.
    tail.wake();
    this.#polling ??= setInterval(() => void this.#poll(), pollEveryMs).unref();
    return tail;
  }

  #leave(accountId: string, tail: Tail): void {
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
export class Follower {
  readonly #tail: Tail;
  #position: Position;
  /** What was committed before is not for them. */
  readonly #since: Moment | null;
  readonly #onLeave: () => void;
  #hasLeft = false;

  constructor(tail: Tail, position: Position, since: Moment | null, onLeave: () => void) {
    this.#tail = tail;
    this.#position = position;
    this.#since = since;
    this.#onLeave = onLeave;
  }

  /**
   * The next events: none if there was none within `timeoutMs`, or the follower has left.
   *
   * @throws {UnavailableError} they cannot be read just now.
   * @throws {PositionRemovedError} some of them may have been removed before they were read.
   */
  async next(timeoutMs: number): Promise<PlacedEvent[]> {
    const untilMs = performance.now() + timeoutMs;
    while (!this.#hasLeft) {
      const events = this.#tail.after(this.#position) ?? (await this.#readBehind());
      this.#position = events.at(-1)?.position ?? this.#position;
      const wanted = events.filter(({ position }) => !this.#since?.has(position));
      if (wanted.length > 0) return wanted;
      if (events.length > 0 || !this.#tail.isAt(this.#position)) continue;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) break;
      await this.#tail.grown(leftMs);
    }
    return [];
  }

  /** Ends a call of `next` that is waiting. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#tail.wakeFollowers();
    this.#onLeave();
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

/** The newest events of one account, for all who follow it in this process. */
class Tail {
  readonly read: (position: Position) => Promise<EventPage>;
  followers = 0;
  readonly #log: Logger;
  #kept: { event: PlacedEvent; characters: number; readAtMs: number }[] = [];
  #keptCharacters = 0;
  #begin: Position;
  #head: Position;
  #isReading = false;
  #isDue = false;
  #hasStopped = false;
  #heldBackTimer: NodeJS.Timeout | undefined;
  #heldBackPauseMs = heldBackPauseMs;
  #waiting = new Set<() => void>();

  constructor(position: Position, read: (position: Position) => Promise<EventPage>, log: Logger) {
    this.#begin = position;
    this.#head = position;
    this.read = read;
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

  /** Some of the events after a place, in order; null if what follows it is not kept any more. */
  after(position: Position): PlacedEvent[] | null {
    if (isAfter(this.#begin, position)) return null;
    let first = this.#kept.length;
    while (first > 0 && isAfter(this.#kept[first - 1]!.event.position, position)) first--;
    return this.#kept.slice(first, first + pageSize).map(({ event }) => event);
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
  }

  forgetOld(): void {
    const nowMs = performance.now();
    let forgotten = 0;
    for (const { event, characters, readAtMs } of this.#kept) {
      if (this.#keptCharacters <= keptCharactersMax && nowMs - readAtMs < keptMs) break;
      this.#keptCharacters -= characters;
      this.#begin = event.position;
      forgotten++;
    }
    if (forgotten > 0) this.#kept = this.#kept.slice(forgotten);
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    clearTimeout(this.#heldBackTimer);
    try {
      while (this.#isDue && !this.#hasStopped) {
        this.#isDue = false;
        const { events, isHeldBack } = await this.read(this.#head);
        this.#keep(events);
        if (events.length === pageSize) this.#isDue = true;
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
    for (const event of events) {
      const characters = String(event.row.data).length + String(event.row.request).length;
      this.#kept.push({ event, characters, readAtMs });
      this.#keptCharacters += characters;
    }
    this.#head = events.at(-1)!.position;
    this.forgetOld();
    this.wakeFollowers();
  }

  /** Looks again soon, then less and less often; in the end polling finds it. */
  #readLater(hasMoved: boolean): void {
    this.#heldBackPauseMs = hasMoved ? heldBackPauseMs : Math.min(this.#heldBackPauseMs * 2, pollEveryMs);
    clearTimeout(this.#heldBackTimer);
    this.#heldBackTimer = setTimeout(() => this.wake(), this.#heldBackPauseMs).unref();
  }
}

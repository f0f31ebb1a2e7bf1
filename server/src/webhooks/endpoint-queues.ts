import type { ClaimedDelivery } from './claim.ts';
import type { Postponed } from './postpone.ts';

/** Limits of the deliveries in one process. */
export interface QueueLimits {
  /** Attempts under way to one endpoint, so that a slow one leaves room for the others. */
  perEndpointMax: number;
  /** Attempts under way in one process. */
  inFlightMax: number;
  /** Deliveries in one process that are claimed and not yet completed. */
  heldMax: number;
}

/** The result of an attempt, for its queue. */
export type Ending = 'answered' | 'hung' | 'not_made';

/** When the process is crowded, each endpoint has one eighth of its usual places, so that responsive ones find room. */
const crowdedShare = 8;

/**
 * The last part of the places, and of the held deliveries, is for trees of accounts that use few. Otherwise the endpoints of three trees
 * could hang in all places. Those of others would then wait for the end of these attempts.
 */
const lastShare = 1 / 4;

/** Milliseconds. An endpoint is stuck if it has used all its places for this long without an end of an attempt. */
const stuckAfterMs = 1_000;

/** After so many hung attempts in a row, an endpoint gets one attempt at a time, until it responds. */
const hungInARowMax = 8;

/**
 * Milliseconds for which a stuck endpoint's backlog is postponed. The first pause is long enough to be worth the move. It doubles while the
 * endpoint is stuck.
 */
const pauseMsMin = 5_000;
const pauseMsMax = 60_000;

/** More milliseconds for most of the backlog of an endpoint that is probed. A long backlog is then not moved every minute. */
const restMs = 600_000;

/**
 * Decides which attempts may begin. Each endpoint has its own queue, so that a slow or dead one does not delay others. A claimed delivery
 * begins at once while its endpoint has room, and otherwise waits here for a while. A full queue is left out of claims. The backlog of a
 * stuck one is postponed, so that no claim has to scan past it.
 */
export class EndpointQueues {
  readonly #limits: QueueLimits;
  readonly #nowMs: () => number;
  readonly #attempt: (delivery: ClaimedDelivery) => Promise<Ending>;
  readonly #release: (delivery: ClaimedDelivery, dueAtMs: number) => void;
  readonly #held: () => number;
  readonly #onRoom: () => void;
  readonly #queues = new Map<string, EndpointQueue>();
  /** Queues whose first delivery could begin if the process had room, in turn. */
  readonly #ready = new Set<EndpointQueue>();
  #inFlight = 0;
  /** The use of each tree of accounts, by its root. */
  readonly #trees = new Map<string, TreeUse>();
  /** Probes under way. They hold at most half of the places, however many endpoints hang. */
  #probes = 0;
  /** Whether deliveries were left out of a claim, or released, only because too much was under way. */
  #hasSkipped = false;

  /**
   * @param parts.attempt makes an attempt; it never throws.
   * @param parts.release releases the delivery, to be claimed again from a time on.
   * @param parts.held returns the deliveries that are claimed and not yet completed.
   * @param parts.onRoom is called when claims need no longer leave out an endpoint.
   */
  constructor(
    limits: QueueLimits,
    parts: {
      nowMs: () => number;
      attempt: (delivery: ClaimedDelivery) => Promise<Ending>;
      release: (delivery: ClaimedDelivery, dueAtMs: number) => void;
      held: () => number;
      onRoom: () => void;
    },
  ) {
    this.#limits = limits;
    this.#nowMs = parts.nowMs;
    this.#attempt = parts.attempt;
    this.#release = parts.release;
    this.#held = parts.held;
    this.#onRoom = parts.onRoom;
  }

  /** Attempts that are under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Begins a delivery, lets it wait for its turn, or releases it.
   *
   * @param rootId the root of its account's tree.
   */
  take(delivery: ClaimedDelivery, rootId: string): void {
    const queue = this.#queueOf(delivery, rootId);
    // Let it wait in the database, where it takes no place.
    if (this.#isRefusing(queue)) return this.#release(delivery, Math.max(delivery.dueAtMs, queue.postponedUntilMs));
    queue.waiting.push(delivery);
    this.#use(queue, { held: 1 });
    this.#begin(queue);
  }

  /** Returns the endpoints with full queues. A claim for them would only be released. */
  full(): string[] {
    const full = [...this.#queues.values()].filter((queue) => this.#isFull(queue));
    this.#hasSkipped ||= full.length > 0 && this.#isCrowded();
    return full.map(({ endpointId }) => endpointId);
  }

  /** Releases the waiting deliveries of stuck endpoints, so that others find room. */
  makeRoom(): void {
    for (const queue of this.#queues.values()) if (this.#isStuck(queue)) this.#empty(queue);
  }

  /** Notes that released deliveries can be claimed again. */
  noteSkipped(): void {
    this.#hasSkipped = true;
  }

  /** Returns true once when there is room again for deliveries that were passed over. */
  takeRoomAgain(): boolean {
    if (!this.#hasSkipped || this.#isCrowded()) return false;
    this.#hasSkipped = false;
    return true;
  }

  /** Releases all deliveries that have not begun. */
  empty(): void {
    for (const queue of this.#queues.values()) this.#empty(queue);
  }

  /**
   * Returns the endpoints whose backlog must be postponed now, each with its time. Call it every second, so that new deliveries are
   * postponed with the rest. It deletes queues with nothing left to remember.
   */
  postpone(): Postponed[] {
    const nowMs = this.#nowMs();
    for (const queue of this.#queues.values()) {
      const { inFlight, waiting, postponedUntilMs } = queue;
      if (inFlight === 0 && waiting.length === 0 && nowMs > postponedUntilMs + pauseMsMax) {
        this.#queues.delete(queue.endpointId);
      } else if (this.#isStuck(queue) && nowMs >= postponedUntilMs) {
        this.#lengthenPause(queue);
      }
    }
    return [...this.#queues.values()]
      .filter(({ postponedUntilMs }) => postponedUntilMs > nowMs)
      .map((queue) => {
        const { accountId, endpointId, postponedUntilMs: untilMs } = queue;
        return { accountId, endpointId, untilMs, restUntilMs: untilMs + (isProbed(queue) ? restMs : 0) };
      });
  }

  /** Returns endpoints that respond again while their backlog is postponed for long, until `forgetRevived` confirms that it was resumed. */
  revived(): { accountId: string; endpointId: string; postponedUntilMs: number }[] {
    return [...this.#queues.values()]
      .filter(({ revivedFromMs }) => revivedFromMs > 0)
      .map(({ accountId, endpointId, revivedFromMs }) => ({ accountId, endpointId, postponedUntilMs: revivedFromMs }));
  }

  /** Notes that the endpoint's backlog was resumed. */
  forgetRevived({ endpointId, postponedUntilMs }: { endpointId: string; postponedUntilMs: number }): void {
    const queue = this.#queues.get(endpointId);
    if (queue?.revivedFromMs === postponedUntilMs) queue.revivedFromMs = 0;
  }

  #queueOf({ accountId, endpointId }: ClaimedDelivery, rootId: string): EndpointQueue {
    const known = this.#queues.get(endpointId);
    if (known) return known;
    const queue: EndpointQueue = {
      accountId,
      rootId,
      endpointId,
      inFlight: 0,
      waiting: [],
      lastMoveMs: performance.now(),
      hungInARow: 0,
      pauseMs: 0,
      postponedUntilMs: 0,
      revivedFromMs: 0,
    };
    this.#queues.set(endpointId, queue);
    return queue;
  }

  #shareOf(queue: EndpointQueue): number {
    const { perEndpointMax } = this.#limits;
    if (isProbed(queue)) return 1;
    return this.#isCrowded() ? Math.ceil(perEndpointMax / crowdedShare) : perEndpointMax;
  }

  #isCrowded(): boolean {
    const { heldMax, inFlightMax } = this.#limits;
    return this.#held() > heldMax / 2 || this.#inFlight > inFlightMax / 2;
  }

  /** Tells whether the free places are for trees that use fewer. */
  #hasEnough({ rootId }: EndpointQueue): boolean {
    const { perEndpointMax, inFlightMax } = this.#limits;
    const { inFlight = 0 } = this.#trees.get(rootId) ?? {};
    return inFlight >= perEndpointMax && this.#inFlight >= inFlightMax * (1 - lastShare);
  }

  /** Tells whether a claim for the queue would take the room of trees that hold fewer deliveries. */
  #holdsEnough(queue: EndpointQueue): boolean {
    const { perEndpointMax, heldMax } = this.#limits;
    const { held = 0 } = this.#trees.get(queue.rootId) ?? {};
    return this.#hasEnough(queue) || (held >= perEndpointMax && this.#held() >= heldMax * (1 - lastShare));
  }

  #use({ rootId }: EndpointQueue, { inFlight = 0, held = 0 }: Partial<TreeUse>): void {
    const use = this.#trees.get(rootId) ?? { inFlight: 0, held: 0 };
    use.inFlight += inFlight;
    use.held += held;
    if (use.held > 0) this.#trees.set(rootId, use);
    else this.#trees.delete(rootId);
  }

  #isStuck(queue: EndpointQueue): boolean {
    return queue.inFlight >= this.#shareOf(queue) && performance.now() - queue.lastMoveMs > stuckAfterMs;
  }

  /** Tells whether a claim for the queue would bring more than it can take. */
  #isFull(queue: EndpointQueue): boolean {
    if (queue.waiting.length > this.#limits.perEndpointMax || this.#isStuck(queue)) return true;
    if (this.#holdsEnough(queue)) return true;
    return (
      this.#isRefusing(queue) || (this.#isCrowded() && queue.inFlight + queue.waiting.length >= this.#shareOf(queue))
    );
  }

  /** Tells whether a claimed delivery must be released. Other queues may be long, because they move. */
  #isRefusing(queue: EndpointQueue): boolean {
    const { inFlight, waiting, postponedUntilMs } = queue;
    if (isProbed(queue) && this.#probes >= this.#limits.inFlightMax / 2) return true;
    // The queue takes only the probe.
    if (isProbed(queue)) return inFlight + waiting.length > 0 || postponedUntilMs > this.#nowMs();
    if (this.#holdsEnough(queue)) return true;
    if (this.#isStuck(queue)) return waiting.length > this.#limits.perEndpointMax;
    return this.#isCrowded() && waiting.length >= this.#shareOf(queue);
  }

  /** Begins the deliveries that can begin, after a queue got a delivery or a free place. */
  #begin(queue: EndpointQueue): void {
    if (queue.waiting.length > 0 && queue.inFlight < this.#shareOf(queue)) this.#ready.add(queue);
    for (const next of this.#ready) {
      if (this.#inFlight >= this.#limits.inFlightMax) return;
      if (this.#hasEnough(next)) continue;
      this.#ready.delete(next);
      if (next.inFlight >= this.#shareOf(next)) continue;
      const delivery = next.waiting.shift();
      if (!delivery) continue;
      this.#start(delivery, next);
      // Put it behind the others, so that each has its turn.
      if (next.waiting.length > 0 && next.inFlight < this.#shareOf(next)) this.#ready.add(next);
    }
  }

  #start(delivery: ClaimedDelivery, queue: EndpointQueue): void {
    queue.inFlight++;
    this.#inFlight++;
    this.#use(queue, { inFlight: 1 });
    queue.lastMoveMs = performance.now();
    const isProbe = isProbed(queue);
    if (isProbe) {
      this.#probes++;
      // A claim during the probe must not find the backlog.
      this.#lengthenPause(queue);
    }
    void this.#attempt(delivery).then((ending) => this.#end(ending, queue, isProbe));
  }

  #end(ending: Ending, queue: EndpointQueue, wasProbe: boolean): void {
    const wasFull = this.#isFull(queue);
    if (wasProbe) this.#probes--;
    queue.inFlight--;
    this.#inFlight--;
    this.#use(queue, { inFlight: -1, held: -1 });
    queue.lastMoveMs = performance.now();
    if (ending === 'hung') this.#noteHang(queue);
    else if (ending === 'answered') this.#noteResponse(queue);
    this.#begin(queue);
    if (wasFull && !this.#isFull(queue)) this.#onRoom();
    if (isForgettable(queue)) this.#queues.delete(queue.endpointId);
  }

  #noteHang(queue: EndpointQueue): void {
    queue.hungInARow++;
    if (queue.hungInARow !== hungInARowMax) return;
    if (queue.postponedUntilMs <= this.#nowMs()) this.#lengthenPause(queue);
    this.#empty(queue);
  }

  #noteResponse(queue: EndpointQueue): void {
    const nowMs = this.#nowMs();
    if (isProbed(queue)) queue.revivedFromMs = Math.max(nowMs, queue.postponedUntilMs) + restMs;
    // A backlog that is due soon needs no move.
    else if (queue.postponedUntilMs > nowMs + pauseMsMin) queue.revivedFromMs = queue.postponedUntilMs;
    queue.hungInARow = 0;
    queue.pauseMs = 0;
    queue.postponedUntilMs = 0;
  }

  #lengthenPause(queue: EndpointQueue): void {
    queue.pauseMs = Math.min(Math.max(pauseMsMin, 2 * queue.pauseMs), pauseMsMax);
    queue.postponedUntilMs = this.#nowMs() + queue.pauseMs;
  }

  #empty(queue: EndpointQueue): void {
    this.#ready.delete(queue);
    this.#use(queue, { held: -queue.waiting.length });
    for (const delivery of queue.waiting.splice(0)) {
      this.#release(delivery, Math.max(delivery.dueAtMs, queue.postponedUntilMs));
    }
  }
}

/** Tells whether so many attempts have hung that the endpoint gets one at a time. */
function isProbed({ hungInARow }: EndpointQueue): boolean {
  return hungInARow >= hungInARowMax;
}

/** Tells whether the queue has nothing to remember. */
function isForgettable({ inFlight, waiting, hungInARow, postponedUntilMs, revivedFromMs }: EndpointQueue): boolean {
  return inFlight + waiting.length + hungInARow + postponedUntilMs + revivedFromMs === 0;
}

/** What a tree of accounts uses. */
interface TreeUse {
  /** Attempts under way. */
  inFlight: number;
  /** These, and the deliveries that wait for their turn. */
  held: number;
}

/** The attempts under way to an endpoint, and the deliveries that wait for their turn. */
interface EndpointQueue {
  accountId: string;
  /** The root of the account's tree. */
  rootId: string;
  endpointId: string;
  inFlight: number;
  waiting: ClaimedDelivery[];
  /** The time at which an attempt last began or ended, by the process's own clock. */
  lastMoveMs: number;
  /** Hung attempts in a row. */
  hungInARow: number;
  /** The last pause of its backlog; 0 if the endpoint is not stuck. */
  pauseMs: number;
  /** The time at which its backlog is due, by the deployment's clock; 0 if it is not postponed. */
  postponedUntilMs: number;
  /** The value of `postponedUntilMs` when the endpoint responded again; 0 if there is nothing to resume. */
  revivedFromMs: number;
}

import type { ClaimedDelivery } from './claim.ts';
import type { PutOff } from './postpone.ts';

/** Limits of the deliveries in one process. */
export interface LaneLimits {
  /** Attempts under way to one endpoint, so that a slow one leaves room for the others. */
  perEndpointMax: number;
  /** Attempts under way in one process. */
  inFlightMax: number;
  /** Deliveries in one process that are claimed and not yet completed. */
  heldMax: number;
}

/** The result of an attempt, for its lane. */
export type Ending = 'answered' | 'hung' | 'not_made';

/** When the process is crowded, each endpoint has one eighth of its usual places, so that responsive ones find room. */
const crowdedShare = 8;

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

/** More milliseconds for most of the backlog of an endpoint in trial. A long backlog is then not moved every minute. */
const restMs = 600_000;

/**
 * Decides which attempts may begin. Each endpoint has its own lane, so that a slow or dead one does not delay others. A claimed delivery
 * begins at once while its endpoint has room, and otherwise waits here for a while. A full lane is left out of claims. The backlog of a
 * stuck one is postponed, so that no claim has to scan past it.
 */
export class EndpointLanes {
  readonly #limits: LaneLimits;
  readonly #nowMs: () => number;
  readonly #carryOut: (delivery: ClaimedDelivery) => Promise<Ending>;
  readonly #giveBack: (delivery: ClaimedDelivery, dueAtMs: number) => void;
  readonly #held: () => number;
  readonly #onRoom: () => void;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes whose first delivery could begin if the process had room, in turn. */
  readonly #ready = new Set<Lane>();
  #inFlight = 0;
  /** Trial attempts under way. They hold at most half of the places, however many endpoints hang. */
  #trials = 0;
  /** Whether deliveries were left out of a claim, or released, only because too much was under way. */
  #hasPassedOver = false;

  /**
   * @param parts.carryOut makes an attempt; it never throws.
   * @param parts.giveBack releases the delivery, to be claimed again from a time on.
   * @param parts.held returns the deliveries that are claimed and not yet completed.
   * @param parts.onRoom is called when claims need no longer leave out an endpoint.
   */
  constructor(
    limits: LaneLimits,
    parts: {
      nowMs: () => number;
      carryOut: (delivery: ClaimedDelivery) => Promise<Ending>;
      giveBack: (delivery: ClaimedDelivery, dueAtMs: number) => void;
      held: () => number;
      onRoom: () => void;
    },
  ) {
    this.#limits = limits;
    this.#nowMs = parts.nowMs;
    this.#carryOut = parts.carryOut;
    this.#giveBack = parts.giveBack;
    this.#held = parts.held;
    this.#onRoom = parts.onRoom;
  }

  /** Attempts that are under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Begins a delivery, lets it wait for its turn, or releases it. */
  take(delivery: ClaimedDelivery): void {
    const lane = this.#laneOf(delivery);
    // Let it wait in the database, where it takes no place.
    if (this.#turnsAway(lane)) return this.#giveBack(delivery, Math.max(delivery.dueAtMs, lane.putOffUntilMs));
    lane.waiting.push(delivery);
    this.#begin(lane);
  }

  /** Returns the endpoints with full lanes. A claim for them would only be released. */
  full(): string[] {
    const full = [...this.#lanes.values()].filter((lane) => this.#isFull(lane));
    this.#hasPassedOver ||= full.length > 0 && this.#isCrowded();
    return full.map(({ endpointId }) => endpointId);
  }

  /** Releases the waiting deliveries of stuck endpoints, so that others find room. */
  makeRoom(): void {
    for (const lane of this.#lanes.values()) if (this.#isStuck(lane)) this.#empty(lane);
  }

  /** Notes that released deliveries can be claimed again. */
  passedOver(): void {
    this.#hasPassedOver = true;
  }

  /** Returns true once when there is room again for deliveries that were passed over. */
  takeRoomAgain(): boolean {
    if (!this.#hasPassedOver || this.#isCrowded()) return false;
    this.#hasPassedOver = false;
    return true;
  }

  /** Releases all deliveries that have not begun. */
  empty(): void {
    for (const lane of this.#lanes.values()) this.#empty(lane);
  }

  /**
   * Returns the endpoints whose backlog must be postponed now, each with its time. Call it every second, so that new deliveries are
   * postponed with the rest. It deletes lanes with nothing left to remember.
   */
  putOff(): PutOff[] {
    const nowMs = this.#nowMs();
    for (const lane of this.#lanes.values()) {
      const { inFlight, waiting, putOffUntilMs } = lane;
      if (inFlight === 0 && waiting.length === 0 && nowMs > putOffUntilMs + pauseMsMax) {
        this.#lanes.delete(lane.endpointId);
      } else if (this.#isStuck(lane) && nowMs >= putOffUntilMs) {
        this.#lengthen(lane);
      }
    }
    return [...this.#lanes.values()]
      .filter(({ putOffUntilMs }) => putOffUntilMs > nowMs)
      .map((lane) => {
        const { accountId, endpointId, putOffUntilMs: untilMs } = lane;
        return { accountId, endpointId, untilMs, restUntilMs: untilMs + (isTriedOut(lane) ? restMs : 0) };
      });
  }

  /** Returns endpoints that respond again while their backlog is postponed for long, until `forgetRevived` confirms that it was resumed. */
  revived(): { accountId: string; endpointId: string; putOffUntilMs: number }[] {
    return [...this.#lanes.values()]
      .filter(({ revivedFromMs }) => revivedFromMs > 0)
      .map(({ accountId, endpointId, revivedFromMs }) => ({ accountId, endpointId, putOffUntilMs: revivedFromMs }));
  }

  /** Notes that the endpoint's backlog was resumed. */
  forgetRevived({ endpointId, putOffUntilMs }: { endpointId: string; putOffUntilMs: number }): void {
    const lane = this.#lanes.get(endpointId);
    if (lane?.revivedFromMs === putOffUntilMs) lane.revivedFromMs = 0;
  }

  #laneOf({ accountId, endpointId }: ClaimedDelivery): Lane {
    const known = this.#lanes.get(endpointId);
    if (known) return known;
    const lane: Lane = {
      accountId,
      endpointId,
      inFlight: 0,
      waiting: [],
      lastMoveMs: performance.now(),
      hungInARow: 0,
      pauseMs: 0,
      putOffUntilMs: 0,
      revivedFromMs: 0,
    };
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  #shareOf(lane: Lane): number {
    const { perEndpointMax } = this.#limits;
    if (isTriedOut(lane)) return 1;
    return this.#isCrowded() ? Math.ceil(perEndpointMax / crowdedShare) : perEndpointMax;
  }

  #isCrowded(): boolean {
    const { heldMax, inFlightMax } = this.#limits;
    return this.#held() > heldMax / 2 || this.#inFlight > inFlightMax / 2;
  }

  #isStuck(lane: Lane): boolean {
    return lane.inFlight >= this.#shareOf(lane) && performance.now() - lane.lastMoveMs > stuckAfterMs;
  }

  /** Tells whether a claim for the lane would bring more than it can take. */
  #isFull(lane: Lane): boolean {
    if (lane.waiting.length > this.#limits.perEndpointMax || this.#isStuck(lane)) return true;
    return this.#turnsAway(lane) || (this.#isCrowded() && lane.inFlight + lane.waiting.length >= this.#shareOf(lane));
  }

  /** Tells whether a claimed delivery must be released. Other lanes may be long, because they move. */
  #turnsAway(lane: Lane): boolean {
    const { inFlight, waiting, putOffUntilMs } = lane;
    if (isTriedOut(lane) && this.#trials >= this.#limits.inFlightMax / 2) return true;
    // The lane takes only the trial attempt.
    if (isTriedOut(lane)) return inFlight + waiting.length > 0 || putOffUntilMs > this.#nowMs();
    if (this.#isStuck(lane)) return waiting.length > this.#limits.perEndpointMax;
    return this.#isCrowded() && waiting.length >= this.#shareOf(lane);
  }

  /** Begins the deliveries that can begin, after a lane got a delivery or a free place. */
  #begin(lane: Lane): void {
    if (lane.waiting.length > 0 && lane.inFlight < this.#shareOf(lane)) this.#ready.add(lane);
    for (const next of this.#ready) {
      if (this.#inFlight >= this.#limits.inFlightMax) return;
      this.#ready.delete(next);
      if (next.inFlight >= this.#shareOf(next)) continue;
      const delivery = next.waiting.shift();
      if (!delivery) continue;
      this.#start(delivery, next);
      // Put it behind the others, so that each has its turn.
      if (next.waiting.length > 0 && next.inFlight < this.#shareOf(next)) this.#ready.add(next);
    }
  }

  #start(delivery: ClaimedDelivery, lane: Lane): void {
    lane.inFlight++;
    this.#inFlight++;
    lane.lastMoveMs = performance.now();
    const isTrial = isTriedOut(lane);
    if (isTrial) {
      this.#trials++;
      // A claim during the trial must not find the backlog.
      this.#lengthen(lane);
    }
    void this.#carryOut(delivery).then((ending) => this.#end(ending, lane, isTrial));
  }

  #end(ending: Ending, lane: Lane, wasTrial: boolean): void {
    const wasFull = this.#isFull(lane);
    if (wasTrial) this.#trials--;
    lane.inFlight--;
    this.#inFlight--;
    lane.lastMoveMs = performance.now();
    if (ending === 'hung') this.#suspect(lane);
    else if (ending === 'answered') this.#trust(lane);
    this.#begin(lane);
    if (wasFull && !this.#isFull(lane)) this.#onRoom();
    if (isOver(lane)) this.#lanes.delete(lane.endpointId);
  }

  #suspect(lane: Lane): void {
    lane.hungInARow++;
    if (lane.hungInARow !== hungInARowMax) return;
    if (lane.putOffUntilMs <= this.#nowMs()) this.#lengthen(lane);
    this.#empty(lane);
  }

  #trust(lane: Lane): void {
    const nowMs = this.#nowMs();
    if (isTriedOut(lane)) lane.revivedFromMs = Math.max(nowMs, lane.putOffUntilMs) + restMs;
    // A backlog that is due soon needs no move.
    else if (lane.putOffUntilMs > nowMs + pauseMsMin) lane.revivedFromMs = lane.putOffUntilMs;
    lane.hungInARow = 0;
    lane.pauseMs = 0;
    lane.putOffUntilMs = 0;
  }

  #lengthen(lane: Lane): void {
    lane.pauseMs = Math.min(Math.max(pauseMsMin, 2 * lane.pauseMs), pauseMsMax);
    lane.putOffUntilMs = this.#nowMs() + lane.pauseMs;
  }

  #empty(lane: Lane): void {
    this.#ready.delete(lane);
    for (const delivery of lane.waiting.splice(0)) {
      this.#giveBack(delivery, Math.max(delivery.dueAtMs, lane.putOffUntilMs));
    }
  }
}

/** Tells whether so many attempts have hung that the endpoint gets one at a time. */
function isTriedOut({ hungInARow }: Lane): boolean {
  return hungInARow >= hungInARowMax;
}

/** Tells whether the lane has nothing to remember. */
function isOver({ inFlight, waiting, hungInARow, putOffUntilMs, revivedFromMs }: Lane): boolean {
  return inFlight + waiting.length + hungInARow + putOffUntilMs + revivedFromMs === 0;
}

/** The attempts under way to an endpoint, and the deliveries that wait for their turn. */
interface Lane {
  accountId: string;
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
  putOffUntilMs: number;
  /** The value of `putOffUntilMs` when the endpoint responded again; 0 if there is nothing to resume. */
  revivedFromMs: number;
}

import type { ClaimedDelivery } from './claim.ts';
import type { PutOff } from './postpone.ts';

/** What bounds what is under way. */
export interface LaneLimits {
  /** Under way to one endpoint, so that a slow one leaves room for the others. */
  perEndpointMax: number;
  /** Under way in one process. */
  inFlightMax: number;
  /** Claimed and not yet completed, in one process. */
  heldMax: number;
}

/** How an attempt ended. */
export type Ending = 'answered' | 'hung' | 'not_made';

/** When many are held, each endpoint has only this part of what it may have otherwise: there is room for those that answer. */
const crowdedShare = 8;

/** An endpoint that has had all it may have under way for so long, and has ended none of it, is stuck. */
const stuckAfterMs = 1_000;

/** After so many attempts in a row that hung, an endpoint is tried with one at a time until that one is answered. */
const hungInARowMax = 8;

/** How long the backlog of an endpoint that is stuck is put off: long enough that moving it pays, doubled as long as it is stuck. */
const pauseMsMin = 5_000;
const pauseMsMax = 60_000;

/** While an endpoint is only tried out, most of its backlog is put off for so much longer: a long one is not moved every minute. */
const restMs = 600_000;

/**
 * Who may begin: a lane for each endpoint, so that one that is slow or dead holds up no other. What is claimed begins at once while
 * its endpoint has room, and otherwise waits here, for a while; a lane that has enough is left out of claims; one that is stuck has its
 * backlog put off, so that no claim has to walk past it.
 */
export class EndpointLanes {
  readonly #limits: LaneLimits;
  readonly #nowMs: () => number;
  readonly #carryOut: (delivery: ClaimedDelivery) => Promise<Ending>;
  readonly #giveBack: (delivery: ClaimedDelivery, dueAtMs: number) => void;
  readonly #held: () => number;
  readonly #onRoom: () => void;
  readonly #lanes = new Map<string, Lane>();
  /** Queues whose first in line could begin if the process had room; each in its turn. */
  readonly #ready = new Set<Lane>();
  #inFlight = 0;
  /** Attempts under way by which endpoints are tried out: they hold at most half of the places, however many endpoints hang. */
  #trials = 0;
  /** Whether something was left out of a claim, or given back, only because too much was under way. */
  #hasPassedOver = false;

  /**
   * @param parts.carryOut makes an attempt; it never throws.
   * @param parts.giveBack lets the delivery be claimed again from a time on.
   * @param parts.held how many are claimed and not yet completed.
   * @param parts.onRoom told when an endpoint that was left out of claims need not be any more.
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

  /** Begins a delivery, lets it wait for its turn, or gives it back. */
  take(delivery: ClaimedDelivery): void {
    const lane = this.#laneOf(delivery);
    // It waits in the database instead, where it is in nobody's way.
    if (this.#turnsAway(lane)) return this.#giveBack(delivery, Math.max(delivery.dueAtMs, lane.putOffUntilMs));
    lane.waiting.push(delivery);
    this.#begin(lane);
  }

  /** Endpoints that have enough here, so that a claim for them would only be given back. */
  full(): string[] {
    const full = [...this.#lanes.values()].filter((lane) => this.#isFull(lane));
    this.#hasPassedOver ||= full.length > 0 && this.#isCrowded();
    return full.map(({ endpointId }) => endpointId);
  }

  /** What waits here for endpoints that are stuck waits in the database instead, so that others find room. */
  makeRoom(): void {
    for (const lane of this.#lanes.values()) if (this.#isStuck(lane)) this.#empty(lane);
  }

  /** Says that what was given back is there to be claimed again. */
  passedOver(): void {
    this.#hasPassedOver = true;
  }

  /** Whether there is room again for what was passed over because there was none. OperationDocs once. */
  takeRoomAgain(): boolean {
    if (!this.#hasPassedOver || this.#isCrowded()) return false;
    this.#hasPassedOver = false;
    return true;
  }

  /** Gives back all that has not begun. */
  empty(): void {
    for (const lane of this.#lanes.values()) this.#empty(lane);
  }

  /**
   * The endpoints whose backlog is to be put off now, each until when. To be asked every second: what has come since is put off with
   * the rest. Queues that have nothing to say any more are forgotten.
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

  /** Endpoints that answer again although their backlog is put off for long: it can be brought forward. OperationDocs until it was. */
  revived(): { accountId: string; endpointId: string; putOffUntilMs: number }[] {
    return [...this.#lanes.values()]
      .filter(({ revivedFromMs }) => revivedFromMs > 0)
      .map(({ accountId, endpointId, revivedFromMs }) => ({ accountId, endpointId, putOffUntilMs: revivedFromMs }));
  }

  /** Its backlog was brought forward. */
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

  /** Whether a claim for it would bring more than it can take. */
  #isFull(lane: Lane): boolean {
    if (lane.waiting.length > this.#limits.perEndpointMax || this.#isStuck(lane)) return true;
    return this.#turnsAway(lane) || (this.#isCrowded() && lane.inFlight + lane.waiting.length >= this.#shareOf(lane));
  }

  /** Whether what was claimed for it is given back: elsewhere a lane may be long, because it moves. */
  #turnsAway(lane: Lane): boolean {
    const { inFlight, waiting, putOffUntilMs } = lane;
    if (isTriedOut(lane) && this.#trials >= this.#limits.inFlightMax / 2) return true;
    // Nothing but that one attempt is for it.
    if (isTriedOut(lane)) return inFlight + waiting.length > 0 || putOffUntilMs > this.#nowMs();
    if (this.#isStuck(lane)) return waiting.length > this.#limits.perEndpointMax;
    return this.#isCrowded() && waiting.length >= this.#shareOf(lane);
  }

  /** Begins what can, of a lane that has something new in line or room again. */
  #begin(lane: Lane): void {
    if (lane.waiting.length > 0 && lane.inFlight < this.#shareOf(lane)) this.#ready.add(lane);
    for (const next of this.#ready) {
      if (this.#inFlight >= this.#limits.inFlightMax) return;
      this.#ready.delete(next);
      if (next.inFlight >= this.#shareOf(next)) continue;
      const delivery = next.waiting.shift();
      if (!delivery) continue;
      this.#start(delivery, next);
      // Behind the others, so that each has its turn.
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
      // Whoever looks while it is under way shall not find the backlog.
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
    // What is due soon comes by itself.
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

/** Whether so many attempts have hung that it gets one at a time. */
function isTriedOut({ hungInARow }: Lane): boolean {
  return hungInARow >= hungInARowMax;
}

/** Whether there is nothing to remember of it. */
function isOver({ inFlight, waiting, hungInARow, putOffUntilMs, revivedFromMs }: Lane): boolean {
  return inFlight + waiting.length + hungInARow + putOffUntilMs + revivedFromMs === 0;
}

/** What is under way to an endpoint, and what waits for its turn. */
interface Lane {
  accountId: string;
  endpointId: string;
  inFlight: number;
  waiting: ClaimedDelivery[];
  /** When an attempt last began or ended, by the process's own clock. */
  lastMoveMs: number;
  /** Attempts in a row that got no answer in good time. */
  hungInARow: number;
  /** How long its backlog was put off the last time; 0 if it is not held up. */
  pauseMs: number;
  /** Its backlog is due then, by the deployment's clock; 0 if it is not put off. */
  putOffUntilMs: number;
  /** As `putOffUntilMs` was when the endpoint answered again; 0 if there is nothing to bring forward. */
  revivedFromMs: number;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { buildConnector } from 'undici';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/random.ts';
import type { Vault } from '../core/encryption.ts';
import type { Pool } from '../db/pools.ts';
import { UnknownVersionError, type ApiVersions } from '../versions/apply.ts';
import type { ByteBudget, ByteLimits } from '../core/byte-budget.ts';
import { timeOfId, type Id } from '../core/ids.ts';
import { claimDeliveries, type ClaimedDelivery, type ClaimedEvent } from './claim.ts';
import { OutcomeWriter, rewritePauseMsMax, type AttemptRow, type Outcome } from './record-outcomes.ts';
import { Endpoints, type Endpoint } from './endpoints.ts';
import { EndpointLanes, type Ending, type LaneLimits } from './endpoint-queues.ts';
import { EventUnreadError, Payloads, type Payload } from './large-payloads.ts';
import { bringForward, putOffDeliveries, type Now } from './postpone.ts';
import { Renderings } from './payload.ts';
import { parseRetryAfter, pauseAfter } from './backoff.ts';
import { Sender, type Reply } from './sender.ts';
import { signatureHeader } from './sign.ts';

/** What bounds the dispatcher. Only tests have others than these. */
export interface DispatcherLimits extends LaneLimits {
  /** Of connecting: the name, the connection and TLS. */
  connectTimeoutMs: number;
  /** Of a whole attempt, the end of the answer's body included. */
  attemptTimeoutMs: number;
  /** A claim that nobody has completed by then is anybody's again: longer than an attempt can take. */
  leaseMs: number;
  /** The queue is looked at at least so often, whether anybody says that there is something or not. */
  pollMs: number;
  /** Claimed at once; more would only wait here instead of there. */
  claimMax: number;
  /** Connections that are open or being opened; more than attempts, or none could be kept for the next one. */
  socketsMax: number;
  /** A process uses what it read of an endpoint at most so long; see `propagationDelayMs` of webhook endpoints. */
  endpointAgeMaxMs: number;
  /** What large events on their way to receivers hold in memory. */
  payloadBytes: ByteLimits;
}

export const dispatcherLimits: DispatcherLimits = {
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 15_000,
  leaseMs: 30_000,
  pollMs: 1_000,
  claimMax: 200,
  heldMax: 2_000,
  inFlightMax: 1_000,
  perEndpointMax: 32,
  socketsMax: 1_200,
  endpointAgeMaxMs: 250,
  // The share of an account is 24 events of half a megabyte, each to any number of endpoints.
  payloadBytes: { max: 48 * 1024 * 1024, maxPerAccount: 12 * 1024 * 1024 },
};

/** Of what is claimed at once, at most this share are retries, as long as first attempts may be waiting. */
const retryShare = 0.25;

/** Whoever took so long and failed in the end kept its place all the time: it hung. */
const hungAfterMs = 1_000;

/** Whether anything is to be put off is looked at so often. */
const putOffEveryMs = 1_000;

/** A delivery in a version that only a newer release knows is due again after so long, for a process of that release to take. */
const unknownVersionPauseMs = 5_000;

/**
 * A delivery for whose event there is no room in memory is due again after a quarter of its age, within these bounds in milliseconds: the
 * backlog of an account whose receivers hang is not claimed again and again.
 */
const roomPauseMsMin = 1_000;
const roomPauseMsMax = 15_000;

/** Who watches the dispatcher for the operator. It must return at once. */
export interface DeliveryObserver {
  /** An attempt was made, and the receiver did this. */
  attempted(reply: Pick<Reply, 'status' | 'error'>, durationMs: number): void;
}

export interface DispatcherParts {
  pool: Pool;
  vault: Vault;
  /** The deployment's: what is due by it. */
  clock: Clock;
  /** The world's: claims hold by it, and receivers have it. */
  realClock: Clock;
  versions: ApiVersions;
  randomBytes: RandomBytes;
  log: Logger;
  /** Opens the connections to receivers, and only to those that may be reached. */
  connect: buildConnector.connector;
  retryScheduleSeconds: readonly number[];
  userAgent: string;
  limits: DispatcherLimits;
  observer: DeliveryObserver;
}

/**
 * Delivers events to webhook endpoints, at least once. It claims what is due, posts it, and writes what became of it; no
 * transaction is open while a receiver thinks. Any number of processes may do so on one database. What a process that was killed
 * had claimed is claimed again when its lease is over.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #endpoints: Endpoints;
  readonly #sender: Sender;
  readonly #renderings: Renderings;
  readonly #payloads: Payloads;
  readonly #outcomes: OutcomeWriter;
  readonly #lanes: EndpointLanes;
  #poll: NodeJS.Timeout | null = null;
  #puttingOff: NodeJS.Timeout | undefined;
  #isPuttingOff = false;
  /** What is being given back, only because too much is under way. */
  readonly #turnedAway = new Set<ClaimedDelivery>();
  /** Whether something may be due that no claim has looked for yet. */
  #wanted = false;
  #claiming: Promise<void> | null = null;
  #stopping = false;
  /** Whether the time of those that were under way at the stop is over. */
  #cutOff = false;
  /** Claimed, and its outcome not yet written. */
  #held = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#endpoints = new Endpoints(parts.limits.endpointAgeMaxMs, parts);
    this.#renderings = new Renderings(parts.versions);
    const { attemptTimeoutMs, leaseMs, socketsMax, payloadBytes } = parts.limits;
    // The last attempt of a claim begins so long after it: nothing else that is sent is older.
    const sharedForMs = leaseMs - attemptTimeoutMs;
    this.#payloads = new Payloads({ pool: parts.pool, limits: payloadBytes, sharedForMs });
    this.#sender = new Sender({ connect: parts.connect, attemptTimeoutMs, socketsMax });
    this.#lanes = new EndpointLanes(parts.limits, {
      nowMs: () => parts.clock.nowMs(),
      carryOut: (delivery) => this.#carryOut(delivery),
      giveBack: (delivery, dueAtMs) => {
        if (dueAtMs <= parts.clock.nowMs()) this.#turnedAway.add(delivery);
        this.#giveBack(delivery, dueAtMs);
      },
      held: () => this.#held,
      onRoom: () => this.wake(),
    });
    this.#outcomes = new OutcomeWriter(parts, (outcomes) => {
      this.#held -= outcomes.length;
      for (const { delivery } of outcomes) {
        // From now on a claim finds it.
        if (this.#turnedAway.delete(delivery)) this.#lanes.passedOver();
      }
      if (this.#lanes.takeRoomAgain()) this.#wanted = true;
      this.#pump();
    });
  }

  /** Attempts that are under way. */
  get inFlight(): number {
    return this.#lanes.inFlight;
  }

  /** Deliveries that are claimed, and whose outcome is not yet written. */
  get held(): number {
    return this.#held;
  }

  /** What large events on their way hold in memory. */
  get bytes(): ByteBudget {
    return this.#payloads.bytes;
  }

  /** Connections to receivers that are open or being opened. */
  get connections(): number {
    return this.#sender.connections;
  }

  /** Begins to claim. From here on, `stop` must be called. */
  start(): void {
    this.#poll = setInterval(() => this.wake(), this.#parts.limits.pollMs);
    this.#puttingOff = setInterval(() => void this.#putOff(), putOffEveryMs);
    this.wake();
  }

  /** Says that something may be due: it is looked for at once, if this process has begun to deliver. */
  wake(): void {
    if (!this.#poll) return;
    this.#wanted = true;
    this.#pump();
  }

  /**
   * Claims nothing more and gives back what has not begun. What is under way may take until `graceMs`; what is cut off then is
   * due again at once, and its attempt does not count. Returns when every outcome is written.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#poll) clearInterval(this.#poll);
    clearInterval(this.#puttingOff);
    await this.#claiming;
    this.#lanes.empty();
    const endsAtMs = performance.now() + graceMs;
    while (this.#held > 0 && performance.now() < endsAtMs) await delay(5);
    this.#cutOff = true;
    this.#sender.interrupt();
    // The database may be away; then the leases run out, and everything is sent again.
    while (this.#held > 0 && performance.now() < endsAtMs + 2 * rewritePauseMsMax) await delay(5);
    await this.#sender.close();
  }

  #pump(): void {
    const { claimMax, heldMax } = this.#parts.limits;
    const room = Math.min(claimMax, heldMax - this.#held);
    if (!this.#wanted || this.#claiming || this.#stopping) return;
    // Claims of a few would cost as much as claims of many.
    if (room < claimMax / 2) return this.#lanes.makeRoom();
    this.#wanted = false;
    this.#claiming = this.#claim(room).finally(() => {
      this.#claiming = null;
      this.#pump();
    });
  }

  async #claim(room: number): Promise<void> {
    const { pool, clock, realClock, limits, log } = this.#parts;
    const againMax = Math.floor(room * retryShare);
    const firstMax = room - againMax;
    const realNowMs = realClock.nowMs();
    try {
      const claimed = await claimDeliveries(pool, {
        nowMs: clock.nowMs(),
        realNowMs,
        untilMs: realNowMs + limits.leaseMs,
        token: this.#makeToken(),
        firstMax,
        againMax,
        fullEndpoints: this.#lanes.full(),
      });
      const retries = claimed.filter(({ attemptCount }) => attemptCount > 0).length;
      // A full lane may have more.
      if (retries === againMax || claimed.length - retries === firstMax) this.#wanted = true;
      this.#held += claimed.length;
      for (const delivery of claimed) this.#take(delivery);
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed');
    }
  }

  /** Starts a delivery, or lets it wait until its endpoint has room. */
  #take(delivery: ClaimedDelivery): void {
    if (this.#stopping) this.#giveBack(delivery);
    else this.#lanes.take(delivery);
  }

  /** Moves the backlog of endpoints that are stuck out of the way of claims, and back when they answer again. */
  async #putOff(): Promise<void> {
    const { pool, log } = this.#parts;
    if (this.#isPuttingOff) return;
    this.#isPuttingOff = true;
    try {
      for (const revived of this.#lanes.revived()) {
        for (let more = true; more && !this.#stopping;) {
          more = await bringForward(pool, this.#now(), revived);
          this.wake();
        }
        this.#lanes.forgetRevived(revived);
      }
      for (let more = true; more && !this.#stopping;) {
        const stuck = this.#lanes.putOff();
        more = stuck.length > 0 && (await putOffDeliveries(pool, this.#now(), stuck));
      }
    } catch (error) {
      log.warn({ err: error }, 'the deliveries of endpoints that are stuck could not be put off');
    } finally {
      this.#isPuttingOff = false;
    }
  }

  /** Makes one attempt, if there is somebody to make it to and time to make it in. Never throws. */
  async #carryOut(delivery: ClaimedDelivery): Promise<Ending> {
    const { log } = this.#parts;
    if (this.#isTooLate(delivery)) return this.#leave(delivery);
    let endpoint: Endpoint | null;
    try {
      endpoint = await this.#endpoints.get(delivery.accountId, delivery.endpointId);
      // It may have been enabled since it was read, and this delivery made since.
      if (!isOpenTo(delivery, endpoint)) {
        endpoint = await this.#endpoints.getAnew(delivery.accountId, delivery.endpointId);
      }
    } catch (error) {
      log.warn({ err: error, delivery: delivery.id }, 'a webhook endpoint could not be read');
      return this.#leave(delivery);
    }
    // While the endpoint was read, the end came.
    if (this.#cutOff) return this.#leave(delivery);
    const { event } = delivery;
    // Disabled or deleted after its deliveries were made: nothing more is sent to it.
    if (!isOpenTo(delivery, endpoint) || !event) return this.#cancel(delivery);
    const payload = await this.#payloadFor(delivery, event, endpoint);
    if (!payload) return 'not_made';
    try {
      return await this.#attempt(delivery, endpoint, payload.body);
    } finally {
      payload.release();
    }
  }

  async #attempt(delivery: ClaimedDelivery, endpoint: Endpoint, body: Buffer): Promise<Ending> {
    const startedAtMs = this.#parts.clock.nowMs();
    const started = performance.now();
    const reply = await this.#sender.post({
      origin: endpoint.origin,
      path: endpoint.path,
      headers: {
        'content-type': 'application/json',
        'user-agent': this.#parts.userAgent,
        'service-signature': signatureHeader(endpoint.signingSecret, endpoint.readAtSeconds, body),
        'service-version': endpoint.apiVersion,
        'service-event-id': delivery.eventId,
        'service-delivery-id': delivery.id,
        'service-attempt': String(delivery.attemptCount + 1),
      },
      body,
    });
    const durationMs = Math.round(performance.now() - started);
    this.#outcomes.add(this.#judge(delivery, reply, { startedAtMs, durationMs, apiVersion: endpoint.apiVersion }));
    return reply.error !== null && durationMs > hungAfterMs ? 'hung' : 'answered';
  }

  /** The bytes for this endpoint; null if they cannot be had now, and then the outcome is told already. */
  async #payloadFor(delivery: ClaimedDelivery, event: ClaimedEvent, endpoint: Endpoint): Promise<Payload | null> {
    const { apiVersion, isConnected } = endpoint;
    const account = isConnected ? delivery.eventAccountId : null;
    try {
      // Small events came with the claim.
      if ('data' in event) return { body: this.#renderings.of(event, apiVersion, account), release() {} };
      const form = `${apiVersion} ${account ?? ''}`;
      const payload = await this.#payloads.take(delivery, form, event.dataBytes, (whole) =>
        this.#renderings.renderAnew(whole, apiVersion, account),
      );
      if (payload === 'no_room') this.#giveBack(delivery, this.#parts.clock.nowMs() + this.#roomPauseMs(delivery));
      else if (payload === 'gone') this.#cancel(delivery);
      else if (await this.#isStillWanted(delivery, endpoint)) return payload;
      else {
        payload.release();
        this.#leave(delivery);
      }
    } catch (error) {
      this.#blame(delivery, apiVersion, error);
    }
    return null;
  }

  /** Whether a delivery can be made as it was meant to be when the reading of its event began. */
  async #isStillWanted(delivery: ClaimedDelivery, endpoint: Endpoint): Promise<boolean> {
    const { accountId, endpointId } = delivery;
    const now = await this.#endpoints.get(accountId, endpointId).catch(() => null);
    if (this.#cutOff || this.#isTooLate(delivery) || !isOpenTo(delivery, now)) return false;
    return now.origin === endpoint.origin && now.path === endpoint.path && now.apiVersion === endpoint.apiVersion;
  }

  /** Tells why an event could not be read or rendered. */
  #blame(delivery: ClaimedDelivery, apiVersion: string, error: unknown): void {
    const { clock, log } = this.#parts;
    log.warn({ err: error, delivery: delivery.id }, 'an event could not be rendered');
    const startedAtMs = clock.nowMs();
    if (error instanceof UnknownVersionError) {
      this.#outcomes.add({ delivery, dueAgainAtMs: startedAtMs + unknownVersionPauseMs, attempt: null });
    } else if (error instanceof EventUnreadError) {
      this.#leave(delivery);
    } else {
      const reply = { status: null, error: 'failed' as const, isOurs: true, response: null, retryAfter: undefined };
      this.#outcomes.add(this.#judge(delivery, reply, { startedAtMs, durationMs: 0, apiVersion }));
    }
  }

  /** Whether an attempt could outlive its claim, and meet another one of the same delivery. */
  #isTooLate({ claimedUntilMs }: ClaimedDelivery): boolean {
    const { limits, realClock } = this.#parts;
    return realClock.nowMs() + limits.attemptTimeoutMs > claimedUntilMs;
  }

  #roomPauseMs({ id }: ClaimedDelivery): number {
    const ageMs = this.#parts.clock.nowMs() - timeOfId(id as Id);
    // Those that were given back together shall not all come back together.
    const pauseMs = Math.round((ageMs / 4) * (0.5 + this.#random()));
    return Math.min(Math.max(roomPauseMsMin, pauseMs), roomPauseMsMax);
  }

  #judge(
    delivery: ClaimedDelivery,
    { status, error, isOurs, response, retryAfter }: Reply,
    facts: Pick<AttemptRow, 'startedAtMs' | 'durationMs' | 'apiVersion'>,
  ): Outcome {
    this.#parts.observer.attempted({ status, error }, facts.durationMs);
    const told = { ...facts, status, error, isOurs, response };
    const { nowMs, realNowMs } = this.#now();
    if (error === 'interrupted') {
      return { delivery, dueAgainAtMs: nowMs, attempt: { ...told, outcome: 'interrupted' } };
    }
    if (error === null && status !== null && status >= 200 && status < 300) {
      return { delivery, dueAgainAtMs: null, attempt: { ...told, outcome: 'delivered' } };
    }
    const { retryScheduleSeconds } = this.#parts;
    const retryAfterMs = parseRetryAfter(retryAfter, realNowMs);
    const pauseMs = delivery.isResend
      ? null
      : pauseAfter(delivery.attemptCount + 1, retryScheduleSeconds, retryAfterMs, this.#random());
    if (pauseMs === null) return { delivery, dueAgainAtMs: null, attempt: { ...told, outcome: 'failed' } };
    return { delivery, dueAgainAtMs: nowMs + pauseMs, attempt: { ...told, outcome: 'to_be_retried' } };
  }

  /** Ends a delivery that is not to be made any more. */
  #cancel(delivery: ClaimedDelivery): Ending {
    this.#outcomes.add({ delivery, dueAgainAtMs: null, attempt: null });
    return 'not_made';
  }

  #leave(delivery: ClaimedDelivery): Ending {
    this.#giveBack(delivery);
    return 'not_made';
  }

  /** As if it had not been claimed. */
  #giveBack(delivery: ClaimedDelivery, dueAtMs = delivery.dueAtMs): void {
    this.#outcomes.add({ delivery, dueAgainAtMs: dueAtMs, attempt: null });
  }

  #now(): Now {
    const { clock, realClock } = this.#parts;
    return { nowMs: clock.nowMs(), realNowMs: realClock.nowMs() };
  }

  #makeToken(): number {
    return Math.floor(this.#random() * Number.MAX_SAFE_INTEGER);
  }

  /** From 0 up to 1, with 48 random bits. */
  #random(): number {
    return Buffer.from(this.#parts.randomBytes(6)).readUIntBE(0, 6) / 2 ** 48;
  }
}

/** Whether the endpoint wants it still: it is there, and has not been disabled since. */
function isOpenTo(delivery: ClaimedDelivery, endpoint: Endpoint | null): endpoint is Endpoint {
  return endpoint !== null && endpoint.isEnabled && endpoint.enablement === delivery.enablement;
}

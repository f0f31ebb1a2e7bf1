import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { buildConnector } from 'undici';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/random.ts';
import type { DeliverySpan, Tracing } from '../core/tracing.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { Pool } from '../db/pools.ts';
import { UnknownVersionError, type ApiVersions } from '../versions/apply.ts';
import {
  findPayer,
  type AccountTrees,
  type ByteBudget,
  type ByteCeiling,
  type ByteLimits,
} from '../core/limits/byte-budget.ts';
import { timeOfId } from '../core/ids.ts';
import type { NewDeliveryClaim, NewDeliveryClaims, MadeDelivery } from '../commit/new-delivery-claims.ts';
import {
  claimDeliveries,
  claimedEvent,
  claimInTurns,
  releaseClaim,
  type ClaimedDelivery,
  type ClaimedEvent,
} from './claim.ts';
import { OutcomeWriter, rewritePauseMsMax, type AttemptRow, type Outcome } from './record-outcomes.ts';
import { Endpoints, type Endpoint } from './endpoints.ts';
import { EndpointQueues, type Ending, type QueueLimits } from './endpoint-queues.ts';
import { LiveWorkers } from './live-workers.ts';
import { EventUnreadError, Payloads, type Payload } from './large-payloads.ts';
import { bringForward, postponeDeliveries, type Now } from './postpone.ts';
import { Renderings } from './payload.ts';
import { parseRetryAfter, pauseAfter } from './backoff.ts';
import { Sender, type Reply } from './sender.ts';
import { signatureHeader } from './sign.ts';

/** Limits of the dispatcher. Only tests change them. */
export interface DispatcherLimits extends QueueLimits {
  /** The time to resolve the name, connect and finish the TLS handshake. */
  connectTimeoutMs: number;
  /** The time for a whole attempt, to the end of the response's body. */
  attemptTimeoutMs: number;
  /** The lease of a claim, longer than an attempt can take. After it, any process can claim the delivery again. */
  leaseMs: number;
  /**
   * The time in which live workers return after the database has cut their connections. A connection can need 5 s to fail, and a statement
   * on a silent connection 15 s.
   */
  returnMs: number;
  /** The queue is polled at least this often, even without a notification. */
  pollMs: number;
  /** Deliveries a claim. More would only wait here instead of in the database. */
  claimMax: number;
  /** Connections that are open or being opened. It exceeds the attempts, because otherwise none could be kept open. */
  socketsMax: number;
  /** The greatest age of a cached endpoint; see `propagationDelayMs` of webhook endpoints. */
  endpointAgeMaxMs: number;
  /** The memory that large events may hold while they are sent. */
  payloadBytes: ByteLimits;
}

export const dispatcherLimits: DispatcherLimits = {
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 15_000,
  leaseMs: 30_000,
  returnMs: 20_000,
  pollMs: 1_000,
  claimMax: 200,
  heldMax: 2_000,
  inFlightMax: 1_000,
  perEndpointMax: 32,
  socketsMax: 1_200,
  endpointAgeMaxMs: 250,
  // An account's share holds 24 events of half a megabyte, each for any number of endpoints.
  payloadBytes: { max: 48 * 1024 * 1024, maxPerAccount: 12 * 1024 * 1024 },
};

/** The greatest share of retries in a claim, as long as first attempts may be waiting. */
const retryShare = 0.25;

/** The share of a claim that accounts get in turn while more is due than a claim takes. So the others need not wait for one's backlog. */
const turnShare = 0.25;

/** Milliseconds. A longer attempt that failed counts as hung: it kept its place all the time. */
const hungAfterMs = 1_000;

/** Milliseconds between checks for backlogs to postpone. */
const postponeEveryMs = 1_000;

/** Milliseconds, on average, after which a delivery in an unknown version is due again. A process of a newer release can then send it. */
const unknownVersionPauseMs = 5_000;

/**
 * Milliseconds. A delivery without room for its event is due again after a quarter of its age, within these bounds. So the backlog of an
 * account with hanging receivers is not claimed again and again.
 */
const roomPauseMsMin = 1_000;
const roomPauseMsMax = 15_000;

/** Observes the dispatcher for the operator. It must return at once. */
export interface DeliveryObserver {
  /** Receives the result of an attempt. */
  attempted(reply: Pick<Reply, 'status' | 'error'>, durationMs: number): void;
}

/** Accounts whose trees are known at once. */
const rootsMax = 10_000;

export interface DispatcherParts {
  pool: Pool;
  accounts: AccountTrees;
  encryption: Encryption;
  /** The deployment's clock, which decides what is due. */
  clock: Clock;
  /** Real time, which leases and receivers use. */
  realClock: Clock;
  versions: ApiVersions;
  randomBytes: RandomBytes;
  log: Logger;
  /** Opens the connections to receivers, only to allowed addresses. */
  connect: buildConnector.connector;
  retryScheduleSeconds: readonly number[];
  userAgent: string;
  limits: DispatcherLimits;
  /** The memory of the process. Unlimited if left out. */
  memory?: ByteCeiling | undefined;
  observer: DeliveryObserver;
  tracing?: Tracing | null;
}

/**
 * Delivers events to webhook endpoints, at least once. It claims due deliveries, posts them, and records the outcomes. No transaction is
 * open while a receiver works. Any number of processes can deliver from one database. The deliveries of a killed process are claimed again
 * within two seconds, or at the latest when its leases expire.
 */
export class Dispatcher implements NewDeliveryClaims {
  readonly #parts: DispatcherParts;
  readonly #endpoints: Endpoints;
  readonly #sender: Sender;
  readonly #renderings: Renderings;
  readonly #payloads: Payloads;
  readonly #outcomes: OutcomeWriter;
  readonly #queues: EndpointQueues;
  /** The processes that deliver from this database. */
  readonly workers: LiveWorkers;
  #poll: NodeJS.Timeout | null = null;
  #puttingOff: NodeJS.Timeout | undefined;
  #isPuttingOff = false;
  /** Deliveries that are being released only because too much is under way. */
  readonly #turnedAway = new Set<ClaimedDelivery>();
  /** Whether more deliveries may be due than the last claim took. */
  #isBehind = true;
  /** The account that had the last turn. */
  #lastTurn = '';
  /** Transactions under way that claim the deliveries they make. */
  #newDeliveryClaims = 0;
  /** The roots of the trees of accounts. They stay the same. */
  readonly #roots = new Map<string, string>();
  /** Whether deliveries may be due that no claim has looked for yet. */
  #wanted = false;
  #claiming: Promise<void> | null = null;
  #stopping = false;
  /** Whether the grace time of a stop is over. */
  #cutOff = false;
  /** Deliveries that are claimed and whose outcome is not yet written. */
  #held = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#endpoints = new Endpoints(parts.limits.endpointAgeMaxMs, parts);
    this.#renderings = new Renderings(parts.versions);
    const { attemptTimeoutMs, leaseMs, socketsMax, payloadBytes } = parts.limits;
    // The latest time, after its claim, at which an attempt begins. No older bytes are sent.
    const sharedForMs = leaseMs - attemptTimeoutMs;
    this.#payloads = new Payloads({ pool: parts.pool, limits: payloadBytes, memory: parts.memory, sharedForMs });
    this.workers = new LiveWorkers({
      pool: parts.pool,
      random: () => this.#random(),
      graceMs: parts.limits.returnMs,
      onReleased: () => this.wake(),
    });
    this.#sender = new Sender({ connect: parts.connect, attemptTimeoutMs, socketsMax });
    const { tracing } = parts;
    this.#queues = new EndpointQueues(parts.limits, {
      nowMs: () => parts.clock.nowMs(),
      attempt: (delivery) => (tracing ? this.#attemptTraced(delivery, tracing) : this.#attemptIfEnabled(delivery)),
      release: (delivery, dueAtMs) => {
        if (dueAtMs <= parts.clock.nowMs()) this.#turnedAway.add(delivery);
        this.#release(delivery, dueAtMs);
      },
      held: () => this.#held,
      onRoom: () => this.wake(),
    });
    this.#outcomes = new OutcomeWriter(parts, (outcomes) => {
      this.#held -= outcomes.length;
      for (const { delivery } of outcomes) {
        // From now on a claim finds it.
        if (this.#turnedAway.delete(delivery)) this.#queues.noteSkipped();
      }
      if (this.#queues.takeRoomAgain()) this.#wanted = true;
      this.#pump();
    });
  }

  /** Attempts that are under way. */
  get inFlight(): number {
    return this.#queues.inFlight;
  }

  /** Deliveries that are claimed and whose outcome is not yet written. */
  get held(): number {
    return this.#held;
  }

  /** The memory that large events hold while they are sent. */
  get bytes(): ByteBudget {
    return this.#payloads.bytes;
  }

  /** Connections to receivers that are open or being opened. */
  get connections(): number {
    return this.#sender.connections;
  }

  /** Begins to claim. After it, `stop` must be called. */
  start(): void {
    this.#poll = setInterval(() => this.wake(), this.#parts.limits.pollMs);
    this.#puttingOff = setInterval(() => void this.#postpone(), postponeEveryMs);
    this.wake();
  }

  /** Notifies that deliveries may be due. A process that has started looks for them at once. */
  wake(): void {
    if (!this.#poll) return;
    this.#wanted = true;
    this.#pump();
  }

  /**
   * Begins a claim of deliveries that a transaction is about to make. Older deliveries go first: while more are due than one claim takes,
   * new ones wait in the database.
   */
  begin(): NewDeliveryClaim | null {
    const { claimMax, heldMax, leaseMs } = this.#parts.limits;
    if (!this.#poll || this.#stopping || this.#isBehind) return null;
    if (this.#held + (this.#newDeliveryClaims + 1) * claimMax > heldMax / 2) return null;
    this.#newDeliveryClaims++;
    const token = this.workers.makeToken();
    const untilMs = this.#parts.realClock.nowMs() + leaseMs;
    return {
      token,
      untilMs,
      max: claimMax,
      fullEndpoints: this.#queues.full(),
      end: (made) => {
        this.#newDeliveryClaims--;
        if (made === 'unknown') return void this.#forget(token);
        if (made.length === 0) return;
        this.#held += made.length;
        // The clients of the batch get their responses first.
        setImmediate(() => {
          const claim = { claimToken: token, claimedUntilMs: untilMs };
          for (const delivery of made) this.#take(claimedEarly(delivery, claim));
        });
      },
    };
  }

  /**
   * Stops claiming, and releases the deliveries that have not begun. Attempts under way get `graceMs`. Those cut off then are due again at
   * once, and do not count as attempts. Returns when every outcome is written.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#poll) clearInterval(this.#poll);
    clearInterval(this.#puttingOff);
    await this.#claiming;
    this.#queues.empty();
    const endsAtMs = performance.now() + graceMs;
    const isBusy = (): boolean => this.#held + this.#newDeliveryClaims > 0;
    while (isBusy() && performance.now() < endsAtMs) await delay(5);
    this.#cutOff = true;
    this.#sender.interrupt();
    // If the database cannot be reached, the leases expire and everything is sent again.
    while (isBusy() && performance.now() < endsAtMs + 2 * rewritePauseMsMax) await delay(5);
    await this.#sender.close();
  }

  #pump(): void {
    const { claimMax, heldMax } = this.#parts.limits;
    const room = Math.min(claimMax, heldMax - this.#held);
    if (!this.#wanted || this.#claiming || this.#stopping) return;
    // A small claim would cost as much as a large one.
    if (room < claimMax / 2) return this.#queues.makeRoom();
    this.#wanted = false;
    this.#claiming = this.#claim(room).finally(() => {
      this.#claiming = null;
      this.#pump();
    });
  }

  async #claim(room: number): Promise<void> {
    const { pool, clock, realClock, limits, log } = this.#parts;
    const realNowMs = realClock.nowMs();
    const wish = { nowMs: clock.nowMs(), realNowMs, untilMs: realNowMs + limits.leaseMs };
    try {
      const againMax = Math.floor(room * retryShare);
      let firstMax = room - againMax;
      if (this.#isBehind) {
        const turn = await claimInTurns(pool, {
          ...wish,
          token: this.workers.makeToken(),
          afterAccount: this.#lastTurn,
          max: Math.ceil(room * turnShare),
          fullEndpoints: this.#queues.full(),
        });
        this.#lastTurn = turn.lastAccount;
        firstMax -= turn.claimed.length;
        this.#takeAll(turn.claimed);
      }
      const claimed = await claimDeliveries(pool, {
        ...wish,
        token: this.workers.makeToken(),
        firstMax,
        againMax,
        fullEndpoints: this.#queues.full(),
      });
      const retries = claimed.filter(({ attemptCount }) => attemptCount > 0).length;
      // A full queue may have more.
      this.#isBehind = retries === againMax || claimed.length - retries === firstMax;
      if (this.#isBehind) this.#wanted = true;
      this.#takeAll(claimed);
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed');
    }
  }

  #takeAll(claimed: readonly ClaimedDelivery[]): void {
    this.#held += claimed.length;
    for (const delivery of claimed) this.#take(delivery);
  }

  /** Releases what a claim may have taken without our knowledge. If that fails, the lease ends it. */
  async #forget(token: number): Promise<void> {
    try {
      await releaseClaim(this.#parts.pool, token);
      this.wake();
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'a claim with an unknown outcome was not released');
    }
  }

  /** Starts a delivery, or lets it wait until its endpoint has room. */
  #take(delivery: ClaimedDelivery): void {
    const rootId = this.#roots.get(delivery.accountId);
    if (rootId !== undefined) this.#takeOf(rootId, delivery);
    else void this.#findRoot(delivery.accountId).then((found) => this.#takeOf(found, delivery));
  }

  #takeOf(rootId: string, delivery: ClaimedDelivery): void {
    if (this.#stopping) this.#release(delivery);
    else this.#queues.take(delivery, rootId);
  }

  /** Finds the root of an account's tree. While the database is away, the account counts as a tree of its own. */
  async #findRoot(accountId: string): Promise<string> {
    const payer = await findPayer(this.#parts.accounts, accountId).catch(() => null);
    if (!payer) return accountId;
    if (this.#roots.size >= rootsMax) this.#roots.clear();
    this.#roots.set(accountId, payer.rootId);
    return payer.rootId;
  }

  /** Postpones the backlog of stuck endpoints, so that claims do not find it, and resumes it when they respond again. */
  async #postpone(): Promise<void> {
    const { pool, log } = this.#parts;
    if (this.#isPuttingOff) return;
    this.#isPuttingOff = true;
    try {
      for (const revived of this.#queues.revived()) {
        await this.#inSlices(async () => {
          const more = await bringForward(pool, this.#now(), revived);
          this.wake();
          return more;
        });
        this.#queues.forgetRevived(revived);
      }
      const begun = new Set<string>();
      await this.#inSlices(async () => {
        const stuck = this.#queues.postpone();
        if (stuck.length === 0) return false;
        const { moved, more } = await postponeDeliveries(pool, this.#now(), stuck, begun);
        for (const endpointId of moved) begun.add(endpointId);
        return more;
      });
    } catch (error) {
      log.warn({ err: error }, 'the deliveries of stuck endpoints could not be postponed');
    } finally {
      this.#isPuttingOff = false;
    }
  }

  /** Moves a backlog slice by slice while there is more. It rests as long as each slice took, so that requests come in between. */
  async #inSlices(move: () => Promise<boolean>): Promise<void> {
    for (let more = true; more && !this.#stopping;) {
      const startedMs = performance.now();
      more = await move();
      if (more) await delay(performance.now() - startedMs);
    }
  }

  async #attemptTraced(delivery: ClaimedDelivery, tracing: Tracing): Promise<Ending> {
    const span = tracing.beginDelivery(delivery);
    const ending = await this.#attemptIfEnabled(delivery, span);
    span.end(ending);
    return ending;
  }

  /** Makes one attempt, if the endpoint is enabled and there is time. Never throws. */
  async #attemptIfEnabled(delivery: ClaimedDelivery, span?: DeliverySpan): Promise<Ending> {
    const { log } = this.#parts;
    if (this.#isTooLate(delivery)) return this.#leave(delivery);
    let endpoint: Endpoint | null;
    try {
      endpoint = await this.#endpoints.get(delivery.accountId, delivery.endpointId);
      // The endpoint may have been enabled after it was read, and this delivery made after that.
      if (!isOpenTo(delivery, endpoint)) {
        endpoint = await this.#endpoints.getAnew(delivery.accountId, delivery.endpointId);
      }
    } catch (error) {
      log.warn({ err: error, delivery: delivery.id }, 'a webhook endpoint could not be read');
      return this.#leave(delivery);
    }
    // The stop came while the endpoint was read.
    if (this.#cutOff) return this.#leave(delivery);
    const { event } = delivery;
    // The endpoint was disabled or deleted after the delivery was made, so nothing more is sent to it.
    if (!isOpenTo(delivery, endpoint) || !event) return this.#cancel(delivery);
    const payload = await this.#payloadFor(delivery, event, endpoint);
    if (!payload) return 'not_made';
    try {
      return await this.#attempt(delivery, endpoint, payload.body, span);
    } finally {
      payload.release();
    }
  }

  async #attempt(
    delivery: ClaimedDelivery,
    endpoint: Endpoint,
    body: Buffer,
    span: DeliverySpan | undefined,
  ): Promise<Ending> {
    const startedAtMs = this.#parts.clock.nowMs();
    const started = performance.now();
    // Receivers get no `traceparent`: its flag would tell strangers what to record.
    const attemptSpan = span?.beginAttempt();
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
    attemptSpan?.end(reply);
    this.#outcomes.add(this.#judge(delivery, reply, { startedAtMs, durationMs, apiVersion: endpoint.apiVersion }));
    return reply.error !== null && durationMs > hungAfterMs ? 'hung' : 'answered';
  }

  /** Returns the bytes for this endpoint. Returns null if they are not available now; the outcome is then recorded. */
  async #payloadFor(delivery: ClaimedDelivery, event: ClaimedEvent, endpoint: Endpoint): Promise<Payload | null> {
    const { apiVersion, isConnected } = endpoint;
    const account = isConnected ? delivery.eventAccountId : null;
    try {
      // The claim already read small events.
      if ('data' in event) return { body: this.#renderings.of(event, apiVersion, account), release() {} };
      const form = `${apiVersion} ${account ?? ''}`;
      const payload = await this.#payloads.take(delivery, form, event.dataBytes, (whole) =>
        this.#renderings.renderAnew(whole, apiVersion, account),
      );
      if (payload === 'no_room') this.#release(delivery, this.#parts.clock.nowMs() + this.#roomPauseMs(delivery));
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

  /** Tells whether a delivery can still be made as planned when the reading of its event began. */
  async #isStillWanted(delivery: ClaimedDelivery, endpoint: Endpoint): Promise<boolean> {
    const { accountId, endpointId } = delivery;
    const now = await this.#endpoints.get(accountId, endpointId).catch(() => null);
    if (this.#cutOff || this.#isTooLate(delivery) || !isOpenTo(delivery, now)) return false;
    return now.origin === endpoint.origin && now.path === endpoint.path && now.apiVersion === endpoint.apiVersion;
  }

  /** Records why an event could not be read or rendered. */
  #blame(delivery: ClaimedDelivery, apiVersion: string, error: unknown): void {
    const { clock, log } = this.#parts;
    log.warn({ err: error, delivery: delivery.id }, 'an event could not be rendered');
    const startedAtMs = clock.nowMs();
    if (error instanceof UnknownVersionError) {
      // The pause varies. Otherwise this process could be the first to claim the delivery each time.
      const pauseMs = Math.round(unknownVersionPauseMs * (0.5 + this.#random()));
      this.#outcomes.add({ delivery, dueAgainAtMs: startedAtMs + pauseMs, attempt: null });
    } else if (error instanceof EventUnreadError) {
      this.#leave(delivery);
    } else {
      const reply = { status: null, error: 'failed' as const, isOurs: true, response: null, retryAfter: undefined };
      this.#outcomes.add(this.#judge(delivery, reply, { startedAtMs, durationMs: 0, apiVersion }));
    }
  }

  /** Tells whether an attempt could outlive its claim, and overlap with another one of the same delivery. */
  #isTooLate({ claimedUntilMs }: ClaimedDelivery): boolean {
    const { limits, realClock } = this.#parts;
    return realClock.nowMs() + limits.attemptTimeoutMs > claimedUntilMs;
  }

  #roomPauseMs({ id }: ClaimedDelivery): number {
    const ageMs = this.#parts.clock.nowMs() - timeOfId(id);
    // Vary the pause, so that deliveries that were released together do not come back together.
    const pauseMs = Math.round((ageMs / 4) * (0.5 + this.#random()));
    return Math.min(Math.max(roomPauseMsMin, pauseMs), roomPauseMsMax);
  }

  #judge(
    delivery: ClaimedDelivery,
    { status, error, isOurs, response, retryAfter }: Reply,
    facts: Pick<AttemptRow, 'startedAtMs' | 'durationMs' | 'apiVersion'>,
  ): Outcome {
    this.#parts.observer.attempted({ status, error }, facts.durationMs);
    const ending = { ...facts, status, error, isOurs, response };
    const { nowMs, realNowMs } = this.#now();
    if (error === 'interrupted') {
      return { delivery, dueAgainAtMs: nowMs, attempt: { ...ending, outcome: 'interrupted' } };
    }
    if (error === null && status !== null && status >= 200 && status < 300) {
      return { delivery, dueAgainAtMs: null, attempt: { ...ending, outcome: 'delivered' } };
    }
    const { retryScheduleSeconds } = this.#parts;
    const retryAfterMs = parseRetryAfter(retryAfter, realNowMs);
    const pauseMs = delivery.isResend
      ? null
      : pauseAfter(delivery.attemptCount + 1, retryScheduleSeconds, retryAfterMs, this.#random());
    if (pauseMs === null) return { delivery, dueAgainAtMs: null, attempt: { ...ending, outcome: 'failed' } };
    return { delivery, dueAgainAtMs: nowMs + pauseMs, attempt: { ...ending, outcome: 'to_be_retried' } };
  }

  /** Ends a delivery without an attempt. */
  #cancel(delivery: ClaimedDelivery): Ending {
    this.#outcomes.add({ delivery, dueAgainAtMs: null, attempt: null });
    return 'not_made';
  }

  #leave(delivery: ClaimedDelivery): Ending {
    this.#release(delivery);
    return 'not_made';
  }

  /** Releases a delivery, as if it had not been claimed. */
  #release(delivery: ClaimedDelivery, dueAtMs = delivery.dueAtMs): void {
    this.#outcomes.add({ delivery, dueAgainAtMs: dueAtMs, attempt: null });
  }

  #now(): Now {
    const { clock, realClock } = this.#parts;
    return { nowMs: clock.nowMs(), realNowMs: realClock.nowMs() };
  }

  /** Returns a number from 0 up to 1, with 48 random bits. */
  #random(): number {
    return Buffer.from(this.#parts.randomBytes(6)).readUIntBE(0, 6) / 2 ** 48;
  }
}

function claimedEarly(
  { event, ...delivery }: MadeDelivery,
  claim: Pick<ClaimedDelivery, 'claimToken' | 'claimedUntilMs'>,
): ClaimedDelivery {
  const { id: eventId, traceParent } = event;
  return { ...delivery, ...claim, eventId, attemptCount: 0, isResend: false, event: claimedEvent(event), traceParent };
}

/** Tells whether the endpoint still wants the delivery: it exists, and has not been disabled since. */
function isOpenTo(delivery: ClaimedDelivery, endpoint: Endpoint | null): endpoint is Endpoint {
  return endpoint !== null && endpoint.isEnabled && endpoint.enablement === delivery.enablement;
}

import type { FastifyReply } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { networkOf } from '../../core/addresses/network.ts';
import type { Principal } from '../../model/callers/principal.ts';
import type { Client } from '../request.ts';

/** Above this number, full buckets are evicted. */
const bucketsMax = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Token buckets: each allows `perSecond` a second, and as many at once after a second of rest. */
export class Buckets {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes a token if there is one. Returns how many are left, and the milliseconds until the next one. */
  take(key: string): { taken: boolean; left: number; nextInMs: number } {
    const nowMs = performance.now();
    const bucket = this.#fill(key, nowMs);
    const taken = bucket.tokens >= 1;
    if (taken) bucket.tokens--;
    const nextInMs = bucket.tokens >= 1 ? 0 : ((1 - bucket.tokens) / this.#perSecond) * 1000;
    return { taken, left: Math.floor(bucket.tokens), nextInMs };
  }

  #fill(key: string, nowMs: number): Bucket {
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= bucketsMax) this.#forgetFull(nowMs);
      this.#buckets.set(key, (bucket = { tokens: this.#perSecond, filledAtMs: nowMs }));
    }
    const gained = ((nowMs - bucket.filledAtMs) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + gained);
    bucket.filledAtMs = nowMs;
    return bucket;
  }

  #forgetFull(nowMs: number): void {
    for (const [key, { filledAtMs }] of this.#buckets) {
      if (nowMs - filledAtMs >= 1000) this.#buckets.delete(key);
    }
    if (this.#buckets.size >= bucketsMax) this.#buckets.clear();
  }
}

/** Requests a second of one session. A page of the dashboard needs up to ten at once. */
const sessionPerSecond = 20;

/** Requests a second of one session of the portal. */
const portalPerSecond = 5;

/**
 * Limits the rate of an account's requests, and sets response headers with the remaining number (draft-ietf-httpapi-ratelimit-headers).
 *
 * @param perSecond the limit in this process. 0 means no limit.
 */
export class RateLimit {
  readonly #perSecond: number;
  readonly #buckets: Buckets;
  readonly #sessions = new Buckets(sessionPerSecond);
  readonly #portalSessions = new Buckets(portalPerSecond);

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#buckets = new Buckets(perSecond);
  }

  /**
   * Counts a request of its account. A person's requests count for the session instead, so that programs cannot lock people out.
   *
   * @throws {ApiError} `rate_limit`.
   */
  check({ accountId, person, renter }: Principal, reply: FastifyReply): void {
    if (person) return requireToken(this.#sessions, person.sessionId, sessionPerSecond);
    if (renter) return requireToken(this.#portalSessions, renter.sessionId, portalPerSecond);
    if (this.#perSecond === 0) return;
    const { taken, left, nextInMs } = this.#buckets.take(accountId);
    reply.header('ratelimit-policy', `"account";q=${this.#perSecond};w=1`);
    reply.header('ratelimit', `"account";r=${left};t=1`);
    if (taken) return;
    throw new ApiError(
      'rate_limit',
      `This account sends more than ${this.#perSecond} requests a second. Wait for the time in \`Retry-After\`, and send fewer at once.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(nextInMs / 1000)) },
    );
  }
}

/** Counts a request of a session. */
function requireToken(sessions: Buckets, id: string, perSecond: number): void {
  if (sessions.take(id).taken) return;
  throw new ApiError(
    'rate_limit',
    `This session sends more than ${perSecond} requests a second. Wait for the time in \`Retry-After\`.`,
    { retryAfterSeconds: 1 },
  );
}

const failuresPerSecond = 20;

/**
 * Limits how fast an address can try keys and signatures. A valid key passes even if others from its address failed, because the address
 * may be a proxy's. The machine itself has no limit.
 */
export class FailedSignIns {
  readonly #buckets = new Buckets(failuresPerSecond);

  /** @throws {ApiError} `rate_limit` if there were too many failures. */
  note({ address, isLocal }: Client): void {
    // A closed connection has no address, and no client for a response.
    if (address === null || isLocal || this.#buckets.take(networkOf(address)).taken) return;
    throw new ApiError(
      'rate_limit',
      `More than ${failuresPerSecond} requests a second from this address had no valid key or signature. Wait for the time in \`Retry-After\`.`,
      { retryAfterSeconds: 1 },
    );
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteBudget, ByteLimits, HeldBytes, Payer } from '../../core/limits/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';
import { networkOf, siteOf } from '../../core/addresses/network.ts';
import type { Client, HeldBody } from '../request.ts';
import { cutOffBody } from './body-time.ts';
import { chooseCutOffs, type StrangerRequest } from './cut-offs.ts';

/** The largest body, in bytes. */
export const bodyBytesMax = 256 * 1024;

/** The first reservation for a body of unknown length, in bytes. It grows as the body arrives. */
export const firstBytes = 16 * 1024;

/**
 * Bytes of bodies that this process may hold. Each body takes about three times its size: as bytes, as text and as values. The share of an
 * account is 8 of the largest bodies. Each of those takes some 20 ms, in which the process serves no other request.
 */
export const bodyLimits: ByteLimits = {
  max: 16 * 1024 * 1024,
  maxPerAccount: 2 * 1024 * 1024,
  maxPerTree: 12 * 1024 * 1024,
};

/**
 * Bytes of requests without a key. Sign-ins share half of them, and callbacks the other half. A network has a quarter of its half, which is
 * room for three of the largest callbacks. If a share is full, bodies that still arrive are cut off (`chooseCutOffs`). Otherwise strangers
 * with slow bodies would keep all people from signing in.
 */
export const strangerLimits: ByteLimits = {
  max: 8 * 1024 * 1024,
  maxPerAccount: 1024 * 1024,
  maxPerTree: 4 * 1024 * 1024,
};

/**
 * What a request without a key takes beside its body, in bytes. Requests with a key are counted instead (`requestBounds`). With this, a
 * network has room for up to 128 callbacks at once, and all networks together for 512.
 */
export const strangerRequestBytes = 8 * 1024;

/** A body that has been arriving for so many milliseconds is slow. The largest callback arrives in less, and a sign-in with its headers. */
const slowBodyMs = 1_000;

/**
 * Bytes of responses to writes that clients have not read. An account with a full share gets no further write. What others hold never
 * refuses it: the responses are in memory already.
 */
export const unreadLimits: ByteLimits = { max: 32 * 1024 * 1024, maxPerAccount: 4 * 1024 * 1024 };

/**
 * Bytes of an upload whose file is stored as it arrives. These are pieces from the connection, a part that waits, and copies for the
 * database. Measured: an upload takes 1.7 MB, with what is not collected yet. The limits are those of `uploadBounds`, in bytes. An import takes
 * twice as much while its file arrives, so an account has room for as many imports.
 */
export const uploadBytes = 1024 * 1024;
export const uploadLimits: ByteLimits = {
  max: 64 * uploadBytes,
  maxPerAccount: 2 * 16 * uploadBytes,
  maxPerTree: 48 * uploadBytes,
};

/** The budgets of requests with a body. */
export interface BodyBudgets {
  /** Bodies or uploads under way. */
  arriving: ByteBudget;
  /** Large responses that clients have not read. */
  unread: ByteBudget;
  /** Requests without a key whose bodies may still arrive, the earliest first. Undefined for other requests. */
  cutOffable?: Set<BodyBytes>;
}

/** Responses up to this size fit into the buffers of the connection, in bytes. */
const smallResponseBytes = 64 * 1024;

/** Disconnects a client that has not read its response after so many milliseconds. It has the same time to send its body. */
const readTimeoutMs = 15_000;

/** The uses of requests without a key. They stand for a tree of accounts. A callback only names its account, so it does not use its share. */
const strangerUses = ['callbacks', 'sign-ins'] as const;

const uses: ReadonlySet<string> = new Set(strangerUses);

/** Returns the payer of a request without a key: the network of its client. */
export function strangerOf(use: (typeof strangerUses)[number], { address }: Client): Payer {
  return { accountId: `${use} ${networkOf(address ?? '')}`, rootId: use };
}

/**
 * The parts of the budgets that one request holds. They begin before the body is read. They end when the work has ended and the client has
 * got the response or has disconnected.
 */
export class BodyBytes implements HeldBody, StrangerRequest {
  readonly #budgets: BodyBudgets;
  readonly #share: Payer;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply['raw'];
  #body: HeldBytes | null;
  /** The bytes that the body holds. */
  #bytes: number;
  /** What the request takes beside its body, in bytes. */
  readonly #besideBytes: number;
  readonly #begunMs = performance.now();
  readonly site: string;
  #response: HeldBytes | null = null;
  #isAtWork = false;
  #isClosed = false;
  #onClose: (() => void) | null = null;

  /**
   * Takes the bytes of the body.
   *
   * @param bytes the `Content-Length`, or the first reservation if the length is unknown. For an upload, what it has in memory.
   * @throws {ApiError} `rate_limit` if the account has no room for them, or has unread responses.
   * @throws {ApiError} `overloaded` if the process has no room.
   */
  constructor(
    budgets: BodyBudgets,
    share: Payer,
    request: FastifyRequest,
    reply: FastifyReply,
    bytes = firstBytesOf(request.raw),
  ) {
    this.#budgets = budgets;
    this.#share = share;
    this.#request = request;
    this.#reply = reply.raw;
    this.#besideBytes = budgets.cutOffable ? strangerRequestBytes : 0;
    this.site = budgets.cutOffable ? siteOf(request.apiRequest.client.address ?? '') : '';
    if (budgets.unread.isShareFull(share, 0)) throw responsesUnread();
    this.#body = this.#takeRoom(bytes);
    if (!this.#body) throw this.#noRoom(bytes);
    this.#bytes = bytes;
    budgets.cutOffable?.add(this);
    // The client may have disconnected already.
    if (reply.raw.closed) this.#close();
    else reply.raw.on('close', () => this.#close());
  }

  get use(): string {
    return this.#share.rootId;
  }

  get bytes(): number {
    return this.#bytes + this.#besideBytes;
  }

  get isArriving(): boolean {
    return !this.#request.raw.complete;
  }

  get isSlow(): boolean {
    return performance.now() - this.#begunMs >= slowBodyMs;
  }

  grow(bytes: number): void {
    if (this.#isClosed) return;
    const whole = bytes + this.#besideBytes;
    const more = bytes - this.#bytes;
    const isGrown = this.#isFair(more) && this.#body!.resize(whole);
    if (!isGrown && !(this.#makeRoom(more) && this.#body!.resize(whole))) throw this.#noRoom(more);
    this.#bytes = bytes;
  }

  arrived(bytes: number): void {
    this.#body?.resize(bytes + this.#besideBytes);
  }

  workBegins(): void {
    this.#isAtWork = true;
  }

  workEnds(responseBytes: number): void {
    this.#isAtWork = false;
    this.#releaseIfOver();
    if (responseBytes <= smallResponseBytes || this.#isClosed) return;
    this.#response = this.#budgets.unread.add(this.#share, responseBytes);
    const timer = setTimeout(() => this.#reply.writableFinished || this.#reply.destroy(), readTimeoutMs);
    this.#reply.once('close', () => clearTimeout(timer));
  }

  whenReleased(callback: (() => void) | null): void {
    this.#onClose = callback;
    if (this.#isClosed) callback?.();
  }

  /** Takes the bytes of the body. Makes room in a full share if it can. */
  #takeRoom(bytes: number): HeldBytes | null {
    const { arriving } = this.#budgets;
    const whole = bytes + this.#besideBytes;
    const taken = this.#isFair(whole) ? arriving.tryTake(this.#share, whole) : null;
    return taken ?? (this.#makeRoom(whole) ? arriving.tryTake(this.#share, whole) : null);
  }

  /**
   * Returns whether the site of a request without a key leaves twice as much room to others as it takes. Otherwise a few sites alone could
   * fill the room with requests at work, which cannot be cut off. Beside four of them, one of the largest callbacks finds room.
   */
  #isFair(bytes: number): boolean {
    const { arriving, cutOffable } = this.#budgets;
    if (!cutOffable) return true;
    const max = strangerLimits.maxPerTree!;
    const held = arriving.heldByTree(this.#share.rootId) + bytes;
    // No site holds more than all together.
    if (3 * held <= max) return true;
    const own = [...cutOffable].filter(({ use, site }) => use === this.use && site === this.site);
    return 2 * own.reduce((sum, each) => sum + each.bytes, bytes) + held <= max;
  }

  /**
   * Makes room by cutting off requests without a key whose bodies still arrive. If the share of the network is full, these are its own slow
   * ones. Otherwise `chooseCutOffs` has the rule.
   *
   * @param bytes the bytes without room.
   * @returns false, and cuts off none, if all of them together have fewer bytes. Also if it is the process that is full.
   */
  #makeRoom(bytes: number): boolean {
    const { arriving, cutOffable } = this.#budgets;
    if (!cutOffable) return false;
    const full = arriving.fullShare(this.#share, bytes);
    if (full === null && this.#isFair(bytes)) return false;
    const candidates = full === 'account' ? [...cutOffable].filter((each) => this.#isOfSameNetwork(each)) : cutOffable;
    const chosen = chooseCutOffs(candidates, this, bytes);
    for (const each of chosen ?? []) each.#cutOff();
    return chosen !== null;
  }

  #isOfSameNetwork(other: BodyBytes): boolean {
    return other.#share.accountId === this.#share.accountId;
  }

  #cutOff(): void {
    this.#release();
    cutOffBody(this.#request.server.server, this.#request.raw);
  }

  #close(): void {
    this.#isClosed = true;
    this.#onClose?.();
    this.#response?.release();
    this.#releaseIfOver();
  }

  #releaseIfOver(): void {
    // A stranger that waits for a slow refusal, or reads a shared file, must not keep others from signing in.
    if (!this.#isAtWork && (this.#isClosed || this.#budgets.cutOffable)) this.#release();
  }

  #release(): void {
    this.#budgets.cutOffable?.delete(this);
    this.#body?.release();
  }

  /** @param bytes the bytes without room. */
  #noRoom(bytes: number): ApiError {
    const { arriving } = this.#budgets;
    return noRoom(uses.has(this.#share.rootId) ? null : arriving.fullShare(this.#share, bytes), arriving);
  }
}

function firstBytesOf({ headers }: FastifyRequest['raw']): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : firstBytes;
}

function noRoom(full: 'account' | 'tree' | null, { maxPerAccount }: ByteBudget): ApiError {
  if (full === null)
    return new ApiError(
      'overloaded',
      'The server has too many large requests in progress. Nothing was changed. Try again shortly.',
      { retryAfterSeconds: 1 },
    );
  const these =
    full === 'account'
      ? `This account already has ${megabytes(maxPerAccount)} of request bodies in progress`
      : 'This account and those connected to it already have too many large requests, responses and streams in progress';
  return new ApiError('rate_limit', `${these}. Nothing was done. Wait until some have ended, and send fewer at once.`, {
    retryAfterSeconds: 1,
  });
}

function responsesUnread(): ApiError {
  return new ApiError(
    'rate_limit',
    `This account has not read ${megabytes(unreadLimits.maxPerAccount)} of responses. Nothing was done. Read them to their end, and expand less.`,
    { retryAfterSeconds: 1 },
  );
}

function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}

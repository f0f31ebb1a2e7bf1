import type { Payer } from '../core/byte-budget.ts';
import type { Actor } from '../model/principal.ts';
import type { ErrorCode, ErrorType } from '../core/errors.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { RequestedDelivery, RecordChange } from '../model/resource.ts';

/** A wish to change something, as the committer takes it. */
export interface WriteRequest {
  /** The account acted upon: whose records, events and log these are. */
  accountId: string;
  /** The account whose share of memory it takes, and its tree's; null when the server acts by itself. */
  payer: Payer | null;
  /** The request behind it; null when the server acts by itself. */
  request: RequestFacts | null;
  /** The `Idempotency-Key` to claim, if one was sent and the request began to execute. */
  claim: Claim | null;
  /** Ids of the records it will change, as far as they are known, and paths of kinds whose number is limited; others wait their turn. */
  touches: readonly string[];
  /**
   * Reads what it needs and decides. It may be called several times, because a record can move between reading and writing,
   * and must have no effect of its own. A refusal is an answer without changes; what it throws is thrown to the caller.
   */
  decide(): Promise<WriteDecision>;
}

export interface WriteDecision {
  changes: RecordChange[];
  /** Besides those that follow from the changes. */
  deliveries?: readonly RequestedDelivery[];
  /** Null, or left out, if the deployment's clock stays as it is. */
  clockAdvance?: ClockAdvance | null;
  /** What the client gets; null when the server acts by itself. */
  answer: StoredResponse | null;
}

/** How far the deployment's clock is ahead of the world's, and shall be, in milliseconds. */
export interface ClockAdvance {
  fromMs: number;
  toMs: number;
}

/** What the server decides by itself: there is nobody to answer. */
export type SystemDecision = Omit<WriteDecision, 'answer'>;

/** An answer, rendered before the commit that stores it: what is sent are exactly these bytes. */
export interface StoredResponse {
  status: number;
  body: string;
  error?: { type: ErrorType; code: ErrorCode; param?: string };
  /** Of an answer that carries a secret: the body for the log, without it, and the whole body, encrypted, for a repeat. */
  secret?: { redactedBody: string; sealedBody: Buffer };
}

/** What the log and the events tell about a request. */
export interface RequestFacts {
  /** `req_…`: the request's id, and its log's. */
  id: string;
  startedMs: number;
  method: string;
  url: string;
  path: string;
  ipAddress: string | null;
  userAgent: string | null;
  actor: Actor;
  apiVersion: string;
  idempotencyKey: string | null;
  /** The body as it was sent. */
  body: string | null;
  /** The request whose stored answer this one gets. */
  originalRequest: string | null;
}

/** The shape in which events are kept: the one of the latest version of their time. */
export interface EventShape {
  version: string;
  /** An event, as far as it is given, out of the shape that decisions know. */
  of(event: JsonObject): JsonObject;
}

/** The right to be the one request that a key stands for. */
export interface Claim {
  /** Whose key it is, and the key: `<account acted upon> <account of the API key> <key>`. */
  name: string;
  keyAccountId: string;
  key: string;
  /** Of everything that must be the same when the key is used again. */
  fingerprint: string;
}

/** What became of a mutation. */
export type Outcome =
  /** All of it is durable. */
  | { kind: 'committed'; answer: StoredResponse | null }
  /** Nothing was written: a request with the same key is being committed elsewhere. */
  | { kind: 'key_in_use' }
  /** Nothing was written: a request with the same key was committed before. */
  | { kind: 'key_stored' }
  /** Nothing was written: the database refused it. */
  | { kind: 'refused'; error: unknown };

/** More mutations are waiting than can be carried out in reasonable time; nothing was written. */
export class OverloadedError extends Error {
  /** Whether the account alone has too many under way; otherwise all accounts together have. */
  readonly isOfAccount: boolean;

  constructor(message: string, { isOfAccount = false } = {}) {
    super(message);
    this.isOfAccount = isOfAccount;
  }
}

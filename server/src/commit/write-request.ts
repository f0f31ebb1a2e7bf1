import type { Payer } from '../core/limits/byte-budget.ts';
import type { Actor } from '../model/callers/principal.ts';
import type { ErrorCode, ErrorType } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { TraceParent } from '../core/tracing.ts';
import type { StoredRecord } from '../model/record.ts';
import type { RequestedDelivery, RecordChange, Resource } from '../model/resource.ts';
import type { DecisionRoom } from './decision-room.ts';

/** A mutation as the committer takes it. */
export interface WriteRequest {
  /** The account acted upon: the owner of these records, events and log. */
  accountId: string;
  /** The account, and its tree, whose memory share it uses. Null when the server acts by itself. */
  payer: Payer | null;
  /** The request behind it. Null when the server acts by itself. */
  request: RequestFacts | null;
  /** The party that events show if there is no request. Left out for the server itself. */
  actor?: Actor;
  /** The `Idempotency-Key` to claim, if one was sent and the request began to execute. */
  claim: Claim | null;
  /** Ids of the records it will change, as far as known, and paths of kinds with a limit. Mutations that share one take turns. */
  locks: readonly string[];
  /**
   * Reads what it needs and decides. It must have no effect of its own, because it is called again if a record has moved
   * meanwhile. A rejection is a response without changes. What it throws is thrown to the caller.
   *
   * @param room counts the records that it reads.
   */
  decide(room: DecisionRoom): Promise<WriteDecision>;
}

export interface WriteDecision {
  changes: RecordChange[];
  /** Deliveries besides those that follow from the changes. */
  deliveries?: readonly RequestedDelivery[];
  /** Records that the decision relies on and does not change. If one has changed before the commit, the mutation is decided again. */
  guards?: readonly Guard[];
  /** Null, or left out, if the deployment's clock stays as it is. */
  clockAdvance?: ClockAdvance | null;
  /** The `Idempotency-Key` stays free: the request was not executed, and may be later. */
  leavesKeyFree?: true;
  /** The response for the client. Null when the server acts by itself. */
  response: StoredResponse | null;
}

/** A record that a decision relies on, as the decision saw it. Only its revision is kept, because a record can be large. */
export interface Guard {
  resource: Resource;
  record: Pick<StoredRecord, 'account_id' | 'id' | 'revision'>;
}

/** The current and the new lead of the deployment's clock over real time, in milliseconds. */
export interface ClockAdvance {
  fromMs: number;
  toMs: number;
}

/** A decision that the server makes by itself. It has no response. */
export type SystemDecision = Omit<WriteDecision, 'response'>;

/** A response, rendered before the commit that stores it. Exactly these bytes are sent. */
export interface StoredResponse {
  status: number;
  body: string;
  error?: { type: ErrorType; code: ErrorCode; check?: string; param?: string };
  /** For a response with a secret: the body without it, for the log, and the encrypted body, for a replay. */
  secret?: { redactedBody: string; encryptedBody: Buffer };
  /** The log keeps no body: it is about a sign-in. */
  isUnlogged?: true;
}

/** The facts about a request that its log and events show. */
export interface RequestFacts {
  /** The id of the request and of its log. */
  id: Id<'req'>;
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
  /** The request whose stored response this one replays. */
  originalRequest: string | null;
  /** Its place in a trace. Null, or left out, without tracing. */
  traceParent?: TraceParent | null;
}

/** The shape in which events are stored: that of the latest version at their time. */
export interface EventShape {
  version: string;
  /** Converts the given parts of an event from the shape that decisions use. */
  of(event: JsonObject): JsonObject;
}

/** The right to be the one request that a key stands for. */
export interface Claim {
  /** The owner of the key, and the key: `<account acted upon> <account of the API key> <key>`. */
  name: string;
  keyAccountId: string;
  key: string;
  /** The hash of everything that must be the same when the key is used again. */
  fingerprint: string;
}

/** The result of a mutation. */
export type Outcome =
  /** All of it is durable. */
  | { kind: 'committed'; response: StoredResponse | null }
  /** Nothing was written: a request with the same key is being committed elsewhere. */
  | { kind: 'key_locked' }
  /** Nothing was written: a request with the same key was committed before. */
  | { kind: 'key_completed' }
  /** Nothing was written: the database rejected it. */
  | { kind: 'refused'; error: unknown };

/** More mutations wait than can be executed in reasonable time. Nothing was written. */
export class OverloadedError extends Error {
  /** What has too many under way: this record, this account, or all accounts together. */
  readonly of: 'record' | 'account' | 'process';

  constructor(message: string, of: 'record' | 'account' | 'process' = 'process') {
    super(message);
    this.of = of;
  }
}

import type { JsonObject } from './json.ts';

/** What a client meant to do; how often it had to send it is another matter. */
export interface Operation {
  /** Unique in the run. Creates and tagged updates carry it in their metadata. */
  id: string;
  round: number;
  kind: OperationKind;
  method: 'GET' | 'POST';
  path: string;
  /** Null is sent as no body at all. */
  body: JsonObject | null;
  /** The Idempotency-Key. */
  key: string | null;
  /** Every time it was sent, in the order of sending. */
  calls: Call[];
}

export type OperationKind =
  | 'create_reference'
  | 'create_customer'
  | 'update_reference'
  | 'cancel_reference'
  | 'retrieve_reference'
  /** An update of a reference that never existed. */
  | 'update_missing'
  /** Sends another operation's key with something else; must never have an effect. */
  | 'misuse_key';

/** One request. Times are those of one monotonic clock, in milliseconds. */
export interface Call {
  sentMs: number;
  /** When the answer was complete, or no longer to be expected; Infinity while it is under way. */
  endedMs: number;
  result: CallResult;
}

export type CallResult = Answered | Unanswered;

export interface Answered {
  kind: 'answered';
  status: number;
  requestId: string;
  version: string;
  /** `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** `Original-Request`. */
  originalRequest: string | null;
  /** The body's bytes, as text. */
  text: string;
}

/** The connection broke, or nobody listened: what became of the request is not known. */
export interface Unanswered {
  kind: 'unanswered';
  reason: string;
}

/** From when to when the database was down, so that 503 was a fair answer. */
export interface Outage {
  fromMs: number;
  toMs: number;
}

/** So long after the first good answer, an outage may still show: a pool finds out that it has lost its connections one by one. */
export const outageEndsLaterMs = 1_000;

/**
 * A span in which the server was killed. It begins where its work may have begun to be lost: with the kill, or with the
 * death of its database, if the server did not live long enough to make up for that.
 */
export interface Kill {
  fromMs: number;
  toMs: number;
}

/** From when to when the receivers could not be reached: connections broke, and new ones were refused. */
export interface Cut {
  fromMs: number;
  toMs: number;
  /** The same on the calendar's clock. */
  fromSeconds: number;
  toSeconds: number;
}

/** A complete request that one of the checker's receivers got. */
export interface Arrival {
  receiver: string;
  /** On the clock of the calls. */
  arrivedMs: number;
  /** On the calendar's clock, with fractions. */
  arrivedAtSeconds: number;
  headers: NodeJS.Dict<string[]>;
  bytes: Buffer;
  /** Null if the bytes are no JSON object. */
  body: JsonObject | null;
  reply: Reply;
  /** When it was replied to, or seen to be cut off; Infinity before. */
  endedMs: number;
}

/** What a receiver did with a request. */
export type Reply =
  /** The text is another one each time. */
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'dropped' }
  /** Never to the end; the status is null if no answer was begun. */
  | { kind: 'hung'; status: number | null }
  /** Not yet, or the connection broke first. */
  | { kind: 'none' };

/** Everything that was sent, and what came back; and what came unasked. */
export class History {
  readonly operations: Operation[] = [];
  readonly outages: Outage[] = [];
  readonly kills: Kill[] = [];
  readonly cuts: Cut[] = [];
  /** In the order in which they came. */
  readonly arrivals: Arrival[] = [];

  add(operation: Omit<Operation, 'calls'>): Operation {
    const added: Operation = { ...operation, calls: [] };
    this.operations.push(added);
    return added;
  }

  /** Notes a call before it is sent, so that one that never ends is known too. */
  async record(operation: Operation, send: () => Promise<CallResult>): Promise<CallResult> {
    const underWay: Unanswered = { kind: 'unanswered', reason: 'still under way' };
    const call: Call = { sentMs: performance.now(), endedMs: Infinity, result: underWay };
    operation.calls.push(call);
    call.result = await send();
    call.endedMs = performance.now();
    return call.result;
  }
}

/** The answers a key can stand for: success, and the refusals of a request that was executed. */
export function isStored(result: CallResult): result is Answered {
  if (result.kind !== 'answered') return false;
  if (result.status === 200 || result.status === 404) return true;
  return result.status === 400 && errorCodeOf(result) === 'status_transition_invalid';
}

/** The refusal's code, or '' for what is no error in the API's form. */
export function errorCodeOf(answer: Answered): string {
  return /"code":"([a-z_]+)"/.exec(answer.text)?.[1] ?? '';
}

/** Whether an answer leaves open what became of the request: a commit whose fate could not be found out in time. */
export function leavesOpen(result: CallResult): boolean {
  return result.kind === 'unanswered' || (result.status === 503 && !result.text.includes('Nothing was changed'));
}

/** Whether the request may have reached a server: not where nobody listened. */
export function reachedServer(result: CallResult): boolean {
  return result.kind === 'answered' || result.reason !== 'ECONNREFUSED';
}

/** The record that a path names, or '' for a list. */
export function recordIdIn(path: string): string {
  return path.split('/')[3] ?? '';
}

import type { JsonObject } from './json.ts';

/** One intention of a client, however often it was sent. */
export interface Operation {
  /** Unique in the run. Creates and tagged updates carry it in their metadata. */
  id: string;
  round: number;
  kind: OperationKind;
  method: 'GET' | 'POST';
  path: string;
  /** Null sends no body at all. */
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
  /** Sends another operation's key with a different request, which must never have an effect. */
  | 'misuse_key';

/** One request. Times are those of one monotonic clock, in milliseconds. */
export interface Call {
  sentMs: number;
  /** When the response was complete, or no longer expected; Infinity while it is running. */
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

/** The connection broke, or no process listened. The outcome of the request is unknown. */
export interface Unanswered {
  kind: 'unanswered';
  reason: string;
}

/** The span in which the database was down, so that 503 was a fair response. */
export interface Outage {
  fromMs: number;
  toMs: number;
}

/** An outage may still show this long after the first good response, in milliseconds. A pool finds its lost connections one by one. */
export const outageEndsLaterMs = 1_000;

/**
 * A span in which the server was killed. It begins where its work may have begun to be lost. That is the kill, or the death of its database
 * if the server died too soon to recover.
 */
export interface Kill {
  fromMs: number;
  toMs: number;
}

/** The span in which the receivers could not be reached: connections broke, and new ones were refused. */
export interface Cut {
  fromMs: number;
  toMs: number;
  /** The same in Unix seconds. */
  fromSeconds: number;
  toSeconds: number;
}

/** A complete request that one of the checker's receivers got. */
export interface Arrival {
  receiver: string;
  /** On the clock of the calls. */
  arrivedMs: number;
  /** In Unix seconds, with fractions. */
  arrivedAtSeconds: number;
  headers: NodeJS.Dict<string[]>;
  bytes: Buffer;
  /** Null unless the bytes are a JSON object. */
  body: JsonObject | null;
  reply: Reply;
  /** When the response was sent, or the connection was seen to be cut; Infinity before. */
  endedMs: number;
}

/** The result of a request at a receiver. */
export type Reply =
  /** The text is different each time. */
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'dropped' }
  /** Begun and never finished. The status is null if no response was begun. */
  | { kind: 'hung'; status: number | null }
  /** No response yet, or the connection broke first. */
  | { kind: 'none' };

/** All requests with their responses, and all requests that receivers got. */
export class History {
  readonly operations: Operation[] = [];
  readonly outages: Outage[] = [];
  readonly kills: Kill[] = [];
  readonly cuts: Cut[] = [];
  /** In the order of arrival. */
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

/** Whether a key can stand for this response: success, or the refusal of a request that was executed. */
export function isStored(result: CallResult): result is Answered {
  if (result.kind !== 'answered') return false;
  if (result.status === 200 || result.status === 404) return true;
  return result.status === 400 && errorCodeOf(result) === 'status_transition_invalid';
}

/** Returns the refusal's code, or '' if it is not an error in the API's form. */
export function errorCodeOf(answer: Answered): string {
  return /"code":"([a-z_]+)"/.exec(answer.text)?.[1] ?? '';
}

/** Whether the outcome of the request stays unknown, because the server could not learn it in time. */
export function leavesOpen(result: CallResult): boolean {
  return result.kind === 'unanswered' || (result.status === 503 && !result.text.includes('Nothing was changed'));
}

/** Whether the request may have reached a server. It did not if no process listened. */
export function reachedServer(result: CallResult): boolean {
  return result.kind === 'answered' || result.reason !== 'ECONNREFUSED';
}

/** Returns the id of the record that a path names, or '' for a list. */
export function recordIdIn(path: string): string {
  return path.split('/')[3] ?? '';
}

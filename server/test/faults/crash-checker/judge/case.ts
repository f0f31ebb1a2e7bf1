import { isStored, type Answered, type Call, type Operation } from '../history.ts';
import { isObject, textOf, type JsonObject } from '../json.ts';
import { buildChains, previousOf, type Chain, type Change } from './chains.ts';
import type { Evidence } from './evidence.ts';

/** The evidence with every look-up done once. The rules work on it. */
export interface Case extends Evidence {
  chains: ReadonlyMap<string, Chain>;
  /** All changes of all records. */
  changes: readonly Change[];
  ownerOf: (change: Change) => Owner;
  /** The changes that an operation caused; more than one is a fault. */
  effectsOf: (operation: Operation) => readonly Change[];
  operationById: ReadonlyMap<string, Operation>;
}

/** The cause of a change. */
export type Owner =
  | { kind: 'operation'; operation: Operation; call: Call | null }
  /** The server, by itself. */
  | { kind: 'system' }
  /** No request explains it. */
  | { kind: 'nobody' };

/** A span on the checker's clock in which something happened. */
export interface Span {
  fromMs: number;
  toMs: number;
}

export function openCase(evidence: Evidence, chains = buildChains(evidence.observation)): Case {
  const changes = [...chains.values()].flatMap((chain) => chain.changes);
  const owners = new Map<Change, Owner>();
  const effects = new Map<Operation, Change[]>();
  const findOwner = ownerFinder(evidence.operations);
  for (const change of changes) {
    const owner = findOwner(change);
    owners.set(change, owner);
    if (owner.kind === 'operation') effects.set(owner.operation, [...(effects.get(owner.operation) ?? []), change]);
  }
  return {
    ...evidence,
    chains,
    changes,
    ownerOf: (change) => owners.get(change)!,
    effectsOf: (operation) => effects.get(operation) ?? [],
    operationById: new Map(evidence.operations.map((operation) => [operation.id, operation])),
  };
}

/** Returns the final response of an operation, if any, and the first call that brought it. */
export function storedAnswer({ calls }: Operation): { call: Call; answer: Answered } | null {
  for (const call of calls) if (isStored(call.result)) return { call, answer: call.result };
  return null;
}

/** Returns the call whose response was no replay. That call executed, if its response arrived. */
export function executedCall({ calls }: Operation): Call | null {
  return calls.find(({ result }) => isStored(result) && !result.replayed) ?? null;
}

/** Returns the id of the request that executed the operation, as far as the responses show it. */
export function executedRequestId(operation: Operation): string | null {
  const executed = executedCall(operation);
  if (executed?.result.kind === 'answered') return executed.result.requestId;
  return storedAnswer(operation)?.answer.originalRequest ?? null;
}

/**
 * Returns when the operation was executed: after it was sent, and before its first response. If the executing call is known, only that call
 * counts as sent.
 */
export function spanOfOperation(operation: Operation): Span {
  const ends = operation.calls.filter(({ result }) => isStored(result)).map(({ endedMs }) => endedMs);
  const first = executedCall(operation) ?? operation.calls[0];
  return { fromMs: first?.sentMs ?? Infinity, toMs: Math.min(Infinity, ...ends) };
}

/** Returns when a change happened. */
export function spanOfChange(owner: Owner): Span {
  return owner.kind === 'operation' ? spanOfOperation(owner.operation) : { fromMs: -Infinity, toMs: Infinity };
}

/** Returns the record before a change, from the change's own event; null if the event does not show it. */
export function beforeOf({ events, after }: Change): JsonObject | null {
  const previous = events[0] && previousOf(events[0]);
  return previous ? undo(after, previous) : null;
}

function undo(after: JsonObject, previous: JsonObject): JsonObject {
  const before: JsonObject = { ...after };
  for (const [name, was] of Object.entries(previous)) {
    const is = after[name];
    if (name === 'metadata' && isObject(was)) before[name] = undoMetadata(is, was);
    else before[name] = isObject(was) && isObject(is) ? undo(is, was) : was;
  }
  return before;
}

/** In metadata, null means that the member was not there. */
function undoMetadata(after: JsonObject[string] | undefined, previous: JsonObject): JsonObject {
  const before = isObject(after) ? { ...after } : {};
  for (const [name, was] of Object.entries(previous)) {
    if (was === null) delete before[name];
    else before[name] = was;
  }
  return before;
}

/**
 * Finds the cause of a change. Looks for the request's id in a response, then for the Idempotency-Key. Then looks for the mark that creates
 * and updates without a key leave in the metadata. A cancel without a key leaves none, but happens to a record only once.
 */
function ownerFinder(operations: readonly Operation[]): (change: Change) => Owner {
  const byRequestId = new Map<string, Owner>();
  const byKey = new Map<string, Operation>();
  const unansweredById = new Map<string, Operation>();
  for (const operation of operations) {
    for (const call of operation.calls) {
      if (call.result.kind === 'answered')
        byRequestId.set(call.result.requestId, { kind: 'operation', operation, call });
    }
    if (operation.key === null && !storedAnswer(operation)) unansweredById.set(operation.id, operation);
    if (operation.key !== null && operation.kind !== 'misuse_key') byKey.set(operation.key, operation);
  }
  for (const operation of operations) {
    const executed = executedRequestId(operation);
    if (executed && !byRequestId.has(executed)) byRequestId.set(executed, { kind: 'operation', operation, call: null });
  }
  const cancelsLeft = [...unansweredById.values()].filter(({ kind }) => kind === 'cancel_reference');

  return (change) => {
    if (change.requestId === null) return { kind: 'system' };
    const known = byRequestId.get(change.requestId);
    if (known) return known;
    const operation =
      change.key !== null ? byKey.get(change.key) : (markedBy(change, unansweredById) ?? cancelOf(change, cancelsLeft));
    return operation ? { kind: 'operation', operation, call: null } : { kind: 'nobody' };
  };
}

function markedBy(change: Change, unansweredById: ReadonlyMap<string, Operation>): Operation | undefined {
  const before = beforeOf(change);
  if (!before) return unansweredById.get(textOf(change.after, 'metadata', 'made_by'));
  const mark = textOf(change.after, 'metadata', 'changed_by');
  return mark === textOf(before, 'metadata', 'changed_by') ? undefined : unansweredById.get(mark);
}

function cancelOf({ chain, after }: Change, cancelsLeft: Operation[]): Operation | undefined {
  if (after.status !== 'canceled') return undefined;
  const index = cancelsLeft.findIndex(({ path }) => path === `/v1/references/${chain.recordId}/cancel`);
  return index === -1 ? undefined : cancelsLeft.splice(index, 1)[0];
}

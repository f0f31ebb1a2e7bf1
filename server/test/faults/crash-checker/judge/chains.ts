import { isObject, sameJson, textOf, type JsonObject } from '../json.ts';
import type { Observation } from '../observe.ts';

/** One record's history from its events, and the record as it is now. */
export interface Chain {
  recordId: string;
  /** `reference` or `customer`. */
  object: string;
  /** Oldest first. */
  changes: Change[];
  /** Null if no list has the record. */
  record: JsonObject | null;
}

/** The events that one request made of one record. */
export interface Change {
  chain: Chain;
  /** Its place in the chain. */
  index: number;
  /** `created`, or `updated` and perhaps the specific one. The rules report other events. */
  events: JsonObject[];
  after: JsonObject;
  /** Null if the server made the change by itself. */
  requestId: string | null;
  key: string | null;
  createdSeconds: number;
}

/** The kinds of record that the checker makes. The server makes others by itself, such as the account. */
const checkedObjects = new Set(['reference', 'customer']);

/** Orders the events of each record. An event that is listed twice counts once here, and another rule reports it. */
export function buildChains({ references, customers, events }: Observation): Map<string, Chain> {
  const chains = new Map<string, Chain>();
  const chainOf = (recordId: string, object: string): Chain => {
    const chain = chains.get(recordId) ?? { recordId, object, changes: [], record: null };
    chains.set(recordId, chain);
    return chain;
  };
  for (const record of [...references.items, ...customers.items]) {
    chainOf(textOf(record, 'id'), textOf(record, 'object')).record = record;
  }
  const distinct = new Map(events.items.map((event) => [textOf(event, 'id'), event]));
  // Ids sort by creation time, and one record's changes are made one after the other.
  const oldestFirst = [...distinct.values()].sort((left, right) => (textOf(left, 'id') < textOf(right, 'id') ? -1 : 1));
  for (const event of oldestFirst) {
    const object = snapshotOf(event);
    if (checkedObjects.has(textOf(object, 'object'))) {
      addEvent(chainOf(textOf(object, 'id'), textOf(object, 'object')), event);
    }
  }
  return chains;
}

/** Returns the record as it was when the event occurred. */
export function snapshotOf(event: JsonObject): JsonObject {
  const { data } = event;
  return isObject(data) && isObject(data.object) ? data.object : {};
}

/** Returns an event's `data.previous_attributes`. */
export function previousOf({ data }: JsonObject): JsonObject | null {
  return isObject(data) && isObject(data.previous_attributes) ? data.previous_attributes : null;
}

/** Returns the second half of the event's type. */
export function verbOf(event: JsonObject): string {
  return textOf(event, 'type').split('.')[1] ?? '';
}

/** Returns the snapshots of a chain, oldest first: every state that the record was ever in. */
export function statesOf(chain: Chain): JsonObject[] {
  return chain.changes.map(({ after }) => after);
}

function addEvent(chain: Chain, event: JsonObject): void {
  const requestId = textOf(event, 'request', 'id') || null;
  const last = chain.changes.at(-1);
  if (last && last.requestId === requestId && sameJson(last.after, snapshotOf(event))) {
    last.events.push(event);
    return;
  }
  chain.changes.push({
    chain,
    index: chain.changes.length,
    events: [event],
    after: snapshotOf(event),
    requestId,
    key: textOf(event, 'request', 'idempotency_key') || null,
    createdSeconds: typeof event.created === 'number' ? event.created : NaN,
  });
}

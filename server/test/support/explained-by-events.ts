import { isObject, sameJson, textOf, type Json, type JsonObject } from '../faults/crash-checker/json.ts';

/** Sends a `GET`. */
type Get = (path: string) => Promise<{ status: number; body: JsonObject }>;

/** The paths where each kind of record is read. */
const paths: Readonly<Record<string, string>> = {
  reference: '/v1/references',
  customer: '/v1/customers',
  application: '/v1/applications',
  file: '/v1/files',
  webhook_endpoint: '/v1/webhook_endpoints',
  api_key: '/v1/api_keys',
  account: '/v1/accounts',
  building: '/v1/buildings',
  unit: '/v1/units',
  tenancy: '/v1/tenancies',
  deposit: '/v1/deposits',
  invoice: '/v1/invoices',
  payment: '/v1/payments',
  guarantor: '/v1/guarantors',
  retention_hold: '/v1/retention_holds',
};

/** Members that no event shows: secrets and the header's own account. The last use of a key is no change. */
const untold = new Set(['signing_secret', 'secret', 'account', 'last_used_at']);

/**
 * Folds the events of an account in order, and reads every record that they mention.
 * @returns what the events do not explain. A state may not follow from the one before it, or a record may differ from its last event.
 */
export async function unexplainedBy(get: Get): Promise<string[]> {
  const faults: string[] = [];
  const states = new Map<string, JsonObject>();
  for (const event of await eventsOf(get)) {
    const { object, previous_attributes: previous } = event.data as { object: JsonObject; previous_attributes: Json };
    const id = textOf(object, 'id');
    const verb = textOf(event, 'type').split('.')[1]!;
    const before = states.get(id);
    if (before && verb !== 'created' && !follows(before, object, isObject(previous) ? previous : {}, verb)) {
      faults.push(
        `${textOf(event, 'type')} of ${id}: ${text(before)} is followed by ${text(object)}, ${text(previous)}`,
      );
    }
    states.set(id, verb === 'deleted' ? { ...object, deleted: true } : object);
  }
  for (const [id, state] of states) {
    const path = textOf(state, 'object') === 'account' ? '/v1/account' : `${paths[textOf(state, 'object')]}/${id}`;
    const { status, body } = await get(path);
    const isExplained = status === 404 ? state.deleted === true : same(body, state);
    if (!isExplained) faults.push(`${path} is ${status} ${text(body)}, and its events end with ${text(state)}`);
  }
  return faults;
}

async function eventsOf(get: Get): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  for (;;) {
    const { body } = await get(`/v1/events?limit=50&offset=${events.length}`);
    events.push(...(body.data as JsonObject[]));
    if (body.has_more !== true) return events.reverse();
  }
}

/** Whether undoing the change leads to the state before. For a deletion, `deleted` is the only change. */
function follows(before: JsonObject, after: JsonObject, previous: JsonObject, verb: string): boolean {
  if (verb === 'deleted') return same({ ...before, deleted: true }, { ...after, deleted: true }) || isEmptied(after);
  return same(takenBack(after, previous), before);
}

/** Whether this is an erased person, with nothing left but the id. */
function isEmptied(object: JsonObject): boolean {
  return Object.keys(object).toSorted().join() === 'deleted,id,object';
}

function takenBack(after: JsonObject, previous: JsonObject): JsonObject {
  const before = { ...after };
  for (const [name, was] of Object.entries(previous)) {
    const is = after[name];
    before[name] = isObject(was) && isObject(is) ? takenBack(is, was) : was;
  }
  return before;
}

function same(left: JsonObject, right: JsonObject): boolean {
  return sameJson(told(left), told(right));
}

/** Drops what no event shows, and nulls, which equal a missing member. */
function told(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => value !== null && !untold.has(name))
      .map(([name, value]) => [name, isObject(value) ? told(value) : value]),
  );
}

function text(value: Json): string {
  return JSON.stringify(value);
}

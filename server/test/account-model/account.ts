import assert from 'node:assert/strict';
import {
  isObject,
  previousValues,
  sameJson,
  textOf,
  type Json,
  type JsonObject,
} from '../faults/crash-checker/json.ts';

/** A response of the server. */
export interface StoredResponse {
  status: number;
  replayed: boolean;
  text: string;
  body: JsonObject;
}

interface Keyed {
  path: string;
  body: JsonObject;
  key: string;
  answer: StoredResponse;
}

interface ExpectedEvent {
  type: string;
  objectId: string;
  /** Null if its person was erased since. Then the content is not checked. */
  data: JsonObject | null;
  /** The enabled endpoints that subscribed to it. */
  endpointIds: string[];
}

/** The kinds of record in the model, by their paths. */
export type Kind = 'references' | 'customers' | 'applications' | 'webhook_endpoints';

export const objects: Readonly<Record<Kind, string>> = {
  references: 'reference',
  customers: 'customer',
  applications: 'application',
  webhook_endpoints: 'webhook_endpoint',
};

/**
 * An account of the server, with a model of its expected state. The model is written from the contract alone, and every response is
 * compared with it. It keeps every record as it must be shown, and every event.
 */
export class Account {
  readonly records: Record<Kind, Map<string, JsonObject>> = {
    references: new Map(),
    customers: new Map(),
    applications: new Map(),
    webhook_endpoints: new Map(),
  };
  readonly gone: Record<Kind, Set<string>> = {
    references: new Set(),
    customers: new Set(),
    applications: new Set(),
    webhook_endpoints: new Set(),
  };
  readonly events: ExpectedEvent[] = [];
  readonly keyed: Keyed[] = [];
  requests = 0;
  readonly #erasedIds: string[] = [];
  readonly #url: string;
  readonly #secretKey: string;
  readonly #id: string;
  #eventsBefore = 0;

  private constructor(url: string, secretKey: string, id: string) {
    this.#url = url;
    this.#secretKey = secretKey;
    this.#id = id;
  }

  /** Creates an account connected to the key's, so that only the test acts on it. */
  static async open(url: string, secretKey: string): Promise<Account> {
    const parent = new Account(url, secretKey, '');
    const { body } = await parent.send('POST', '/v1/accounts', { name: 'Modelled' });
    const account = new Account(url, secretKey, textOf(body, 'id'));
    const { body: list } = await account.send('GET', '/v1/events');
    account.#eventsBefore = Number(list.count);
    return account;
  }

  async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: JsonObject,
    key?: string,
  ): Promise<StoredResponse> {
    this.requests++;
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#secretKey}`,
        ...(this.#id !== '' && { 'service-context': this.#id }),
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const shown = JSON.parse(text) as JsonObject;
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replayed') === 'true',
      text,
      body: isObject(shown) ? this.#withoutAccount(shown) : {},
    };
  }

  /** Sends a mutation, with a key if requested. Remembers it if its response is stored for the key. */
  async mutate(path: string, body: JsonObject, isKeyed: boolean): Promise<StoredResponse> {
    const key = isKeyed ? `key ${this.keyed.length}` : undefined;
    const answer = await this.send('POST', path, body, key);
    assert.equal(answer.replayed, false);
    if (key !== undefined) this.keyed.push({ path, body, key, answer });
    return answer;
  }

  /** Expects a new record as requested, and its event. */
  made(kind: Kind, answer: StoredResponse, expected: JsonObject): void {
    assert.equal(answer.status, 200, answer.text);
    const { id, created, signing_secret: secret } = answer.body;
    const whole = {
      id,
      object: objects[kind],
      created,
      ...expected,
      ...(secret !== undefined && { signing_secret: secret }),
    };
    assert.deepEqual(answer.body, whole);
    this.#set(kind, whole as JsonObject);
    this.#expectEvent(`${objects[kind]}.created`, withoutSecret(whole as JsonObject), null);
    if (kind === 'references') this.#rollUp(whole as JsonObject);
  }

  /** Expects a change with an event of type `verb` and the previous values, or no change at all. */
  changed(kind: Kind, answer: StoredResponse, after: JsonObject, verb?: string): void {
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, after);
    const id = textOf(after, 'id');
    const before = this.records[kind].get(id)!;
    if (sameJson(before, after)) return;
    this.#set(kind, after);
    const [was, is] = [withoutSecret(before), withoutSecret(after)];
    this.#expectEvent(`${objects[kind]}.updated`, is, previousValues(was, is));
    if (verb !== undefined) this.#expectEvent(`${objects[kind]}.${verb}`, is, null);
    if (kind === 'references') this.#rollUp(after);
  }

  /** Expects a deleted record, and its last event. */
  removed(kind: Kind, id: string): void {
    this.records[kind].delete(id);
    this.gone[kind].add(id);
    this.events.push({
      type: `${objects[kind]}.deleted`,
      objectId: id,
      data: null,
      endpointIds: this.#subscribers(kind),
    });
  }

  /** Expects an erased person: earlier events have no content, and open references are canceled. */
  async erased(customerId: string): Promise<void> {
    const about = [...this.records.references.values()].filter(({ customer }) => customer === customerId);
    const ids = [customerId, ...about.map((reference) => textOf(reference, 'id'))];
    this.#erasedIds.push(...ids);
    for (const event of this.events) if (ids.includes(event.objectId)) event.data = null;
    this.removed('customers', customerId);
    const expected: [string, string][] = [];
    for (const reference of about.filter(({ deleted }) => deleted !== true)) {
      const isOpen = reference.status === 'pending' || reference.status === 'processing';
      const status = isOpen ? 'canceled' : reference.status!;
      this.#set('references', { ...reference, status, metadata: {}, deleted: true });
      for (const verb of isOpen ? ['updated', 'canceled'] : [])
        expected.push([`reference.${verb}`, textOf(reference, 'id')]);
      expected.push(['reference.deleted', textOf(reference, 'id')]);
    }
    const applicationIds = new Set(about.map((reference) => textOf(reference, 'application')));
    const told = await this.#newEvents();
    const others: JsonObject[] = [];
    for (const event of told) {
      const id = textOf(event, 'data', 'object', 'id');
      const at = expected.findIndex(([type, objectId]) => type === event.type && objectId === id);
      if (at === -1) others.push(event);
      else expected.splice(at, 1);
      this.events.push({ type: textOf(event, 'type'), objectId: id, data: null, endpointIds: [] });
    }
    assert.deepEqual(expected, [], 'events of the erasure that are missing');
    // The applications sum up the canceled references, in as many steps as it took.
    for (const { type, data } of others) {
      assert.equal(type, 'application.updated');
      assert.ok(applicationIds.has(textOf(data, 'object', 'id')));
    }
    for (const id of applicationIds) this.#sumUp(id);
  }

  /** Tells whether the response shows a record that was erased since. */
  isErasedIn({ text }: StoredResponse): boolean {
    return this.#erasedIds.some((id) => text.includes(id));
  }

  /** Checks that the server's events equal the model's, newest first, in full. */
  async expectEvents(): Promise<void> {
    const listed: JsonObject[] = [];
    for (let offset = 0; ; offset += 50) {
      const { body } = await this.send('GET', `/v1/events?limit=50&offset=${offset}`);
      assert.equal(body.count, this.#eventsBefore + this.events.length, `events: ${typesOf(body.data)}`);
      listed.push(...(body.data as JsonObject[]));
      if (body.has_more !== true) break;
    }
    const told = listed.reverse().slice(this.#eventsBefore);
    this.events.forEach(({ type, objectId, data }, index) => {
      const event = told[index]! as JsonObject & { data: { object: JsonObject } };
      assert.deepEqual([event.type, event.data.object.id], [type, objectId], `event ${index}`);
      if (data) assert.deepEqual(event.data, data, `event ${index}, ${type}`);
    });
  }

  /** Checks that the latest event about a reference has one delivery for each endpoint that was enabled then. */
  async expectDeliveries(): Promise<void> {
    const index = this.events.findLastIndex(({ type, data }) => type.startsWith('reference.') && data !== null);
    if (index === -1) return;
    const { body: list } = await this.send('GET', `/v1/events?limit=1&offset=${this.events.length - 1 - index}`);
    const { body } = await this.send(
      'GET',
      `/v1/events/${textOf((list.data as JsonObject[])[0], 'id')}/deliveries?limit=50`,
    );
    const endpointIds = (body.data as JsonObject[]).map((delivery) => textOf(delivery, 'webhook_endpoint'));
    const isThere = (id: string): boolean => this.records.webhook_endpoints.has(id);
    assert.deepEqual(endpointIds.filter(isThere).sort(), this.events[index]!.endpointIds.filter(isThere).sort());
  }

  async #newEvents(): Promise<JsonObject[]> {
    const { body } = await this.send('GET', '/v1/events?limit=50');
    const unknown = Number(body.count) - this.#eventsBefore - this.events.length;
    assert.ok(unknown >= 0 && unknown <= 50, `${unknown} events of an erasure`);
    return (body.data as JsonObject[]).slice(0, unknown).reverse();
  }

  /** Expects the change of the application's roll-up in the same transaction. */
  #rollUp(reference: JsonObject): void {
    const id = textOf(reference, 'application');
    const before = this.records.applications.get(id);
    if (!before) return;
    const after = this.#sumUp(id)!;
    if (!sameJson(before, after)) this.#expectEvent('application.updated', after, previousValues(before, after));
  }

  #sumUp(id: string): JsonObject | null {
    const before = this.records.applications.get(id);
    if (!before) return null;
    const named = [...this.records.references.values()].filter(({ application }) => application === id);
    const after = { ...before, references: standing(named) };
    this.#set('applications', after);
    return after;
  }

  #set(kind: Kind, record: JsonObject): void {
    this.records[kind].set(textOf(record, 'id'), record);
  }

  #expectEvent(type: string, object: JsonObject, previousAttributes: JsonObject | null): void {
    const kind = Object.keys(objects).find((one) => type.startsWith(`${objects[one as Kind]}.`)) as Kind;
    const data = { object, previous_attributes: previousAttributes };
    this.events.push({ type, objectId: textOf(object, 'id'), data, endpointIds: this.#subscribers(kind) });
  }

  #subscribers(kind: Kind): string[] {
    return [...this.records.webhook_endpoints.values()]
      .filter(({ status, enabled_events: names }) => {
        const isSubscribed = (names as string[]).some((name) => name === '*' || name === `${objects[kind]}.*`);
        return status === 'enabled' && isSubscribed;
      })
      .map((endpoint) => textOf(endpoint, 'id'));
  }

  #withoutAccount(body: JsonObject): JsonObject {
    const { account, ...rest } = body;
    if (account !== undefined) assert.equal(account, this.#id);
    return Array.isArray(rest.data)
      ? { ...rest, data: rest.data.map((one) => this.#withoutAccount(one as JsonObject)) }
      : rest;
  }
}

/** Sums up references (contract, "Objects"): the worst outcome, once none is open. */
export function standing(references: readonly JsonObject[]): JsonObject {
  const count = (member: string, value: string, of = references): number =>
    of.filter((reference) => reference[member] === value).length;
  const complete = references.filter(({ status }) => status === 'complete');
  const by = (member: string, values: string[], of = references): JsonObject =>
    Object.fromEntries(values.map((value) => [value, count(member, value, of)]));
  const isOpen = count('status', 'pending') + count('status', 'processing') > 0;
  const worst = ['high_risk', 'consider', 'accept'].find((outcome) => count('outcome', outcome, complete) > 0);
  return {
    total: references.length,
    by_status: by('status', ['pending', 'processing', 'complete', 'canceled']),
    by_outcome: by('outcome', ['accept', 'consider', 'high_risk'], complete),
    result: isOpen ? null : (worst ?? null),
  };
}

function withoutSecret({ signing_secret: _secret, ...shown }: JsonObject): JsonObject {
  return shown;
}

function typesOf(data: Json | undefined): string {
  return (data as JsonObject[]).map((event) => textOf(event, 'type')).join(', ');
}

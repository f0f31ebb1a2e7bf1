import * as fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import { anyCodePoint } from './any-code-point.ts';
import { naughtyStrings } from './naughty-strings.ts';

export interface AnyRequest {
  method: Route['method'];
  path: string;
  query: string;
  /** Text, because some bodies are not JSON. */
  body: string | undefined;
  headers: Record<string, string>;
}

/**
 * Makes requests to these routes as a client in trouble might send them. Some are good, most are nearly good, and some are nonsense.
 * @param ids of records that exist, by the path of their resource.
 */
export function anyRequest(routes: Route[], ids: Record<string, string>): fc.Arbitrary<AnyRequest> {
  const mostlyNone = fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: anyQuery(ids) });
  return fc.constantFrom(...routes).chain(({ method, path }) =>
    fc.record({
      method: fc.constant(method),
      path: pathOf(path, ids),
      query: method === 'GET' ? anyQuery(ids) : mostlyNone,
      body: method === 'POST' ? anyBody : fc.constant(undefined),
      headers: anyHeaders,
    }),
  );
}

const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(...naughtyStrings),
  fc.constantFrom('app_1', 'cus_1', 'file_1', 'ada@example.org', 'x'.repeat(501), 'x'.repeat(300)),
);

/** Text that a URL can carry, mostly well encoded. */
const anyEncoded = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => encodeURIComponent(text.toWellFormed())) },
  { weight: 1, arbitrary: fc.stringMatching(/^(%[0-9a-f]{2}|[a-z0-9%+;:@!$'()*,._~[\]-]){0,20}$/) },
);

function pathOf(path: string, ids: Record<string, string>): fc.Arbitrary<string> {
  if (!path.includes(':id')) return fc.constant(path);
  const known = ids[path.split('/')[2]!] ?? 'x';
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constant(known) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(ids)) },
    { weight: 2, arbitrary: anyEncoded.filter((text) => text !== '' && !/^\.{1,2}$|^(%2e){1,2}$/i.test(text)) },
  );
  return id.map((text) => path.replace(':id', text));
}

function anyQuery(ids: Record<string, string>): fc.Arbitrary<string> {
  const names = [
    'limit',
    'offset',
    'created[gt]',
    'created[gte]',
    'created[lt]',
    'created[lte]',
    'starting_after',
    'ending_before',
  ];
  const filters = ['application', 'customer', 'status', 'outcome', 'type', 'email', 'object_id', 'related_object'];
  const name = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...names, ...filters) },
    { weight: 1, arbitrary: anyEncoded },
  );
  const goodPair = fc.oneof(
    fc.integer({ min: 1, max: 50 }).map((limit) => `limit=${limit}`),
    fc.integer({ min: 0, max: 100 }).map((offset) => `offset=${offset}`),
    fc.constantFrom('gt', 'gte', 'lt', 'lte').map((bound) => `created[${bound}]=${Math.floor(Date.now() / 1000) - 5}`),
    fc.constantFrom('starting_after', 'ending_before').map((cursor) => `${cursor}=${ids.references}`),
    fc.constantFrom(
      'application=app_1',
      'customer=cus_1',
      'status=pending',
      'status=complete',
      'outcome=accept',
      'type=customer',
    ),
    fc.constantFrom('email=ada@example.org', 'type=*', 'type=reference.*', 'type=customer.created', 'type=_*'),
    fc.constantFrom('object_id', 'related_object').map((filter) => `${filter}=${ids.references}`),
  );
  const value = fc.oneof(anyEncoded, fc.integer().map(String), fc.double().map(String));
  const anyPair = fc.tuple(name, value).map(([left, right]) => `${left}=${right}`);
  return fc.oneof(
    fc.uniqueArray(goodPair, { maxLength: 4, selector: (pair) => pair.split('=')[0] }).map((pairs) => pairs.join('&')),
    fc.array(fc.oneof(goodPair, anyPair), { maxLength: 4 }).map((pairs) => pairs.join('&')),
    anyEncoded,
  );
}

const validBodies: object[] = [
  { application: 'app_1' },
  {
    application: 'app_1',
    customer: 'cus_1',
    type: 'customer',
    automatic_reference: { enabled: true, provider: 'provider_b' },
    metadata: { order: '1' },
  },
  { metadata: { a: '2', b: '' } },
  { metadata: null },
  { reference_pdf: 'file_1' },
  { status: 'processing', outcome: 'consider' },
  {},
  { name: 'Ada', email: 'ada@example.org', phone: '1', date_of_birth: '1990-12-31', metadata: { a: 'b' } },
  {
    name: 'Grace',
    addresses: [
      { line1: '1 High St', city: 'York', postal_code: 'YO1 7HU', country: 'GB', from: '2020-01-01', to: null },
    ],
  },
  { url: 'http://127.0.0.1:9/hook', enabled_events: ['webhook_endpoint.pinged'], description: 'x', status: 'enabled' },
  { url: 'http://127.0.0.1:9/other', enabled_events: ['recovery.*'] },
];

/** A valid body, one with something changed, any JSON, or a text that is nearly JSON. */
const anyBody = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...validBodies).map((body) => JSON.stringify(body)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...validBodies), fc.array(mutation(), { minLength: 1, maxLength: 3 }))
      .map(mutated),
  },
  { weight: 2, arbitrary: fc.json({ depthSize: 'medium', stringUnit: anyCodePoint }) },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(anyText, anyText)
      .map((metadata) => JSON.stringify({ application: 'app_1', name: 'x', metadata })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...validBodies), fc.nat(), fc.nat(5), fc.string({ unit: anyCodePoint, maxLength: 3 }))
      .map(([body, at, length, text]) => spliced(JSON.stringify(body), at, length, text)),
  },
);

const anyHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.uuid().map((key) => ({ 'idempotency-key': key })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((key) => ({ 'idempotency-key': key })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('service-version', 'service-context', 'idempotency-key', 'content-type', 'user-agent', 'x-odd'),
        fc.stringMatching(/^[ -~\u0080-\u00ff]{0,40}$/),
      )
      .map(([name, value]) => ({ [name]: value })),
  },
);

/** A change of any object within a body. */
export interface Mutation {
  kind: 'drop' | 'set' | 'add';
  at: number;
  name: string;
  value: unknown;
}

export function mutation(): fc.Arbitrary<Mutation> {
  return fc.record({
    kind: fc.constantFrom('drop', 'set', 'add'),
    at: fc.nat(20),
    name: fc.oneof(
      anyText,
      fc.constantFrom('application', 'name', 'metadata', 'status', 'outcome', '__proto__', 'addresses'),
    ),
    value: fc.oneof(
      fc.jsonValue({ depthSize: 'small', stringUnit: anyCodePoint }),
      anyText,
      fc.constantFrom(null, 'processing', 'accept', {}, []),
    ),
  });
}

/** Returns the body as text, with members dropped, replaced or added anywhere in it. */
export function mutated([body, mutations]: [object, Mutation[]]): string {
  const copy = copyOf(body);
  for (const { kind, at, name, value } of mutations) {
    const objects = objectsIn(copy);
    const target = objects[at % objects.length]!;
    const names = Object.keys(target);
    const member = kind === 'add' || names.length === 0 ? name : names[at % names.length]!;
    // An array has a length of its own.
    if (Array.isArray(target) && member === 'length') continue;
    if (kind === 'drop') delete target[member];
    else
      Object.defineProperty(target, member, {
        value: copyOf(value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return JSON.stringify(copy);
}

/** Copies by way of JSON, because a structured clone loses a member called `__proto__`. */
function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function objectsIn(value: object): Record<string, unknown>[] {
  const inner = Object.values(value).filter(
    (member): member is object => typeof member === 'object' && member !== null,
  );
  return [value as Record<string, unknown>, ...inner.flatMap(objectsIn)];
}

function spliced(text: string, at: number, length: number, inserted: string): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + inserted + text.slice(start + length);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { HttpProviderClient } from '../../../src/external-services/client.ts';
import type { ProviderAccess, ProviderClient } from '../../../src/external-services/service.ts';
import { providerA } from '../../../src/referencing/providers/provider_a.ts';
import { closedDocument } from '../../support/closed-document.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { faultOf, goodCredentials, orderOf, servicesForTest, workingDayMs } from '../../support/services.ts';
import { waitMs } from '../../support/wait.ts';
import { meddlerForTest, type Exchange } from './meddler.ts';

/* The published protocol, against what the adapter sends and reads, and what the simulated service responds. */

type Piece = Record<string, unknown>;

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, object>;
}

interface Document extends Piece {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Piece>>;
}

const published = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/providers/protocol.openapi.json'), 'utf8'),
) as Document;
/** Has no member besides those that are documented. */
const closed = closedDocument(published, 'retrieved');

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateSchema: false });
ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
ajv.addFormat('uri', /^https?:/);
ajv.addVocabulary(['components']);
ajv.addSchema({ $id: 'document', components: closed.components });

function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
}

function faultsIn(schema: object, text: string): string {
  const validate = validatorOf(schema);
  return validate(JSON.parse(text)) ? '' : ajv.errorsText(validate.errors);
}

/** Returns the documented operation of a request. */
function operationOf(method: string, path: string): Operation | undefined {
  const { pathname } = new URL(path, 'http://service');
  const found = Object.entries(closed.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return found?.[1][method.toLowerCase()];
}

/** Returns how an exchange differs from the document; empty if it does not. */
function differencesOf({ sent, returned }: Exchange): string {
  const operation = operationOf(sent.method, sent.path);
  if (!operation) return `${sent.method} ${sent.path} is not documented`;
  const requestSchema = operation.requestBody?.content['application/json']!.schema;
  const inRequest = requestSchema ? faultsIn(requestSchema, sent.body) : sent.body;
  if (inRequest !== '') return `${operation.operationId} sends ${inRequest}`;
  const response = operation.responses[returned.status];
  if (!response) return `${operation.operationId} answers ${returned.status}`;
  const { content } = ('$ref' in response ? shared(String(response.$ref)) : response) as {
    content: Record<string, { schema: object }>;
  };
  const inResponse = faultsIn(content['application/json']!.schema, returned.body);
  return inResponse === '' ? '' : `${operation.operationId} answers ${returned.status} with ${inResponse}`;
}

function shared(pointer: string): Piece {
  const [, , kind, name] = pointer.split('/');
  return closed.components[kind!]![name!]!;
}

/** Plays all operations between the adapter and the simulated service. */
async function play(): Promise<{ exchanges: Exchange[]; announced: Piece[] }> {
  const services = await servicesForTest();
  const { url, exchanges } = await meddlerForTest(services.url('provider_a'));
  const receiver = await receiverForTest();
  const client = new HttpProviderClient(url, waitMs);
  const access = { client, credentials: goodCredentials.provider_a };
  const stranger = { client, credentials: { ...goodCredentials.provider_a, api_key: 'invalid' } };
  const order = orderOf('ccj', { callbackUrl: receiver.url, scenario: 'ccj' });
  const { orderId } = await providerA.submit(access, order);
  await providerA.submit(access, order);
  await faultOf(providerA.fetchFindings(access, orderId));
  await providerA.invite!(access, orderId, 'ada@example.org');
  const bare = await providerA.submit(access, orderOf('stuck', { applicant: null, rent: null, scenario: 'stuck' }));
  await providerA.cancel(access, bare.orderId);
  await providerA.cancel(access, bare.orderId);
  const bounced = await providerA.submit(access, orderOf('invite_bounced', { scenario: 'invite_bounced' }));
  await providerA.read(access, bounced.orderId);
  for (let step = 0; step < 6; step++) {
    services.clock.advanceMs(workingDayMs / 6);
    await providerA.read(access, orderId);
  }
  await providerA.fetchFindings(access, orderId);
  await providerA.invite!(access, orderId, 'ada@example.org');
  await providerA.cancel(access, orderId);
  await providerA.find(access, order.referenceId);
  await providerA.find(access, 'ref_unknown');
  await faultOf(providerA.submit(access, orderOf(null, { scenario: 'invalid_details' })));
  await faultOf(providerA.submit(access, orderOf(null, { scenario: 'provider_error' })));
  for (const call of [
    () => providerA.read(access, 'unknown'),
    () => providerA.cancel(access, 'unknown'),
    () => providerA.invite!(access, 'unknown', 'ada@example.org'),
    () => providerA.fetchFindings(access, 'unknown'),
    () => providerA.submit(stranger, order),
    () => providerA.read(stranger, orderId),
    () => providerA.find(stranger, order.referenceId),
    () => providerA.cancel(stranger, orderId),
    () => providerA.invite!(stranger, orderId, 'ada@example.org'),
    () => providerA.fetchFindings(stranger, orderId),
    () => providerA.submit(access, { ...order, referenceId: '' }),
    () => providerA.invite!(access, orderId, ''),
  ])
    await faultOf(call());
  const received = await receiver.count(1);
  await client.close();
  return { exchanges, announced: received.map(({ body }) => body as Piece) };
}

describe('the published protocol of referencing services', () => {
  test('is valid OpenAPI 3.1 when the official schema checks it', async () => {
    const result = await new Validator().validate(structuredClone(published));
    expect(result.errors ?? []).toEqual([]);
  });

  test('has every request and every response when the adapter calls the simulated service', async () => {
    const { exchanges, announced } = await play();
    // An order without a key is what the adapter never sends.
    const ordinary = exchanges.filter(({ returned }) => returned.status !== 400);
    expect(ordinary.map(differencesOf).filter((difference) => difference !== '')).toEqual([]);
    const [callback] = announced;
    expect(faultsIn(shared('#/components/schemas/Callback'), JSON.stringify(callback))).toBe('');
    for (const { sent } of exchanges) expect(sent.headers.authorization).toMatch(/^Bearer \S+$/);

    // The statuses that nothing here causes: a busy service, and failures of each operation.
    const seen = new Set(
      exchanges.map(({ sent, returned }) => `${operationOf(sent.method, sent.path)!.operationId} ${returned.status}`),
    );
    const documented = Object.values(closed.paths)
      .flatMap((path) => Object.values(path).filter((each) => 'operationId' in each))
      .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
      .filter((each) => !/ (429|500)$/.test(each));
    expect(documented.filter((each) => !seen.has(each))).toEqual([]);
  });

  test('documents no member that neither the adapter nor the simulated service knows', async () => {
    const { exchanges, announced } = await play();
    const bodies = exchanges
      .flatMap(({ sent, returned }) => [sent.body, returned.body])
      .flatMap((text) => (text === '' ? [] : [JSON.parse(text) as unknown]));
    const told = new Set<string>();
    for (const body of [...bodies, ...announced]) collectNames(body, told);
    const documented = new Set<string>();
    JSON.stringify(published.components.schemas, (name, value: unknown) => {
      if (name === 'properties') for (const member of Object.keys(value as object)) documented.add(member);
      return value;
    });
    expect([...documented].filter((name) => !told.has(name))).toEqual([]);
  });
});

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collectNames(each, names);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      names.add(name);
      collectNames(each, names);
    }
}

/** Answers every call with this body. */
function answering(body: unknown): ProviderAccess {
  const client: ProviderClient = { call: () => Promise.resolve({ status: 200, body }) };
  return { client, credentials: goodCredentials.provider_a };
}

/** The objects that the adapter reads, each with what reads it. */
const responses = {
  ReferenceRequest: (body: unknown) => providerA.read(answering(body), 'rr_1'),
  ReferenceRequestList: (body: unknown) => providerA.find(answering(body), 'ref_1'),
  Report: (body: unknown) => providerA.fetchFindings(answering(body), 'rr_1'),
};

/** Responses in which every member has a value. */
const full: Record<keyof typeof responses, Piece> = {
  ReferenceRequest: {
    requestId: 'rr_1',
    clientReferenceId: 'ref_1',
    stage: 'DONE',
    decision: 'ACCEPT',
    progressPercent: 100,
    affordability: { rentToIncomePercent: 28, result: 'PASS' },
    creditScore: 640,
    sanctionsClear: true,
    timeline: [{ at: '2026-11-01T09:00:00Z', text: 'Done.' }],
    blocker: { code: 'INVITE_BOUNCED', text: 'It came back.' },
  },
  ReferenceRequestList: { requests: [{ requestId: 'rr_1' }] },
  Report: {
    requestId: 'rr_1',
    decision: 'ACCEPT',
    decisionReasons: ['No issues.'],
    affordability: {
      result: 'PASS',
      rentToIncomePercent: 28,
      rent: { amountMinor: 95_000, currency: 'GBP', frequency: 'MONTHLY' },
      verifiedAnnualIncome: { amountMinor: 4_000_000, currency: 'GBP' },
      incomeDoubted: false,
      sources: ['Payslips.'],
    },
    credit: { score: 640, scoreMax: 999, entries: [{ label: 'Electoral roll', value: 'Registered' }] },
    sanctions: { clear: true, entries: ['None.'] },
    checks: [{ title: 'Identity', result: 'PASS', comment: 'A passport.' }],
    referees: [{ name: 'Morgan Ellis', role: 'Employer', email: 'm@example.org', phone: '020 7946 0182' }],
    timeline: [{ at: '2026-11-01T09:00:00Z', text: 'Done.' }],
    complaints: { company: 'A Ltd', contact: 'complaints@a.example' },
  },
};

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Spot {
  path: (string | number)[];
  isRequired: boolean;
  isNullable: boolean;
  words: string[] | null;
}

/** Lists every member of a schema, with its place in a full response. */
function spotsOf(schema: Schema, path: (string | number)[] = []): Spot[] {
  const { properties = {}, required = [], items } = resolved(schema);
  const inItems = items ? spotsOf(items, [...path, 0]) : [];
  return Object.entries(properties).reduce((found, [name, member]) => {
    const spot = { path: [...path, name], isRequired: required.includes(name), isNullable: isNullable(member) };
    const words = resolved(member).enum?.filter((word) => word !== null) as string[] | undefined;
    return [...found, { ...spot, words: words ?? null }, ...spotsOf(member, spot.path)];
  }, inItems);
}

function resolved(schema: Schema): Schema {
  const choice = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  return choice.$ref ? (published.components.schemas![choice.$ref.split('/').at(-1)!] as Schema) : choice;
}

function isNullable({ type, anyOf }: Schema): boolean {
  return [type].flat().includes('null') || anyOf?.some((choice) => choice.type === 'null') === true;
}

/** Returns a copy with another value at a place; undefined removes the member. */
function changed(body: Piece, path: (string | number)[], value: unknown): Piece {
  const copy = structuredClone(body);
  const holder = path.slice(0, -1).reduce((at: unknown, key) => (at as Record<string, unknown>)[key], copy) as Piece;
  const name = String(path.at(-1));
  if (value === undefined) delete holder[name];
  else holder[name] = value;
  return copy;
}

async function isRead(reading: Promise<unknown>): Promise<boolean> {
  return reading.then(
    () => true,
    () => false,
  );
}

describe.each(Object.keys(responses) as (keyof typeof responses)[])('the adapter, reading a %s', (name) => {
  const body = full[name];
  // The adapter reads one member of the orders in a list.
  const spots = spotsOf(published.components.schemas![name] as Schema).filter(
    ({ path }) => name !== 'ReferenceRequestList' || path.length === 1 || path.at(-1) === 'requestId',
  );

  test('refuses the response only when a member is missing that the document requires', async () => {
    expect(await isRead(responses[name](body))).toBe(true);
    for (const { path, isRequired } of spots) {
      const accepted = await isRead(responses[name](changed(body, path, undefined)));
      expect([path.join('.'), accepted]).toEqual([path.join('.'), !isRequired]);
    }
  });

  test('refuses null only when the document does not allow the member to be null', async () => {
    for (const { path, isNullable: mayBeNull, isRequired } of spots) {
      // An unread member may be anything, and an order that is done has a decision.
      if (!isRequired || path.join('.') === 'decision') continue;
      const accepted = await isRead(responses[name](changed(body, path, null)));
      expect([path.join('.'), accepted]).toEqual([path.join('.'), mayBeNull]);
    }
  });

  test('reads a word only when the document has it', async () => {
    for (const { path, words } of spots.filter((spot) => spot.words)) {
      const told = await Promise.all(
        [...words!, 'OTHER'].map((word) => isRead(responses[name](changed(body, path, word)))),
      );
      expect([path.join('.'), told]).toEqual([path.join('.'), [...words!.map(() => true), false]]);
    }
  });

  test('ignores members that the document does not have when a later service sends them', async () => {
    expect(await isRead(responses[name]({ ...body, more: { than: 'known' } }))).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { TestClock } from '../support/clock.ts';
import { laterThanNow } from '../support/later-than-now.ts';
import { expectRefusal as expectRefused, invalid } from '../support/refusals.ts';
import {
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { firstAccountId } from '../support/tenants.ts';

/** A test name, the body, and the code and parameter of the error. */
type RefusedBody = [string, object, ErrorCode, string];

const clock = new TestClock();
let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  api = server.api;
});
afterAll(() => server.stop());

describe('reference creation', () => {
  test('returns the whole reference of the specification when a reference is created', async () => {
    const madeNow = laterThanNow();
    const { status, body } = await api.post('/v1/references', {
      application: 'app_1',
      customer: 'cus_1',
      type: 'customer',
    });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      id: expect.stringMatching(/^ref_[0-9A-Za-z]{22}$/),
      object: 'reference',
      created: madeNow,
      application: 'app_1',
      automatic_reference: null,
      completed_at: null,
      customer: 'cus_1',
      metadata: {},
      outcome: null,
      decision: null,
      reference_pdf: null,
      earlier_reports: [],
      status: 'pending',
      type: 'customer',
    });
  });

  test('treats null as absent when an optional member of a new reference is null', async () => {
    const nulls = { customer: null, type: null, automatic_reference: null, metadata: null };
    const [withNulls, without] = [
      await created({ application: 'app_1', ...nulls }),
      await created({ application: 'app_1' }),
    ];
    expect({ ...withNulls, id: '', created: 0 }).toStrictEqual({ ...without, id: '', created: 0 });
    expect(without).toMatchObject({ customer: null, type: 'customer', automatic_reference: null, metadata: {} });
  });

  test('gives a reference a higher id when it is created later', async () => {
    const [first, second] = [await created(), await created()];
    expect(second.id > first.id).toBe(true);
    clock.advanceSeconds(10);
    expect((await created()).created).toBeGreaterThanOrEqual(first.created + 10);
  });

  test('stores a linked id unchanged when it has up to 255 characters of any origin', async () => {
    const longest = 'x'.repeat(255);
    expect(await created({ application: '0', customer: longest })).toMatchObject({
      application: '0',
      customer: longest,
    });
  });

  test.each<RefusedBody>([
    ['no application', {}, 'parameter_missing', 'application'],
    ['null as the application', { application: null }, 'parameter_invalid', 'application'],
    ['an empty application', { application: '' }, 'parameter_invalid', 'application'],
    ['an id with other characters', { application: 'app-1' }, 'parameter_invalid', 'application'],
    ['an id that ends in a line break', { application: 'app_1\n' }, 'parameter_invalid', 'application'],
    ['an id of 256 characters', { application: 'x'.repeat(256) }, 'parameter_invalid', 'application'],
    ['a number for an id', { application: 1 }, 'parameter_invalid', 'application'],
    ['an object for an id', { application: 'app_1', customer: { id: 'cus_1' } }, 'parameter_invalid', 'customer'],
    ['an empty customer', { application: 'app_1', customer: '' }, 'parameter_invalid', 'customer'],
    ['an unknown type', { application: 'app_1', type: 'guarantor' }, 'parameter_invalid', 'type'],
    ['a misspelt member', { application: 'app_1', custmer: 'cus_1' }, 'parameter_unknown', 'custmer'],
    ...[
      'id',
      'object',
      'created',
      'account',
      'completed_at',
      'decision',
      'deleted',
      'earlier_reports',
      'outcome',
      'reference_pdf',
      'status',
    ].map((name): RefusedBody => [
      `the server's own ${name}`,
      { application: 'app_1', [name]: null },
      'parameter_unknown',
      name,
    ]),
  ])('refuses to create a reference when the body has %s', async (_case, body, code, param) => {
    expectRefusal(await api.post('/v1/references', body), 400, code, param);
  });
});

describe('creation with automatic_reference', () => {
  const queued = {
    enabled: true,
    last_error: null,
    outcome: null,
    provider: 'provider_a',
    status: 'queued',
    provider_data: null,
  };
  const idle = { ...queued, enabled: false, provider: null, status: null };

  test.each([
    ['no members', {}, queued],
    ['null as the provider', { provider: null }, queued],
    ['enabled: true', { enabled: true }, queued],
    ['a provider alone', { provider: 'provider_d' }, { ...queued, provider: 'provider_d' }],
    ['enabled: false', { enabled: false }, idle],
    ['enabled: false with a provider', { enabled: false, provider: 'provider_b' }, { ...idle, provider: 'provider_b' }],
  ])(
    'fills in the defaults of automatic_reference when the request sends %s',
    async (_case, automatic_reference, expected) => {
      expect((await created({ application: 'app_1', automatic_reference })).automatic_reference).toStrictEqual(
        expected,
      );
    },
  );

  test.each<RefusedBody>([
    ['an unknown provider', { provider: 'provider_e' }, 'parameter_invalid', 'automatic_reference[provider]'],
    ['text as a boolean', { enabled: 'true' }, 'parameter_invalid', 'automatic_reference[enabled]'],
    ['a misspelt member', { provder: 'provider_a' }, 'parameter_unknown', 'automatic_reference[provder]'],
    ...['last_error', 'outcome', 'status', 'provider_data'].map((name): RefusedBody => [
      `the server's own ${name}`,
      { [name]: null },
      'parameter_unknown',
      `automatic_reference[${name}]`,
    ]),
  ])('refuses automatic_reference when it has %s', async (_case, automatic_reference, code, param) => {
    expectRefusal(await api.post('/v1/references', { application: 'app_1', automatic_reference }), 400, code, param);
  });

  test('refuses automatic_reference when it is not an object', async () => {
    for (const automatic_reference of [true, 'provider_a', ['provider_a']]) {
      const response = await api.post('/v1/references', { application: 'app_1', automatic_reference });
      expectRefusal(response, 400, 'parameter_invalid', 'automatic_reference');
    }
  });

  test("uses the account's default provider when the request names no provider", async () => {
    const { api: own } = await serverWithDefaultProvider('sandbox', 'provider_c');
    expect((await created({ application: 'app_1', automatic_reference: {} }, own)).automatic_reference.provider).toBe(
      'provider_c',
    );
    const named = { application: 'app_1', automatic_reference: { provider: 'provider_b' } };
    expect((await created(named, own)).automatic_reference.provider).toBe('provider_b');
  });

  test('refuses an automatic reference in live mode when neither request nor account names a provider', async () => {
    const settings = { TENURE_MODE: 'live', TENURE_PROVIDER_A_URL: 'https://referencing.example.com' };
    const live = await serverForTest({ settings });
    const response = await live.api.post('/v1/references', { application: 'app_1', automatic_reference: {} });
    expectRefusal(response, 400, 'parameter_invalid', 'automatic_reference[provider]');
    expect((await live.api.get('/v1/references')).body.count).toBe(0);

    const credentials = { provider_a: { api_key: 'key', signing_secret: 'secret' } };
    expect((await live.api.post('/v1/account', { provider_credentials: credentials })).status).toBe(200);
    const named = { application: 'app_1', automatic_reference: { provider: 'provider_a' } };
    expect((await created(named, live.api)).automatic_reference).toStrictEqual(queued);
    const off = { application: 'app_1', automatic_reference: { enabled: false } };
    expect((await created(off, live.api)).automatic_reference).toStrictEqual(idle);
  });

  test('refuses an automatic reference in live mode when its provider is not set up', async () => {
    const settings = { TENURE_MODE: 'live', TENURE_PROVIDER_B_URL: 'https://referencing.example.com' };
    const live = await serverForTest({ settings });
    const send = (automatic_reference: object) =>
      live.api.post('/v1/references', { application: 'app_1', automatic_reference });
    const refusal = {
      ...invalid('automatic_reference[provider]'),
      says: '`provider_c` is not set up in this deployment. Choose one of provider_b, or ask the operator to set TENURE_PROVIDER_C_URL.',
    };
    // The account chose this default while the service was set up.
    await live.context.database.readers.query(`update accounts set default_provider = 'provider_c'`);
    expectRefused(await send({}), refusal);
    expectRefused(await send({ provider: 'provider_c' }), refusal);
    expect((await live.api.get('/v1/references')).body.count).toBe(0);
    const credentials = { provider_b: { username: 'ada', password: 'p' } };
    expect((await live.api.post('/v1/account', { provider_credentials: credentials })).status).toBe(200);
    expect((await send({ provider: 'provider_b' })).status).toBe(200);
    // A reference that is not enabled needs no service.
    expect((await send({ enabled: false, provider: 'provider_c' })).status).toBe(200);
  });

  test('names only the setting in the refusal when no provider is set up', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const named = { application: 'app_1', automatic_reference: { provider: 'provider_a' } };
    expectRefused(await live.api.post('/v1/references', named), {
      ...invalid('automatic_reference[provider]'),
      says: '`provider_a` is not set up in this deployment. Ask the operator to set TENURE_PROVIDER_A_URL.',
    });
  });

  test("uses the account's default provider in live mode when the request names none", async () => {
    const { api: own } = await serverWithDefaultProvider('live', 'provider_b');
    expect((await created({ application: 'app_1', automatic_reference: {} }, own)).automatic_reference.provider).toBe(
      'provider_b',
    );
  });
});

describe('reference retrieval', () => {
  test('returns the bytes of the create response when a reference is retrieved', async () => {
    const answer = await api.post('/v1/references', {
      application: 'app_1',
      metadata: { zebra: '1', apple: 'Łukasz 🏠' },
    });
    expect((await api.get(`/v1/references/${answer.body.id}`)).text).toBe(answer.text);
  });

  test('shows the account of a reference when the request names it', async () => {
    const accountId = await firstAccountId(server);
    const context = { 'service-context': accountId };
    const made = await api.post('/v1/references', { application: 'app_account' }, context);
    expect(made.body.account).toBe(accountId);

    const path = `/v1/references/${made.body.id}`;
    expect((await api.get(path, context)).body).toStrictEqual(made.body);
    expect((await api.post(path, { outcome: 'accept' }, context)).body.account).toBe(accountId);
    expect((await api.get('/v1/references?application=app_account', context)).body.data[0].account).toBe(accountId);
    expectShape('reference', (await api.get(path)).body);
  });

  test("shows the provider's data when a provider has reported", async () => {
    const { id } = await created({ application: 'app_1', automatic_reference: {} });
    const reported = {
      enabled: true,
      last_error: null,
      outcome: 'pass',
      provider: 'provider_a',
      status: 'done',
      provider_data: {
        type: 'provider_a',
        provider_a: {
          affordability: { percentage: 31.5, status: null },
          credit_score: 712,
          notes: [{ created: 1_700_000_000, message: 'Employer called.' }],
          progress: 100,
          sanctions_passed: true,
        },
      },
    };
    await change(id, 'automatic_reference = $2', JSON.stringify(reported));
    const { body } = await api.get(`/v1/references/${id}`);
    expect(body.automatic_reference).toStrictEqual(reported);
    expectShape('reference', body);
  });
});

describe('reference ids that do not resolve', () => {
  test.each([
    ['unknown', 'ref_0000000000000000000000'],
    ['one of another kind', 'cus_0000000000000000000000'],
    ['malformed', 'nonsense'],
    ['longer than any id', `ref_${'0'.repeat(5_000)}`],
    ['one with a NUL', 'ref_00000000000000000000%00'],
  ])('returns 404 for every operation on a reference when its id is %s', async (_case, id) => {
    for (const response of [
      await api.get(`/v1/references/${id}`),
      await api.post(`/v1/references/${id}`, { outcome: 'accept' }),
      await api.post(`/v1/references/${id}/cancel`),
    ]) {
      expectRefusal(response, 404, 'resource_missing', 'id');
    }
  });
});

type State = 'pending' | 'processing' | 'complete' | 'canceled';
const states: State[] = ['pending', 'processing', 'complete', 'canceled'];

/** Whether a provider handles the reference (automatic), or the account itself (the other two). */
type Handling = 'off-platform' | 'not enabled' | 'automatic';
const handlings: Handling[] = ['off-platform', 'not enabled', 'automatic'];

/** A decision of the server's first key, without a reason. */
const aDecision = {
  outcome: expect.any(String),
  reason: null,
  decided_by: { type: 'api_key', id: expect.stringMatching(/^key_/), name: null, role: null },
  decided_at: expect.any(Number),
};

/** Stands for the time of the request, in the table below. */
const now = Symbol('now');

type Cell =
  /** Changed members, with their previous values; the event that follows `reference.updated`. */
  | { becomes: Record<string, unknown>; was: Record<string, unknown>; followedBy?: 'completed' | 'canceled' }
  | 'no change'
  /** 400, with this parameter, or with any or none. */
  | { refused: string | undefined };

interface Row {
  request: string;
  path: '' | '/cancel';
  body: object | undefined;
  cells: Record<State, Cell>;
  /** Cells that differ when a provider moves the reference. */
  automatic?: Record<State, Cell>;
}

const refused: Cell = { refused: undefined };
const refusedStatus: Cell = { refused: 'status' };

/** Metadata of every reference in the table before the request. */
const initialMetadata = { order: '6', kept: 'yes' };
const outcomeOfComplete = 'accept';

const stateTable: Row[] = [
  {
    request: 'status: processing',
    path: '',
    body: { status: 'processing' },
    cells: {
      pending: { becomes: { status: 'processing' }, was: { status: 'pending' } },
      processing: 'no change',
      complete: refused,
      canceled: refused,
    },
    automatic: { pending: refusedStatus, processing: refused, complete: refused, canceled: refused },
  },
  {
    request: 'outcome',
    path: '',
    body: { outcome: 'consider' },
    cells: {
      pending: {
        becomes: { status: 'complete', outcome: 'consider', completed_at: now },
        was: { status: 'pending', outcome: null, completed_at: null },
        followedBy: 'completed',
      },
      processing: {
        becomes: { status: 'complete', outcome: 'consider', completed_at: now },
        was: { status: 'processing', outcome: null, completed_at: null },
        followedBy: 'completed',
      },
      complete: { becomes: { outcome: 'consider' }, was: { outcome: outcomeOfComplete } },
      canceled: refused,
    },
  },
  {
    request: 'outcome and status: processing',
    path: '',
    body: { outcome: 'high_risk', status: 'processing' },
    cells: {
      pending: {
        becomes: { status: 'processing', outcome: 'high_risk' },
        was: { status: 'pending', outcome: null },
      },
      processing: { becomes: { outcome: 'high_risk' }, was: { outcome: null } },
      complete: refused,
      canceled: refused,
    },
    automatic: { pending: refusedStatus, processing: refused, complete: refused, canceled: refused },
  },
  {
    request: 'reference_pdf',
    path: '',
    body: { reference_pdf: 'file_1' },
    cells: {
      pending: { becomes: { reference_pdf: 'file_1' }, was: { reference_pdf: null } },
      processing: { becomes: { reference_pdf: 'file_1' }, was: { reference_pdf: null } },
      complete: { becomes: { reference_pdf: 'file_1' }, was: { reference_pdf: null } },
      canceled: refused,
    },
  },
  {
    request: 'metadata',
    path: '',
    body: { metadata: { order: '7' } },
    cells: everywhere({ becomes: { metadata: { order: '7', kept: 'yes' } }, was: { metadata: { order: '6' } } }),
  },
  { request: 'nothing', path: '', body: {}, cells: everywhere('no change') },
  {
    request: 'cancel',
    path: '/cancel',
    body: undefined,
    cells: {
      pending: { becomes: { status: 'canceled' }, was: { status: 'pending' }, followedBy: 'canceled' },
      processing: { becomes: { status: 'canceled' }, was: { status: 'processing' }, followedBy: 'canceled' },
      complete: refused,
      canceled: refused,
    },
  },
];

describe.each(stateTable)('reference state table: $request', ({ path, body, cells, automatic }) => {
  const cases = handlings.flatMap((handling) => states.map((state) => ({ handling, state })));

  test.each(cases)(
    'answers as the state table says when a reference is $state and $handling',
    async ({ handling, state }) => {
      const cell = (handling === 'automatic' && automatic ? automatic : cells)[state];
      const before = await referenceIn(state, handling);
      const earlierEvents = await eventsAbout(before.id);
      const earlierRevision = await revisionOf(before.id);
      // Let time pass, so that new timestamps differ from old ones.
      clock.advanceSeconds(100);
      const sentAt = Math.floor(clock.nowMs() / 1000);

      const response = await api.post(`/v1/references/${before.id}${path}`, body);
      const after = (await api.get(`/v1/references/${before.id}`)).body;
      const newEvents = (await eventsAbout(before.id)).slice(earlierEvents.length);

      if (cell === 'no change' || 'refused' in cell) {
        if (cell === 'no change') expect([response.status, response.body]).toStrictEqual([200, before]);
        else expectRefusal(response, 400, 'status_transition_invalid', cell.refused);
        expect(after).toStrictEqual(before);
        expect(newEvents).toEqual([]);
        expect(await revisionOf(before.id)).toBe(earlierRevision);
        return;
      }
      expect(response.status).toBe(200);
      const expected = { ...before, ...cell.becomes };
      const was: Record<string, unknown> = { ...cell.was };
      // A request that ends the reference also cancels its provider's check.
      if (handling === 'automatic' && cell.followedBy) {
        expected.automatic_reference = { ...before.automatic_reference, status: 'canceled' };
        was.automatic_reference = { status: 'queued' };
      }
      // Every outcome of a client is a decision.
      if (cell.becomes.outcome !== undefined) {
        const { decided_at: decidedAt } = after.decision;
        expect(decidedAt).toBeGreaterThanOrEqual(sentAt);
        expect(decidedAt).toBeLessThanOrEqual(Math.floor(clock.nowMs() / 1000));
        expected.decision = { ...aDecision, outcome: cell.becomes.outcome, decided_at: decidedAt };
        was.decision = before.decision && {
          outcome: before.decision.outcome,
          decided_at: before.decision.decided_at,
        };
      }
      if (cell.becomes.completed_at === now) {
        expect(after.completed_at).toBeGreaterThanOrEqual(sentAt);
        expect(after.completed_at).toBeLessThanOrEqual(Math.floor(clock.nowMs() / 1000));
        expected.completed_at = after.completed_at;
      }
      expectShape('reference', after);
      expect(after).toStrictEqual(expected);
      expect(response.body).toStrictEqual(after);
      expect(await revisionOf(before.id)).toBe(earlierRevision + 1);
      expect(newEvents.map(({ type, data }) => ({ type, data }))).toStrictEqual([
        { type: 'reference.updated', data: { object: after, previous_attributes: was } },
        ...(cell.followedBy
          ? [{ type: `reference.${cell.followedBy}`, data: { object: after, previous_attributes: null } }]
          : []),
      ]);
    },
  );
});

describe('outcomes set while a reference is processing', () => {
  test('replaces the outcome of a processing reference, and completes it when the outcome is sent alone', async () => {
    const { id } = await created();
    await updated(id, { status: 'processing', outcome: 'consider' });
    const processing = await updated(id, { status: 'processing', outcome: 'high_risk' });
    expect(processing).toMatchObject({ status: 'processing', outcome: 'high_risk', completed_at: null });
    // Let time pass, so that the decision has a new time.
    clock.advanceSeconds(100);
    const complete = await updated(id, { outcome: 'high_risk' });
    expect(complete).toMatchObject({ status: 'complete', outcome: 'high_risk', completed_at: expect.any(Number) });
    const [update, completed] = (await eventsAbout(id)).slice(-2);
    expect(update.data.previous_attributes).toStrictEqual({
      status: 'processing',
      completed_at: null,
      decision: { decided_at: processing.decision.decided_at },
    });
    expect(completed).toMatchObject({
      type: 'reference.completed',
      data: { object: complete, previous_attributes: null },
    });
  });

  test('keeps the outcome when a processing reference is canceled', async () => {
    const { id } = await created();
    await updated(id, { status: 'processing', outcome: 'accept' });
    const { status, body } = await api.post(`/v1/references/${id}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'canceled', outcome: 'accept', completed_at: null });
  });
});

describe('reference updates', () => {
  test('applies all members of the body as one change when a reference is updated', async () => {
    const { id } = await created();
    const body = { outcome: 'accept', reference_pdf: 'file_9', metadata: { by: 'phone' } };
    const complete = await updated(id, body);
    expect(complete).toMatchObject({ ...body, status: 'complete' });
    const newEvents = (await eventsAbout(id)).slice(1);
    expect(newEvents.map(({ type }) => type)).toEqual(['reference.updated', 'reference.completed']);
    expect(newEvents[0].data.previous_attributes).toStrictEqual({
      outcome: null,
      decision: null,
      reference_pdf: null,
      metadata: { by: null },
      status: 'pending',
      completed_at: null,
    });
  });

  test('keeps the decision with its reason, and the replaced reports, when a reference is decided again', async () => {
    const { id } = await created();
    const first = await updated(id, { outcome: 'accept', reason: 'Good references.', reference_pdf: 'file_8' });
    expect(first.decision).toStrictEqual({ ...aDecision, outcome: 'accept', reason: 'Good references.' });
    clock.advanceSeconds(60);
    expect(await updated(id, { outcome: 'accept' })).toStrictEqual(first);
    const second = await updated(id, { outcome: 'accept', reason: 'A guarantor stands by.', reference_pdf: 'file_9' });
    expect(second).toMatchObject({
      decision: {
        reason: 'A guarantor stands by.',
        decided_at: expect.toSatisfy((at) => at > first.decision.decided_at),
      },
      reference_pdf: 'file_9',
      earlier_reports: ['file_8'],
    });
    expect(await updated(id, { reference_pdf: 'file_8' })).toMatchObject({
      reference_pdf: 'file_8',
      earlier_reports: ['file_9'],
    });
  });

  test('keeps the last 50 replaced reports when more were replaced', async () => {
    const { id } = await created();
    for (let index = 0; index < 53; index++) await updated(id, { reference_pdf: `file_${index}` });
    const { earlier_reports: earlier } = (await api.get(`/v1/references/${id}`)).body;
    expect(earlier).toEqual(Array.from({ length: 50 }, (_, index) => `file_${index + 2}`));
  });

  test('refuses a reason when the body has no outcome', async () => {
    const before = await created();
    const refusal = await api.post(`/v1/references/${before.id}`, { reason: 'Good references.' });
    expectRefusal(refusal, 400, 'parameter_missing', 'outcome');
    expect((await api.get(`/v1/references/${before.id}`)).body).toStrictEqual(before);
  });

  test('changes nothing when one member of the body is forbidden', async () => {
    const canceled = await referenceIn('canceled', 'off-platform');
    const automatic = await referenceIn('pending', 'automatic');
    for (const { id, body } of [
      { id: canceled.id, body: { metadata: { order: '9' }, outcome: 'accept' } },
      { id: canceled.id, body: { metadata: { order: '9' }, reference_pdf: 'file_9' } },
      { id: automatic.id, body: { metadata: { order: '9' }, reference_pdf: 'file_9', status: 'processing' } },
    ]) {
      expectRefusal(await api.post(`/v1/references/${id}`, body), 400, 'status_transition_invalid', undefined);
    }
    expect((await api.get(`/v1/references/${canceled.id}`)).body).toStrictEqual(canceled);
    expect((await api.get(`/v1/references/${automatic.id}`)).body).toStrictEqual(automatic);
  });

  test('keeps the first completion time when the outcome is corrected', async () => {
    const { id } = await created();
    const { completed_at } = await updated(id, { outcome: 'accept' });
    for (const outcome of ['consider', 'high_risk', 'accept']) {
      clock.advanceSeconds(60);
      expect(await updated(id, { outcome })).toMatchObject({ status: 'complete', outcome, completed_at });
    }
    const types = (await eventsAbout(id)).map(({ type }) => type.slice('reference.'.length));
    expect(types).toEqual(['created', 'updated', 'completed', 'updated', 'updated', 'updated']);
  });

  test.each<[string, Row['body'], State, object]>([
    ['the present outcome', {}, 'complete', { outcome: outcomeOfComplete }],
    ['the present status', {}, 'processing', { status: 'processing' }],
    ['the present file', { reference_pdf: 'file_1' }, 'processing', { reference_pdf: 'file_1' }],
    ['present metadata pairs', {}, 'pending', { metadata: initialMetadata }],
    ['no metadata pairs', {}, 'canceled', { metadata: {} }],
    ['an empty value for an unknown key', {}, 'canceled', { metadata: { other: '' } }],
  ])('writes nothing when an update sends %s', async (_case, preparation, state, body) => {
    const { id } = await referenceIn(state, 'off-platform');
    const before = await updated(id, preparation);
    const [events, revision] = [await eventsAbout(id), await revisionOf(id)];
    for (let times = 0; times < 2; times++) expect(await updated(id, body)).toStrictEqual(before);
    expect(await eventsAbout(id)).toStrictEqual(events);
    expect(await revisionOf(id)).toBe(revision);
  });

  test.each<RefusedBody>([
    ['null as the status', { status: null }, 'parameter_invalid', 'status'],
    ['null as the outcome', { outcome: null }, 'parameter_invalid', 'outcome'],
    ['null as the file', { reference_pdf: null }, 'parameter_invalid', 'reference_pdf'],
    ['an unknown outcome', { outcome: 'pass' }, 'parameter_invalid', 'outcome'],
    ['an outcome in upper case', { outcome: 'Accept' }, 'parameter_invalid', 'outcome'],
    ['a malformed file id', { reference_pdf: 'file 1' }, 'parameter_invalid', 'reference_pdf'],
    ...['pending', 'complete', 'canceled'].map((status): RefusedBody => [
      `the status ${status}`,
      { status },
      'parameter_invalid',
      'status',
    ]),
    ...['application', 'completed_at', 'customer', 'type'].map((name): RefusedBody => [
      `the ${name}, which is settled at creation`,
      { [name]: null },
      'parameter_unknown',
      name,
    ]),
  ])('refuses to update a reference when the body has %s', async (_case, body, code, param) => {
    const before = await created();
    expectRefusal(await api.post(`/v1/references/${before.id}`, body), 400, code, param);
    expect((await api.get(`/v1/references/${before.id}`)).body).toStrictEqual(before);
  });
});

describe('reference cancellation', () => {
  test('cancels a reference only when the body is absent or an empty object', async () => {
    const { id } = await created();
    expectRefusal(
      await api.post(`/v1/references/${id}/cancel`, { reason: 'moved' }),
      400,
      'parameter_unknown',
      'reason',
    );
    expect((await api.post(`/v1/references/${id}/cancel`, {})).body.status).toBe('canceled');
  });
});

describe('reference deletion', () => {
  test('returns 405 with the allowed methods when a reference is deleted', async () => {
    const before = await created();
    const response = await request('DELETE', `/v1/references/${before.id}`);
    expectRefusal(response, 405, 'method_not_allowed', undefined);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await api.get(`/v1/references/${before.id}`)).body).toStrictEqual(before);
  });
});

describe('reference metadata', () => {
  test('merges metadata when it is updated: pairs are set, an empty value removes a pair, null clears all', async () => {
    const { id } = await created({ application: 'app_1', metadata: { a: '1', b: '2' } });
    const steps: [object | null, object, object][] = [
      [{ c: '3' }, { a: '1', b: '2', c: '3' }, { c: null }],
      [
        { a: '9', d: '4' },
        { a: '9', b: '2', c: '3', d: '4' },
        { a: '1', d: null },
      ],
      [
        { b: '', c: '', e: '5' },
        { a: '9', d: '4', e: '5' },
        { b: '2', c: '3', e: null },
      ],
      [null, {}, { a: '9', d: '4', e: '5' }],
    ];
    for (const [metadata, expected, previous] of steps) {
      expect((await updated(id, { metadata })).metadata).toStrictEqual(expected);
      expect((await eventsAbout(id)).at(-1).data.previous_attributes).toStrictEqual({ metadata: previous });
    }
  });

  test('ignores a pair when its value is empty at creation', async () => {
    expect((await created({ application: 'app_1', metadata: { kept: '1', none: '' } })).metadata).toStrictEqual({
      kept: '1',
    });
  });

  test('stores metadata keys unchanged when JavaScript gives them a meaning', async () => {
    const odd = '{"__proto__":"1","constructor":"2","toString":"3","hasOwnProperty":"4"}';
    const { body } = await api.post('/v1/references', `{"application":"app_1","metadata":${odd}}`);
    expect(JSON.stringify(body.metadata)).toBe(odd);
    await updated(body.id, '{"metadata":{"__proto__":"","valueOf":"5"}}');
    const { text } = await api.get(`/v1/references/${body.id}`);
    expect(text).toContain('"metadata":{"constructor":"2","toString":"3","hasOwnProperty":"4","valueOf":"5"}');
    const event = (await eventsAbout(body.id)).at(-1);
    expect(JSON.stringify(event.data.previous_attributes)).toBe('{"metadata":{"__proto__":"1","valueOf":null}}');
  });

  test('allows 50 metadata pairs when they are created or merged', async () => {
    const { id } = await created({ application: 'app_1', metadata: pairs(0, 50) });
    expect(Object.keys((await updated(id, { metadata: { k0: '', more: '1' } })).metadata)).toHaveLength(50);
    const before = (await api.get(`/v1/references/${id}`)).body;
    expectRefusal(
      await api.post(`/v1/references/${id}`, { metadata: { onemore: '1' } }),
      400,
      'parameter_invalid',
      'metadata',
    );
    expect((await api.get(`/v1/references/${id}`)).body).toStrictEqual(before);
  });

  test('does not count removed pairs towards the limit of 50 when an update replaces all pairs', async () => {
    const { id } = await created({ application: 'app_1', metadata: pairs(0, 50) });
    const removed = Object.fromEntries(Object.keys(pairs(0, 50)).map((key) => [key, '']));
    expect((await updated(id, { metadata: { ...removed, ...pairs(50, 100) } })).metadata).toStrictEqual(pairs(50, 100));
  });

  test('accepts metadata when keys have 40 and values 500 characters', async () => {
    const metadata = { ['k'.repeat(40)]: 'v'.repeat(500) };
    expect((await created({ application: 'app_1', metadata })).metadata).toStrictEqual(metadata);
  });

  test.each([
    ['51 pairs', pairs(0, 51), 'metadata'],
    ['a key of 41 characters', { ['k'.repeat(41)]: '1' }, `metadata[${'k'.repeat(41)}]`],
    ['an empty key', { '': '1' }, 'metadata[]'],
    ['a key with brackets', { 'a[b]': '1' }, 'metadata[a[b]]'],
    ['a value of 501 characters', { key: 'v'.repeat(501) }, 'metadata[key]'],
    ['a number as a value', { key: 1 }, 'metadata[key]'],
    ['null as a value', { key: null }, 'metadata[key]'],
    ['an object as a value', { key: {} }, 'metadata[key]'],
    ['a list', ['a'], 'metadata'],
    ['text', 'a', 'metadata'],
  ])('refuses metadata when it has %s', async (_case, metadata, param) => {
    expectRefusal(
      await api.post('/v1/references', { application: 'app_1', metadata }),
      400,
      'parameter_invalid',
      param,
    );
    const { id } = await created();
    expectRefusal(await api.post(`/v1/references/${id}`, { metadata }), 400, 'parameter_invalid', param);
  });
});

async function created(body: object = { application: 'app_1' }, by = api): Promise<ApiResponse['body']> {
  const response = await by.post('/v1/references', body);
  expect(response.status, response.text).toBe(200);
  expectShape('reference', response.body);
  return response.body;
}

async function updated(id: string, body: unknown): Promise<ApiResponse['body']> {
  const response = await api.post(`/v1/references/${id}`, body);
  expect(response.status, response.text).toBe(200);
  expectShape('reference', response.body);
  return response.body;
}

/**
 * Creates a reference in a state. An automatic one is moved by its provider, which the API does not offer, so the row is changed directly.
 */
async function referenceIn(state: State, handling: Handling): Promise<ApiResponse['body']> {
  const automatic_reference = handling === 'off-platform' ? null : { enabled: handling === 'automatic' };
  const { id } = await created({ application: 'app_1', automatic_reference, metadata: initialMetadata });
  if (state === 'processing' && handling === 'automatic') await change(id, 'status = $2', state);
  else if (state === 'processing') await updated(id, { status: 'processing' });
  else if (state === 'complete') await updated(id, { outcome: outcomeOfComplete });
  else if (state === 'canceled') await api.post(`/v1/references/${id}/cancel`);
  const { body } = await api.get(`/v1/references/${id}`);
  expect(body.status).toBe(state);
  return body;
}

/** Changes a reference's row as the server itself does. */
async function change(id: string, assignment: string, value: string): Promise<void> {
  const { rowCount } = await server.context.database.readers.query(
    `update tenant_references set ${assignment} where id = $1`,
    [id, value],
  );
  expect(rowCount).toBe(1);
}

async function revisionOf(id: string): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ revision: number }>(
    'select revision from tenant_references where id = $1',
    [id],
  );
  return rows[0]!.revision;
}

/** Returns all events about a record, oldest first. */
async function eventsAbout(id: string): Promise<ApiResponse['body'][]> {
  const { body } = await api.get(`/v1/events?object_id=${id}&limit=50`);
  expect(body.has_more).toBe(false);
  return body.data.toReversed();
}

function expectRefusal(response: ApiResponse, status: number, code: ErrorCode, param: string | undefined): void {
  expect({ status: response.status, code: response.body?.error?.code }, response.text).toEqual({ status, code });
  if (param !== undefined) expect(response.body.error.param).toBe(param);
}

async function request(method: string, path: string): Promise<ApiResponse> {
  const response = await fetch(server.url + path, { method, headers: { authorization: `Bearer ${server.secretKey}` } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Starts a server with an account that has a default provider from its first request on. */
async function serverWithDefaultProvider(mode: string, provider: string): Promise<{ api: Api }> {
  const settings = { TENURE_MODE: mode, TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' };
  const own = await serverForTest({ settings });
  // The credentials are never decrypted.
  await own.context.database.readers.query('update accounts set default_provider = $1, provider_credentials = $2', [
    provider,
    JSON.stringify({ [provider]: 'encrypted' }),
  ]);
  return { api: apiClient(own.url, own.secretKey) };
}

function everywhere(cell: Cell): Record<State, Cell> {
  return { pending: cell, processing: cell, complete: cell, canceled: cell };
}

function pairs(from: number, to: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, 'v']));
}

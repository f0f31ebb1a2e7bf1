import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Simulations } from '../../src/referencing/simulations.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { inMatrix } from '../support/rounds.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { pagesOf, pdfToolsMissing } from '../support/pdf.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { eventsOf, quickServer, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await quickServer();
  api = server.api;
});

afterAll(() => server.stop());

describe('references at provider_a', () => {
  test('completes a reference with outcome, data and report when provider_a handles it', async () => {
    const application = (
      await good(api.post('/v1/applications', { rent: { amount: 95_000, currency: 'gbp', interval: 'month' } }))
    ).body;
    const customer = (await good(api.post('/v1/customers', { name: 'Łukasz Żółć', email: 'lukasz@example.org' }))).body;
    const made = await refer(api, { application: application.id, customer: customer.id });
    expect(made).toMatchObject({
      status: 'pending',
      outcome: null,
      automatic_reference: { enabled: true, provider: 'provider_a', status: 'queued', last_error: null, outcome: null },
    });
    const complete = await untilReference(api, made.id, { status: 'complete' });
    expect(complete).toMatchObject({
      outcome: 'accept',
      completed_at: expect.any(Number),
      reference_pdf: expect.stringMatching(/^file_/),
      automatic_reference: {
        enabled: true,
        last_error: null,
        outcome: 'ACCEPT',
        provider: 'provider_a',
        status: 'done',
        provider_data: {
          type: 'provider_a',
          provider_a: {
            affordability: { percentage: 28, status: expect.any(String) },
            credit_score: 640,
            progress: 100,
            sanctions_passed: true,
          },
        },
      },
    });
    const notes = complete.automatic_reference.provider_data.provider_a.notes;
    expect(notes.length).toBeGreaterThan(0);
    expect(notes).toEqual(
      notes.toSorted((one: { created: number }, other: { created: number }) => one.created - other.created),
    );

    const file = (await good(api.get(`/v1/files/${complete.reference_pdf}`))).body;
    expect(file).toMatchObject({
      purpose: 'reference_report',
      content_type: 'application/pdf',
      filename: `${made.id}.pdf`,
    });
    const contents = await fetch(`${server.url}/v1/files/${file.id}/contents`, {
      headers: { authorization: `Bearer ${server.secretKey}` },
    });
    const bytes = Buffer.from(await contents.arrayBuffer());
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes).toHaveLength(file.size);

    const { references } = (await good(api.get(`/v1/applications/${application.id}`))).body;
    expect(references).toMatchObject({ total: 1, by_outcome: { accept: 1 }, result: 'accept' });
  });

  test('writes one system event for each step, and file and end together, when provider_a handles a reference', async () => {
    const { id } = await refer(api);
    const complete = await untilReference(api, id, { status: 'complete' });
    const events = await eventsOf(api, id);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('reference.created');
    expect(types.slice(1, -1).every((type) => type === 'reference.updated')).toBe(true);
    expect(types.at(-1)).toBe('reference.completed');
    for (const { request } of events.slice(1)) {
      expect(request).toMatchObject({
        id: null,
        idempotency_key: null,
        actor: { type: 'system', id: null, name: 'Tenure' },
      });
    }
    const statuses = events.map(({ data }) => data.object.automatic_reference.status);
    expect(statuses).toEqual(expect.arrayContaining(['queued', 'in_progress', 'done']));
    // No event comes early.
    for (const { data } of events.filter(({ data: { object } }) => object.status !== 'complete')) {
      expect(data.object.outcome).toBeNull();
      expect(data.object.automatic_reference.outcome).toBeNull();
    }
    expect((await eventsOf(api, complete.reference_pdf)).map(({ type }) => type)).toEqual(['file.created']);
    const [last, updated] = events.toReversed();
    expect(updated.data.previous_attributes).toMatchObject({
      status: 'processing',
      outcome: null,
      reference_pdf: null,
    });
    expect(last.data.object).toEqual(updated.data.object);
  });
});

test.each([
  ['provider_b', 'Pass'],
  ['provider_c', 'Accepted'],
  ['provider_d', 'clear'],
])(
  'completes with an outcome and a report of its own findings when %s handles the reference',
  async (provider, words) => {
    const { id } = await refer(api, { provider });
    const complete = await untilReference(api, id, { status: 'complete' });
    expect(complete).toMatchObject({
      outcome: 'accept',
      reference_pdf: expect.stringMatching(/^file_/),
      automatic_reference: {
        provider,
        status: 'done',
        outcome: expect.stringMatching(new RegExp(words, 'i')),
        provider_data: null,
      },
    });
  },
);

describe('overruled and canceled references', () => {
  test("keeps a client's outcome and stops the provider when a client overrules it", async () => {
    const { id } = await refer(api, { simulate: 'stuck' });
    await untilReference(api, id, { status: 'processing' });
    const { body } = await good(api.post(`/v1/references/${id}`, { outcome: 'high_risk' }));
    expect(body).toMatchObject({
      status: 'complete',
      outcome: 'high_risk',
      automatic_reference: { status: 'canceled', outcome: null },
    });
    await untilStopped(id);
    expect(await referenceNow(api, id)).toEqual(body);
    expect((await eventsOf(api, id)).at(-1)).toMatchObject({ type: 'reference.completed' });
  });

  test('keeps a canceled reference unchanged when its provider reports more', async () => {
    const { id } = await refer(api);
    await untilReference(api, id, { status: 'processing' });
    const { body } = await good(api.post(`/v1/references/${id}/cancel`));
    expect(body).toMatchObject({ status: 'canceled', outcome: null, automatic_reference: { status: 'canceled' } });
    await untilStopped(id);
    expect(await referenceNow(api, id)).toEqual(body);
  });

  test('orders nothing, or cancels the order, when a reference is canceled before its order', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => refer(api)));
    await Promise.all(made.map(({ id }) => good(api.post(`/v1/references/${id}/cancel`))));
    for (const { id } of made) {
      await expect
        .poll(async () => orderOf(id).then((order) => order.id === null || order.stopped), { timeout: 10_000 })
        .toBe(true);
      expect(await referenceNow(api, id)).toMatchObject({ status: 'canceled', outcome: null, reference_pdf: null });
    }
  });

  test('ends a reference once when it is canceled at the moment its provider finishes: cancel_race', async () => {
    const made = await Promise.all(Array.from({ length: 16 }, () => refer(api, { provider: 'provider_b' })));
    const canceled = await Promise.all(
      made.map(async ({ id }, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 12));
        return api.post(`/v1/references/${id}/cancel`);
      }),
    );
    for (const [index, { id }] of made.entries()) {
      const answer = canceled[index]!;
      const { status, outcome } = await untilReference(api, id, {
        automatic_reference: { status: answer.status === 200 ? 'canceled' : 'done' },
      });
      if (answer.status === 200) expect([status, outcome]).toEqual(['canceled', null]);
      else {
        expectRefusal(answer, refusals.transition);
        expect([status, outcome]).toEqual(['complete', 'accept']);
      }
      const ends = (await eventsOf(api, id)).filter(({ type }) => /completed|canceled/.test(type));
      expect(ends).toHaveLength(1);
    }
  });

  test("changes only the provider's data when the provider changes its verdict later", async () => {
    const { id } = await refer(api, { simulate: 'consider_then_accept' });
    const first = await untilReference(api, id, { status: 'complete' });
    expect(first).toMatchObject({ outcome: 'consider', automatic_reference: { outcome: 'CONSIDER' } });
    const later = await untilReference(api, id, { automatic_reference: { outcome: 'ACCEPT' } });
    expect({ ...later, automatic_reference: null }).toEqual({ ...first, automatic_reference: null });
    expect((await eventsOf(api, id)).at(-1)).toMatchObject({ type: 'reference.updated' });
  });

  test.each([
    ['provider_b', 'Pass'],
    ['provider_d', 'clear'],
  ])('shows the new verdict without callbacks when %s changes it', async (provider, words) => {
    const { id } = await refer(api, { provider, simulate: 'consider_then_accept' });
    const first = await untilReference(api, id, { status: 'complete' });
    expect(first).toMatchObject({ outcome: 'consider' });
    const said = first.automatic_reference.outcome;
    const outcome = expect.stringMatching(new RegExp(`^${words}$`, 'i'));
    expect(said).not.toEqual(outcome);
    const later = await untilReference(api, id, { automatic_reference: { outcome } });
    expect({ ...later, automatic_reference: null }).toEqual({ ...first, automatic_reference: null });
    const events = (await eventsOf(api, id)).slice(-2);
    expect(events).toMatchObject([
      { type: 'reference.completed' },
      { type: 'reference.updated', data: { previous_attributes: { automatic_reference: { outcome: said } } } },
    ]);
  });

  test('stops polling a service without callbacks when the reference has been complete for a week', async () => {
    const own = await quickServerForTest();
    const { id } = await refer(own.api, { provider: 'provider_b' });
    await untilReference(own.api, id, { status: 'complete' });
    expect((await orderOf(id, own)).due_at_ms).not.toBeNull();
    await good(own.api.post('/v1/test_helpers/clock/advance', { seconds: 7 * 24 * 3600 }));
    await expect.poll(async () => (await orderOf(id, own)).due_at_ms, { timeout: 10_000 }).toBeNull();
    expect((await eventsOf(own.api, id)).at(-1)).toMatchObject({ type: 'reference.completed' });
  });

  inMatrix(() => {
    test('shows the first verdict first when the provider changes it within the shortest working days', async () => {
      const { api: fast } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '0.1' });
      const made = await Promise.all(
        Array.from({ length: 12 }, () => refer(fast, { simulate: 'consider_then_high_risk_then_accept' })),
      );
      await Promise.all(
        made.map(async ({ id }) => {
          const last = await untilReference(fast, id, { automatic_reference: { outcome: 'ACCEPT' } });
          expect(last).toMatchObject({ status: 'complete', outcome: 'consider' });
          const said = (await eventsOf(fast, id)).map(({ data }) => data.object.automatic_reference.outcome);
          expect([...new Set(said)]).toEqual([null, 'CONSIDER', 'HIGH_RISK', 'ACCEPT']);
        }),
      );
    }, 40_000);
  });

  test("reports each applicant's share, doubted income and the scale when a reference is complete", async (context) => {
    if (pdfToolsMissing) return context.skip(pdfToolsMissing);
    const people: string[] = [];
    for (const name of ['Łukasz Żółć', 'Ada Lovelace'])
      people.push((await good(api.post('/v1/customers', { name }))).body.id);
    const rent = { amount: 190_000, currency: 'gbp', interval: 'month' };
    const flat = { customers: people, rent, metadata: { guarantor: 'yes' } };
    const application = (await good(api.post('/v1/applications', flat))).body.id;
    const reportOf = async (simulate: string) => {
      const { id } = await refer(api, { application, customer: people[0], simulate });
      const { body } = await good(api.post(`/v1/test_helpers/references/${id}/complete`));
      const contents = await fetch(`${server.url}/v1/files/${body.reference_pdf}/contents`, {
        headers: { authorization: `Bearer ${server.secretKey}` },
      });
      return pagesOf(Buffer.from(await contents.arrayBuffer()))
        .join(' ')
        .replace(/\s+/g, ' ');
    };
    const accepted = await reportOf('low_income');
    expect(accepted).toContain('Accept, but not on this income alone');
    expect(accepted).toContain('The application names a guarantor.');
    // A wide id takes two lines.
    const unspaced = accepted.replaceAll(' ', '');
    expect(unspaced).toContain(`Thisapplicant£950.00amonth(${people[0]})`);
    expect(unspaced).toContain(`Anotherapplicant£950.00amonth(${people[1]})`);
    expect(accepted).not.toContain('Ada Lovelace');
    expect(accepted).toContain('Credit score 640 of 999');
    const fraud = await reportOf('fraud_payslip');
    expect(fraud).toContain('not verified');
    expect(fraud).not.toMatch(/verified gross income/i);
  });

  test("keeps the account's own report when the provider sends one", async () => {
    const { id } = await refer(api, { simulate: 'accept' });
    await good(api.post(`/v1/references/${id}`, { reference_pdf: 'file_own' }));
    expect(await untilReference(api, id, { status: 'complete' })).toMatchObject({ reference_pdf: 'file_own' });
  });
});

describe('unknown values of metadata.simulate', () => {
  const misspelt = { simulate: 'high-risk' };
  const refusal = { ...invalid('metadata[simulate]'), says: 'Did you mean `high_risk`? The words are provider_error' };

  test('refuses an unknown value when a simulated service would handle the reference', async () => {
    const before = (await api.get('/v1/references')).body.count;
    for (const automatic_reference of [{}, { provider: 'provider_b' }]) {
      const body = { application: 'app_1', automatic_reference, metadata: misspelt };
      expectRefusal(await api.post('/v1/references', body), refusal);
    }
    expect((await api.get('/v1/references')).body.count).toBe(before);

    const { id } = await refer(api, { simulate: 'stuck' });
    expectRefusal(await api.post(`/v1/references/${id}`, { metadata: misspelt }), refusal);
    for (const metadata of [{ simulate: 'Accept' }, { simulate: '' }, { other: 'high-risk' }, null])
      await good(api.post(`/v1/references/${id}`, { metadata }));
  });

  test('accepts an unknown value when no simulated service handles the reference', async () => {
    for (const automatic_reference of [null, { enabled: false, provider: 'provider_a' }]) {
      const { body } = await good(
        api.post('/v1/references', { application: 'app_1', automatic_reference, metadata: misspelt }),
      );
      expect(body.metadata).toEqual(misspelt);
      await good(api.post(`/v1/references/${body.id}`, { metadata: { simulate: 'of ours' } }));
    }
    const other = await quickServerForTest({ TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' });
    await refer(other.api, { provider: 'provider_b', metadata: misspelt });
  });

  test('keeps an older unknown value when an update sends other metadata', async () => {
    const { id } = await refer(api, { simulate: 'stuck' });
    await server.context.database.readers.query(
      `update tenant_references set metadata = $1, revision = revision + 1 where id = $2`,
      [JSON.stringify(misspelt), id],
    );
    const { body } = await good(api.post(`/v1/references/${id}`, { metadata: { order: '7' } }));
    expect(body.metadata).toEqual({ ...misspelt, order: '7' });
  });
});

describe('providers that cannot be reached', () => {
  inMatrix(() => {
    test('shows last_error, retries and completes the reference when the provider is down for a while', async () => {
      const { id } = await refer(api, { simulate: 'provider_error_then_accept' });
      await untilReference(api, id, {
        status: 'pending',
        automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
      });
      const complete = await untilReference(api, id, { status: 'complete' });
      expect(complete).toMatchObject({ outcome: 'accept', automatic_reference: { last_error: null, status: 'done' } });
    });
  });

  inMatrix(() => {
    test('stops after ten failures of any kind, so that a person can end the reference, when the provider stays down', async () => {
      const kinds = {
        provider_error: /^unavailable: /,
        provider_garbage: /^response_invalid: /,
        invalid_details: /^invalid_details: /,
        error_quota_exceeded: /^quota_exceeded: /,
      };
      const failing = Object.entries(kinds).map(async ([simulate, lastError]) => {
        const { id } = await refer(api, { simulate });
        const failed = await untilReference(api, id, { automatic_reference: { status: 'failed' } }, 40_000);
        expect(failed, simulate).toMatchObject({
          status: 'pending',
          outcome: null,
          automatic_reference: { last_error: expect.stringMatching(lastError) },
        });
        expect((await good(api.post(`/v1/references/${id}`, { outcome: 'accept' }))).body).toMatchObject({
          status: 'complete',
          automatic_reference: { status: 'failed' },
        });
      });
      await Promise.all(failing);
    }, 50_000);
  });

  test('keeps waiting when its service is no longer set up', async () => {
    const settings = { TENURE_MODE: 'live' };
    const before = await serverForTest({ settings: { ...settings, TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' } });
    const { id } = await refer(before.api, { provider: 'provider_b' });
    const { connection, secretKey } = before;
    const after = await serverForTest({ connection, secretKey, settings, works: true });
    await untilReference(after.api, id, {
      status: 'pending',
      automatic_reference: { last_error: expect.stringMatching(/^provider_unavailable: .*TENURE_PROVIDER_B_URL/) },
    });
  });

  test('shows the obstacle and keeps waiting when the applicant cannot be checked', async () => {
    const { id } = await refer(api, { simulate: 'invite_bounced' });
    const waiting = await untilReference(api, id, {
      automatic_reference: { last_error: expect.stringMatching(/^invite_bounced: /) },
    });
    expect(waiting).toMatchObject({ status: 'pending', outcome: null });
    expect((await good(api.post(`/v1/references/${id}/cancel`))).body.status).toBe('canceled');
  });
});

describe('referencing test helpers', () => {
  test('advances a check, adds a note and completes it with an outcome when test helpers are called', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const helper = (name: string, body: object = {}) =>
      good(slow.api.post(`/v1/test_helpers/references/${id}/${name}`, body)).then((answer) => answer.body);
    const advanced = await helper('advance');
    expect(advanced).toMatchObject({ id, object: 'reference' });
    const again = await helper('advance');
    expect(again.status).toBe('processing');
    expect(progressOf(again)).toBeGreaterThan(progressOf(advanced));
    expect(progressOf(await helper('note', { message: 'The employer has answered.' }))).toBeGreaterThan(0);
    const complete = await helper('complete', { outcome: 'consider' });
    expect(complete).toMatchObject({
      status: 'complete',
      outcome: 'consider',
      reference_pdf: expect.stringMatching(/^file_/),
    });
    const messages = complete.automatic_reference.provider_data.provider_a.notes.map(
      ({ message }: { message: string }) => message,
    );
    expect(messages).toContain('The employer has answered.');
    expectRefusal(await slow.api.post(`/v1/test_helpers/references/${id}/advance`), refusals.transition);
  });

  inMatrix(() => {
    test.each(['0.1', '80000'])(
      'completes a new reference at once by a test helper when a working day takes %s seconds',
      async (speed) => {
        const { api: own } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: speed });
        for (let time = 0; time < 20; time++) {
          const { id } = await refer(own, { simulate: 'consider' });
          const { body } = await good(own.post(`/v1/test_helpers/references/${id}/complete`));
          expect(body).toMatchObject({
            status: 'complete',
            outcome: 'consider',
            automatic_reference: { status: 'done' },
          });
          expect(body.reference_pdf).toMatch(/^file_/);
        }
      },
      60_000,
    );
  });

  inMatrix(() => {
    test.each(['provider_a', 'provider_c', 'provider_d'])(
      'shows the effect of test helpers when they are called right after %s is asked',
      async (provider) => {
        const { api: slow } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
        for (let time = 0; time < 5; time++) {
          const asked = async (name: string, body: object, simulate?: string) => {
            const { id } = await refer(slow, { provider, ...(simulate !== undefined && { simulate }) });
            return (await good(slow.post(`/v1/test_helpers/references/${id}/${name}`, body))).body;
          };
          expect(await asked('complete', { outcome: 'high_risk' })).toMatchObject({
            status: 'complete',
            outcome: 'high_risk',
          });
          const first = { provider_a: 'invited', provider_c: 'in_progress', provider_d: 'in_progress' }[provider];
          expect(await asked('advance', {})).toMatchObject({ automatic_reference: { status: first } });
          expect(await asked('advance', {}, 'provider_error_then_accept')).toMatchObject({
            automatic_reference: { last_error: null },
          });
          const failed = await asked('fail', { code: 'bureau_down' });
          expect(failed.automatic_reference.last_error).toMatch(/^bureau_down: /);
          const noted = await asked('note', { message: 'The bank has answered.' });
          if (provider !== 'provider_a') continue;
          expect(JSON.stringify(noted.automatic_reference.provider_data)).toContain('The bank has answered.');
        }
      },
      60_000,
    );
  });

  test('returns the complete reference when its service finished at once', async () => {
    for (let time = 0; time < 10; time++) {
      const { id } = await refer(api, { provider: 'provider_b' });
      const { body } = await good(api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'accept' }));
      expect(body).toMatchObject({ status: 'complete', outcome: 'accept' });
      const other = await api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'consider' });
      expectRefusal(other, refusals.transition);
    }
  });

  test.each([
    ['advance', {}],
    ['fail', {}],
    ['note', { message: 'The bank has answered.' }],
  ])(
    'refuses the helper %s at once, without advice on provider_b, when provider_a has finished',
    async (name, body) => {
      const { id } = await refer(api);
      await good(api.post(`/v1/test_helpers/references/${id}/complete`));
      const refused = await api.post(`/v1/test_helpers/references/${id}/${name}`, body);
      expectRefusal(refused, { ...refusals.transition, says: 'Create another reference' });
      expect(refused.body.error.message).not.toContain('provider_b');
    },
  );

  test('names metadata.simulate when it refuses a helper on a reference of provider_b', async () => {
    const { id } = await refer(api, { provider: 'provider_b' });
    await good(api.post(`/v1/test_helpers/references/${id}/complete`));
    const refused = await api.post(`/v1/test_helpers/references/${id}/advance`);
    expectRefusal(refused, { ...refusals.transition, says: 'metadata.simulate' });
  });

  test('advances a reference when another process handles it', async () => {
    const worker = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { connection, secretKey } = worker;
    const front = await serverForTest({ connection, secretKey });
    for (let time = 0; time < 5; time++) {
      const { id } = await refer(front.api);
      const { body } = await good(
        front.api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'consider' }),
      );
      expect(body).toMatchObject({ status: 'complete', outcome: 'consider' });
    }
  });

  inMatrix(() => {
    test('changes nothing and leaves the key free when no worker takes the order of a test helper', async () => {
      const { api: idle, context } = await serverForTest();
      const { id } = await refer(idle);
      const key = { 'idempotency-key': 'complete-1' };
      const waiting = idle.post(`/v1/test_helpers/references/${id}/complete`, {}, key);
      // The waiting helper blocks no other request of the account.
      await good(idle.post(`/v1/references/${id}`, { metadata: { meanwhile: 'changed' } }));
      const answer = await waiting;
      expectRefusal(answer, refusals.unavailable);
      expect(answer.body.error.message).toContain('TENURE_ROLE');
      expect(await referenceNow(idle, id)).toMatchObject({ status: 'pending', metadata: { meanwhile: 'changed' } });
      const { rows } = await context.database.readers.query('select count(*)::int as count from idempotency_keys');
      expect(rows).toEqual([{ count: 0 }]);
    }, 30_000);
  });

  test('makes the service fail, with a shown error and retries, until a test helper advances it', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const failing = await good(slow.api.post(`/v1/test_helpers/references/${id}/fail`, { code: 'bureau_down' }));
    expect(failing.body.automatic_reference.last_error).toMatch(/^bureau_down: /);
    const { body } = await good(slow.api.post(`/v1/test_helpers/references/${id}/advance`));
    expect(body.automatic_reference.last_error).toBeNull();
  });

  test('executes a test helper once when an Idempotency-Key is repeated', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const key = { 'idempotency-key': 'note-1' };
    const send = () => slow.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' }, key);
    const [first, second] = [await good(send()), await good(send())];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const complete = await good(slow.api.post(`/v1/test_helpers/references/${id}/complete`));
    const notes = complete.body.automatic_reference.provider_data.provider_a.notes;
    expect(notes.filter(({ message }: { message: string }) => message === 'Once.')).toHaveLength(1);
  });

  test('returns 503 to a test helper, which can be retried, when the database is lost before the service acts', async () => {
    const { away, network } = await serverThatLoses((context, proxy) => ({
      ...context,
      async readRecord(...which) {
        const record = await context.readRecord(...which);
        proxy.close();
        return record;
      },
    }));
    const { id } = await refer(away.api);
    const refused = await away.api.post(`/v1/test_helpers/references/${id}/complete`);
    expectRefusal(refused, { ...refusals.unavailable, says: 'Nothing was changed' });
    network.open();
    await untilReference(away.api, id, { outcome: null });
  });

  test('plays a test helper once when the database is lost after the service acted', async () => {
    let losses = 0;
    const { away } = await serverThatLoses((context, proxy) => ({
      ...context,
      committer: Object.assign(Object.create(context.committer), {
        async commitAsSystem(own: Parameters<typeof context.committer.commitAsSystem>[0]) {
          if (losses++ === 0) {
            proxy.close();
            setTimeout(() => proxy.open(), 500);
          }
          await context.committer.commitAsSystem(own);
        },
      }),
    }));
    const { id } = await refer(away.api);
    await untilReference(away.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const { body } = await good(away.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' }));
    expect(losses).toBeGreaterThan(1);
    const { notes } = body.automatic_reference.provider_data.provider_a;
    expect(notes.filter(({ message }: { message: string }) => message === 'Once.')).toHaveLength(1);
  });

  test('advises against a retry of a test helper when the database is lost while the service acts', async () => {
    let isLost = false;
    const { away, network } = await serverThatLoses((context, proxy) => ({
      ...context,
      clock: {
        // It is asked for the time right before the order is changed.
        nowMs() {
          if (!isLost) proxy.close();
          isLost = true;
          return context.clock.nowMs();
        },
      },
    }));
    const { id } = await refer(away.api);
    await untilReference(away.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const refused = await away.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('service-should-retry')).toBe('false');
    expect(refused.body.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('before you repeat'),
    });
    network.open();
  });

  test('refuses a test helper when no simulated service handles the reference', async () => {
    const { body } = await good(api.post('/v1/references', { application: 'app_1' }));
    expectRefusal(await api.post(`/v1/test_helpers/references/${body.id}/advance`), refusals.transition);
    expectRefusal(await api.post('/v1/test_helpers/references/ref_unknown/advance'), refusals.idUnknown);
  });

  test('offers no test helpers and no simulated services when the mode is live', async () => {
    const settings = { TENURE_MODE: 'live', TENURE_PROVIDER_A_URL: 'http://127.0.0.1:9' };
    const live = await startTestServer({ settings, works: true });
    try {
      const { id } = await refer(live.api);
      await untilReference(live.api, id, {
        status: 'pending',
        automatic_reference: { last_error: expect.stringMatching(/^credentials_missing: /) },
      });
      expectRefusal(await live.api.post(`/v1/test_helpers/references/${id}/complete`), refusals.routeUnknown);
      const { rows } = await live.context.database.readers.query('select count(*) as count from simulated_orders');
      expect(rows).toEqual([{ count: 0 }]);
    } finally {
      await live.stop();
    }
  });
});

function progressOf(body: ApiResponse['body']): number {
  return body.automatic_reference.provider_data.provider_a.progress;
}

interface Order {
  id: string | null;
  stopped: boolean;
  due_at_ms: number | null;
}

async function orderOf(id: string, of = server): Promise<Order> {
  const { rows } = await of.context.database.readers.query<{ provider_order: string }>(
    'select provider_order from tenant_references where id = $1',
    [id],
  );
  return JSON.parse(rows[0]!.provider_order) as Order;
}

async function untilStopped(id: string): Promise<void> {
  await expect.poll(async () => (await orderOf(id)).stopped, { timeout: 10_000 }).toBe(true);
}

/** A sandbox whose test helpers lose the database as `change` says. */
async function serverThatLoses(
  change: (context: TestServer['context'], network: DatabaseProxy) => TestServer['context'],
): Promise<{ away: TestServer; network: DatabaseProxy }> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const network = await startDatabaseProxy(database.connection);
  onTestFinished(() => network.stop());
  const away = await serverForTest({
    settings: { TENURE_SIMULATOR_SPEED: '80000' },
    works: true,
    connection: network.connection,
    changeContext: (context) => ({
      ...context,
      simulations: new Simulations(change(context, network), ['provider_a']),
    }),
  });
  return { away, network };
}

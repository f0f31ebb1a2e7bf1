import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Provider } from '../../src/core/vocabulary/providers.ts';
import { reference } from '../../src/resources/reference/index.ts';
import type { ReferenceRecord } from '../../src/resources/reference/record.ts';
import { good, serverForTest, type Api, type TestServer } from '../support/server.ts';
import { pagesOf, pdfToolsMissing } from '../support/pdf.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { firstAccountId } from '../support/tenants.ts';
import { eventsOf, quickly, quickServer, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await quickServer();
  api = server.api;
});

afterAll(() => server.stop());

describe('a retry', () => {
  test.each([
    ['is complete', async () => untilReference(api, (await refer(api)).id, { status: 'complete' }), 'Only a pending'],
    ['is not checked by a service', () => refer(api, { automatic_reference: null }), 'No service checks it'],
  ])('is refused, and changes nothing, when the reference %s', async (_, prepare, says) => {
    const before = await prepare();
    const answer = await api.post(`/v1/references/${before.id}/retry`);
    expectRefusal(answer, { ...refusals.transition, says });
    expect(await referenceNow(api, before.id)).toEqual(before);
  });
});

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
    // A busy server may look too late to see a step between them.
    expect(statuses).toEqual(expect.arrayContaining(['queued', 'done']));
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

/** The words with which each service accepts a person. */
const acceptances: Record<Exclude<Provider, 'provider_a'>, string> = {
  provider_b: 'Pass',
  provider_c: 'Accepted',
  provider_d: 'clear',
};

test.each(Object.entries(acceptances))(
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
    // The report of the decision comes after it.
    const reported = await untilReference(api, id, { reference_pdf: expect.stringMatching(/^file_/) });
    expect(reported).toEqual({ ...body, reference_pdf: reported.reference_pdf });
    expect((await eventsOf(api, id)).slice(-2).map(({ type }) => type)).toEqual([
      'reference.completed',
      'reference.updated',
    ]);
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
      await expect.poll(async () => orderOf(id).then((order) => order.id === null || order.stopped)).toBe(true);
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
    await expect.poll(async () => (await orderOf(id, own)).due_at_ms).toBeNull();
    expect((await eventsOf(own.api, id)).at(-1)).toMatchObject({ type: 'reference.completed' });
  });

  test("reports each applicant's share, doubted income and the scale when a reference is complete", async (context) => {
    if (pdfToolsMissing) return context.skip(pdfToolsMissing);
    const people: string[] = [];
    for (const name of ['Łukasz Żółć', 'Ada Lovelace'])
      people.push((await good(api.post('/v1/customers', { name }))).body.id);
    const rent = { amount: 190_000, currency: 'gbp', interval: 'month' };
    const flat = { customers: people, rent };
    const application = (await good(api.post('/v1/applications', flat))).body.id;
    await good(api.post('/v1/guarantors', { application, customer: 'cus_in_a_crm' }));
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
  test('keeps waiting when its service is no longer set up', async () => {
    const settings = { TENURE_MODE: 'live' };
    const before = await serverForTest({ settings: { ...settings, TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' } });
    const credentials = { provider_b: { username: 'ada', password: 'p' } };
    await good(before.api.post('/v1/account', { provider_credentials: credentials }));
    const { id } = await refer(before.api, { provider: 'provider_b' });
    const { connection, secretKey } = before;
    const after = await serverForTest({ connection, secretKey, settings, works: true });
    await untilReference(after.api, id, {
      status: 'pending',
      automatic_reference: { last_error: expect.stringMatching(/^provider_unavailable: .*TENURE_PROVIDER_B_URL/) },
    });
  });

  test('records why and keeps waiting when only a newer release knows its provider', async () => {
    const before = await serverForTest();
    const { id } = await refer(before.api, { simulate: 'accept' });
    // What a newer release leaves behind after a rollback.
    await before.context.database.readers.query(
      `update tenant_references set automatic_reference = replace(automatic_reference, 'provider_a', 'provider_e'),
        revision = revision + 1 where id = $1`,
      [id],
    );
    const { connection, secretKey } = before;
    const accountId = await firstAccountId(before);
    const { context } = await serverForTest({ ...quickly, connection, secretKey });
    const stored = (): Promise<ReferenceRecord | null> => context.readRecord(reference, accountId, id);
    await expect
      .poll(async () => (await stored())?.automatic_reference)
      .toMatchObject({
        provider: 'provider_e',
        status: 'queued',
        last_error: expect.stringMatching(/^provider_unknown: This release .* does not know provider_e\./),
      });
    expect(await stored()).toMatchObject({
      status: 'pending',
      provider_order: { failures: 1, due_at_ms: expect.any(Number) },
    });
  });

  test('refuses the default provider of an account when only a newer release knows it', async () => {
    const { api: own, context } = await serverForTest();
    await good(own.post('/v1/account', { default_provider: 'provider_b' }));
    await context.database.readers.query(
      `update accounts set default_provider = 'provider_e', revision = revision + 1`,
    );
    const body = { application: 'app_1', automatic_reference: {} };
    await expect
      .poll(async () => (await own.post('/v1/references', body)).body)
      .toMatchObject({ error: { code: 'parameter_invalid', param: 'automatic_reference[provider]' } });
    await good(own.post('/v1/references', { ...body, automatic_reference: { provider: 'provider_a' } }));
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
  await expect.poll(async () => (await orderOf(id)).stopped).toBe(true);
}

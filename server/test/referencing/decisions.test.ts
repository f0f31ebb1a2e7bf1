import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pagesOf, pdfToolsMissing } from '../support/pdf.ts';
import { good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { eventsOf, quickServer, refer, referenceNow, untilReference } from './scenario.ts';

type Body = ApiResponse['body'];

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await quickServer();
  api = server.api;
});
afterAll(() => server.stop());

const byHand = { automatic_reference: null };

async function decide(id: string, outcome: string, more: object = {}): Promise<Body> {
  return (await good(api.post(`/v1/references/${id}`, { outcome, ...more }))).body;
}

/** Waits until each decision has its report. */
async function untilIssued(id: string, filename: string): Promise<Body> {
  await expect.poll(async () => (await fileOf(id))?.filename ?? null, { interval: 25 }).toBe(filename);
  return referenceNow(api, id);
}

async function fileOf(id: string): Promise<Body> {
  const { reference_pdf: pdf } = await referenceNow(api, id);
  return pdf === null ? null : (await good(api.get(`/v1/files/${pdf}`))).body;
}

async function textOf(fileId: string): Promise<string> {
  const contents = await fetch(`${server.url}/v1/files/${fileId}/contents`, {
    headers: { authorization: `Bearer ${server.secretKey}` },
  });
  expect(contents.status).toBe(200);
  return pagesOf(Buffer.from(await contents.arrayBuffer()))
    .join(' ')
    .replace(/\s+/g, ' ');
}

describe('the report about a decision', () => {
  test('is printed before most reports of another tree when that tree has ordered many', async () => {
    const { api: first } = await addAccount(server);
    const { api: second } = await addAccount(server);
    // Many characters that no other text has make a report slow to print.
    const name = String.fromCodePoint(...Array.from({ length: 20 }, (_, index) => 0x4e00 + index * 991));
    const { id: customer } = (await good(first.post('/v1/customers', { name }))).body;
    const many = await Promise.all(Array.from({ length: 12 }, () => refer(first, { ...byHand, customer })));
    const { id: one } = await refer(second, byHand);
    await Promise.all(many.map(({ id }) => good(first.post(`/v1/references/${id}`, { outcome: 'accept' }))));
    await good(second.post(`/v1/references/${one}`, { outcome: 'accept' }));

    const issued = { reference_pdf: expect.stringMatching(/^file_/) };
    const { reference_pdf: own } = await untilReference(second, one, issued);
    const others: Body[] = [];
    for (const { id } of many) others.push(await untilReference(first, id, issued, 60_000));
    // The ids of files have the order in which they were made.
    const later = others.filter(({ reference_pdf: pdf }) => pdf > own);
    expect(later.length).toBeGreaterThan(2);
  });

  test('replaces the report of the service, which stays in the list, when the account overrules it', async () => {
    const { id } = await refer(api);
    const found = await untilReference(api, id, { status: 'complete', outcome: 'accept' });
    const decided = await decide(id, 'consider', { reason: 'A guarantor is needed.' });
    expect(decided.decision).toMatchObject({ outcome: 'consider', reason: 'A guarantor is needed.' });

    const issued = await untilIssued(id, `${id}-2.pdf`);
    expect(issued).toEqual({
      ...decided,
      reference_pdf: expect.stringMatching(/^file_/),
      earlier_reports: [found.reference_pdf],
    });
    expect((await good(api.get(`/v1/files/${found.reference_pdf}`))).body.filename).toBe(`${id}.pdf`);
    const last = (await eventsOf(api, id)).at(-1);
    expect(last).toMatchObject({
      type: 'reference.updated',
      request: { id: null, actor: { type: 'system' } },
      data: { previous_attributes: { reference_pdf: found.reference_pdf, earlier_reports: [] } },
    });
    expect((await eventsOf(api, issued.reference_pdf)).map(({ type }) => type)).toEqual(['file.created']);
  });

  test('is issued when the account makes the check itself', async () => {
    const { id } = await refer(api, byHand);
    await decide(id, 'accept');
    expect(await untilIssued(id, `${id}.pdf`)).toMatchObject({ status: 'complete', earlier_reports: [] });
  });

  test('is issued once for each decision, and the last decision has the last report, when several follow each other', async () => {
    const { id } = await refer(api, byHand);
    const outcomes = ['accept', 'consider', 'accept', 'high_risk', 'consider', 'accept'];
    for (const outcome of outcomes) await decide(id, outcome);
    const { reference_pdf: last, earlier_reports: earlier } = await untilIssued(id, `${id}-${outcomes.length}.pdf`);
    const files = await Promise.all(
      [...earlier, last].map(async (each: string) => (await good(api.get(`/v1/files/${each}`))).body.filename),
    );
    expect(files).toEqual([`${id}.pdf`, ...outcomes.slice(1).map((_, index) => `${id}-${index + 2}.pdf`)]);
    if (pdfToolsMissing) return;
    const titles = { accept: 'Accept', consider: 'Consider', high_risk: 'High risk' };
    for (const [index, outcome] of outcomes.entries())
      expect(await textOf([...earlier, last][index])).toContain(
        `What was decided Outcome ${titles[outcome as keyof typeof titles]}`,
      );
  });

  test('is issued once when the same decision is sent again', async () => {
    const { id } = await refer(api, byHand);
    const first = await decide(id, 'accept', { reason: 'Good references.' });
    expect((await decide(id, 'accept')).decision).toEqual(first.decision);
    const issued = await untilIssued(id, `${id}.pdf`);
    expect(await decide(id, 'accept', { reason: 'Good references.' })).toEqual(issued);
  });

  test.each([
    ['comes with the decision', async (id: string, pdf: string) => decide(id, 'accept', { reference_pdf: pdf })],
    [
      'was attached before',
      async (id: string, pdf: string) => {
        await good(api.post(`/v1/references/${id}`, { reference_pdf: pdf }));
        await decide(id, 'accept');
      },
    ],
  ])('leaves a file of the account in its place when it %s', async (_, attach) => {
    const { id } = await refer(api, byHand);
    await attach(id, 'file_of_another_system');
    // The job of a later reference has run after that of this one.
    const { id: later } = await refer(api, byHand);
    await decide(later, 'accept');
    await untilIssued(later, `${later}.pdf`);
    await expect.poll(() => waitingOf(id), { interval: 25 }).toBe(0);
    expect(await referenceNow(api, id)).toMatchObject({
      reference_pdf: 'file_of_another_system',
      earlier_reports: [],
    });
  });

  test('is erased with all earlier ones, and the reasons too, when the person is erased', async () => {
    const customer = (await good(api.post('/v1/customers', { name: 'Ada Lovelace' }))).body;
    const { id } = await refer(api, { ...byHand, customer: customer.id });
    await decide(id, 'accept', { reason: 'Ada earns enough.' });
    const issued = await untilIssued(id, `${id}.pdf`);
    await decide(id, 'consider', { reason: 'Ada has left her employer.' });
    await untilIssued(id, `${id}-2.pdf`);
    await good(api.delete(`/v1/customers/${customer.id}`));
    const erased = await referenceNow(api, id);
    expect(erased).toMatchObject({
      deleted: true,
      outcome: 'consider',
      decision: { outcome: 'consider', reason: null },
    });
    // The files of all reports are gone.
    for (const pdf of [issued.reference_pdf, erased.reference_pdf])
      expect((await api.get(`/v1/files/${pdf}`)).status).toBe(404);
    expect(JSON.stringify(await eventsOf(api, id))).not.toMatch(/earns enough|left her employer/);
    const logs = (await good(api.get('/v1/logs?limit=50'))).text;
    expect(logs).not.toMatch(/earns enough|left her employer/);
  });
});

async function waitingOf(id: string): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ report_order: string | null }>(
    'select report_order from tenant_references where id = $1',
    [id],
  );
  const order = JSON.parse(rows[0]!.report_order ?? 'null') as { waiting: object[] } | null;
  return order?.waiting.length ?? 0;
}

describe('the text of a report about a decision', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('states what was found and decided, for which home and by which letterhead, when the account overrules a service', async () => {
    await good(
      api.post('/v1/account', {
        letterhead: {
          name: 'Harper & Sons Ltd',
          address: { line1: '1 High Street', city: 'York', postal_code: 'YO1 8AA', country: 'GB' },
          email: 'lets@harper.example',
        },
      }),
    );
    const building = (
      await good(
        api.post('/v1/buildings', {
          name: 'Station House',
          address: { line1: '3 Station Road', city: 'York', postal_code: 'YO1 6AA', country: 'GB' },
        }),
      )
    ).body;
    const unit = (await good(api.post('/v1/units', { building: building.id, name: 'Flat 12' }))).body;
    const [ada, grace] = await Promise.all(
      ['Ada Lovelace', 'Grace Hopper'].map(async (name) => (await good(api.post('/v1/customers', { name }))).body),
    );
    const application = (
      await good(
        api.post('/v1/applications', {
          customers: [ada.id, grace.id],
          unit: unit.id,
          rent: { amount: 190_000, currency: 'gbp', interval: 'month' },
          move_in_date: '2027-02-15',
        }),
      )
    ).body;
    const { id } = await refer(api, { application: application.id, customer: ada.id });
    await untilReference(api, id, { status: 'complete' });
    await decide(id, 'high_risk', { reason: 'The employer told us that the contract ends in May.' });
    const { reference_pdf: pdf } = await untilIssued(id, `${id}-2.pdf`);
    const text = await textOf(pdf);
    for (const said of [
      'Harper & Sons Ltd 1 High Street York YO1 8AA',
      'Ada Lovelace',
      'What was decided Outcome High risk Decided by',
      'an API key',
      'The employer told us that the contract ends in May.',
      'What was found Provider A (simulated): Accept',
      'Credit score 640 of 999',
      'Home Flat 12, 3 Station Road, York, YO1 6AA, United Kingdom Move-in 15 February 2027',
      `Together with 1 other person: ${grace.id}`,
      '£950.00 a month',
    ])
      expect(text).toContain(said);
    expect(text).not.toContain('Grace Hopper');
  });

  test('says that the service had not finished when the account decides before it', async () => {
    const { id } = await refer(api, { simulate: 'stuck' });
    await untilReference(api, id, { status: 'processing' });
    await decide(id, 'accept');
    const { reference_pdf: pdf } = await untilIssued(id, `${id}.pdf`);
    expect(await textOf(pdf)).toContain('The referencing service had not finished when');
  });
});

import { expect, test } from 'vitest';
import { Agency, dawn, fiveWeeks, lettingClock, startDay, week, type Made } from '../letting/agency.ts';
import { formOf } from '../support/files.ts';
import { unexplainedBy } from '../support/explained-by-events.ts';
import { receiverForTest } from '../support/receiver.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { endpointFor } from '../webhooks/scenario.ts';
import { placesOf } from './scenario.ts';

/*
 * Records of a let stay when a person is erased, because they are about money and about others, too. The texts about the person go. The
 * words of these tests occur nowhere else.
 */

const line = { type: 'utility', description: 'Water', amount: 7_777 };

async function letOn(server: TestServer): Promise<{ agency: Agency; person: string; other: string }> {
  const agency = await Agency.on(server);
  const { id: person } = await agency.make('customers', { name: 'Zebedee Brown' });
  const { id: other } = await agency.make('customers', { name: 'Ada Lovelace' });
  return { agency, person, other };
}

/** A joint tenancy with texts in every record. It has ended, and nothing is owed or held. */
async function endedLet(agency: Agency, person: string, other: string): Promise<{ tenancy: string; payments: Made[] }> {
  const customers = [person, other];
  const { id: unit } = await agency.unit();
  const { id: tenancy } = await agency.signed(unit, { customers, start_date: startDay });
  await agency.move('tenancies', tenancy, 'request_pet', { customer: person, description: 'wordpet' });
  await agency.move('tenancies', tenancy, 'answer_pet', { number: 1, answer: 'refused', reason: 'wordanswer' });
  await agency.move('tenancies', tenancy, 'request_pet', { customer: other, description: 'keptpet' });
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks });
  await agency.payDeposit(deposit, fiveWeeks, { reference: 'worddeposit' });
  await agency.make('invoices', { tenancy, lines: [line], due_on: startDay, finalize: true });
  const paid = { tenancy, method: 'bank_transfer', amount: 4_000 };
  const key = { 'idempotency-key': 'wired once' };
  const wired = () => agency.api.post('/v1/payments', { ...paid, reference: 'wordbank' }, key);
  const first = (await good(wired())).body as Made;
  await good(wired());
  const refused = await agency.api.post(`/v1/payments/${first.id}`, { reference: 'wordbank', wordbank: 'wordbank' });
  expect(refused.status).toBe(400);
  await agency.move('payments', first.id, 'refund', { amount: 223, reason: 'wordrefund' });
  const failed = await agency.make('payments', { ...paid, status: 'pending', customer: person });
  await agency.move('payments', failed.id, 'fail', { code: 'declined', message: 'wordfailure' });
  const second = await agency.make('payments', { ...paid, customer: other, reference: 'keptbank' });
  await good(agency.api.post(`/v1/payments/${first.id}`, { reference: 'wordlater' }));
  const deductions = [{ amount: 4_500, reason: 'cleaning', description: 'worddeduction' }];
  await agency.move('deposits', deposit, 'propose_release', { deductions });
  await agency.move('deposits', deposit, 'dispute', { amount: 4_500, reference: 'worddispute' });
  await agency.move('deposits', deposit, 'release', { deductions, returned_on: startDay });
  return { tenancy, payments: [first, failed, second] };
}

test('empties the texts about a person in a let, its history and its webhooks, and keeps those about others', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const { agency, person, other } = await letOn(server);
  const made = await endedLet(agency, person, other);
  await dawn(server);
  await agency.move('tenancies', made.tenancy, 'end', { ended_on: startDay, reason: 'surrender' });
  const words = ['pet', 'answer', 'deposit', 'bank', 'refund', 'failure', 'later', 'deduction', 'dispute'];
  for (const word of words) expect(await placesOf(server, `word${word}`), word).not.toEqual([]);
  const before = await agency.get('tenancies', made.tenancy);
  await endpointFor(agency.api, receiver.url, { enabled_events: ['tenancy.*', 'customer.deleted'] });

  await good(agency.api.delete(`/v1/customers/${person}`));

  for (const word of words) expect(await placesOf(server, `word${word}`), word).toEqual([]);
  for (const word of ['keptpet', 'keptbank'])
    expect(await placesOf(server, word), word).toEqual(
      expect.arrayContaining(['events.data', 'request_logs.request_body', 'request_logs.response_body']),
    );
  const { data: logs } = (await good(agency.api.get('/v1/logs?limit=50&path=/v1/payments'))).body;
  const bodies = logs.map((log: { request_body: string | null }) => log.request_body);
  expect(bodies.filter((body: string | null) => body !== null).map((body: string) => JSON.parse(body))).toContainEqual({
    tenancy: made.tenancy,
    method: 'bank_transfer',
    amount: 4_000,
    reference: null,
  });
  const { data: ends } = (await good(agency.api.get(`/v1/logs?path=/v1/tenancies/${made.tenancy}/end`))).body;
  expect(ends.map((log: { request_body: string }) => JSON.parse(log.request_body))).toEqual([
    { ended_on: startDay, reason: 'surrender' },
  ]);
  const preview = (await good(agency.api.get('/v1/account/api_version/preview'))).body;
  expect(preview.requests.data).toEqual([]);
  const [mine, theirs] = before.pet_requests;
  expect(await agency.get('tenancies', made.tenancy)).toEqual({
    ...before,
    pet_requests: [{ ...mine, description: '[erased]', reason: null }, theirs],
  });
  const [first, failed, second] = made.payments;
  expect(await agency.get('payments', first!.id)).toMatchObject({
    amount: 4_000,
    reference: null,
    refunds: [{ amount: 223, reason: null, status: 'succeeded' }],
  });
  expect(await agency.get('payments', failed!.id)).toMatchObject({ failure: { code: 'declined', message: null } });
  expect(await agency.get('payments', second!.id)).toMatchObject({ customer: other, reference: 'keptbank' });
  expect(await unexplainedBy(agency.api.get)).toEqual([]);
  const sent = await receiver.count(2);
  expect(sent.map(({ body }) => body.type)).toEqual(['customer.deleted', 'tenancy.updated']);
  for (const { raw } of sent) expect(String(raw)).not.toContain('wordpet');
});

test('empties the notes on an application, and why its holding deposit was kept', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const { agency, person, other } = await letOn(server);
  const { application } = await agency.applied();
  await good(agency.api.post(`/v1/applications/${application}`, { customers: [person, other], metadata: { a: 'b' } }));
  const { id: deposit } = await agency.holding(application);
  await agency.payDeposit(deposit, week);
  await agency.move('applications', application, 'reject', { reasons: ['information_false'], note: 'worddecision' });
  await agency.move('applications', application, 'request_review', { message: 'wordmessage' });
  await agency.move('applications', application, 'review', { result: 'upheld', note: 'wordreview' });
  const retained = { amount: week, reason: 'false_information', explanation: 'wordretention' };
  await agency.move('deposits', deposit, 'retain', retained);

  await good(agency.api.delete(`/v1/customers/${person}`));

  for (const word of ['decision', 'message', 'review', 'retention'])
    expect(await placesOf(server, `word${word}`), word).toEqual([]);
  expect(await agency.get('applications', application)).toMatchObject({
    customers: [person, other],
    status: 'rejected',
    decision: { outcome: 'rejected', reasons: ['information_false'], note: null },
    review: { status: 'upheld', message: null, note: null },
    metadata: { a: 'b' },
  });
  expect(await agency.get('deposits', deposit)).toMatchObject({
    amount_deducted: week,
    retention: { ...retained, explanation: '[erased]' },
  });
  expect(await unexplainedBy(agency.api.get)).toEqual([]);
});

test('empties why a tenancy was canceled, and the payment of a person that is no tenant', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const { agency, person, other } = await letOn(server);
  const { id: canceled } = await agency.draft((await agency.unit()).id, { customers: [person] });
  await agency.move('tenancies', canceled, 'cancel', { reason: 'wordcancel' });
  const { id: tenancy } = await agency.signed((await agency.unit()).id, { customers: [other] });
  const paid = { tenancy, method: 'bank_transfer', amount: 1 };
  const { id: payment } = await agency.make('payments', { ...paid, customer: person, reference: 'wordpayer' });
  await agency.make('payments', { ...paid, reference: 'keptpayer' });
  const kept = await placesOf(server, 'keptpayer');

  await good(agency.api.delete(`/v1/customers/${person}`));

  for (const word of ['wordcancel', 'wordpayer']) expect(await placesOf(server, word), word).toEqual([]);
  expect(await placesOf(server, 'keptpayer')).toEqual(kept);
  expect(await agency.get('payments', payment)).toMatchObject({ customer: person, amount: 1, reference: null });
  // A second deletion finds nothing more to change.
  const { count } = (await good(agency.api.get('/v1/events'))).body;
  await good(agency.api.delete(`/v1/customers/${person}`));
  expect((await good(agency.api.get('/v1/events'))).body.count).toBe(count);
});

test.each([
  ['was deleted', (agency: Agency, id: string) => agency.api.delete(`/v1/applications/${id}`)],
  [
    'names another person now',
    (agency: Agency, id: string, other: string) => agency.api.post(`/v1/applications/${id}`, { customers: [other] }),
  ],
])('empties the texts about a person in an application that %s', async (_, change) => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const { agency, person, other } = await letOn(server);
  const { id } = await agency.application({ customers: [person] });
  const note = { reasons: ['other'], note: 'wordnote' };
  const reject = () => agency.api.post(`/v1/applications/${id}/reject`, note, { 'idempotency-key': 'once' });
  await good(reject());
  const { id: later } = await agency.application({ customers: [person] });
  await good(agency.api.post(`/v1/applications/${later}`, { customers: [other] }));
  await agency.move('applications', later, 'reject', { reasons: ['other'], note: 'keptnote' });
  await good(change(agency, id, other));

  await good(agency.api.delete(`/v1/customers/${person}`));

  expect(await placesOf(server, 'wordnote')).toEqual([]);
  expect(await placesOf(server, 'keptnote')).not.toEqual([]);
  expect((await good(reject())).text).not.toContain('wordnote');
});

test('keeps a file of another person when a reference names it by mistake', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const { agency, person } = await letOn(server);
  const { id: passport } = (await good(agency.api.post('/v1/files', formOf({ purpose: 'right_to_rent' })))).body;
  const evidence = { status: 'unlimited', checked_on: startDay, files: [passport] };
  await agency.make('customers', { name: 'Bob Example', right_to_rent: evidence });
  const { id } = await agency.make('references', { application: 'app_7', customer: person });
  await good(agency.api.post(`/v1/references/${id}`, { reference_pdf: passport }));

  await good(agency.api.delete(`/v1/customers/${person}`));

  expect((await agency.get('files', passport)).purpose).toBe('right_to_rent');
});

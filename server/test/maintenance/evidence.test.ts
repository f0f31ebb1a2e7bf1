import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Agency } from '../letting/agency.ts';
import { unexplainedBy } from '../support/explained-by-events.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { placesOf } from './scenario.ts';

/*
 * The office uploads evidence for a reference. It goes with the person of the reference, like what the person has sent. The words of these
 * tests occur nowhere else.
 */

/** The name, the contents and the metadata of the evidence. */
const words = ['wombat.pdf', 'wombatpay', 'wombatnote'];

async function letting(): Promise<{ server: TestServer; agency: Agency }> {
  const server = await serverForTest();
  return { server, agency: await Agency.on(server) };
}

/** Uploads evidence for a reference. */
async function evidence(agency: Agency, reference: string, name = 'wombat.pdf'): Promise<string> {
  const form = formOf(
    { purpose: 'income_evidence', reference, 'metadata[note]': 'wombatnote' },
    pdfOf('wombatpay'),
    name,
  );
  return (await good(agency.api.post('/v1/files', form, { 'idempotency-key': randomUUID() }))).body.id;
}

async function referenceOf(agency: Agency, customer: string): Promise<string> {
  return (await agency.make('references', { application: 'app_1', customer })).id;
}

async function statusesOf(agency: Agency, files: string[]): Promise<number[]> {
  return Promise.all(files.map(async (id) => (await agency.api.get(`/v1/files/${id}`)).status));
}

async function expectGone(server: TestServer, agency: Agency, file: string): Promise<void> {
  for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
  expectRefusal(await agency.api.get(`/v1/files/${file}`), refusals.idUnknown);
  expectRefusal(await agency.api.get(`/v1/files/${file}/contents`), refusals.idUnknown);
}

test('erases the evidence for a reference when its customer is deleted', async () => {
  const { server, agency } = await letting();
  const { id: customer } = await agency.make('customers', { name: 'Ada' });
  const file = await evidence(agency, await referenceOf(agency, customer));
  const { body: link } = await good(agency.api.post(`/v1/files/${file}/links`, { recipient: 'wombat.pdf' }));
  for (const word of words) expect(await placesOf(server, word), word).not.toEqual([]);

  await good(agency.api.delete(`/v1/customers/${customer}`));

  await expectGone(server, agency, file);
  expect(await agency.get('file_links', link.id)).toMatchObject({ status: 'revoked', recipient: null });
  expect(await agency.historyOf(file)).toEqual(['file.created', 'file.deleted']);
});

test('erases the evidence for a reference when the reference is erased alone', async () => {
  const { server, agency } = await letting();
  const reference = await referenceOf(agency, 'crm_7');
  const file = await evidence(agency, reference);
  await good(agency.api.post(`/v1/references/${reference}/erase`));
  await expectGone(server, agency, file);
  expect(await unexplainedBy(agency.api.get)).toEqual([]);
});

test('erases the evidence for a reference when its history was dropped before', async () => {
  const { server, agency } = await letting();
  const reference = await referenceOf(agency, 'crm_7');
  const file = await evidence(agency, reference);
  await server.context.database.listers.query('delete from events where account_id = $1', [agency.accountId]);
  await good(agency.api.post(`/v1/references/${reference}/erase`));
  expect(await statusesOf(agency, [file])).toEqual([404]);
});

test('erases all evidence for a reference when it is more than one change deletes', async () => {
  const { agency } = await letting();
  const reference = await referenceOf(agency, 'crm_7');
  const files: string[] = [];
  for (let number = 0; number < 12; number += 1) files.push(await evidence(agency, reference, `${number}.pdf`));
  await good(agency.api.post(`/v1/references/${reference}/erase`));
  expect(await statusesOf(agency, files)).toEqual(files.map(() => 404));
});

test('leaves no name in the log of a refused upload when its reference is erased', async () => {
  const { server, agency } = await letting();
  const reference = await referenceOf(agency, 'crm_7');
  const refused = await agency.api.post(
    '/v1/files',
    formOf({ purpose: 'holiday', reference }, pdfOf(''), 'wombat.pdf'),
  );
  expect(refused.status).toBe(400);
  await good(agency.api.post(`/v1/references/${reference}/erase`));
  expect(await placesOf(server, 'wombat.pdf')).toEqual([]);
});

test('keeps evidence for the reference of a living person when it is also the report about an erased one', async () => {
  const { agency } = await letting();
  const [ada, ben] = [await agency.make('customers', { name: 'Ada' }), await agency.make('customers', { name: 'Ben' })];
  const references = [await referenceOf(agency, ada.id), await referenceOf(agency, ben.id)] as const;
  const joint = await evidence(agency, references[0]);
  const own = await evidence(agency, references[1], 'own.pdf');
  await good(agency.api.post(`/v1/references/${references[1]}`, { reference_pdf: joint }));
  await good(agency.api.delete(`/v1/customers/${ben.id}`));
  expect(await statusesOf(agency, [joint, own])).toEqual([200, 404]);
  await good(agency.api.delete(`/v1/customers/${ada.id}`));
  expect(await statusesOf(agency, [joint])).toEqual([404]);
});

test('keeps evidence when its reference is erased alone, and the right to rent of its living person names it', async () => {
  const { agency } = await letting();
  const { id: customer } = await agency.make('customers', { name: 'Ada' });
  const reference = await referenceOf(agency, customer);
  const passport = await evidence(agency, reference);
  const right = { status: 'unlimited', checked_on: '2026-01-10', files: [passport] };
  await good(agency.api.post(`/v1/customers/${customer}`, { right_to_rent: right }));
  await good(agency.api.post(`/v1/references/${reference}/erase`));
  expect(await statusesOf(agency, [passport])).toEqual([200]);
  await good(agency.api.delete(`/v1/customers/${customer}`));
  expect(await statusesOf(agency, [passport])).toEqual([404]);
});

test('keeps the evidence for other references of the same person when one is erased alone', async () => {
  const { agency } = await letting();
  const references = [await referenceOf(agency, 'crm_7'), await referenceOf(agency, 'crm_7')] as const;
  const files = [await evidence(agency, references[0]), await evidence(agency, references[1], 'second.pdf')];
  await good(agency.api.post(`/v1/references/${references[0]}/erase`));
  expect(await statusesOf(agency, files)).toEqual([404, 200]);
});

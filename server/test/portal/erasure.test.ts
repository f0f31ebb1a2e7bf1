import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agency, startLetting, type Made } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { good, type TestServer } from '../support/server.ts';
import { letHome, open, Renter, tokenIn } from './renter.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
});
afterAll(() => server.stop());

/** Returns everything that the database has about an account, as one text. */
async function stored(): Promise<string> {
  const texts: string[] = [];
  for (const table of ['events', 'request_logs', 'customers', 'files', 'portal_sessions', 'tenancies', 'emails']) {
    const { rows } = await server.context.database.readers.query(
      `select record::text as text from ${table} record where account_id = $1`,
      [agency.accountId],
    );
    texts.push(...(rows as { text: string }[]).map(({ text }) => text));
  }
  return texts.join('\n');
}

test('keeps a document that a living person has sent, when the record of an erased one names it', async () => {
  const [ada, ben] = [await agency.make('customers', { name: 'Ada' }), await agency.make('customers', { name: 'Ben' })];
  const renter = await Renter.of(agency, server, ada.id);
  const { body: file } = await good(renter.post('files', formOf({ purpose: 'right_to_rent' })));
  const checked = { status: 'unlimited', checked_on: '2026-01-10', expires_on: null, files: [file.id] };
  await good(agency.api.post(`/v1/customers/${ben.id}`, { right_to_rent: checked }));
  await good(agency.api.delete(`/v1/customers/${ben.id}`));
  expect((await renter.list('files')).map(({ id }) => id)).toEqual([file.id]);
  await good(agency.api.delete(`/v1/customers/${ada.id}`));
  expect((await agency.api.get(`/v1/files/${file.id}`)).status).toBe(404);
});

test('erases what the person has sent in the portal, and ends its sessions and links', async () => {
  const { id: customer } = await agency.make('customers', { name: 'Ada-Erased', email: 'ada-erased@example.com' });
  const renter = await Renter.of(agency, server, customer, { return_url: 'https://example.com/ada-erased' });
  const pending = await agency.make('portal_sessions', { customer, send_email: true });
  await good(renter.post('me', { phone: '01904-erased', addresses: [] }));
  // A refused request has no event, and its log has the body.
  expect((await renter.post('me', { phone: '01904-erased\n' })).status).toBe(400);
  const { body: file } = await good(
    renter.post('files', formOf({ purpose: 'other' }, pdfOf('A passport'), 'ada-erased.pdf')),
  );
  expect(await stored()).toMatch(/-erased/i);

  await good(agency.api.delete(`/v1/customers/${customer}`));
  expect((await agency.api.get(`/v1/files/${file.id}`)).status).toBe(404);
  for (const { id } of [{ id: renter.sessionId }, pending])
    expect(await agency.get('portal_sessions', id)).toMatchObject({ status: 'ended', return_url: null });
  expect(await agency.historyOf(pending.id)).toContain('portal_session.ended');
  expect((await open(server.url, tokenIn(pending))).status).toBe(401);
  await expect.poll(async () => (await renter.get('me')).status).toBe(401);
  expect(await stored()).not.toMatch(/-erased/i);
});

test('empties the words of an erased tenant, and keeps the tenancy', async () => {
  const home = await letHome(agency, { lead: 'Ben', joint: 'Cat', guarantor: 'Gus' });
  const renter = await Renter.of(agency, server, home.joint.id);
  const description = 'A dog called Rex-Secret.';
  await good(renter.post(`tenancies/${home.tenancy.id}/request_pet`, { description }));
  const other = await Renter.of(agency, server, home.lead.id);
  await settle(home.tenancy.id, home.invoice.id, home.deposit.id);
  await good(agency.api.delete(`/v1/customers/${home.joint.id}`));
  expect(await stored()).not.toContain('Rex-Secret');
  const [seen] = await other.list('tenancies');
  expect(seen).toMatchObject({ id: home.tenancy.id, co_tenants: [] });
});

test("removes addresses and browsers from the portal's logs when their person is erased", async () => {
  const made = (): Promise<Made> => agency.make('customers', { name: 'Eve' });
  const [first, second] = [await made(), await made()];
  const [erased, other] = [await Renter.of(agency, server, first.id), await Renter.of(agency, server, second.id)];
  for (const renter of [erased, other]) {
    await good(renter.post('me', { phone: '01904 555 0123' }));
    expect((await renter.post('me', { phone: 1 })).status).toBe(400);
  }
  const clientsOf = async ({ sessionId }: Renter): Promise<unknown[]> => {
    const { body } = await good(agency.api.get(`/v1/logs?portal_session=${sessionId}`));
    return (body.data as Made[]).flatMap(({ ip_address: address, user_agent: browser }) => [address, browser]);
  };
  const before = await clientsOf(other);
  expect(await clientsOf(erased)).toEqual(before);
  expect(before).not.toContain(null);

  await good(agency.api.delete(`/v1/customers/${first.id}`));
  expect(await clientsOf(erased)).toEqual(before.map(() => null));
  expect(await clientsOf(other)).toEqual(before);
});

test('keeps the sessions of other persons', async () => {
  const made = (): Promise<Made> => agency.make('customers', { name: 'Dan' });
  const [first, second] = [await made(), await made()];
  const renter = await Renter.of(agency, server, second.id);
  await good(agency.api.delete(`/v1/customers/${first.id}`));
  await good(renter.get('me'));
});

/** Ends a let without a balance, so that its persons can be erased. */
async function settle(tenancy: string, invoice: string, deposit: string): Promise<void> {
  await agency.move('invoices', invoice, 'credit', { amount: 80_000, reason: 'They left.' });
  await agency.move('deposits', deposit, 'cancel');
  await agency.move('tenancies', tenancy, 'cancel');
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { formOf } from '../../server/test/support/files.ts';
import { bodies } from '../../server/test/support/routes.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

/* What the office sees before and after it erases a person with a let. */

describeInBrowser('an erasure', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('keeps an address that the person has added when the office changes another one meanwhile', async () => {
    const home = { line1: '1 New Street', city: 'York', postal_code: 'YO1 1AA', country: 'GB', from: '2024-01-01' };
    const older = { line1: '2 Old Street', city: 'Hull', postal_code: 'HU1 1AA', country: 'GB', to: '2023-12-31' };
    const { body: person } = await good(server.api.post('/v1/customers', { name: 'Ada King', addresses: [home] }));
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Postcode').fill('YO1 9ZZ');
    await good(server.api.post(`/v1/customers/${person.id}`, { addresses: [home, older] }));
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The person is changed').waitFor();
    const { body } = await good(server.api.get(`/v1/customers/${person.id}`));
    expect(body.addresses).toMatchObject([{ postal_code: 'YO1 9ZZ' }, { line1: '2 Old Street' }]);
  });

  test('keeps the limit of a right to rent when a colleague has recorded it meanwhile', async () => {
    const right = { status: 'unlimited', checked_on: '2026-01-05' };
    const { body: person } = await good(server.api.post('/v1/customers', { name: 'Ada Right', right_to_rent: right }));
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Checked on').fill('2026-01-06');
    const limited = { status: 'time_limited', checked_on: '2026-01-07', expires_on: '2027-05-01' };
    await good(server.api.post(`/v1/customers/${person.id}`, { right_to_rent: limited }));
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByText('The right to rent was changed meanwhile').waitFor();
    expect((await good(server.api.get(`/v1/customers/${person.id}`))).body.right_to_rent).toMatchObject(limited);
  });

  test('keeps the new address of a person that has moved when the office corrects the old one meanwhile', async () => {
    const old = { line1: '1 New Street', city: 'York', postal_code: 'YO1 1AA', country: 'GB', from: '2024-01-01' };
    const present = {
      line1: '3 Next Street',
      city: 'Leeds',
      postal_code: 'LS1 1AA',
      country: 'GB',
      from: '2026-01-01',
    };
    const { body: person } = await good(server.api.post('/v1/customers', { name: 'Ada Moved', addresses: [old] }));
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Postcode').fill('YO1 9ZZ');
    const moved = [present, { ...old, to: '2025-12-31' }];
    await good(server.api.post(`/v1/customers/${person.id}`, { addresses: moved }));
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The person is changed').waitFor();
    const { body } = await good(server.api.get(`/v1/customers/${person.id}`));
    expect(body.addresses).toMatchObject([present, { ...moved[1], postal_code: 'YO1 9ZZ' }]);

    await page.getByRole('button', { name: 'Change' }).press('Enter');
    await dialog.getByLabel('Postcode').fill('LS1 9ZZ');
    await good(server.api.post(`/v1/customers/${person.id}`, { addresses: [{ ...present, line1: '4 Next Street' }] }));
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByText('This address was changed meanwhile').waitFor();
    expect((await good(server.api.get(`/v1/customers/${person.id}`))).body.addresses).toMatchObject([
      { line1: '4 Next Street', postal_code: 'LS1 1AA' },
    ]);
  });

  test('says that a document of a check goes when the office has added it by hand', async () => {
    const { body: person } = await good(server.api.post('/v1/customers', { name: 'Ada Byron' }));
    const check = { application: 'case_1', customer: person.id, automatic_reference: null };
    const { body: reference } = await good(server.api.post('/v1/references', check));
    const sent = await fetch(`${server.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.secretKey}` },
      body: formOf({ purpose: 'income_evidence', reference: reference.id }),
    });
    expect(sent.status).toBe(200);
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'More actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Erase this person' }).press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Reports, evidence and papers of this person (1)').waitFor();
    const stays = dialog.getByRole('region', { name: 'What stays' });
    expect(await stays.innerText()).not.toMatch(/added to a check/);
  });

  test('is refused while money is owed, and keeps what the law requires until an owner reveals it', async () => {
    const made = async (path: string, body: object): Promise<string> =>
      (await good(server.api.post(`/v1/${path}`, body))).body.id;
    const customer = await made('customers', { name: 'Zebedee Brown' });
    const building = await made('buildings', bodies['POST /v1/buildings']!);
    const unit = await made('units', { building, name: 'Flat 2' });
    const tenancy = await made('tenancies', { ...bodies['POST /v1/tenancies'], unit, customers: [customer] });
    const payment = await made('payments', { tenancy, amount: 1, method: 'cash', received_on: '2026-01-10' });
    await using opened = await openDashboard(server, `/customers/${customer}`, { person: owner });
    const { page, problems } = opened;
    const dialog = page.getByRole('alertdialog');
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Erase this person' }).press('Enter');
    };
    await ask();
    await dialog.getByText('This person cannot be erased yet').waitFor();
    expect(await dialog.getByRole('link', { name: 'Tenancy' }).getAttribute('href')).toContain(tenancy);
    expect(await dialog.getByRole('button', { name: 'Erase for good' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
    await good(server.api.post(`/v1/payments/${payment}/refund`, { amount: 1 }));
    await page.reload();

    await ask();
    await dialog.getByText(/The name and the last address, for the accounts, until 31 March \d{4}/).waitFor();
    await dialog.getByLabel('Type the name to confirm').fill('Zebedee Brown');
    await dialog.getByRole('button', { name: 'Erase for good' }).press('Enter');
    // The address of the person leads to what is kept, now and later.
    await page.getByText('This person was erased').waitFor();
    await page.reload();
    await page.getByText('This person was erased').waitFor();
    expect(await page.getByText('Zebedee').count()).toBe(0);
    await page.getByRole('button', { name: 'Reveal' }).press('Enter');
    await page.getByLabel('Why do you need the data?').fill('The auditors ask for it.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).press('Enter');
    await page.getByRole('dialog').getByText('Zebedee Brown').waitFor();
    const { data } = (await good(server.api.get(`/v1/retention_holds?customer=${customer}`))).body;
    expect(data).toMatchObject([{ kind: 'accounts', reveals: 1 }]);
    await page.goto(`${server.url}/dashboard/customers`);
    await page.getByRole('link', { name: 'Kept by law' }).click();
    await page
      .getByRole('row', { name: /Accounts Kept 31 March/ })
      .getByRole('link')
      .click();
    await page.getByText('This person was erased').waitFor();
    expect(problems).toEqual([]);
  });
});

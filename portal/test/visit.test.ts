import { join } from 'node:path';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pdfOf } from '../../server/test/support/files.ts';
import { largeJpeg } from '../../server/test/support/pictures.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectFocus } from '../../ui/test/support/browser.ts';
import { makeLink, openPortal, openWithoutSession, ownProblems } from './support/portal.ts';
import { makeApplication, makeRenter, makeTenancy, nameAgent, type Renter } from './support/renter.ts';

/* What renters do in the portal. Each test has a person of its own, so that they can run in any order. */

describeInBrowser('a renter in the portal', () => {
  let server: TestServer;
  let full: Renter;

  beforeAll(async () => {
    server = await startTestServer();
    await nameAgent(server);
    full = await makeRenter(server);
  });
  afterAll(() => server.stop());

  async function newPerson(name = 'Ada Lovelace'): Promise<string> {
    return (await good(server.api.post('/v1/customers', { name }))).body.id;
  }

  test('opens a link by a button, which spends it and leaves no token in the address', async () => {
    const { id, token } = await makeLink(server, full.customer);
    await using open = await openWithoutSession(server, `#${token}`);
    const { page } = open;
    await page.getByText('Ouse Lettings has made this link').waitFor();
    expect(page.url()).not.toContain(token);
    expect((await good(server.api.get(`/v1/portal_sessions/${id}`))).body.status).toBe('pending');
    await page.getByRole('button', { name: 'Open my page' }).click();
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
    expect((await good(server.api.get(`/v1/portal_sessions/${id}`))).body.status).toBe('active');
    await page.reload();
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
    expect(ownProblems(open)).toEqual([]);
  });

  test('learns that a link is used or expired, and what to do', async () => {
    const { token } = await makeLink(server, full.customer);
    await using first = await openWithoutSession(server, `#${token}`);
    await first.page.getByRole('button', { name: 'Open my page' }).click();
    await first.page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
    await using second = await openWithoutSession(server, `#${token}`);
    await second.page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    expect(await second.page.getByRole('main').innerText()).toContain('ask your agent for a new link');
  });

  test('signs out, and learns at the end of a session whom to ask', async () => {
    await using open = await openPortal(server, '/', { customer: full.customer });
    const { page } = open;
    await page.getByRole('button', { name: 'Sign out' }).click();
    const title = page.getByRole('heading', { name: 'You have signed out' });
    await title.waitFor();
    await expectFocus(title);
    expect(await page.getByRole('main').innerText()).toContain('ask Ouse Lettings, phone 01904 555 0123');
    await page.reload();
    await page.getByRole('heading', { name: 'Your visit has ended' }).waitFor();
  });

  test('learns that the session has ended when an agent ends it', async () => {
    await using open = await openPortal(server, '/', { customer: await newPerson('Grace Hopper') });
    const { page } = open;
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor();
    // A read that is under way would tell of the end before the person goes on.
    await page.waitForLoadState('networkidle');
    const { body } = await good(server.api.get('/v1/portal_sessions'));
    await good(server.api.post(`/v1/portal_sessions/${body.data[0].id}/end`, {}));
    await page.getByRole('link', { name: 'My details' }).first().click();
    await page.goto('/portal/rent');
    await page.getByRole('heading', { name: 'Your visit has ended' }).waitFor();
  });

  test('sends nothing in the name of another person that has opened a link in the same browser', async () => {
    const { token: own } = await makeLink(server, await newPerson());
    const { token: ofGrace } = await makeLink(server, await newPerson('Grace Hopper'));
    await using open = await openWithoutSession(server, `#${own}`);
    const { page } = open;
    await page.getByRole('button', { name: 'Open my page' }).click();
    await page.getByRole('link', { name: 'My details' }).first().click();
    await page.getByLabel('Phone').fill('07700 900123');
    const other = await page.context().newPage();
    await other.goto(`${server.url}/portal#${ofGrace}`);
    await other.getByRole('button', { name: 'Open my page' }).click();
    await other.getByRole('heading', { name: 'Hello, Grace' }).waitFor();
    await page.getByRole('heading', { name: 'The page of another person is open now' }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('Ada');
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    // A second window of the same person stays.
    const second = await page.context().newPage();
    await second.goto(`${server.url}/portal/details`);
    await second.getByLabel('Phone').waitFor();
    await other.getByRole('link', { name: 'My details' }).first().click();
    await other.getByRole('button', { name: 'Save phone and birth date' }).waitFor();
  });

  test('is told to ask for the money back when too much was paid for a tenancy that never began', async () => {
    const customer = await newPerson('Grace Hopper');
    const tenancy = await makeTenancy(server, customer, '2090-06-01');
    const paid = { tenancy, amount: 95_000, method: 'bank_transfer', received_on: '2026-05-02' };
    await good(server.api.post('/v1/payments', paid));
    await using open = await openPortal(server, '/rent', { customer });
    const { page } = open;
    await page.getByText('It counts towards the next rent.').waitFor();
    await good(server.api.post(`/v1/tenancies/${tenancy}/cancel`));
    await page.reload();
    await page.getByText('To get it back, ask your agent: Ouse Lettings').waitFor();
    expect(await page.getByText('It counts towards the next rent.').count()).toBe(0);
    expect(ownProblems(open)).toEqual([]);
  });

  test('sees only the pages that the session opens', async () => {
    await using open = await openPortal(server, '/', { customer: full.customer, features: ['documents', 'pets'] });
    const { page } = open;
    const pages = page.getByRole('navigation', { name: 'All pages' }).getByRole('link');
    await pages.first().waitFor();
    expect(await pages.locator('strong').allInnerTexts()).toEqual(['My documents', 'My home', 'Pets']);
    await page.goto('/portal/rent');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(ownProblems(open)).toEqual([]);
  });

  test('completes the own details, and learns of a wrong date', async () => {
    const customer = await newPerson();
    await using open = await openPortal(server, '/details', { customer });
    const { page } = open;
    await page.getByLabel('Phone').fill('07700 900123');
    await page.getByLabel('Day').fill('31');
    await page.getByLabel('Month').fill('2');
    await page.getByLabel('Year').fill('1990');
    const you = page.getByRole('button', { name: 'Save phone and birth date' });
    await you.click();
    await page.getByText('This day does not exist').waitFor();
    await page.getByLabel('Day').fill('28');
    await page.getByLabel('Phone').fill('call me');
    await you.click();
    await page.getByText('Type a phone number').waitFor();
    await page.getByLabel('Phone').fill('07700 900123');
    await you.click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByLabel('House and street').fill('1 Old Street');
    await page.getByLabel('Town or city').fill('Leeds');
    await page.getByLabel('Postcode').fill('LS1 1AA');
    await page.getByLabel('Moved in').fill('2024-02-01');
    // The question comes before the typed address is lost, and this window answers that it stays.
    await page.getByRole('link', { name: 'All pages' }).first().click();
    expect(open.problems.splice(0)).toEqual([expect.stringContaining('You have not saved what you have typed.')]);
    await page.getByRole('button', { name: 'Save this address' }).click();
    await page.getByRole('list', { name: 'Your addresses' }).getByText('1 Old Street, Leeds, LS1 1AA').waitFor();
    await expectFocus(page.getByRole('button', { name: 'Add an address' }));
    expect((await good(server.api.get(`/v1/customers/${customer}`))).body).toMatchObject({
      phone: '07700 900123',
      date_of_birth: '1990-02-28',
      addresses: [{ line1: '1 Old Street', line2: null, country: 'GB', from: '2024-02-01', to: null }],
    });
    expect(ownProblems(open)).toEqual([]);
  });

  test('keeps what the agent has changed meanwhile when a form of the details is saved', async () => {
    const home = { line1: '1 New Street', city: 'York', postal_code: 'YO1 1AA', country: 'GB', from: '2024-01-01' };
    const older = { line1: '2 Old Street', city: 'Hull', postal_code: 'HU1 1AA', country: 'GB', to: '2023-12-31' };
    const customer = await newPerson();
    const path = `/v1/customers/${customer}`;
    await good(server.api.post(path, { phone: '07700 900123', addresses: [home] }));
    await using open = await openPortal(server, '/details', { customer });
    const { page } = open;
    const save = page.getByRole('button', { name: 'Save this address' });
    await page.getByRole('button', { name: 'Change 1 New Street' }).click();
    await page.getByLabel('Postcode').fill('YO1 9ZZ');
    await good(server.api.post(path, { phone: '07700 900456', addresses: [older, home] }));
    await save.click();
    await page.getByText('Saved.').waitFor();
    const moved = { ...home, postal_code: 'YO1 9ZZ' };
    expect((await good(server.api.get(path))).body.addresses).toMatchObject([older, moved]);
    await page.getByLabel('Day').fill('28');
    await page.getByLabel('Month').fill('2');
    await page.getByLabel('Year').fill('1990');
    await page.getByRole('button', { name: 'Save phone and birth date' }).click();
    await expect.poll(() => page.getByLabel('Phone').inputValue()).toBe('07700 900456');
    expect((await good(server.api.get(path))).body).toMatchObject({
      phone: '07700 900456',
      date_of_birth: '1990-02-28',
    });
    // The agent corrects the address that the person has in the form.
    const corrected = { ...moved, line1: '1A New Street' };
    await page.getByRole('button', { name: 'Change 1 New Street' }).click();
    await page.getByLabel('Town or city').fill('Selby');
    await good(server.api.post(path, { addresses: [older, corrected] }));
    await save.click();
    await page.getByText('This address has changed since you opened it.').waitFor();
    await page.getByRole('button', { name: 'Remove this address' }).click();
    await page.getByText('This address has changed since you opened it.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change 1A New Street' }).waitFor();
    expect((await good(server.api.get(path))).body.addresses).toMatchObject([older, corrected]);
    expect(ownProblems(open)).toEqual([]);
  });

  test('sends what the application asks for, and no longer sees it as missing', async () => {
    const customer = await newPerson();
    await makeApplication(server, customer);
    const folder = await mkdtemp(join(tmpdir(), 'tenure-portal-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'notes.txt'), 'text');
    await writeFile(join(folder, 'large.pdf'), Buffer.alloc(10_000_001));
    await writeFile(join(folder, 'broken.pdf'), 'no PDF');
    await writeFile(join(folder, 'passport.pdf'), pdfOf('Passport'));
    await using open = await openPortal(server, '/application', { customer });
    const { page } = open;
    const missing = page.getByText('A passport, driving licence or identity card');
    await missing.waitFor();
    await page.getByRole('link', { name: 'Send it now' }).first().click();
    const file = page.getByLabel('Choose a file');
    await file.setInputFiles(join(folder, 'notes.txt'));
    await page.getByRole('alert').getByText('is not a PDF, a JPEG or a PNG').waitFor();
    await file.setInputFiles(join(folder, 'large.pdf'));
    await page.getByRole('alert').getByText('A file can have 10 MB at most').waitFor();
    await file.setInputFiles(join(folder, 'broken.pdf'));
    const question = page.getByRole('region', { name: 'Send this?' });
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('“broken.pdf” was refused').waitFor();
    await file.setInputFiles(join(folder, 'passport.pdf'));
    await question.getByText('“passport.pdf”').waitFor();
    await question.getByRole('button', { name: 'Choose another' }).click();
    await expectFocus(page.getByRole('heading', { name: 'Send a document' }));
    await file.setInputFiles(join(folder, 'passport.pdf'));
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('We have received “passport.pdf”').waitFor();
    await page.getByRole('list', { name: 'What you have sent' }).getByText('passport.pdf').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'What is missing' }).waitFor();
    await expect.poll(() => missing.count()).toBe(0);
    expect(ownProblems(open)).toEqual([]);
  });

  test('sees a photo before it is sent, and a photo that is too large is made smaller', async () => {
    const customer = await newPerson();
    await using open = await openPortal(server, '/documents', { customer });
    const { page } = open;
    const noise = await largeJpeg(4_000, 2_800);
    expect(noise.length).toBeGreaterThan(10_000_000);
    const photo = { name: 'IMG_2041.JPG', mimeType: 'image/jpeg', buffer: noise };
    await page.getByLabel('Choose a file').setInputFiles(photo);
    const question = page.getByRole('region', { name: 'Send this?' });
    await question.getByRole('img', { name: 'What you send' }).waitFor();
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('We have received “IMG_2041.jpg”').waitFor();
    const { body } = await good(server.api.get(`/v1/files?customer=${customer}`));
    expect(body.data).toMatchObject([{ filename: 'IMG_2041.jpg', content_type: 'image/jpeg' }]);
    expect(ownProblems(open)).toEqual([]);
  });

  test('lists a file that was sent when the response was lost', async () => {
    await using open = await openPortal(server, '/documents', { customer: await newPerson() });
    const { page } = open;
    await page.route('**/v1/portal/files', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    const photo = { name: 'payslip.jpg', mimeType: 'image/jpeg', buffer: await largeJpeg(400, 300) };
    await page.getByLabel('Choose a file').setInputFiles(photo);
    await page.getByRole('region', { name: 'Send this?' }).getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('list', { name: 'What you have sent' }).getByText('payslip.jpg').waitFor();
  });

  test('offers no stop when the whole file was sent and the server still checks it', async () => {
    await using open = await openPortal(server, '/documents', { customer: await newPerson() });
    const { page } = open;
    const blocker = await server.context.database.readers.connect();
    onTestFinished(() => blocker.release(true));
    await blocker.query('begin');
    await blocker.query('lock table files in exclusive mode');
    const photo = { name: 'payslip.jpg', mimeType: 'image/jpeg', buffer: await largeJpeg(400, 300) };
    await page.getByLabel('Choose a file').setInputFiles(photo);
    await page.getByRole('region', { name: 'Send this?' }).getByRole('button', { name: 'Send' }).click();
    await page.getByText('Checking “payslip.jpg”…').waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await blocker.query('rollback');
    await page.getByRole('status').getByText('We have received “payslip.jpg”').waitFor();
  });

  test('offers the camera of a phone', async () => {
    await using open = await openPortal(server, '/documents', { customer: full.customer });
    const camera = open.page.getByLabel('Take a photo');
    await camera.waitFor({ state: 'attached' });
    expect(await camera.getAttribute('capture')).toBe('environment');
    expect(await camera.getAttribute('accept')).toBe('image/jpeg,image/png');
  });

  test('reads a refusal with its plain reasons, and asks a person to review it', async () => {
    const customer = await newPerson();
    const application = await makeApplication(server, customer);
    await good(server.api.post(`/v1/applications/${application}/reject`, { reasons: ['affordability'] }));
    await using open = await openPortal(server, '/application', { customer });
    const { page } = open;
    await page.getByRole('heading', { name: 'Your application was not accepted' }).waitFor();
    await page.getByText('The rent is more than the income can carry').waitFor();
    await page.getByRole('button', { name: 'Ask a person to review it' }).click();
    await page.getByLabel('What should they know?').fill('I earn more now.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A review was asked for').waitFor();
    const { body } = await good(server.api.get(`/v1/applications/${application}`));
    expect(body.review).toMatchObject({ status: 'requested', message: 'I earn more now.' });
    expect(ownProblems(open)).toEqual([]);
  });

  test('sees the holding deposit beside the application, and a way to more', async () => {
    const customer = await newPerson();
    const application = await makeApplication(server, customer);
    const { body } = await good(server.api.post('/v1/deposits', { type: 'holding', application, amount: 20_000 }));
    const paid = { deposit: body.id, amount: 20_000, method: 'bank_transfer', received_on: '2026-05-02' };
    await good(server.api.post('/v1/payments', paid));
    await using open = await openPortal(server, '/application', { customer });
    const { page } = open;
    await page.getByText('Holding deposit: £200. Held.').waitFor();
    await page.getByRole('link', { name: 'See where the money is' }).click();
    await page.getByRole('heading', { level: 1, name: 'My deposit' }).waitFor();
    expect(ownProblems(open)).toEqual([]);
  });

  test('withdraws an application after a question', async () => {
    const customer = await newPerson();
    const application = await makeApplication(server, customer);
    await using open = await openPortal(server, '/application', { customer });
    const { page } = open;
    const button = page.getByRole('button', { name: 'Withdraw my application' });
    await button.click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await expectFocus(button);
    await button.click();
    await page.getByText('This also withdraws it for George Byron.').waitFor();
    await page.getByRole('button', { name: 'Yes, withdraw it' }).click();
    await page.getByText('Nothing more happens').waitFor();
    await expectFocus(page.getByRole('heading', { level: 1 }));
    expect((await good(server.api.get(`/v1/applications/${application}`))).body.status).toBe('withdrawn');
  });

  test('names all who can have withdrawn an application when a person has applied with others', async () => {
    const customer = await newPerson();
    const application = await makeApplication(server, customer);
    await good(server.api.post(`/v1/applications/${application}/withdraw`));
    await using open = await openPortal(server, '/application', { customer });
    await open.page.getByText('You, your agent or a person you apply with has withdrawn it.').waitFor();
  });

  test('learns that the deposit should be protected by now when the day is past', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    const { id: deposit } = (await good(server.api.post('/v1/deposits', { type: 'tenancy', tenancy, amount: 100_000 })))
      .body;
    const paid = { deposit, amount: 100_000, method: 'bank_transfer', received_on: '2026-05-02' };
    await good(server.api.post('/v1/payments', paid));
    await using open = await openPortal(server, '/deposit', { customer });
    await open.page.getByText('Ouse Lettings had to protect it by a scheme by 31 May 2026.').waitFor();
  });

  test('gives notice after a step that names the last day', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    await using open = await openPortal(server, '/notice', { customer });
    const { page } = open;
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Choose your last day').waitFor();
    await page.getByLabel('Your last day').fill('2099-12-31');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectFocus(page.getByRole('heading', { name: 'Your last day will be Thursday, 31 December 2099' }));
    await page.getByText('The tenancy also ends for Mary Shelley').waitFor();
    expect((await good(server.api.get(`/v1/tenancies/${tenancy}`))).body.notice).toBeNull();
    await page.getByRole('button', { name: 'Give notice: my last day is 31 December 2099' }).click();
    await page.getByText('The last day is Thursday, 31 December 2099').waitFor();
    const { body } = await good(server.api.get(`/v1/tenancies/${tenancy}`));
    expect(body.notice).toMatchObject({ by: 'tenant', ends_on: '2099-12-31' });
    expect(ownProblems(open)).toEqual([]);
  });

  test('learns that the tenancy goes on when the landlord has given notice', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    const notice = { by: 'landlord', served_on: '2026-06-02', ends_on: '2099-12-31', grounds: ['1A'] };
    await good(server.api.post(`/v1/tenancies/${tenancy}/give_notice`, notice));
    await using open = await openPortal(server, '/', { customer });
    const { page } = open;
    for (const link of ['', 'My home', 'Give notice']) {
      await page.goto(`${server.url}/portal/`);
      if (link !== '')
        await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: link }).click();
      await page.getByText('The landlord asks you to leave by Thursday, 31 December 2099').waitFor();
      await page.getByText('This notice alone does not end your tenancy').waitFor();
      expect(await page.getByRole('main').innerText()).not.toMatch(/last day is|tenancy ends on|take a notice back/);
    }
    expect(ownProblems(open)).toEqual([]);
  });

  test('learns that nothing is held any more when an application with a holding deposit is refused', async () => {
    const customer = await newPerson();
    const application = await makeApplication(server, customer);
    const money = { type: 'holding', application, amount: 20_000 };
    const { body: deposit } = await good(server.api.post('/v1/deposits', money));
    const paid = { deposit: deposit.id, amount: 20_000, method: 'bank_transfer' };
    await good(server.api.post('/v1/payments', paid));
    {
      const features = ['money', 'applications'] as const;
      await using open = await openPortal(server, '/deposit', { customer, features });
      await open.page.getByText('holds the home for you. It is decided by').waitFor();
    }
    await good(server.api.post(`/v1/applications/${application}/reject`, { reasons: ['affordability'] }));
    for (const features of [['money'], ['money', 'applications']] as const) {
      await using open = await openPortal(server, '/deposit', { customer, features });
      await open.page.getByText('The money comes back, or counts towards your rent or deposit, by').waitFor();
      expect(await open.page.getByRole('main').innerText()).not.toMatch(/holds the home|decided by/);
    }
  });

  test('is offered neither a notice nor a pet when the only tenancy has ended', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 1 }));
    await good(server.api.post(`/v1/tenancies/${tenancy}/end`, { ended_on: '2026-07-09', reason: 'surrender' }));
    await using open = await openPortal(server, '/', { customer });
    const { page } = open;
    const pages = page.getByRole('navigation', { name: 'All pages' }).getByRole('link').locator('strong');
    await pages.first().waitFor();
    expect(await pages.allInnerTexts()).toEqual(expect.arrayContaining(['My home', 'Rent and payments']));
    expect(await pages.allInnerTexts()).not.toEqual(expect.arrayContaining(['Give notice']));
    expect(await pages.allInnerTexts()).not.toEqual(expect.arrayContaining(['Pets']));
    await page.goto(`${server.url}/portal/notice`);
    await page.getByText('You have no tenancy at the moment.').waitFor();
    expect(ownProblems(open)).toEqual([]);
  });

  test('learns the last day of an ended tenancy when it is not that of the notice', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    const notice = { by: 'tenant', served_on: '2026-06-02', ends_on: '2099-12-31' };
    await good(server.api.post(`/v1/tenancies/${tenancy}/give_notice`, notice));
    // The tenancy becomes active when the clock moves.
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 1 }));
    await good(server.api.post(`/v1/tenancies/${tenancy}/end`, { ended_on: '2026-07-09', reason: 'surrender' }));
    await using open = await openPortal(server, '/home', { customer });
    await open.page.getByText('The tenancy ended on Thursday, 9 July 2026').waitFor();
    expect(await open.page.getByRole('main').innerText()).not.toContain('2099');
  });

  test('reads in the past that a deposit was protected when it is paid back', async () => {
    const { customer, deposit } = await makeRenter(server);
    await good(server.api.post(`/v1/deposits/${deposit}/dispute`, { amount: 4_500, reference: 'ADR-1' }));
    await using open = await openPortal(server, '/deposit', { customer });
    const { page } = open;
    await page.getByText('Your deposit is protected by the Deposit Protection Service, which holds').waitFor();
    await page.getByText('This is in dispute, and the scheme that protects the deposit decides').waitFor();
    await good(server.api.post(`/v1/deposits/${deposit}/release`, { deductions: [], returned_on: '2026-06-02' }));
    await page.reload();
    await page.getByText('Your deposit was protected by the Deposit Protection Service.').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('holds the money');
  });

  test('asks about a pet, and answers the question of the agent', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    await using open = await openPortal(server, '/pets', { customer });
    const { page } = open;
    await page.getByLabel('Which pet is it?').fill('One cat.');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Waiting for an answer').waitFor();
    const question = { number: 1, answer: 'information_asked', reason: 'Is it neutered?' };
    await good(server.api.post(`/v1/tenancies/${tenancy}/answer_pet`, question));
    await page.reload();
    await page.getByText('Is it neutered?').waitFor();
    await page.getByLabel('Your answer').fill('Yes.');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText('Waiting for an answer').waitFor();
    const { body } = await good(server.api.get(`/v1/tenancies/${tenancy}`));
    expect(body.pet_requests).toHaveLength(1);
    expect(ownProblems(open)).toEqual([]);
  });

  test('sees what is owed, the bills, the receipts and the statement', async () => {
    await using open = await openPortal(server, '/rent', { customer: full.customer });
    const { page } = open;
    await page.getByText('You owe £950').waitFor();
    const payments = page.getByRole('list', { name: 'Payments' });
    await payments.getByText('Receipt').first().click();
    await payments.getByText('RENT 2').waitFor();
    await page.getByRole('link', { name: 'See each bill and payment with the balance' }).click();
    const statement = page.getByRole('list', { name: 'Statement' }).getByRole('listitem');
    await statement.first().waitFor();
    await expect.poll(() => statement.count()).toBe(3);
    await expectFocus(page.getByRole('heading', { level: 1, name: 'Statement' }));
    expect(ownProblems(open)).toEqual([]);
  });

  test('sees the number of each bill, which the payment must name', async () => {
    const customer = await newPerson();
    const tenancy = await makeTenancy(server, customer);
    const days = { start_date: '2026-06-01', end_date: '2026-06-30' };
    await good(server.api.post('/v1/subscriptions', { tenancy, ...days }));
    const { body } = await good(server.api.get(`/v1/invoices?tenancy=${tenancy}`));
    const [bill] = body.data;
    expect(bill.period).not.toBeNull();
    await using open = await openPortal(server, '/rent', { customer });
    await open.page.getByText(`Number ${bill.number}. Due on 1 Jun 2026`).waitFor();
  });

  test('sees where the deposit is protected, and what is taken off it and why', async () => {
    await using open = await openPortal(server, '/deposit', { customer: full.customer });
    const main = open.page.getByRole('main');
    await main.getByText('protected by the Deposit Protection Service ').waitFor();
    const text = await main.innerText();
    for (const part of ['D1', 'Cleaning', 'The oven was left dirty.', '£45']) expect(text).toContain(part);
  });

  test('hears a name of its own for each control when a screen reader is used', async () => {
    await using open = await openPortal(server, '/details', { customer: full.customer });
    const { page } = open;
    await page.getByRole('button', { name: 'Change 1 Old Street' }).waitFor();
    await page.getByRole('group', { name: 'Date of birth' }).getByRole('textbox', { name: 'Month' }).waitFor();
    await page.getByRole('link', { name: 'Rent and payments' }).click();
    await page
      .getByText(/^Receipt/)
      .first()
      .waitFor();
    const snapshot = await page.getByRole('main').ariaSnapshot();
    for (const part of [
      'heading "Rent and payments" [level=1]',
      'region "Bills"',
      'list "Payments"',
      'Receipt 1 June 2026',
    ])
      expect(snapshot).toContain(part);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.getByRole('link', { name: 'Rent and payments' }).getAttribute('aria-current')).toBe('page');
    await expect.poll(() => page.title()).toBe('Rent and payments – Ouse Lettings');
  });

  test('keeps what is known when the connection is lost, and goes on when it is back', async () => {
    await using open = await openPortal(server, '/home', { customer: full.customer });
    const { page } = open;
    await page.getByText('Mary Shelley').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Rent and payments' }).click();
    await page.getByText('You are offline').waitFor();
    await page.getByText('You owe £950').waitFor();
    await page.getByText('You seem to be offline').first().waitFor();
    await page.context().setOffline(false);
    await page.getByText('Standing order').first().waitFor();
    await expect.poll(() => page.getByText('You are offline').count()).toBe(0);
  });

  test.each([403, 404])('shows no documents any more when they are answered %i', async (status) => {
    await using open = await openPortal(server, '/documents', { customer: full.customer });
    const { page } = open;
    await page.getByText('passport.pdf').waitFor();
    await page.route('**/v1/portal/files?**', (route) =>
      route.fulfill({ status, json: { error: { code: 'planted' } } }),
    );
    // The page reads again when the browser is online again.
    await page.evaluate(() => void window.dispatchEvent(new Event('online')));
    const alert = page.getByRole('alert').filter({ hasText: 'Ask your agent' });
    await alert.waitFor();
    expect(await page.getByText('passport.pdf').count()).toBe(0);
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('passport.pdf').waitFor();
  });

  test('keeps the documents, and says that they may be old, when the server is busy', async () => {
    await using open = await openPortal(server, '/documents', { customer: full.customer });
    const { page } = open;
    await page.getByText('passport.pdf').waitFor();
    const planted = { status: 503, json: { error: { code: 'overloaded' } } };
    await page.route('**/v1/portal/files?**', (route) => route.fulfill(planted));
    const [response] = await Promise.all([
      page.waitForResponse('**/v1/portal/files?**'),
      page.evaluate(() => void window.dispatchEvent(new Event('online'))),
    ]);
    await response.finished();
    await page.getByRole('status').getByText('We cannot read what is new at the moment').waitFor();
    expect(await page.getByText('passport.pdf').count()).toBe(1);
    // The note belongs to its page, and goes when a read has succeeded.
    await page.getByRole('link', { name: 'My home' }).click();
    await page.getByText('Mary Shelley').waitFor();
    await expect.poll(() => page.getByText('We cannot read').count()).toBe(0);
    await page.getByRole('link', { name: 'My documents' }).click();
    await page.getByText('We cannot read').waitFor();
    await page.unrouteAll();
    await expect.poll(() => page.getByText('We cannot read').count(), { timeout: 30_000 }).toBe(0);
    expect(await page.getByText('passport.pdf').count()).toBe(1);
  });
});

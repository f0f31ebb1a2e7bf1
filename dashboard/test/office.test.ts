import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, member, type Browser } from '../../server/test/support/browser.ts';
import { formOf } from '../../server/test/support/files.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { momentText } from '../src/office/words.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { mouse, pressUntil } from './support/hand.ts';
import { makeLet, makeOffice, orderCheck, play } from './support/office.ts';

/* What an office sees. `office.matrix.test.ts` has the tasks in each way to use a page. */

describeInBrowser('the office', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ works: true, settings: { TENURE_SIMULATOR_SPEED: '86400' } });
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('shows the decision of the faster person when two decide at once, and keeps what the other typed', async () => {
    const { application } = await makeOffice(server);
    const colleague = await member(server, owner, 'admin', 'grace@example.com');
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page, problems } = open;
    const hand = mouse(page);
    await page.getByRole('button', { name: 'Decide' }).click();
    const dialog = page.getByRole('dialog');
    await hand.choose(dialog.getByRole('radio', { name: 'Refuse' }));
    await hand.choose(dialog.getByRole('checkbox', { name: 'Another reason' }));
    await dialog.getByLabel('Note for the team').fill('They keep a horse.');
    await good(colleague.post(`/v1/applications/${application}/approve`, { note: 'Lovely people.' }));
    await dialog.getByRole('button', { name: 'Refuse the application' }).click();
    await dialog.getByText('Another person has decided meanwhile').waitFor();
    await dialog.getByText('Accepted by grace@example.com').waitFor();
    expect(await dialog.getByLabel('Note for the team').inputValue()).toBe('They keep a horse.');
    expect((await good(server.api.get(`/v1/applications/${application}`))).body.status).toBe('approved');
    expect(problems).toEqual([]);
  });

  test('decides nothing when the home of an application has changed since the dialog was opened', async () => {
    const { application } = await makeOffice(server);
    const { unit } = await makeOffice(server);
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Decide' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note for the team').fill('A quiet couple.');
    await good(server.api.post(`/v1/applications/${application}`, { unit }));
    await dialog.getByRole('button', { name: 'Accept the application' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'The application has changed since you opened this' }).waitFor();
    expect(await dialog.getByLabel('Note for the team').inputValue()).toBe('A quiet couple.');
    expect((await good(server.api.get(`/v1/applications/${application}`))).body.status).toBe('open');
    // The person sees the other home now, and may decide about it.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Decide' }).click();
    await dialog.getByRole('button', { name: 'Accept the application' }).click();
    await page.getByText('The application is accepted.').waitFor();
    expect(problems).toEqual([]);
  });

  test('finds its own decision when the response of the first attempt was lost', async () => {
    const { application } = await makeOffice(server);
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Decide' }).click();
    const dialog = page.getByRole('dialog');
    await page.route('**/approve', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await dialog.getByRole('button', { name: 'Accept the application' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'it is unknown whether the change was made' }).waitFor();
    await page.unroute('**/approve');
    await dialog.getByRole('button', { name: 'Accept the application' }).click();
    await page.getByText('The application is accepted.').waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  test('closes a dialog when the person goes back to another record of its kind', async () => {
    const [first, second] = [await makeOffice(server), await makeOffice(server)];
    await using open = await openDashboard(server, `/customers/${first.ada}`, { person: owner });
    const { page, problems } = open;
    const dialog = page.getByRole('dialog');
    const { name: firstName } = (await good(server.api.get(`/v1/customers/${first.ada}`))).body;
    const { name: secondName } = (await good(server.api.get(`/v1/customers/${second.ada}`))).body;
    await page.getByRole('heading', { name: firstName, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Find a person or a page' }).click();
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('searchbox').fill(second.ada);
    await page.getByRole('menuitem', { name: `Go to ${second.ada}` }).click();
    await page.getByRole('heading', { name: secondName, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Phone').fill('01904 555 0123');
    await page.goBack();
    await page.getByRole('heading', { name: firstName, level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('opens a dialog when checks arrive during the press and move its button', async () => {
    const { application } = await makeOffice(server);
    await using open = await openDashboard(server, '/applications', { person: owner, width: 320 });
    const { page, problems } = open;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/v1/references?*', async (route) => {
      const response = await route.fetch();
      answer();
      await released;
      await route.fulfill({ response });
    });
    await page.goto(`${server.url}/dashboard/applications/${application}`);
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByRole('status', { name: 'Loading' }).waitFor();
    // The page holds data back for some seconds only, so the server answers before the press.
    await answered;
    const button = page.getByRole('button', { name: 'Propose a guarantor' });
    // Until its other parts have loaded, the page can move the button from under the mouse.
    const press = async (): Promise<string | null> => {
      await page.mouse.up();
      await button.hover();
      await page.mouse.down();
      return button.getAttribute('data-pressed');
    };
    await expect.poll(press).toBe('true');
    const before = await button.boundingBox();
    const arrived = page.waitForResponse(/\/v1\/references\?/);
    release();
    await arrived;
    // Without the hold, the checks are shown within this time.
    await page.waitForTimeout(500);
    await page.mouse.up();
    // A pointer that does not rest holds nothing back.
    await page.evaluate(() => {
      setInterval(() => dispatchEvent(new PointerEvent('pointermove', { buttons: 0 })), 10);
    });
    const dialog = page.getByRole('dialog', { name: 'Propose a guarantor' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await checks.getByRole('button', { name: 'Order 2 checks' }).waitFor();
    expect((await button.boundingBox())!.y).not.toBe(before!.y);
    expect(problems).toEqual([]);
  });

  test('orders each check once when the button is clicked twice', async () => {
    const { application } = await makeOffice(server);
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Order 2 checks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Order' }).dblclick();
    await page
      .getByRole('region', { name: 'Checks' })
      .getByRole('link', { name: 'Open the check by Service A' })
      .nth(1)
      .waitFor();
    const { body } = await good(server.api.get(`/v1/references?application=${application}`));
    expect(body.count).toBe(2);
    expect(problems).toEqual([]);
  });

  test('orders no second check when a colleague has ordered one since the page was read', async () => {
    const office = await makeOffice(server);
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    const { page, problems } = open;
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByRole('button', { name: 'Order 2 checks' }).click();
    await orderCheck(server, office);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Order', exact: true }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^A check of Ada Lovelace\d+ was ordered meanwhile/ })
      .waitFor();
    // Another attempt orders none either.
    await dialog.getByRole('button', { name: 'Order', exact: true }).click();
    await checks.getByRole('link', { name: 'Open the check' }).waitFor({ state: 'attached' });
    const { data } = (await good(server.api.get(`/v1/references?application=${office.application}`))).body;
    expect(data).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('orders another check when the check of a person was cancelled', async () => {
    const office = await makeOffice(server);
    const canceled = await orderCheck(server, office, 'accept', null);
    await good(server.api.post(`/v1/references/${canceled}/cancel`));
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Order another check' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Order', exact: true }).click();
    await page.getByText('The check is ordered.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Order another check' }).count()).toBe(0);
    const list = `/v1/references?application=${office.application}&customer=${office.ada}`;
    expect((await good(server.api.get(list))).body.data).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  test('tells who withdrew an application, and when, when it was accepted before', async () => {
    const { application } = await makeOffice(server);
    await good(server.api.post(`/v1/applications/${application}/approve`));
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 86_400 }));
    const colleague = await member(server, owner, 'operator', 'linus@example.com');
    const { body } = await good(colleague.post(`/v1/applications/${application}/withdraw`));
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const noted = open.page.getByText('Noted by linus@example.com');
    await noted.waitFor();
    const time = await noted.locator('time').getAttribute('datetime');
    expect(Date.parse(time!) / 1_000).toBe(body.withdrawn_at);
  });

  test('keeps the buttons of an application in place when the account is read late', async () => {
    const office = await makeOffice(server);
    await orderCheck(server, office, 'accept', null);
    await using open = await openDashboard(server, '/applications', { person: owner });
    const { page } = open;
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/account', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard/applications/${office.application}`);
    await page.getByRole('link', { name: 'Open the check by' }).waitFor();
    const button = page.getByRole('button', { name: 'Propose a guarantor' });
    const place = await button.boundingBox();
    held.resolve();
    await page.getByRole('region', { name: 'Checks' }).locator('time').waitFor();
    expect(await button.boundingBox()).toEqual(place);
  });

  test('keeps “Send to the landlord” in place when the documents of a check come late', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    const evidence = formOf({ purpose: 'income_evidence', reference: check }, undefined, 'payslip.pdf');
    await good(server.api.post('/v1/files', evidence));
    const { id: file } = (await good(server.api.post('/v1/files', formOf()))).body;
    await good(server.api.post(`/v1/references/${check}`, { outcome: 'accept', reference_pdf: file }));
    await using open = await openDashboard(server, '/references', { person: owner, isWhole: true });
    const { page } = open;
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/files?**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard/references/${check}`);
    await page.getByRole('region', { name: 'About' }).locator('time').waitFor();
    const button = page.getByRole('button', { name: 'Send to the landlord' });
    // The viewer of PDFs can scroll the page.
    const place = (): Promise<number> =>
      button.evaluate(
        (element: HTMLElement) => element.getBoundingClientRect().top - document.body.getBoundingClientRect().top,
      );
    const before = await place();
    held.resolve();
    await page.getByRole('link', { name: 'payslip.pdf' }).waitFor();
    expect(await place()).toBe(before);
  });

  test('keeps the outcome of the faster person when two enter the outcome of a check by hand', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    const hand = mouse(page);
    await page.getByRole('button', { name: 'Enter the outcome' }).click();
    const dialog = page.getByRole('dialog');
    await hand.choose(dialog.getByRole('radio', { name: 'High risk' }));
    await dialog.getByLabel('Why').fill('The payslips are forged.');
    await good(server.api.post(`/v1/references/${check}`, { outcome: 'accept' }));
    await dialog.getByRole('button', { name: 'Set the outcome' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'The check has changed since you opened this form' }).waitFor();
    expect(await dialog.getByLabel('Why').inputValue()).toBe('The payslips are forged.');
    await page
      .getByRole('heading', { name: 'Accept', exact: true, includeHidden: true })
      .waitFor({ state: 'attached' });
    expect((await good(server.api.get(`/v1/references/${check}`))).body.outcome).toBe('accept');
    // The person has seen it now, and may correct it.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Correct the outcome' }).click();
    await hand.choose(dialog.getByRole('radio', { name: 'High risk' }));
    await dialog.getByRole('button', { name: 'Set the outcome' }).click();
    await page.getByText('The outcome is set.').waitFor();
    expect((await good(server.api.get(`/v1/references/${check}`))).body.outcome).toBe('high_risk');
    expect(problems).toEqual([]);
  });

  test('tells of no findings of the service when the office has ended the check before it', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept');
    await good(server.api.post(`/v1/references/${check}`, { outcome: 'consider', reason: 'Enough for us.' }));
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page } = open;
    await page.getByText('Your office has ended the check before the service did.').waitFor();
    const findings = page.getByRole('region', { name: 'Findings' });
    await findings.getByText('No findings had come in when your office ended the check.').waitFor();
    const steps = page.getByRole('list', { name: 'The way of the check' });
    expect(await steps.innerText()).toContain('Ended by your office');
    expect(await steps.innerText()).not.toContain('Assessed');
  });

  test('says that a guarantor was only asked when they have declined', async () => {
    const { application } = await makeOffice(server);
    const { id: customer } = (await good(server.api.post('/v1/customers', { name: 'Frank Raman' }))).body;
    const { id } = (await good(server.api.post('/v1/guarantors', { application, customer }))).body;
    await good(server.api.post(`/v1/guarantors/${id}/decline`));
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const guarantors = open.page.getByRole('region', { name: 'Guarantors' });
    await guarantors.getByText('Was asked to stand for all applicants, without a limit.').waitFor();
  });

  test('shows a finished check in words, without ids and JSON', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await play(server, check, 'complete', { outcome: 'consider' });
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    await page.getByRole('heading', { name: 'Affordability: to be weighed by a person' }).waitFor();
    await page.getByText('of the gross income goes on this person’s share of the rent, £647.50 a month').waitFor();
    await page.getByRole('heading', { name: 'Credit: 420 of 999' }).waitFor();
    await page.getByRole('heading', { name: 'Sanctions: passed' }).waitFor();
    const shown = await page.getByRole('main').innerText();
    expect(shown).not.toMatch(/\b(?:ref|app|cus|file|unit)_\w{10,}/);
    expect(shown).not.toMatch(/provider_|\{|\}/);
    expect(problems).toEqual([]);
  });

  test('asks a service again when its fault is mended', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await play(server, check, 'fail');
    await using opened = await openDashboard(server, `/references/${check}`);
    const { page, problems } = opened;
    await page.getByText('This says nothing about the applicant.').waitFor();
    await page.getByRole('button', { name: 'Ask the service again' }).click();
    await page.getByText('The service is asked again.').waitFor();
    const { body } = await good(server.api.get('/v1/logs?limit=5'));
    expect(body.data.map(({ path, status }: { path: string; status: number }) => `${path} ${status}`)).toContain(
      `/v1/references/${check}/retry 200`,
    );
    expect(problems).toEqual([]);
  });

  test('shows the report in the page, and saves it under a name that people understand', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await play(server, check, 'complete');
    const { body: customer } = await good(server.api.get(`/v1/customers/${office.ada}`));
    const { body: unit } = await good(server.api.get(`/v1/units/${office.unit}`));
    await using open = await openDashboard(server, '/references', { person: owner, isWhole: true });
    const { page } = open;
    const framed = page.waitForResponse((response) => response.url().includes('/dashboard/files/'));
    await page.getByRole('link', { name: customer.name }).click();
    const response = await framed;
    expect([response.status(), response.headers()['content-type']]).toEqual([200, 'application/pdf']);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe(`${customer.name.split(' ')[1]} - ${unit.name} - reference.pdf`);
    expect(readFileSync(await download.path(), 'latin1')).toMatch(/^%PDF-/);
  });

  test('names the silent referee by the role and the reminders', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'referee_silent');
    for (let step = 0; step < 8; step++) await play(server, check, 'advance');
    await using open = await openDashboard(server, `/references/${check}`, { person: owner });
    await open.page.getByRole('heading', { level: 2, name: 'Waiting for the employer' }).waitFor();
    await open.page.getByText(/reminded (?:once|\d times)/).waitFor();
    await open.page.getByText('You can ask the applicant to remind the employer').waitFor();
  });

  test('says how long a referee is silent when the service names none', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'referee_silent', 'provider_c');
    await waitForReferee(server, check);
    const { body: ada } = await good(server.api.get(`/v1/customers/${office.ada}`));
    const operator = await member(server, owner, 'operator', 'waits@example.com');
    const days = { reference: 10, event: 4 };
    // As days later, without a clock that other tests would share.
    const earlier = (json: unknown): unknown =>
      changed(json, ({ object, created }) => ({ created: created - days[object as 'reference' | 'event'] * 86_400 }));
    await using open = await openDashboard(server, `/references/${check}`, { person: operator, rewrite: earlier });
    const { page, problems } = open;
    await page.getByRole('heading', { level: 2, name: 'Waiting for a referee' }).waitFor();
    await page.getByText('Referee silent', { exact: true }).waitFor();
    await page.getByText(', 4 days ago. Service C does not say which referee has not answered.').waitFor();
    await page.getByText('You can ask the applicant to remind the employer and the former landlord').waitFor();
    days.event = 1;
    await page.reload();
    await page.getByText(', 1 day ago. Service C does not say which referee has not answered.').waitFor();
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('Waiting for a referee', { exact: true }).waitFor();
    expect(await page.getByText('Referee silent').count()).toBe(0);
    // The list does not know when the referees were asked, so it says what it knows.
    await page.goto(`${server.url}/dashboard/?view=stuck`);
    const task = page
      .getByRole('list', { name: 'Stuck' })
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: ada.name }) });
    await task.getByText('Waiting for a referee', { exact: true }).waitFor();
    await task.getByText('Still waits for a referee, 10 days after the order. Service C. Ordered on').waitFor();
    expect(await task.getByText('Referee silent').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows no obstacle any more when an invitation goes to a corrected address', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'invite_bounced');
    await using open = await openDashboard(server, `/references/${check}`, {
      person: owner,
      // As a service that is slow to tell that the invitation went.
      rewrite: (json) => changed(json, bounced),
    });
    const { page, problems } = open;
    const way = page.getByRole('list', { name: 'The way of the check' });
    await way.getByText('Applicant invited, stopped here').waitFor();
    await page.getByRole('button', { name: 'Correct the e-mail address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail of the applicant').fill('ada@example.net');
    await dialog.getByRole('button', { name: 'Save and send again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invitation sent again' }).waitFor();
    await way.getByText('Applicant invited, now').waitFor();
    await page.getByText('The service sends the invitation to ada@example.net.').waitFor();
    expect(await page.getByRole('main').getByText('Invitation bounced', { exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows the invitation of one check alone as sent again when another one is opened', async () => {
    const corrected = await makeOffice(server);
    const first = await orderCheck(server, corrected, 'invite_bounced');
    const second = await orderCheck(server, await makeOffice(server), 'invite_bounced');
    await using open = await openDashboard(server, `/references/${first}`, {
      person: owner,
      rewrite: (json) => changed(json, bounced),
    });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Correct the e-mail address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail of the applicant').fill('ada@example.net');
    await dialog.getByRole('button', { name: 'Save and send again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invitation sent again' }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('searchbox').fill(second);
    await palette.getByRole('menuitem', { name: `Go to ${second}` }).click();
    await page.waitForURL(`**/references/${second}`);
    await page.getByRole('heading', { level: 1, name: 'Invitation bounced' }).waitFor();
    await page.getByRole('button', { name: 'Correct the e-mail address' }).waitFor();
    expect(await page.getByRole('main').getByText('ada@example.net').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('explains the word of a service when the office has decided otherwise', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'low_income', 'provider_c');
    await play(server, check, 'complete');
    await good(owner.post(`/v1/references/${check}`, { outcome: 'accept', reason: 'A payslip shows more.' }));
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    await page.getByRole('heading', { level: 2, name: 'Your office: Accept' }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'Service C: Refer' }).waitFor();
    await page.getByText('“Refer” means: weigh something before you agree.').waitFor();
    // The new report is there. Its landlord cannot know the word, either.
    await page.getByRole('list', { name: 'Earlier reports' }).waitFor();
    const { body } = await good(server.api.get(`/v1/references/${check}`));
    const link = await good(server.api.post(`/v1/files/${body.reference_pdf}/links`, {}));
    await page.goto(link.body.url);
    await page.getByRole('button', { name: 'Open the document' }).click();
    await page.getByText('Refer: a person should weigh it').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows the new report when the first one is of the second of the decision', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'low_income', 'provider_c');
    await play(server, check, 'complete');
    await good(owner.post(`/v1/references/${check}`, { outcome: 'accept', reason: 'A payslip shows more.' }));
    const read = async () => (await good(server.api.get(`/v1/references/${check}`))).body;
    await expect.poll(async () => (await read()).earlier_reports.length).toBe(1);
    await using open = await openDashboard(server, '/references', { person: owner, isWhole: true });
    const { page, problems } = open;
    let reads = 0;
    await page.route(`**/v1/references/${check}*`, async (route) => {
      const response = await route.fetch();
      if (reads++ > 0) return route.fulfill({ response });
      const body = await response.json();
      const first = { ...body.reference_pdf, created: body.decision.decided_at };
      return route.fulfill({ response, json: { ...body, reference_pdf: first, earlier_reports: [] } });
    });
    await page.goto(`${server.url}/dashboard/references/${check}`);
    await page.getByRole('list', { name: 'Earlier reports' }).waitFor();
    expect(reads).toBeGreaterThan(1);
    expect(problems).toEqual([]);
  });

  test('does not wait for a report of the second of the decision when it is the new one', async () => {
    const office = await makeOffice(server);
    const byHand = await orderCheck(server, office, 'accept', 'provider_c');
    await good(owner.post(`/v1/references/${byHand}`, { automatic_reference: { enabled: false } }));
    const overruled = await orderCheck(server, office, 'low_income', 'provider_c');
    await play(server, overruled, 'complete');
    const read = async (id: string) => (await good(server.api.get(`/v1/references/${id}?expand=reference_pdf`))).body;
    for (const [check, earlier] of [
      [byHand, 0],
      [overruled, 1],
    ] as const) {
      await good(owner.post(`/v1/references/${check}`, { outcome: 'accept', reason: 'A payslip shows more.' }));
      await expect.poll(async () => (await read(check)).earlier_reports.length).toBe(earlier);
      await expect.poll(async () => (await read(check)).reference_pdf).not.toBeNull();
    }
    await using open = await openDashboard(server, '/references', { person: owner, isWhole: true });
    const { page, problems } = open;
    for (const check of [byHand, overruled]) {
      await page.route(`**/v1/references/${check}*`, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const made = { ...body.reference_pdf, created: body.decision.decided_at };
        return route.fulfill({ response, json: { ...body, reference_pdf: made } });
      });
      await page.goto(`${server.url}/dashboard/references/${check}`);
      await page.getByRole('heading', { name: 'Report', exact: true }).waitFor();
      expect(await page.getByText('The report about the decision is being made.').count()).toBe(0);
    }
    expect(problems).toEqual([]);
  });

  test('names the person of each check in the history of an application of two', async () => {
    const office = await makeOffice(server);
    const { body: ada } = await good(server.api.get(`/v1/customers/${office.ada}`));
    await orderCheck(server, office, 'accept', null);
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    const { page, problems } = open;
    const history = page.getByRole('list', { name: 'History' });
    await history.getByRole('link', { name: `Open the check of ${ada.name}` }).click();
    await page.getByRole('heading', { level: 1, name: `Check of ${ada.name}` }).waitFor();
    expect(problems).toEqual([]);
  });

  test('says that the application has no check left when all of them are cancelled', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    await good(owner.post(`/v1/references/${check}/cancel`, {}));
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    await open.page.getByRole('heading', { level: 1, name: 'Checks cancelled' }).waitFor();
  });

  test('says that the page is of a sandbox when a long page is scrolled', async () => {
    const office = await makeOffice(server);
    for (const width of [1280, 390]) {
      await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner, width });
      const { page, problems } = open;
      await page.getByRole('list', { name: 'History' }).waitFor();
      await page.getByText('For developers', { exact: true }).scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      expect(await page.evaluate(() => scrollY)).toBeGreaterThan(100);
      const top = await page.getByRole('note').evaluate((bar) => bar.getBoundingClientRect().top);
      expect(top).toBe(0);
      expect(problems).toEqual([]);
    }
  });

  test('keeps all buttons within a window of 195 pixels', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, width: 195 });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Cancel the check' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Keep the check' }).waitFor();
    await expectWithin(dialog, dialog.getByRole('button'));
    await dialog.getByRole('button', { name: 'Keep the check' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const button of await page.getByRole('main').getByRole('button').all()) {
      const box = (await button.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(195);
    }
    expect(problems).toEqual([]);
  });

  test.each([195, 320])('keeps a new guarantor within the decision when the window has %i pixels', async (width) => {
    const { application } = await makeOffice(server);
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner, width });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Decide on the application' });
    await mouse(page).choose(dialog.getByRole('radio', { name: 'Accept with a guarantor' }));
    await dialog.getByRole('button', { name: 'Enter a new person' }).click();
    await dialog.getByLabel('Full name').waitFor();
    await expectWithin(dialog, dialog.getByRole('button').or(dialog.getByRole('textbox')));
    expect(problems).toEqual([]);
  });

  test('tells the history of a person in sentences', async () => {
    const { application, ada } = await makeOffice(server);
    await good(owner.post(`/v1/customers/${ada}`, { phone: '01904 555 0123' }));
    await good(owner.post(`/v1/applications/${application}/approve`, {}));
    await using open = await openDashboard(server, `/customers/${ada}`, { person: owner });
    const { page, problems } = open;
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('ada@example.com accepted the application.').waitFor();
    await history.getByText('ada@example.com changed phone.').waitFor();
    await expect.poll(() => history.getByText('accepted the application').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('shows each time day-first in the time zone of the account', async () => {
    await good(server.api.post('/v1/account', { time_zone: 'Pacific/Auckland' }));
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    await good(owner.post(`/v1/references/${check}`, { status: 'processing' }));
    await good(owner.post(`/v1/references/${check}`, { outcome: 'accept' }));
    const { body } = await good(server.api.get(`/v1/references/${check}`));
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('ordered a check by hand').waitFor();
    await history.getByText('ada@example.com began the check by hand.').waitFor();
    const times = await page.getByRole('main').locator('time').allInnerTexts();
    expect(times).toContain(momentText(body.created, 'Pacific/Auckland'));
    for (const time of times) expect(time).toMatch(/^\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d$/);
    await good(server.api.post('/v1/account', { time_zone: 'Europe/London' }));
    expect(problems).toEqual([]);
  });

  test('keeps what was typed when the server refuses a part of an application', async () => {
    const { body: before } = await good(server.api.get('/v1/customers'));
    await using open = await openDashboard(server, '/applications/new', { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Enter a new person' }).click();
    await page.getByLabel('Full name').fill('Mary Somerville');
    await page.getByLabel('Date of birth').fill('2090-01-01');
    await page.getByRole('button', { name: 'Take it and order the checks' }).click();
    await page.getByText('must be a day from 1900-01-01 to today').waitFor();
    expect(await page.getByLabel('Full name').inputValue()).toBe('Mary Somerville');
    await page.getByLabel('Date of birth').fill('1990-01-01');
    await page.getByRole('button', { name: 'Take it and order the checks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mary Somerville' }).waitFor();
    const { body: after } = await good(server.api.get('/v1/customers'));
    expect(after.count).toBe(before.count + 1);
  });

  test('says whose name an application still needs when its button is off', async () => {
    await using open = await openDashboard(server, '/applications/new', { person: owner, width: 390 });
    const { page, problems } = open;
    const take = page.getByRole('button', { name: 'Take it and order the checks' });
    await page.getByText('Still needed: the name of applicant 1.').waitFor();
    expect(await take.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Order the check now' }).waitFor();
    await page.getByRole('button', { name: 'Enter a new person' }).click();
    await page.getByLabel('Full name').fill('Mary Somerville');
    await page.getByRole('button', { name: 'Add another applicant' }).click();
    await page.getByText('Still needed: the name of applicant 2.').waitFor();
    await page.getByRole('checkbox', { name: 'Order both checks now' }).waitFor();
    await page.getByRole('button', { name: 'Remove applicant 2' }).click();
    await page.getByText('Still needed').waitFor({ state: 'detached' });
    expect(await take.isDisabled()).toBe(false);
    expect(problems).toEqual([]);
  });

  test('cancels the open checks of an application when its applicants withdraw', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('link', { name: 'Open the check by Service A' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'The applicants withdrew' }).click();
    const dialog = page.getByRole('alertdialog');
    expect(await dialog.getByRole('checkbox', { name: 'Cancel the checks that are under way (1)' }).isChecked()).toBe(
      true,
    );
    await dialog.getByRole('button', { name: 'Withdraw the application' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Withdrawn').waitFor();
    expect((await good(server.api.get(`/v1/references/${check}`))).body.status).toBe('canceled');
    expect(problems).toEqual([]);
  });

  test('withdraws an application when one of its checks has ended since the page was read', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office);
    await using open = await openDashboard(server, `/applications/${office.application}`, { person: owner });
    const { page } = open;
    await page.getByRole('link', { name: 'Open the check by Service A' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'The applicants withdrew' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('checkbox', { name: 'Cancel the checks that are under way (1)' }).waitFor();
    await good(server.api.post(`/v1/references/${check}/cancel`));
    await dialog.getByRole('button', { name: 'Withdraw the application' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Withdrawn').waitFor();
  });

  test('shows a let with its arrears, bills and deposit in words', async () => {
    const { tenancy, bill } = await makeLet(server);
    const { body: invoice } = await good(server.api.get(`/v1/invoices/${bill}`));
    await using open = await openDashboard(server, `/tenancies/${tenancy}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('heading', { level: 1, name: /^Marek Nowak\d+ in Flat \d+, Fishergate Court/ }).waitFor();
    await page.getByRole('heading', { name: 'In arrears', exact: true }).waitFor();
    await page.getByText('£985 since 1 Jun 2026').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/\b(?:ten|in|dep|cus|unit|bld)_\w{10,}/);
    await page.getByRole('link', { name: '£1,136' }).click();
    await page.getByRole('heading', { level: 1, name: /^Tenancy deposit of Marek Nowak/ }).waitFor();
    await page.getByText('Not protected yet').waitFor();
    await page.getByRole('link', { name: 'Rent', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'In arrears', exact: true }).waitFor();
    await page.getByRole('row', { name: /Marek Nowak.*£985.*1 Jun 2026.*01904 555 0123/ }).waitFor();
    await page.getByRole('navigation', { name: 'Rent' }).getByRole('link', { name: 'Bills' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bills' }).waitFor();
    await page.getByRole('link', { name: 'Marek Nowak' }).first().click();
    await page.getByRole('heading', { level: 1, name: `${invoice.number} Overdue` }).waitFor();
    await page.getByRole('link', { name: /Fishergate Court$/ }).click();
    await page.getByRole('heading', { name: 'In arrears', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('says that the tenancy goes on when the landlord has given notice', async () => {
    const { tenancy } = await makeLet(server);
    const notice = { by: 'landlord', served_on: '2026-06-02', ends_on: '2099-12-31', grounds: ['1A'] };
    await good(server.api.post(`/v1/tenancies/${tenancy}/give_notice`, notice));
    await using open = await openDashboard(server, `/tenancies/${tenancy}`, { person: owner });
    const { page } = open;
    await page.getByText('It asks for the home by 31 December 2099. It does not end the tenancy').waitFor();
  });

  test('reads in the past that a deposit was disputed when it is paid back', async () => {
    const { deposit } = await makeLet(server);
    const paid = { deposit, amount: 113_600, method: 'bank_transfer', received_on: '2026-05-02' };
    await good(server.api.post('/v1/payments', paid));
    const deductions = [{ amount: 2_000, reason: 'damage' }];
    await good(server.api.post(`/v1/deposits/${deposit}/propose_release`, { deductions }));
    await good(server.api.post(`/v1/deposits/${deposit}/dispute`, { amount: 2_000, reference: 'ADR-1' }));
    await using open = await openDashboard(server, `/deposits/${deposit}`, { person: owner });
    const { page } = open;
    await page.getByText('The tenants dispute £20').waitFor();
    await good(server.api.post(`/v1/deposits/${deposit}/release`, { deductions: [], returned_on: '2026-06-02' }));
    await page.reload();
    await page.getByText('The tenants disputed £20').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('The scheme decides');
  });

  test('shows who owes the longest first, and payments and regular charges in words', async () => {
    const { tenancy } = await makeLet(server);
    const { body: other } = await good(server.api.get(`/v1/tenancies/${(await makeLet(server)).tenancy}`));
    const paid = { tenancy, amount: 98_500, method: 'standing_order', received_on: '2026-06-20', reference: 'RENT 5' };
    await good(server.api.post('/v1/payments', paid));
    const older = { tenancy, lines: [{ type: 'rent', description: 'Rent of May', amount: 900 }], due_on: '2026-05-04' };
    await good(server.api.post('/v1/invoices', { ...older, finalize: true }));
    await good(server.api.post('/v1/subscriptions', { tenancy, start_date: '2036-06-01' }));
    const { body } = await good(server.api.get(`/v1/tenancies/${tenancy}?expand[]=customers`));
    const [{ name }] = body.customers;
    await using open = await openDashboard(server, '/arrears', { person: owner });
    const { page, problems } = open;
    const rows = page.getByRole('row');
    await rows.nth(1).getByText('4 May 2026').waitFor();
    await expect.poll(() => rows.nth(1).innerText()).toMatch(new RegExp(`${name}.*£9`, 's'));
    expect(await rows.count()).toBeGreaterThan(2);
    expect(other.arrears.amount).toBe(98_500);
    const links = page.getByRole('navigation', { name: 'Rent' });
    await links.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('row', { name: new RegExp(`${name}.*£985.*Received.*Standing order.*RENT 5`) }).waitFor();
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name: `£985 from ${name}` }).waitFor();
    await page.getByRole('region', { name: 'Bills that it settles' }).getByText('June').waitFor();
    await page.getByRole('list', { name: 'History' }).getByText('noted a payment of £985').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/\b(?:ten|in|pay|cus|unit)_\w{10,}/);
    await page.goto(`${server.url}/dashboard/subscriptions?status=scheduled`);
    await page.getByRole('row', { name: new RegExp(`${name}.*Planned.*£985 a month`) }).waitFor();
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name: `Rent of ${name}` }).waitFor();
    await page.getByText('The tenancy ends').waitFor();
    expect(problems).toEqual([]);
  });

  test('adds a file, and shows it', async () => {
    await using open = await openDashboard(server, '/files', { person: owner, isWhole: true });
    const { page } = open;
    await page.getByRole('button', { name: 'Add a file' }).first().click();
    const dialog = page.getByRole('dialog');
    const photo = { name: 'payslip.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('JFIF') };
    await dialog.getByLabel('File').setInputFiles(photo);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(/PDF/).nth(1).waitFor();
    const payslip = { name: 'payslip.pdf', mimeType: 'application/pdf', buffer: await pdfBytes() };
    await dialog.getByLabel('File').setInputFiles(payslip);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'payslip.pdf' }).waitFor();
    await page.getByText('Evidence of income').waitFor();
    await page.getByTitle('payslip.pdf').waitFor();
  });

  test('adds a payslip on the page of a check by hand', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    await using open = await openDashboard(server, `/references/${check}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    const documents = page.getByRole('region', { name: 'Documents' });
    await documents.getByRole('button', { name: 'Add a document' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a document' });
    const payslip = { name: 'payslip of ada.pdf', mimeType: 'application/pdf', buffer: await pdfBytes() };
    await dialog.getByLabel('File').setInputFiles(payslip);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await documents.getByText('payslip of ada.pdf Evidence of income, added by your office').waitFor();
    await page.getByRole('list', { name: 'History' }).getByText('added the file “payslip of ada.pdf”.').waitFor();
    const { data } = (await good(server.api.get(`/v1/files?reference=${check}`))).body;
    expect(data).toMatchObject([{ filename: 'payslip of ada.pdf', customer: null }]);
    expect((await good(server.api.get(`/v1/references/${check}`))).body.metadata).toEqual({});
    // The document stays with the check, also when that has ended.
    await good(server.api.post(`/v1/references/${check}`, { outcome: 'accept' }));
    await page.reload();
    await documents.getByRole('link', { name: 'payslip of ada.pdf' }).click();
    await page.getByRole('heading', { level: 1, name: 'payslip of ada.pdf' }).waitFor();
    await page.getByText('Evidence of income').waitFor();
    expect(problems).toEqual([]);
  });

  test('accepts with a guarantor that is new when the name is entered in the decision', async () => {
    const { application } = await makeOffice(server);
    const name = `Helen Thackray ${application}`;
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page, problems } = open;
    const hand = mouse(page);
    await page.getByRole('button', { name: 'Decide' }).click();
    const dialog = page.getByRole('dialog', { name: 'Decide on the application' });
    await hand.choose(dialog.getByRole('radio', { name: 'Accept with a guarantor' }));
    const accept = dialog.getByRole('button', { name: 'Accept with a guarantor' });
    const guarantor = dialog.getByRole('group', { name: 'Guarantor' });
    await guarantor.getByRole('button', { name: 'Enter a new person' }).click();
    expect(await accept.isDisabled()).toBe(true);
    await guarantor.getByLabel('Full name').fill(name);
    await guarantor.getByLabel('E-mail (optional)').fill('helen@example.org');
    await accept.click();
    await page.getByText(`The guarantor ${name} has not agreed yet.`).waitFor();
    const { body } = await good(server.api.get('/v1/customers?email=helen@example.org'));
    expect(body.data.map((person: { name: string }) => person.name)).toEqual([name]);
    expect(problems).toEqual([]);
  });

  test('lists each document once when the metadata of an older check names it, too', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    const upload = async (name: string, fields: Record<string, string>): Promise<string> =>
      (
        await good(
          server.api.post('/v1/files', formOf({ purpose: 'income_evidence', ...fields }, await pdfBytes(), name)),
        )
      ).body.id;
    const [first, second] = [await upload('first.pdf', { reference: check }), await upload('second.pdf', {})];
    const metadata = { [`document ${first}`]: 'first.pdf', [`document ${second}`]: 'second.pdf' };
    await good(server.api.post(`/v1/references/${check}`, { metadata }));
    await using open = await openDashboard(server, `/references/${check}`, { person: owner });
    const { page, problems } = open;
    const documents = page.getByRole('region', { name: 'Documents' });
    await documents.getByText('first.pdf Evidence of income, added by your office').waitFor();
    await documents.getByText('second.pdf added by your office earlier').waitFor();
    await documents.getByText('Erasing the person does not delete what your office added earlier.').waitFor();
    const links = documents.getByRole('list', { name: 'Documents' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['first.pdf', 'second.pdf']);
    expect(problems).toEqual([]);
  });

  test('leads to Files when a check has more documents than its page shows', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    const fields = { purpose: 'income_evidence', reference: check };
    const shown = 50;
    const add = async (from: number, to: number): Promise<void> => {
      for (let at = from; at < to; at++)
        await good(server.api.post('/v1/files', formOf(fields, await pdfBytes(), `payslip ${at}.pdf`)));
    };
    await add(0, shown);
    await using open = await openDashboard(server, `/references/${check}`, { person: owner });
    const { page, problems } = open;
    const documents = page.getByRole('region', { name: 'Documents' });
    const links = documents.getByRole('list', { name: 'Documents' }).getByRole('link');
    await documents.getByRole('link', { name: 'payslip 0.pdf' }).waitFor();
    expect(await links.count()).toBe(shown);
    expect(await documents.getByText('The newest 50').count()).toBe(0);
    await add(shown, shown + 1);
    await page.reload();
    await documents.getByText('The newest 50 documents from your office are shown.').waitFor();
    expect(await links.count()).toBe(shown);
    expect(await documents.getByRole('link', { name: 'payslip 0.pdf' }).count()).toBe(0);
    await documents.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('names the guarantor when an application is accepted with one', async () => {
    const { application } = await makeOffice(server);
    const frank = (await good(server.api.post('/v1/customers', { name: 'Frank Raman' }))).body.id;
    await good(server.api.post('/v1/guarantors', { application, customer: frank }));
    await good(owner.post(`/v1/applications/${application}/approve`, {}));
    await using open = await openDashboard(server, `/applications/${application}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('heading', { name: 'Accepted. A guarantor is proposed' }).waitFor();
    await page.getByText('The guarantor Frank Raman has not agreed yet.').waitFor();
    const { body } = await good(server.api.get(`/v1/guarantors?application=${application}`));
    await good(server.api.post(`/v1/guarantors/${body.data[0].id}/agree`, { agreed_on: '2026-06-01' }));
    await page.reload();
    await page.getByRole('heading', { name: 'Accepted with a guarantor' }).waitFor();
    await page.getByText('The guarantor Frank Raman has agreed.').waitFor();
    expect(problems).toEqual([]);
  });

  test('has figures on its home that equal their lists, and no developers’ pages, when the role is operator', async () => {
    const office = await makeOffice(server);
    const failing = await orderCheck(server, office);
    await play(server, failing, 'fail');
    const other = await makeOffice(server);
    await play(server, await orderCheck(server, other), 'complete');
    const operator = await member(server, owner, 'operator', 'mary@example.com');
    await using open = await openDashboard(server, '/', { person: operator });
    const { page, problems } = open;
    for (const [view, name] of [
      ['To decide', 'To decide'],
      ['Stuck', 'Stuck'],
      ['Under way', 'Under way'],
      ['Done this week', 'Done this week'],
    ]) {
      const figure = page.getByRole('link', { name: new RegExp(`^\\d+\\s*${view!}$`) });
      await figure.click();
      await page.getByRole('heading', { level: 2, name: name! }).waitFor();
      const entries = page.getByRole('list', { name: name! }).getByRole('listitem');
      // The list may come later than its title.
      const missing = async (): Promise<number> =>
        Math.min(Number.parseInt(await figure.innerText(), 10), 25) - (await entries.count());
      await expect.poll(missing).toBe(0);
    }
    await page.getByRole('link', { name: /Stuck$/ }).click();
    await page.getByRole('list', { name: 'Stuck' }).getByText('Service has a fault').first().waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    expect(await navigation.getByText('Developers').count()).toBe(0);
    for (const name of ['Logs', 'Events', 'Webhooks', 'API keys'])
      expect(await navigation.getByRole('link', { name }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Home of developers' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('leads an operator to no page of developers by keys, palette or address', async () => {
    const operator = await member(server, owner, 'operator', 'otto@example.com');
    await good(server.api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', enabled_events: ['*'] }));
    await using open = await openDashboard(server, '/', { person: operator });
    const { page, problems } = open;
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Go to Checks').waitFor();
    for (const name of ['Logs', 'Events', 'Webhooks', 'API keys', 'Team'])
      expect(await keys.getByText(`Go to ${name}`).count()).toBe(0);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await pressUntil(page, 'gr', page.getByRole('heading', { level: 1, name: 'Checks' }));
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('menuitem', { name: 'Checks' }).waitFor();
    for (const name of ['Logs', 'Events', 'Webhooks', 'API keys'])
      expect(await palette.getByRole('menuitem', { name }).count()).toBe(0);
    const event = (await good(server.api.get('/v1/events?limit=1'))).body.data[0].id;
    await palette.getByRole('searchbox').fill(event);
    await palette.getByText('0 records found').waitFor();
    expect(await palette.getByRole('menuitem', { name: `Go to ${event}` }).count()).toBe(0);
    for (const path of ['/logs', '/events', `/go/${event}`, '/webhooks', '/api-keys/new']) {
      await page.goto(`${server.url}/dashboard${path}`);
      await page.getByRole('heading', { name: 'This page is for developers' }).waitFor();
    }
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.getByRole('link', { name: /To decide$/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('opens the home that a person prefers', async () => {
    await using open = await openDashboard(server, '/', { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Home of the office' }).click();
    await page.getByRole('link', { name: /To decide$/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /To decide$/ }).waitFor();
    await page.getByRole('button', { name: 'Home of developers' }).click();
    await page.getByRole('region', { name: 'Needs attention' }).waitFor();
  });

  test('leads from an id to its page, and shows a viewer why a button is disabled', async () => {
    const { application } = await makeOffice(server);
    const viewer = await member(server, owner, 'viewer', 'vera@example.com');
    await using open = await openDashboard(server, `/go/${application}`, { person: viewer });
    const { page } = open;
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    expect(await page.getByRole('button', { name: 'Decide' }).isDisabled()).toBe(true);
    await page.getByText('Your role (viewer) may not change applications').first().waitFor();
  });
});

async function pdfBytes(): Promise<Buffer> {
  return Buffer.from(await (formOf().get('file') as Blob).arrayBuffer());
}

/** Changes the references and events of a response. */
function changed(json: unknown, change: (record: { object: string; created: number }) => object): unknown {
  if (typeof json !== 'object' || json === null) return json;
  const { data, object } = json as { data?: unknown; object?: string };
  if (Array.isArray(data)) return { ...json, data: data.map((each) => changed(each, change)) };
  const isChanged = object === 'reference' || object === 'event';
  return isChanged ? { ...json, ...change(json as { object: string; created: number }) } : json;
}

function bounced(record: object): object {
  const { automatic_reference: automatic } = record as { automatic_reference?: object };
  const error = 'invite_bounced: The invitation could not be delivered.';
  return automatic === undefined ? {} : { automatic_reference: { ...automatic, status: 'invited', last_error: error } };
}

/** Lets the simulated service act until it waits for a referee. */
async function waitForReferee(server: TestServer, check: string): Promise<void> {
  for (let step = 0; step < 8; step++) {
    const { body } = await good(server.api.get(`/v1/references/${check}`));
    if (body.automatic_reference.status === 'awaiting_referee') return;
    await play(server, check, 'advance');
  }
  throw new Error('The service waits for no referee.');
}

/** Expects each of these to be within the left and the right side of a box. */
async function expectWithin(box: Locator, each: Locator): Promise<void> {
  const outer = (await box.boundingBox())!;
  for (const one of await each.all()) {
    const inner = (await one.boundingBox())!;
    expect(inner.x).toBeGreaterThanOrEqual(outer.x);
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
  }
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { pdfOf } from '../../server/test/support/files.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, type OpenPage } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { hands, type Hand } from './support/hand.ts';
import { makeOffice, orderCheck, play } from './support/office.ts';

/* What people of an office must be able to do, in each way to use a page. */

describeInBrowser('a person of the office', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ works: true, settings: { TENURE_SIMULATOR_SPEED: '86400' } });
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  describe.each(hands)('%s', (nameOfHand, width, make) => {
    async function open(
      path: string,
      { isWhole = nameOfHand.includes('keyboard') } = {},
    ): Promise<OpenPage & { hand: Hand }> {
      const opened = await openDashboard(server, path, { person: owner, width, isWhole });
      return { ...opened, hand: make(opened.page) };
    }

    test('takes an application of two people, and orders both checks', async () => {
      const { ada, unit } = await makeOffice(server);
      const { name } = (await good(server.api.get(`/v1/customers/${ada}`))).body;
      const home = (await good(server.api.get(`/v1/units/${unit}`))).body.name;
      await using opened = await open('/applications/new');
      const { page, hand, problems } = opened;
      const first = page.getByRole('group', { name: 'Applicant 1' });
      await hand.pick(first.getByRole('combobox', { name: 'Person' }), name);
      await hand.press(page.getByRole('button', { name: 'Add another applicant' }));
      const second = page.getByRole('group', { name: 'Applicant 2' });
      await hand.press(second.getByRole('button', { name: 'Enter a new person' }));
      await hand.type(second.getByLabel('Full name'), 'Mary Somerville');
      await hand.type(second.getByLabel('E-mail'), 'mary@example.org');
      await hand.pick(page.getByRole('combobox', { name: 'Home' }), home);
      await hand.type(page.getByLabel('Move-in'), '2027-02-01');
      await hand.press(page.getByRole('button', { name: 'Take it and order the checks' }));
      await page.getByRole('heading', { level: 1, name: `${name} and Mary Somerville for ${home}` }).waitFor();
      const checks = page
        .getByRole('region', { name: 'Checks' })
        .getByRole('link', { name: 'Open the check by Service A' });
      await checks.nth(1).waitFor();
      expect(await checks.count()).toBe(2);
      expect(await page.getByText('£647.50 a month', { exact: true }).count()).toBe(2);
      await page.getByText('Each pays the same share, £647.50 a month, and each is liable').waitFor();
      expect(problems).toEqual([]);
    });

    test('refuses an application with a reason, and sees who decided', async () => {
      const { application } = await makeOffice(server);
      await using opened = await open(`/applications/${application}`);
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'Decide' }));
      const dialog = page.getByRole('dialog');
      await hand.choose(dialog.getByRole('radio', { name: 'Refuse' }));
      await hand.choose(dialog.getByRole('checkbox', { name: 'The rent is more than the income can carry.' }));
      await hand.type(dialog.getByLabel('Note for the team'), 'Half of the income.');
      await dialog.getByText('The applicants can ask for a review by a person, once.').waitFor();
      await hand.press(dialog.getByRole('button', { name: 'Refuse the application' }));
      const decision = page.getByRole('region', { name: 'Decision' });
      await decision.getByText('Refused by ada@example.com').waitFor();
      await decision.getByText('The rent is more than the income can carry.').waitFor();
      await decision.getByText('Half of the income.').waitFor();
      const { body } = await good(server.api.get(`/v1/applications/${application}`));
      expect(body).toMatchObject({ status: 'rejected', decision: { reasons: ['affordability'] } });
      expect(problems).toEqual([]);
    });

    test('accepts an application with a guarantor', async () => {
      const { application } = await makeOffice(server);
      const { body: frank } = await good(server.api.post('/v1/customers', { name: `Frank Raman ${application}` }));
      await using opened = await open(`/applications/${application}`);
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'Decide' }));
      const dialog = page.getByRole('dialog');
      await hand.choose(dialog.getByRole('radio', { name: 'Accept with a guarantor' }));
      await hand.pick(
        dialog.getByRole('group', { name: 'Guarantor' }).getByRole('combobox', { name: 'Person' }),
        frank.name,
      );
      await hand.press(dialog.getByRole('button', { name: 'Accept with a guarantor' }));
      await page.getByRole('region', { name: 'Decision' }).getByText('Accepted by ada@example.com').waitFor();
      await page.getByRole('region', { name: 'Guarantors' }).getByText('Proposed').waitFor();
      expect(problems).toEqual([]);
    });

    test('overrules the service, and sees both verdicts', async () => {
      const office = await makeOffice(server);
      const check = await orderCheck(server, office);
      await play(server, check, 'complete', { outcome: 'consider' });
      await using opened = await open(`/references/${check}`, { isWhole: true });
      const { page, hand, problems } = opened;
      await page.getByRole('heading', { name: 'Service A: Consider' }).waitFor();
      await hand.press(page.getByRole('button', { name: 'Overrule the service' }));
      const dialog = page.getByRole('dialog');
      await hand.choose(dialog.getByRole('radio', { name: 'Accept' }));
      await hand.type(dialog.getByLabel('Why do you decide otherwise?'), 'Savings for two years.');
      await hand.press(dialog.getByRole('button', { name: 'Set the outcome' }));
      await page.getByRole('heading', { name: 'Your office: Accept' }).waitFor();
      await page.getByText('Because: Savings for two years.').waitFor();
      await page.getByText('ada@example.com (owner) set this outcome').waitFor();
      await page.getByRole('heading', { name: 'Service A: Consider' }).waitFor();
      await page
        .getByRole('list', { name: 'Earlier reports' })
        .getByRole('link', { name: /^Report about .*, replaced$/ })
        .waitFor();
      const { body } = await good(server.api.get(`/v1/references/${check}?expand=reference_pdf`));
      expect(body).toMatchObject({
        decision: { outcome: 'accept', reason: 'Savings for two years.', decided_by: { type: 'user', role: 'owner' } },
        reference_pdf: { filename: `${check}-2.pdf` },
      });
      expect(problems).toEqual([]);
    });

    test('corrects an address when an invitation has bounced, and sends it again', async () => {
      const office = await makeOffice(server);
      const check = await orderCheck(server, office, 'invite_bounced');
      await using opened = await open(`/references/${check}`);
      const { page, hand, problems } = opened;
      const advice = page.getByRole('paragraph').filter({ hasText: 'Correct the e-mail address of the person.' });
      await advice.waitFor();
      await hand.press(page.getByRole('button', { name: 'Correct the e-mail address' }));
      const dialog = page.getByRole('dialog');
      await hand.type(dialog.getByLabel('E-mail of the applicant'), 'ada@example.net');
      await hand.press(dialog.getByRole('button', { name: 'Save and send again' }));
      await page.getByText('The service sends the invitation to the new address.').waitFor();
      await advice.waitFor({ state: 'detached' });
      await page.getByText('The renter was invited again, at another address.').first().waitFor();
      expect((await good(server.api.get(`/v1/customers/${office.ada}`))).body.email).toBe('ada@example.net');
      expect((await good(server.api.get(`/v1/references/${check}`))).body).toMatchObject({
        status: 'pending',
        automatic_reference: { provider: 'provider_a', last_error: null },
      });
      expect(problems).toEqual([]);
    });

    test('uses another service when a service fails', async () => {
      const office = await makeOffice(server);
      const check = await orderCheck(server, office);
      await play(server, check, 'fail');
      await using opened = await open(`/references/${check}`);
      const { page, hand, problems } = opened;
      await page.getByText('This says nothing about the applicant.').waitFor();
      await hand.press(page.getByRole('button', { name: 'Choose another service' }));
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByRole('radio', { name: 'Service A' }).isDisabled()).toBe(true);
      await hand.choose(dialog.getByRole('radio', { name: 'Service B' }));
      await hand.press(dialog.getByRole('button', { name: 'Order it there' }));
      await page.getByRole('definition').filter({ hasText: 'Service B' }).waitFor();
      await page.getByText('This says nothing about the applicant.').waitFor({ state: 'detached' });
      await page.getByRole('list', { name: 'History' }).getByText('moved the check to Service B').waitFor();
      expect(problems).toEqual([]);
    });

    test('takes a check over by hand when the service waits for a referee', async () => {
      const office = await makeOffice(server);
      const check = await orderCheck(server, office, 'referee_silent');
      for (let step = 0; step < 4; step++) await play(server, check, 'advance');
      await using opened = await open(`/references/${check}`);
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'Choose another service' }));
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Service A is told to stop.').waitFor();
      await hand.choose(dialog.getByRole('radio', { name: 'By hand' }));
      await hand.press(dialog.getByRole('button', { name: 'Do it by hand' }));
      await page.getByText('Your office makes the check now.').waitFor();
      await page.getByText('Your office is doing this check by hand.').waitFor();
      await page.getByRole('list', { name: 'History' }).getByText('took the check over by hand').waitFor();
      expect((await good(server.api.get(`/v1/references/${check}`))).body).toMatchObject({
        status: 'processing',
        automatic_reference: { enabled: false, provider: null },
      });
      expect(problems).toEqual([]);
    });

    test('does a check by hand: begins, attaches a report, and enters the outcome', async () => {
      const office = await makeOffice(server);
      const check = await orderCheck(server, office, 'accept', null);
      await using opened = await open(`/references/${check}`, { isWhole: true });
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'Mark as begun' }));
      await page.getByText('Under way by hand').first().waitFor();
      await hand.press(page.getByRole('button', { name: 'Enter the outcome' }));
      const dialog = page.getByRole('dialog');
      await hand.choose(dialog.getByRole('radio', { name: 'Accept' }));
      const report = { name: 'report.pdf', mimeType: 'application/pdf', buffer: pdfOf('Report') };
      await dialog.getByLabel('Report (optional)').setInputFiles(report);
      await hand.press(dialog.getByRole('button', { name: 'Set the outcome' }));
      await page.getByRole('heading', { level: 2, name: 'Accept' }).waitFor();
      await page.getByTitle(/^Report about Ada Lovelace/).waitFor();
      const { body } = await good(server.api.get(`/v1/references/${check}`));
      expect(body).toMatchObject({
        status: 'complete',
        outcome: 'accept',
        reference_pdf: expect.stringMatching(/^file_/),
      });
      expect(problems).toEqual([]);
    });

    test('cancels the check of an applicant who withdrew', async () => {
      const check = await orderCheck(server, await makeOffice(server));
      await using opened = await open(`/references/${check}`);
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'Cancel the check' }));
      await hand.press(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the check' }));
      await page.getByRole('heading', { level: 1 }).getByText('Cancelled').waitFor();
      expect((await good(server.api.get(`/v1/references/${check}`))).body.status).toBe('canceled');
      expect(problems).toEqual([]);
    });

    test('erases a person only when the name is typed', async () => {
      const { grace } = await makeOffice(server);
      const { name } = (await good(server.api.get(`/v1/customers/${grace}`))).body;
      await using opened = await open(`/customers/${grace}`);
      const { page, hand, problems } = opened;
      await hand.press(page.getByRole('button', { name: 'More actions' }));
      await page.getByRole('menuitem', { name: 'Erase this person' }).waitFor();
      await page.getByRole('menuitem', { name: 'Erase this person' }).press('Enter');
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText('What stays').waitFor();
      // The law keeps nothing of a person without a let, so that nothing is locked away.
      await dialog.getByText('Nothing.').waitFor();
      expect(await dialog.getByText('locked away').count()).toBe(0);
      const erase = dialog.getByRole('button', { name: 'Erase for good' });
      expect(await erase.isDisabled()).toBe(true);
      await hand.type(dialog.getByLabel('Type the name to confirm'), name);
      await hand.press(erase);
      await page.getByRole('heading', { level: 1, name: 'Erased person' }).waitFor();
      expect((await good(server.api.get(`/v1/customers/${grace}`))).body.deleted).toBe(true);
      expect(problems).toEqual([]);
    });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, goodPassword, signedIn, type SignedIn } from '../../server/test/support/browser.ts';
import { Device } from '../../server/test/support/device.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the sign-in of the command line', () => {
  let server: TestServer;
  let owner: SignedIn;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await signedIn(server, 'owner');
  });
  afterAll(() => server.stop());

  test('is approved by a visitor who signs in first and compares the machine', async () => {
    const device = new Device(server);
    const begun = await device.begin('ada’s laptop');
    await using open = await openDashboard(server, `/cli#${begun.user_code}`, { person: new Browser(server) });
    const { page, problems } = open;
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByLabel('Code').inputValue()).toBe(begun.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Compare the code and the address with your terminal').waitFor();
    await page.getByText('ada’s laptop').waitFor();
    await page.getByText(device.address).waitFor();
    expect((await good(device.pickUp(begun.device_code))).body.status).toBe('pending');
    await page.getByRole('button', { name: /Access/ }).click();
    await page.getByRole('option', { name: /Full/ }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    const { body } = await good(device.pickUp(begun.device_code));
    expect(body.key.permissions).toContain('references.write');
    await page.getByRole('link', { name: 'Show the key' }).click();
    await page.getByRole('heading', { name: body.key.id }).waitFor();
    expect(problems).toEqual([]);
  });

  test('gives a key that only reads unless the person chooses more, and none when it is denied', async () => {
    const device = new Device(server);
    await using open = await openDashboard(server, '/cli', { person: owner.browser });
    const { page, problems } = open;
    for (const [button, result] of [
      ['Approve', 'Approved'],
      ['Deny', 'Denied'],
    ] as const) {
      const begun = await device.begin();
      await page.goto(`${server.url}/dashboard/`);
      await page.goto(`${server.url}/dashboard/cli`);
      await page.getByLabel('Code').fill(begun.user_code.toLowerCase().replace('-', ''));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { name: result }).waitFor();
      const { body } = await good(device.pickUp(begun.device_code));
      expect(body.status).toBe(result.toLowerCase());
      if (body.key) expect(body.key.permissions.join()).not.toContain('.write');
    }
    expect(problems).toEqual([]);
  });

  test('says at the field that a code is wrong, and leaves the page as it is', async () => {
    await using open = await openDashboard(server, '/cli#BBBB-BBBB', { person: owner.browser });
    const { page } = open;
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No sign-in waits for this code').waitFor();
    expect(await page.getByLabel('Code').inputValue()).toBe('BBBB-BBBB');
  });

  test('says to an operator that the role makes no keys', async () => {
    const operator = await signedIn(server, 'operator');
    await using open = await openDashboard(server, '/cli', { person: operator.browser });
    await open.page.getByRole('heading', { name: 'Your role cannot sign in the command line' }).waitFor();
    expect(await open.page.getByLabel('Code').count()).toBe(0);
  });

  test.each([1280, 360])('fits WCAG 2.2 AA in both themes when the window is %d px wide', async (width) => {
    const { user_code: userCode } = await new Device(server).begin('a-rather-long-name-of-a-machine.example.internal');
    await using open = await openDashboard(server, `/cli#${userCode}`, { person: owner.browser, width });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await expectAccessibleInThemes(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await expectAccessibleInThemes(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    await expectAccessibleInThemes(page);
    expect(problems).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import type { Passkey } from '../../server/src/resources/people/user.ts';
import { Browser, firstOwner, signedIn } from '../../server/test/support/browser.ts';
import { formOf } from '../../server/test/support/files.ts';
import { good, serverForTest } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the e-mails', () => {
  test('show a link that opens the file when the sandbox has kept its e-mail', async () => {
    const server = await serverForTest({ knowsPort: true });
    const owner = await firstOwner(server);
    const { body: file } = await good(server.api.post('/v1/files', formOf()));
    await using open = await openDashboard(server, `/files/${file.id}`, { person: owner, isWhole: true });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Share by a link' }).click();
    await page.getByLabel('E-mail').fill('okafor@example.com');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByText('A sandbox sends no e-mail.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'E-mail to okafor@example.com' })
      .getByText('Kept in the sandbox')
      .waitFor();

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'E-mails' }).click();
    const email = page.getByRole('region', { name: 'has sent you a document' });
    await email.getByText('okafor@example.com').waitFor();
    const link = email.getByRole('link', { name: '/links#' });
    await using recipient = await openDashboard(server, '/', { person: new Browser(server), isWhole: true });
    await recipient.page.goto((await link.getAttribute('href'))!);
    await recipient.page.getByRole('button', { name: /open/i }).first().waitFor();
    await page.getByLabel('To').first().fill('stranger@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('No e-mails match').waitFor();
    expect(problems).toEqual([]);
  });

  test('have no page when the mode is live', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const { browser } = await signedIn(live, 'owner', { changed: { passkeys: [{ id: 'a' } as Passkey] } });
    await using open = await openDashboard(live, '/events', { person: browser });
    await open.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).waitFor();
    expect(await open.page.getByRole('link', { name: 'E-mails' }).count()).toBe(0);
  });
});

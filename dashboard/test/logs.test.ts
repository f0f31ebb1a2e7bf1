import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { latestVersion } from '../../server/test/support/versions.ts';
import { describeInBrowser, expectFocus } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of logs', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    const body = { application: 'app_1', metadata: { tenant: "O'Neil" } };
    for (let time = 0; time < 2; time++) {
      await good(server.api.post('/v1/references', body, { 'idempotency-key': 'first reference' }));
    }
    for (let time = 0; time < 2; time++) await server.api.post('/v1/references', { application: 1 });
  });
  afterAll(() => server.stop());

  test('lead from a refusal by its code to the request, its bodies and its curl', async () => {
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    await page.getByText('4 of 4 logs').waitFor();
    await page.getByRole('combobox', { name: 'Error code' }).fill('parameter_invalid');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2 logs').waitFor();
    expect(new URL(page.url()).search).toBe('?error_code=parameter_invalid');
    await page.getByRole('link', { name: 'POST /v1/references' }).first().click();
    await page.getByRole('heading', { name: 'POST /v1/references' }).waitFor();
    expect(await page.getByRole('region', { name: 'Request body' }).innerText()).toContain('"application": 1');
    expect(await page.getByRole('region', { name: 'Response body' }).innerText()).toContain('"parameter_invalid"');
    expect(problems).toEqual([]);
  });

  test('group requests by path and code, and lead from a group to its logs', async () => {
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    await page.getByRole('link', { name: 'By path and code' }).click();
    const groups = page.getByRole('table', { name: 'Logs by path and code' }).getByRole('row');
    await groups.nth(2).waitFor();
    expect((await groups.allInnerTexts()).slice(1).sort()).toEqual([
      expect.stringMatching(/^200 POST \/v1\/references\s+–\s+2\s/),
      expect.stringMatching(/^400 POST \/v1\/references\s+parameter_invalid\s+2\s/),
    ]);
    await groups.filter({ hasText: 'parameter_invalid' }).getByRole('link').click();
    await page.getByText('2 of 2 logs').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      method: 'POST',
      status: '400',
      error_code: 'parameter_invalid',
      path: '/v1/references',
    });
    expect(problems).toEqual([]);
  });

  test('group the requests of a connected account when a person acts as it', async () => {
    const { id } = (await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }))).body;
    await server.api.post('/v1/references', { application: 1 }, { 'service-context': id });
    await using open = await openDashboard(server, `/logs?view=groups&account=${id}`);
    const { page, problems } = open;
    const groups = page.getByRole('table', { name: 'Logs by path and code' }).getByRole('row');
    await groups.filter({ hasText: 'parameter_invalid' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('connect a replay with its original and the events', async () => {
    await using open = await openDashboard(server, '/logs?idempotency_key=first+reference');
    const { page, problems } = open;
    await page.getByText('2 of 2 logs').waitFor();
    await page.getByRole('link', { name: 'POST /v1/references' }).first().click();
    await page.getByText('A replay causes none.').waitFor();
    await page.getByText('Replay of').waitFor();
    const replay = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.getByRole('definition').getByRole('link', { name: /^req_/ }).click();
    await page.getByRole('table', { name: 'Replays' }).getByRole('link', { name: replay }).waitFor();
    await page.getByText('reference.created').waitFor();
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: /^evt_/ }).click();
    await page.getByRole('heading', { name: 'reference.created' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('copy a request as a command that a shell reads as it was sent', async () => {
    await using open = await openDashboard(server, '/logs?status=200');
    const { page } = open;
    // The policy of the page forbids reading the clipboard.
    let copied = '';
    await page.exposeFunction('noteCopied', (text: string) => (copied = text));
    await page.evaluate(() => {
      navigator.clipboard.writeText = (
        globalThis as unknown as { noteCopied: (text: string) => Promise<void> }
      ).noteCopied;
    });
    await page.getByRole('link', { name: 'POST /v1/references' }).first().click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(copied.split(' \\\n  ')).toEqual([
      `curl -g '${server.url}/v1/references'`,
      '-X POST',
      '-H "Authorization: Bearer $TENURE_API_KEY"',
      `-H "Service-Version: ${latestVersion}"`,
      '-H "Idempotency-Key: $(uuidgen)"',
      '-H "Content-Type: application/json"',
      `--data-raw '{"application":"app_1","metadata":{"tenant":"O'\\''Neil"}}'`,
    ]);
  });

  test('keep new logs behind a button until it is pressed', async () => {
    await using open = await openDashboard(server, '/logs?method=DELETE');
    const { page, problems } = open;
    await page.getByText('No logs match').waitFor();
    const asked = (): Promise<unknown> => page.waitForResponse((response) => /[?&]limit=1(&|$)/.test(response.url()));
    // The first two requests find the begin and the number of logs so far.
    await asked();
    await asked();
    await server.api.delete('/v1/customers/cus_none');
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('1 of 1 logs').waitFor();
    expect(problems).toEqual([]);
  });

  test('stay within the time of the filter when a person opens a group', async () => {
    await server.api.post('/v1/customers', { nme: 'Ada Example' });
    await using open = await openDashboard(server, '/logs?view=groups&since=1600000000');
    await open.page.getByRole('link', { name: '400 POST /v1/customers' }).first().click();
    await open.page.waitForURL(
      (url) => url.searchParams.get('since') === '1600000000' && !url.searchParams.has('view'),
    );
    expect(open.problems).toEqual([]);
  });

  test('are found by a suggestion, by a part of one, by a time and by the name of a key', async () => {
    const key = { type: 'restricted', name: 'Nightly import', permissions: ['references.write'] };
    const made = (await good(server.api.post('/v1/api_keys', key))).body;
    await fetch(`${server.url}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${made.secret}` } });
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    const search = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
    await page.getByRole('cell', { name: 'Nightly import' }).waitFor();
    const status = page.getByRole('combobox', { name: 'Status' });
    await status.focus();
    await page.keyboard.type('4');
    await page.getByRole('option', { name: '4xx' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(search).toEqual({ status: '4xx' });
    await expectFocus(status);
    await status.fill('2x');
    await page.keyboard.press('Enter');
    await expect.poll(search).toEqual({ status: '2xx' });
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('combobox', { name: 'Path' }).fill('/v1/webhook');
    await page.getByRole('option', { name: '/v1/webhook_endpoints', exact: true }).click();
    await expect.poll(search).toEqual({ path: '/v1/webhook_endpoints' });
    await page.getByText('A path must be whole').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('button', { name: /more filters/ }).click();
    await page.getByRole('combobox', { name: 'API key' }).fill('Nightly');
    await page.getByRole('option', { name: /Nightly import/ }).click();
    await expect.poll(search).toEqual({ key: made.id });
    await expect.poll(() => page.getByRole('combobox', { name: 'API key' }).inputValue()).toMatch(/^Nightly import …/);
    await page.getByText('1 of 1 logs').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Until').fill('2026-01-01T09:00');
    await page.keyboard.press('Enter');
    const at = Date.UTC(2026, 0, 1, 9, 0, 59) / 1000;
    await expect.poll(search).toEqual({ until: String(at + new Date(at * 1000).getTimezoneOffset() * 60) });
    await page.getByText('No logs match').waitFor();
    await page.getByLabel('Until').fill('');
    await page.keyboard.press('Enter');
    await page.getByLabel('From').fill('2026-01-01T09:00');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'POST /v1/references' }).first().waitFor();
    expect(problems).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { array, assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { csvOf } from '../src/list/export.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

/* The CSV and the print of all records that fit the filters. */

/** Two pages of the API, and one record more. */
const peopleCount = 101;

const hostile = '=HYPERLINK("http://evil.example";"Łódź, Zoë")';

describeInBrowser('a whole list', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    for (let at = 0; at < peopleCount; at++) {
      const name = at === 0 ? hostile : `Person ${at}`;
      await good(server.api.post('/v1/customers', { name, email: `person${at}@example.org`, phone: '+44 1904 555' }));
    }
  });
  afterAll(() => server.stop());

  test('is saved as CSV with each record once, and no formula in it', async () => {
    await using open = await openDashboard(server, '/customers');
    const { page, problems } = open;
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await page.getByRole('dialog', { name: 'Download the people' }).waitFor();
    const download = await saving;
    expect(download.suggestedFilename()).toBe('people.csv');
    const text = readFileSync(await download.path(), 'utf8');
    expect(text.startsWith('\uFEFFName,E-mail,Phone,')).toBe(true);
    const [, ...rows] = parseCsv(text);
    const names = rows.map(([name]) => name);
    expect(names.slice(0, -1)).toEqual(Array.from({ length: peopleCount - 1 }, (_, at) => `Person ${100 - at}`));
    expect(names.at(-1)).toBe(`'${hostile}`);
    expect(rows[0]![2]).toBe("'+44 1904 555");
    await page.getByText(`Saved ${peopleCount} people.`).waitFor();
    expect(problems).toEqual([]);
  });

  test('is saved as the filter shows it', async () => {
    await using open = await openDashboard(server, '/customers?email=person7@example.org');
    const { page } = open;
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const [, ...rows] = parseCsv(readFileSync(await (await saving).path(), 'utf8'));
    expect(rows.map(([name]) => name)).toEqual(['Person 7']);
  });

  test('is saved when a page fails and the person tries again', async () => {
    await using open = await openDashboard(server, '/customers');
    const { page } = open;
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    await page.route(/starting_after/, (route) => route.fulfill({ status: 400, json: { error: refusal } }));
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The cursor is gone.').waitFor();
    await page.unroute(/starting_after/);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    expect(parseCsv(readFileSync(await (await saving).path(), 'utf8'))).toHaveLength(peopleCount + 1);
  });

  test('is read no further when the person cancels', async () => {
    await using open = await openDashboard(server, '/customers');
    const { page, problems } = open;
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const canceled = Promise.withResolvers<void>();
    const downloads: unknown[] = [];
    page.on('download', (download) => downloads.push(download));
    await page.route(/starting_after/, async (route) => {
      resolve();
      await canceled.promise;
      await route.continue().catch(() => {});
    });
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await asked;
    await page.getByRole('dialog').getByText(`50 of ${peopleCount} people are read.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    canceled.resolve();
    await page.waitForTimeout(700);
    expect([downloads, problems]).toEqual([[], []]);
  });

  test('is printed as one table without the navigation', async () => {
    await using open = await openDashboard(server, '/customers', { theme: 'dark' });
    const { page, problems } = open;
    await page.addInitScript(() => {
      globalThis.print = () => document.body.setAttribute('data-printed', '');
    });
    await page.reload();
    await page.getByRole('button', { name: 'Print' }).click();
    await page.locator('[data-printed]').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('row').count()).toBe(peopleCount + 1);
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    expect(await page.getByRole('button').count()).toBe(0);
    const look = await page.evaluate(() => ({
      head: getComputedStyle(document.querySelector('thead')!).display,
      background: getComputedStyle(document.body).backgroundColor,
      isCut: [...document.querySelectorAll('td')].some((cell) => cell.scrollWidth > cell.clientWidth),
    }));
    expect(look).toEqual({ head: 'table-header-group', background: 'rgb(255, 255, 255)', isCut: false });
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    expect(problems).toEqual([]);
  });
});

const refusal = { type: 'invalid_request_error', code: 'parameter_invalid', message: 'The cursor is gone.' };

test('reads back each text of a CSV, and begins no cell as a formula', () => {
  const sign = constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '＝', ';', ',', '"', '');
  const text = tuple(sign, oneof(string(), string({ unit: 'grapheme' }))).map((parts) => parts.join(''));
  assert(
    property(array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      const [, ...rows] = parseCsv(csvOf(texts.map((value) => ({ id: 1, value }))));
      for (const [at, [, cell]] of rows.entries()) {
        expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
        expect([texts[at], `'${texts[at]}`]).toContain(cell);
      }
      expect(rows).toHaveLength(texts.length);
    }),
  );
});

test('writes numbers as numbers, and what is missing as empty cells', () => {
  expect(
    csvOf([
      { Owed: -12.5, Since: null },
      { Owed: 3, Home: 'Flat 1' },
    ]),
  ).toBe('\uFEFFOwed,Since,Home\r\n-12.5,,\r\n3,,Flat 1\r\n');
});

/** Reads CSV as RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  const body = text.replace(/^\uFEFF/, '').replace(/\r\n$/, '');
  for (const [, quoted, plain, end] of body.matchAll(cells)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows;
}

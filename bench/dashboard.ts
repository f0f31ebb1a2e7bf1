import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Server } from './deployment.ts';
import { grownTo, sizes, stopGrown } from './grown.ts';
import { median, verify, type Figure, type Reading, type Suite } from './suite.ts';

/** Loads of each page. The median counts, and then the worst page. */
const samples = 3;

/** How many times slower a phone is than this machine. */
const phoneSlowdown = 4;

/** After this time without a request, in milliseconds, a page is complete. */
const quietMs = 500;

/** The pages that are measured, each with a part of its records. */
const pages = [
  ['', '[aria-label="Last 24 hours"]'],
  ['/logs', 'main tbody tr'],
  ['/events', 'main tbody tr'],
] as const;

/** Measures the dashboard in Chromium: of a real server, by a signed-in person, with a million logs in the account. */
export const dashboard: Suite<'lcp' | 'lcpOfPhone' | 'inp' | 'cls' | 'firstRow' | 'nextFilter'> = {
  name: 'dashboard',
  roundsMax: 1,
  figures: {
    lcp: figureOf('largest contentful paint, cold', 'ms', 1_000),
    lcpOfPhone: figureOf(`the same with a processor ${phoneSlowdown} times slower`, 'ms', 2_500),
    inp: figureOf('interaction to next paint, the slowest of typical clicks', 'ms', 200),
    cls: figureOf('cumulative layout shift', 'shift', 0.05),
    firstRow: figureOf(`from a click to the first of ${sizes.large} logs, without the API's own time`, 'ms', 200),
    nextFilter: figureOf(`from a filter to its rows among ${sizes.large} logs, without the API's own time`, 'ms', 200),
  },
  async round({ tools }) {
    const { deployment, accounts } = await grownTo('large');
    const server = await deployment.startServer('all');
    const browser = await chromium.launch({ executablePath: tools.chromium!, args: ['--no-sandbox'] });
    try {
      const person = await signIn(server, await deployment.loginLink());
      const open = { browser, server, person, account: accounts.large };
      const cold = await loadEach(open, 1);
      const phone = await loadEach(open, phoneSlowdown);
      return {
        lcp: { value: worst(cold, ({ lcp }) => lcp) },
        lcpOfPhone: { value: worst(phone, ({ lcp }) => lcp) },
        inp: { value: await slowestClick(open) },
        cls: { value: worst(cold, ({ cls }) => cls) },
        ...(await measureLogs(open)),
      };
    } finally {
      await browser.close();
      await server.stop();
    }
  },
  stop: stopGrown,
};

function figureOf(title: string, unit: Figure['unit'], floor: number): Figure {
  return { title: `Dashboard: ${title}`, unit, better: 'less', floor, aim: null, needs: ['chromium'] };
}

/** A cookie of a session, as browsers keep it. */
interface Cookie {
  name: string;
  value: string;
}

interface Opening {
  browser: Browser;
  server: Server;
  person: Cookie[];
  account: string;
}

/** Makes the first owner by the one-time link that the server's operator prints. */
async function signIn({ url }: Server, link: string): Promise<Cookie[]> {
  const response = await fetch(`${url}/auth/links/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-client': 'dashboard', origin: url },
    body: JSON.stringify({
      token: new URL(link).hash.slice(1),
      email: 'ada@example.com',
      password: 'correct horse battery',
    }),
  });
  verify(`the link makes an owner: ${await response.text()}`, response.ok);
  return response.headers.getSetCookie().map((set) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    return { name, value };
  });
}

/** Opens a window without a cache, as the person. */
async function openWindow({ browser, server, person }: Opening): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 900 } });
  await context.addCookies(person.map((cookie) => ({ ...cookie, url: server.url })));
  await context.addInitScript({ path: fileURLToPath(new URL('page-measures.js', import.meta.url)) });
  return context;
}

/** What a page has measured of itself, in milliseconds. */
interface Measured {
  lcp: number;
  /** Of all shifts without an input. */
  cls: number;
  /** The durations of the events of each click. */
  clicks: number[];
}

function readMeasured(page: Page): Promise<Measured> {
  return page.evaluate<Measured>('measured');
}

/** Loads each page several times, each time without a cache. Returns the measurements by page. */
async function loadEach(open: Opening, slowdown: number): Promise<Measured[][]> {
  const results: Measured[][] = [];
  for (const [path, ready] of pages) {
    const loads: Measured[] = [];
    for (let sample = 0; sample < samples; sample++) {
      await using context = await openWindow(open);
      const page = await context.newPage();
      if (slowdown > 1) {
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
      }
      await page.goto(`/dashboard${path}?account=${open.account}`);
      await page.locator(ready).first().waitFor();
      await page.waitForTimeout(quietMs);
      loads.push(await readMeasured(page));
    }
    results.push(loads);
  }
  return results;
}

/** Returns the median of the worst page. */
function worst(results: Measured[][], take: (measured: Measured) => number): number {
  return Math.max(...results.map((loads) => median(loads.map(take))));
}

/** Clicks through the pages as a developer does. Returns the slowest of these clicks. */
async function slowestClick(open: Opening): Promise<number> {
  await using context = await openWindow(open);
  const page = await context.newPage();
  await page.goto(`/dashboard?account=${open.account}`);
  await page.locator('[aria-label="Last 24 hours"]').waitFor();
  await page.getByRole('button', { name: 'Find a person or a page' }).click();
  await page.getByRole('menuitem', { name: 'Logs' }).click();
  await page.locator('main tbody tr').first().waitFor();
  await page.getByRole('link', { name: 'By path and code' }).click();
  await page.getByText('logs that fit are grouped').waitFor();
  await page.getByRole('link', { name: 'Newest first' }).click();
  await page.locator('main tbody tr a').first().click();
  await page.getByRole('region', { name: 'Response body' }).waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click();
  await page.locator('main tbody tr a').first().click();
  await page.getByRole('tab', { name: 'Compare versions' }).click();
  await page.getByRole('button', { name: 'Second version' }).click();
  await page.getByRole('option').first().click();
  await page.waitForTimeout(quietMs);
  const { clicks } = await readMeasured(page);
  // Chromium reports no event that was faster than 16 ms.
  return Math.max(16, ...clicks);
}

/** Measures how long the page itself takes to show logs, beside the API's own time. */
async function measureLogs(open: Opening): Promise<Record<'firstRow' | 'nextFilter', Reading>> {
  const firstRows: number[] = [];
  const filters: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    await using context = await openWindow(open);
    const page = await context.newPage();
    await page.goto(`/dashboard/events?account=${open.account}`);
    await page.locator('main tbody tr').first().waitFor();
    await page.waitForTimeout(quietMs);
    firstRows.push(
      await timeOf(
        page,
        () => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click(),
        {
          path: '/v1/logs',
          rows: 'POST',
        },
      ),
    );
    await page.getByRole('combobox', { name: 'Status' }).fill('404');
    filters.push(await timeOf(page, () => page.keyboard.press('Enter'), { path: '/v1/logs', rows: '404' }));
  }
  return { firstRow: { value: median(firstRows) }, nextFilter: { value: median(filters) } };
}

/**
 * Returns the milliseconds from an input until all rows have a text. Those of the page's request to the API do not count.
 *
 * @param expected.rows is in each row afterwards, and not before.
 */
async function timeOf(page: Page, act: () => Promise<void>, expected: { path: string; rows: string }): Promise<number> {
  await page.evaluate(`beginTiming(${JSON.stringify(expected)})`);
  await act();
  return page.evaluate<number>('taken');
}

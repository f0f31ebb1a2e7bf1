import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { startDeployment, type Server } from './deployment.ts';
import { median, verify, type Figure, type Suite } from './suite.ts';

/** Loads of each page, each with a session of its own. The median counts, and then the worst page. */
const samples = 3;

/** A slow phone: its processor, and its connection. */
const phone = { slowdown: 4, bytesPerSecond: 1_600_000 / 8, latencyMs: 150, width: 390, height: 844 };

/** After this time without a request, in milliseconds, a page is complete. */
const quietMs = 500;

const pages = ['', '/application', '/rent', '/deposit'] as const;

const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };

/** Measures the renter's portal in Chromium, as on a slow phone. Its tenant has an application, bills and a deposit. */
export const portal: Suite<'lcp' | 'cls'> = {
  name: 'portal',
  roundsMax: 1,
  figures: {
    lcp: figureOf('largest contentful paint on a slow phone, the worst page', 'ms', 2_500),
    cls: figureOf('cumulative layout shift there, the worst page', 'shift', 0.05),
  },
  async round({ tools }) {
    const deployment = await startDeployment(null);
    const server = await deployment.startServer('all');
    const browser = await chromium.launch({ executablePath: tools.chromium!, args: ['--no-sandbox'] });
    try {
      const post = postOf(server, deployment.secretKey);
      const customer = await makeTenant(post);
      const loads: Measured[][] = [];
      for (const path of pages) {
        const ofPage: Measured[] = [];
        for (let sample = 0; sample < samples; sample++)
          ofPage.push(await load(browser, server, (await post('portal_sessions', { customer })).url, path));
        loads.push(ofPage);
      }
      return { lcp: { value: worst(loads, ({ lcp }) => lcp) }, cls: { value: worst(loads, ({ cls }) => cls) } };
    } finally {
      await browser.close();
      await server.stop();
      await deployment.stop();
    }
  },
};

function figureOf(title: string, unit: Figure['unit'], floor: number): Figure {
  return { title: `Portal: ${title}`, unit, better: 'less', floor, aim: null, needs: ['chromium'] };
}

type Post = (path: string, body: object) => Promise<{ id: string; url: string }>;

function postOf({ url }: Server, key: string): Post {
  return async (path, body) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    verify(`POST ${path}: ${text}`, response.ok);
    return JSON.parse(text) as { id: string; url: string };
  };
}

/** Makes a tenant with all that the pages show. Returns the id. */
async function makeTenant(post: Post): Promise<string> {
  const today = new Date().toISOString().slice(0, 10);
  const { id: customer } = await post('customers', { name: 'Ada Lovelace', email: 'ada@example.com' });
  const { id: building } = await post('buildings', { name: 'Coppergate', address });
  const { id: unit } = await post('units', { building, name: 'Flat 2', rent });
  await post('applications', { customers: [customer], unit, rent });
  const { id: tenancy } = await post('tenancies', { unit, customers: [customer], start_date: today, rent });
  await post(`tenancies/${tenancy}/sign`, { signed_on: today });
  await post('subscriptions', { tenancy });
  const { id: deposit } = await post('deposits', { type: 'tenancy', tenancy, amount: 100_000 });
  await post('payments', { deposit, amount: 100_000, method: 'bank_transfer' });
  await post('payments', { tenancy, amount: 50_000, method: 'standing_order' });
  return customer;
}

/** What a page has measured of itself, in milliseconds. */
interface Measured {
  lcp: number;
  /** Of all shifts without an input. */
  cls: number;
}

/** Opens a link, and loads a page of its session without a cache. */
async function load(browser: Browser, { url }: Server, link: string, path: string): Promise<Measured> {
  const opened = await fetch(`${url}/v1/portal/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-client': 'portal', origin: url },
    body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
  });
  verify(`the link opens: ${await opened.text()}`, opened.ok);
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(opened.headers.getSetCookie()[0] ?? '') ?? [];
  const { width, height, slowdown, bytesPerSecond, latencyMs } = phone;
  await using context = await browser.newContext({ baseURL: url, viewport: { width, height } });
  await context.addCookies([{ name, value, url: `${url}/v1/portal` }]);
  await context.addInitScript({ path: fileURLToPath(new URL('page-measures.js', import.meta.url)) });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await page.goto(`/portal${path}`);
  await page.locator('main h1').waitFor();
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(quietMs);
  // The window is open until then.
  return await page.evaluate<Measured>('measured');
}

/** Returns the median of the worst page. */
function worst(loads: Measured[][], take: (measured: Measured) => number): number {
  return Math.max(...loads.map((ofPage) => median(ofPage.map(take))));
}

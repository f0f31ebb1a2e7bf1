import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Axe from 'axe-core';
import {
  chromium,
  type Browser as Chromium,
  type BrowserContext,
  type CDPSession,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { keepScreenshot } from './screenshots.ts';
import { waitMs } from '../../../server/test/support/wait.ts';

/* Windows of a real browser, for the tests of every app that the server shows. */

/** Where systems keep Chromium or Chrome. */
const places = [
  process.env.TENURE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = places.find((place) => place !== undefined && existsSync(place));
/** Chromium without windows of its own. The same pages take two thirds of the processor time. A browser that a person names is taken alone. */
const shellPath = '/usr/bin/chromium-headless-shell';
/** Whether a page has such a browser unless its test asks for the whole one. */
export const hasShell = process.env.TENURE_CHROMIUM === undefined && existsSync(shellPath);

/** The browsers of the tests of one group, from the first window on. */
const browsers: { whole?: Promise<Chromium>; shell?: Promise<Chromium> } = {};

const missing = ' (skipped: there is no Chromium; install it, or name it in TENURE_CHROMIUM)';

/** Groups tests that need a browser. Without Chromium, they are skipped, and their name says why. */
export function describeInBrowser(name: string, body: () => void): void {
  const title = executablePath === undefined ? name + missing : name;
  // oxlint-disable-next-line vitest/valid-title -- The title is a text that the linter cannot see.
  describe.skipIf(executablePath === undefined)(title, () => {
    afterAll(async () => {
      idle = [];
      const open = await Promise.all([browsers.whole, browsers.shell]);
      delete browsers.whole;
      delete browsers.shell;
      await Promise.all(open.map(async (browser) => browser?.close()));
    });
    body();
  });
}

function browserOf(kind: 'whole' | 'shell'): Promise<Chromium> {
  // The sandbox of Chromium does not start for root, as in many containers. The tests load only our own pages.
  return (browsers[kind] ??= chromium.launch({
    executablePath: kind === 'shell' ? shellPath : executablePath!,
    args: ['--no-sandbox'],
  }));
}

/** A page of an app. Its problems are errors, breaches of its policy, dialogs of the browser, and requests to other hosts. */
export interface OpenPage extends AsyncDisposable {
  page: Page;
  problems: string[];
}

/** A window with one page. Its process costs a second of processor time, so the next test with the same server uses it again. */
interface Window {
  url: string;
  kind: 'whole' | 'shell';
  context: BrowserContext;
  page: Page;
  problems: string[];
  /** Answers or changes requests for the test. */
  interceptions: CDPSession[];
  /** Whether a test changed what `leave` cannot restore. */
  isSpent: boolean;
  hasShownPdf: boolean;
}

/** Addresses within the browser: bytes of the page, and the parts of its own viewer of PDFs. */
const ownSchemes = /^(?:blob|chrome|chrome-extension):/;

/**
 * Where a window waits: a page of the server without a script, which has the same opener policy. Another policy makes Chromium start a new
 * process, which compiles the app again. A route of Playwright could answer, but would empty the cache.
 */
const waitingPath = '/dashboard/assets/waiting';

/** The windows that no test uses. */
let idle: Window[] = [];

/** What a test does with these methods stays with a page, also after the next page load. */
const lasting: ReadonlySet<string | symbol> = new Set([
  'addInitScript',
  'clock',
  'context',
  'exposeBinding',
  'exposeFunction',
  'on',
  'once',
]);

/** How a window shows a page. */
export interface WindowOptions {
  width?: number;
  theme?: 'light' | 'dark';
  /** Takes the whole Chromium. Only there, PDFs are shown, and Tab leads from the last part of a page to its first. */
  isWhole?: boolean;
  /** The cookies of the page. A browser without cookies is a visitor. */
  cookies?: ReadonlyMap<string, string>;
  /** Changes each JSON that the page gets from the server. */
  rewrite?: (json: unknown) => unknown;
  interceptions?: readonly Interception[];
}

/** A request or a response that waits, and the browser's session that lets it go on. */
interface Paused {
  session: CDPSession;
  requestId: string;
  request: { url: string; headers: Record<string, string> };
  /** Set if a response waits. */
  responseStatusCode?: number;
  responseHeaders?: { name: string; value: string }[];
}

/** What a test does to some requests of a page. */
export interface Interception {
  /** Ends of the URLs. One with a slash at its end stands for all paths below. */
  urls: readonly string[];
  stage: 'Request' | 'Response';
  handle: (paused: Paused) => Promise<unknown>;
}

/** Answers a request or replaces a response. */
export async function respond({ session, requestId, ...paused }: Paused, json: unknown): Promise<void> {
  const { responseStatusCode: responseCode = 200, responseHeaders = [] } = paused;
  const isOfBody = /^content-(?:encoding|length|type)$/i;
  await session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode,
    responseHeaders: [
      ...responseHeaders.filter(({ name }) => !isOfBody.test(name)),
      { name: 'content-type', value: 'application/json; charset=utf-8' },
    ],
    body: Buffer.from(JSON.stringify(json)).toString('base64'),
  });
}

/** Intercepts requests. A route of Playwright would make the browser load and compile the app anew for each page. */
async function intercept(
  { context, page, interceptions }: Window,
  { urls, stage, handle }: Interception,
): Promise<void> {
  const session = await context.newCDPSession(page);
  interceptions.push(session);
  session.on('Fetch.requestPaused', (paused) => {
    handle({ ...paused, session })
      .catch(() => session.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Failed' }))
      // The page can close meanwhile.
      .catch(() => {});
  });
  await session.send('Fetch.enable', {
    patterns: urls.map((end) => ({ urlPattern: end.endsWith('/') ? `*${end}*` : `*${end}`, requestStage: stage })),
  });
}

/**
 * Opens a path of a server in a window without stored data. Close it by `await using`.
 *
 * @param prepare is called before the page loads, such as to stand in for responses.
 */
export async function openPage(
  url: string,
  path: string,
  { width = 1280, theme = 'light', isWhole = false, cookies, rewrite, interceptions = [] }: WindowOptions,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<OpenPage> {
  const kind = hasShell && !isWhole ? 'shell' : 'whole';
  const found = idle.find((window) => window.url === url && window.kind === kind);
  idle = idle.filter((one) => one !== found);
  const window = found ?? (await newWindow(url, kind));
  const { context, page } = window;
  const problems: string[] = [];
  window.problems = problems;
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: null });
  if (cookies) await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
  await prepare(watched(window));
  for (const each of [...interceptions, ...(rewrite ? [rewriting(rewrite)] : [])]) await intercept(window, each);
  await page.goto(path);
  return { page: watched(window), problems, [Symbol.asyncDispose]: () => leave(window) };
}

/** Returns the page for a test, which notes the methods that spend the window. Playwright itself calls those of the page behind it. */
function watched(window: Window): Page {
  return new Proxy(window.page, {
    get(page, name) {
      if (lasting.has(name)) window.isSpent = true;
      const value: unknown = Reflect.get(page, name);
      return typeof value === 'function' ? value.bind(page) : value;
    },
  });
}

async function newWindow(url: string, kind: Window['kind']): Promise<Window> {
  const browser = await browserOf(kind);
  const context = await browser.newContext({ baseURL: url });
  context.setDefaultTimeout(waitMs);
  await context.grantPermissions(['clipboard-write']);
  const page = await context.newPage();
  const window: Window = {
    url,
    kind,
    context,
    page,
    problems: [],
    interceptions: [],
    isSpent: false,
    hasShownPdf: false,
  };
  page.on('console', (message) => {
    // Chromium writes an error about the waiting page, maybe only after the next page has opened.
    if (message.location().url === url + waitingPath) return;
    if (['error', 'warning'].includes(message.type())) window.problems.push(message.text());
  });
  page.on('pageerror', (error) => window.problems.push(error.message));
  page.on('dialog', (dialog) => {
    window.problems.push(`A script opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !ownSchemes.test(request.url())) window.problems.push(request.url());
  });
  page.on('response', (response) => {
    const isFramed = response.frame().parentFrame() !== null;
    if (isFramed && response.headers()['content-type'] === 'application/pdf') window.hasShownPdf = true;
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      // oxlint-disable-next-line no-console -- The test reads the console.
      console.error(`The policy forbids ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  return window;
}

/** Empties a window for the next test, or closes it if a test changed more than can be restored. */
async function leave(window: Window): Promise<void> {
  const { context, page } = window;
  if (window.kind === 'shell' && window.hasShownPdf) {
    await context.close();
    throw new Error('The page shows a PDF. Open it with `isWhole`.');
  }
  // A response can be on its way while the page closes.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const isAlone = context.pages().length === 1 && !page.isClosed();
  if (window.isSpent || !isAlone || !page.url().startsWith(window.url)) return context.close();
  window.problems = [];
  // A page with unsaved input asks first, and stays.
  const isLeft = await page.goto(waitingPath).then(
    () => true,
    () => false,
  );
  if (!isLeft) return context.close();
  await Promise.all(window.interceptions.splice(0).map((session) => session.detach()));
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  // No element is then under the pointer.
  await page.mouse.move(-1, -1);
  idle.push(window);
}

function rewriting(rewrite: (json: unknown) => unknown): Interception {
  return {
    urls: ['/v1/', '/auth/'],
    stage: 'Response',
    handle: async (paused) => {
      const { session, requestId, responseHeaders = [] } = paused;
      const type = responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
      // A stream has no end.
      if (!type?.startsWith('application/json')) return session.send('Fetch.continueResponse', { requestId });
      const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId });
      const text = Buffer.from(body, base64Encoded ? 'base64' : 'utf8').toString();
      return respond(paused, rewrite(JSON.parse(text)));
    },
  };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that each width can break, and those that each theme can break. */
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const rulesOfTheme = ['color-contrast', 'link-in-text-block'];

/**
 * Fails if a page breaks WCAG 2.2 A or AA as far as axe can tell, or scrolls sideways.
 *
 * @param options.onlyTheme judges the colors only, of a page that was judged in another theme.
 */
export async function expectAccessible(page: Page, { onlyTheme = false } = {}): Promise<void> {
  // Colors that are changing have no contrast of their own.
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
  const isLoaded = await page.evaluate(() => 'axe' in globalThis);
  if (!isLoaded) await page.evaluate(axeSource);
  const runOnly = onlyTheme
    ? { type: 'rule' as const, values: rulesOfTheme }
    : { type: 'tag' as const, values: allRules };
  const faults = await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe };
    // No rule reads the style sheets by itself, so that axe need not load them.
    const { violations } = await axe.run({
      runOnly: rules,
      resultTypes: ['violations'],
      preload: { assets: ['media'] },
    });
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    return document.documentElement.scrollWidth > innerWidth ? [...found, 'The page scrolls sideways.'] : found;
  }, runOnly);
  expect(faults).toEqual([]);
}

/**
 * Fails if a page breaks the rules in one of the themes. The page stays in the light theme.
 *
 * @param picture the name of the pictures to keep, if pictures are wanted.
 */
export async function expectAccessibleInThemes(page: Page, picture?: string): Promise<void> {
  // Colors that are changing have no contrast of their own.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectAccessible(page, { onlyTheme: true });
  if (picture !== undefined) await keepScreenshot(page, picture);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectAccessible(page);
  if (picture !== undefined) await keepScreenshot(page, picture);
}

/** Fails unless an element gets the focus. */
export async function expectFocus(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);
}

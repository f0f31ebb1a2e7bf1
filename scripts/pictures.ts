import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';
import { freePort } from '../server/test/support/free-port.ts';

/*
 * Takes the pictures of the guide for offices, in a sandbox with the seed, as an operator. With a folder as its argument, it takes each
 * page of the office there instead. These pictures have both widths and both themes.
 */

const projectDir = join(import.meta.dirname, '..');
const picturesDir = join(projectDir, 'docs/pictures');
const [lookFolder] = process.argv.slice(2);

/** A picture may have so many bytes, so that a page with a dozen loads at once. */
const bytesMax = 100_000;

interface Sandbox {
  url: string;
  link: string;
  stop(): Promise<void>;
}

/** A picture of the guide: its name, its page, and what is done before it is taken. */
interface Picture {
  name: string;
  path: string;
  prepare?: (page: Page) => Promise<void>;
}

const firstRow = async (page: Page): Promise<void> => {
  await page.locator('main tbody a').first().click();
  await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
};

/** Opens a person by the search, as the guide tells it. */
const search = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill(text);
  await page.getByText(/records? found/).waitFor();
};

const pictures: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'search', path: '/', prepare: (page) => search(page, 'priya') },
  { name: 'application', path: '/applications?status=open', prepare: firstRow },
  {
    name: 'decide',
    path: '/applications?status=open',
    prepare: async (page) => {
      await firstRow(page);
      await page.getByRole('button', { name: 'Decide' }).click();
      await page.getByRole('dialog').getByText('Refuse', { exact: true }).click();
    },
  },
  { name: 'new-application', path: '/applications/new' },
  { name: 'check', path: '/references?status=complete&outcome=accept', prepare: firstRow },
  { name: 'stuck', path: '/?view=stuck' },
  { name: 'board', path: '/units/board' },
  { name: 'calendar', path: '/units/calendar' },
  { name: 'arrears', path: '/arrears' },
  {
    name: 'tenancy',
    path: '/arrears',
    prepare: firstRow,
  },
  { name: 'deposits', path: '/deposits' },
];

/** The pages to look at besides the pictures. */
const looks: readonly Picture[] = [
  ...pictures,
  ...[
    '/applications',
    '/references',
    '/customers',
    '/units',
    '/buildings',
    '/tenancies',
    '/invoices',
    '/payments',
  ].flatMap((path) => [
    { name: path.slice(1), path },
    { name: `${path.slice(1)}-one`, path, prepare: openFirst },
  ]),
  { name: 'subscriptions', path: '/subscriptions' },
  { name: 'subscriptions-one', path: '/subscriptions', prepare: openFirst },
  { name: 'deposits-one', path: '/deposits', prepare: openFirst },
  { name: 'files', path: '/files' },
  { name: 'settings', path: '/settings' },
  { name: 'developers', path: '/logs' },
];

async function openFirst(page: Page): Promise<void> {
  await page.locator('main tbody a').first().click();
  await page.locator('main tbody a, main dl, main section').first().waitFor();
}

const sandbox = await startSandbox();
try {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  const page = await signIn(
    await browser.newContext({ baseURL: sandbox.url, locale: 'en-GB' }).then((it) => it),
    sandbox,
  );
  if (lookFolder === undefined) await takePictures(page);
  else await lookAtPages(page, lookFolder);
  await browser.close();
} finally {
  await sandbox.stop();
}

async function takePictures(page: Page): Promise<void> {
  mkdirSync(picturesDir, { recursive: true });
  await page.setViewportSize({ width: 1200, height: 760 });
  for (const picture of pictures) {
    await show(page, picture);
    const bytes = await webpOf(page);
    if (bytes.length > bytesMax) throw new Error(`The picture ${picture.name} has ${bytes.length} bytes.`);
    writeFileSync(join(picturesDir, `office-${picture.name}.webp`), bytes);
    process.stdout.write(`${picture.name}: ${Math.round(bytes.length / 1000)} kB\n`);
  }
}

async function lookAtPages(page: Page, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const picture of looks) {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      try {
        await show(page, picture);
      } catch (error) {
        process.stdout.write(`${picture.name} at ${width}: ${String(error).slice(0, 200)}\n`);
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(folder, `${picture.name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
  }
}

async function show(page: Page, { path, prepare }: Picture): Promise<void> {
  await page.goto(`/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await prepare?.(page);
  // Streams keep a connection, and a menu that opens moves for a moment.
  await page.waitForTimeout(700);
}

/** Takes a picture as WebP, which is a third of a PNG. Only the protocol of Chromium offers it. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await session.detach();
  return Buffer.from(data, 'base64');
}

/** Makes the owner by the printed link, and invites an operator, whose page it returns. */
async function signIn(
  context: Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newContext']>>,
  { link }: Sandbox,
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('E-mail').fill('olive@ouse-lettings.example');
  await page.getByLabel('Password (optional)', { exact: true }).fill('an owner of an office');
  await page.getByRole('button', { name: 'Create owner and sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const invitation = await page.evaluate(async () => {
    const answer = await fetch('/v1/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-client': 'dashboard', 'idempotency-key': 'pictures' },
      body: JSON.stringify({ email: 'mary@ouse-lettings.example', role: 'operator' }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { url: string };
  });
  await context.clearCookies();
  await page.evaluate(() => localStorage.setItem('tenure.preferences', JSON.stringify({ home: 'office' })));
  await page.goto('about:blank');
  await page.goto(invitation.url);
  await page
    .getByLabel('Name')
    .fill('Mary Ferrer')
    .catch(() => {});
  await page.getByLabel('Password', { exact: true }).fill('a keeper of an office');
  await page.getByRole('button', { name: 'Join and sign in' }).click();
  await page.getByRole('link', { name: /To decide$/ }).waitFor();
  return page;
}

async function startSandbox(): Promise<Sandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-pictures-'));
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), TENURE_SIMULATOR_SPEED: '86400' };
  const server = spawn(process.execPath, [join(projectDir, 'server/src/main.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const link = await linkOf(server);
  const seed = spawn(process.execPath, [join(projectDir, 'server/src/commands/seed.ts')], { env, stdio: 'ignore' });
  const [code] = (await once(seed, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The seed ended with ${code}.`);
  return {
    url: `http://127.0.0.1:${port}`,
    link,
    async stop() {
      server.kill();
      await once(server, 'exit');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits for the link that a first start prints. */
async function linkOf(server: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: server.stdout! })) {
    const found = /https?:\/\/\S+\/dashboard\/link#\w+/.exec(line);
    if (found) {
      server.stdout!.resume();
      return found[0];
    }
  }
  throw new Error('The server printed no link.');
}

function chromiumPath(): string {
  const places = [
    process.env.TENURE_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const found = places.find((place) => place !== undefined && existsSync(place));
  if (found === undefined) throw new Error('There is no Chromium. Name it in TENURE_CHROMIUM.');
  return found;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startCanopy, type CanopyServer } from '../../src/canopy/server.ts';
import type { CanopySettings } from '../../src/canopy/settings.ts';
import { DatabaseClock, MovedClock } from '../../src/core/clock.ts';
import { addressForTranslator, canopyForTest, issued, type Canopy } from '../support/canopy.ts';
import { referenceNow } from '../referencing/scenario.ts';
import { good, serverForTest, type ApiResponse, type TestServer } from '../support/server.ts';

/** The account's `api_key` for the translator. */
export const token = 'the-token-of-the-account';

/** Tenure with the translator as `provider_a`, in front of Canopy. */
export interface Scene {
  canopy: Canopy;
  server: TestServer;
  settings: CanopySettings;
  /** The translator's log. */
  lines: string[];
  /** The translator's clock. */
  clock: MovedClock;
  /** Ends the translator, and starts it anew with the same file. */
  restart(): Promise<void>;
}

/** Makes the settings of a translator that nothing else uses. */
export async function settingsFor(canopy: Canopy): Promise<CanopySettings> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-canopy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { port, url } = await addressForTranslator();
  return {
    url: canopy.url,
    callbackUrl: url,
    ordersFile: join(folder, 'orders.jsonl'),
    port,
    clients: [{ token, ...issued }],
  };
}

/** Starts a translator whose pauses are a hundred times shorter. It waits until Canopy has its webhooks, unless Canopy refuses it. */
export async function translatorForTest(
  settings: CanopySettings,
  {
    canopy,
    lines = [],
    clock = new MovedClock(new DatabaseClock()),
    isRefused = false,
    timeScale = 0.01,
  }: { canopy: Canopy; lines?: string[]; clock?: MovedClock; isRefused?: boolean; timeScale?: number },
): Promise<CanopyServer> {
  const translator = await startCanopy(settings, {
    clock,
    log: (text) => lines.push(text),
    timeScale,
  });
  if (!isRefused) await expect.poll(() => canopy.webhooks.size).toBe(2);
  return translator;
}

/** Starts Canopy, the translator, and a server with an account that has set its credentials. */
export async function sceneForTest({
  credentials = {},
}: { credentials?: Partial<typeof issued> } = {}): Promise<Scene> {
  const canopy = await canopyForTest();
  const settings = await settingsFor(canopy);
  settings.clients = [{ token, ...issued, ...credentials }];
  const lines: string[] = [];
  const clock = new MovedClock(new DatabaseClock());
  const isRefused = Object.keys(credentials).length > 0;
  let translator = await translatorForTest(settings, { canopy, lines, clock, isRefused });
  onTestFinished(() => translator.stop());
  const server = await serverForTest({ settings: { TENURE_PROVIDER_A_URL: translator.url }, works: true });
  const own = { provider_a: { api_key: token, signing_secret: 'the-signing-secret-of-the-account' } };
  await good(server.api.post('/v1/account', { provider_credentials: own }));
  const restart = async (): Promise<void> => {
    await translator.stop();
    translator = await translatorForTest(settings, { canopy, lines, clock });
  };
  return { canopy, server, settings, lines, clock, restart };
}

/** Starts Canopy and the translator. The test takes the place of Tenure. */
export async function translatorAloneForTest({ timeScale = 0.01 }: { timeScale?: number } = {}): Promise<
  Omit<Scene, 'server'>
> {
  const canopy = await canopyForTest();
  const settings = await settingsFor(canopy);
  const lines: string[] = [];
  const clock = new MovedClock(new DatabaseClock());
  const start = (): Promise<CanopyServer> => translatorForTest(settings, { canopy, lines, clock, timeScale });
  let translator = await start();
  onTestFinished(() => translator.stop());
  const restart = async (): Promise<void> => {
    await translator.stop();
    translator = await start();
  };
  return { canopy, settings, lines, clock, restart };
}

/** Sends an order as Tenure does, and returns the status of the response. */
export async function sendOrder(
  { settings }: Pick<Scene, 'settings'>,
  key: string,
  callback = { url: 'http://127.0.0.1:9/', signingSecret: 'the-signing-secret' },
): Promise<number> {
  const applicant = { fullName: 'Ada Lovelace', email: 'ada@example.org', phone: null };
  const response = await fetch(`${settings.callbackUrl}/v1/reference-requests`, {
    method: 'POST',
    // A restart closes connections, which the next call must not take.
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ clientReferenceId: key, applicant, callback }),
  });
  await response.body?.cancel();
  return response.status;
}

/** Creates a customer and orders a check. */
export async function referAda({ server }: Scene, person: Record<string, unknown> = {}): Promise<string> {
  const ada = { name: 'Ada King Lovelace', email: 'ada@example.org', phone: '020 7946 0182', ...person };
  const { body: customer } = await good(server.api.post('/v1/customers', ada));
  const { body } = await good(
    server.api.post('/v1/references', {
      application: 'app_1',
      customer: customer.id,
      automatic_reference: { provider: 'provider_a' },
    }),
  );
  return body.id as string;
}

/** Returns the translator's state of an order, or undefined if it has none. */
export async function orderNow({ settings }: Pick<Scene, 'settings'>, id: string): Promise<unknown> {
  const response = await fetch(`${settings.callbackUrl}/v1/reference-requests?clientReferenceId=${id}`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  return ((await response.json()) as { requests: unknown[] }).requests[0];
}

/**
 * Waits until the reference is as wanted. Tenure's clock moves on meanwhile, so that it reads the order again. A callback during the first
 * call of Tenure is lost. And Tenure reads an order every few seconds at most.
 */
export async function untilShown({ server }: Scene, id: string, wanted: object): Promise<ApiResponse['body']> {
  let last: ApiResponse['body'];
  const look = async (): Promise<unknown> => {
    last = await referenceNow(server.api, id);
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 60 }));
    return last;
  };
  await expect.poll(look, { interval: 200 }).toMatchObject(wanted);
  return last;
}

/** Expects the report of a reference to be a PDF. */
export async function expectReport({ server }: Scene, { reference_pdf: file }: ApiResponse['body']): Promise<void> {
  const response = await fetch(`${server.url}/v1/files/${file}/contents`, {
    headers: { authorization: `Bearer ${server.secretKey}` },
  });
  expect((await response.text()).slice(0, 5)).toBe('%PDF-');
}

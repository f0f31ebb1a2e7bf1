import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { expect } from 'vitest';
import { good, type Api, type ApiResponse } from '../support/server.ts';

/** Where an order stands at the vendor, in its own words. */
export type Stage = 'NOT_STARTED' | 'IN_PROGRESS' | 'AWAITING_REFEREE' | 'DONE';

/** A service of a test's own that speaks as `provider_a` does, and is in the test's hands. */
export interface TestVendor {
  url: string;
  /** How often each reference was ordered. */
  orders: ReadonlyMap<string, number>;
  /** When each call came, by what it was about. */
  calls: readonly { kind: 'order' | 'read' | 'report' | 'cancel'; reference: string; atMs: number }[];
  /** How all orders stand that have no stage of their own. */
  stage: Stage;
  decision: 'ACCEPT' | 'CONSIDER' | 'HIGH_RISK';
  /** What is answered in the place of everything, once for each. */
  answers: { status: number; headers?: Record<string, string> }[];
  /** From now on what is answered is made, but not sent, if it is about this. */
  hold(kind: 'order' | 'read' | 'report'): void;
  /** How many answers wait. */
  readonly held: number;
  /** Sends what waits, and holds nothing any more. */
  release(): void;
  /** How often a reference was read. */
  reads(reference: string): number;
  stop(): Promise<void>;
}

/** @param port where it listens; any that is free, unless the test has told the server already. */
export async function startVendor(port = 0): Promise<TestVendor> {
  const orders = new Map<string, number>();
  const calls: { kind: 'order' | 'read' | 'report' | 'cancel'; reference: string; atMs: number }[] = [];
  const waiting: (() => void)[] = [];
  let holding: string | null = null;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, , , reference, action] = new URL(request.url!, 'http://vendor').pathname.split('/');
    const ordered =
      reference ?? (JSON.parse(Buffer.concat(chunks).toString()) as { clientReferenceId: string }).clientReferenceId;
    const kind = reference === undefined ? 'order' : ((action ?? 'read') as 'read' | 'report' | 'cancel');
    calls.push({ kind, reference: ordered, atMs: performance.now() });
    const special = vendor.answers.shift();
    if (special) return void response.writeHead(special.status, special.headers).end();
    if (kind === 'order') orders.set(ordered, (orders.get(ordered) ?? 0) + 1);
    const body = JSON.stringify(kind === 'report' ? reportOf(vendor) : requestOf(ordered, vendor));
    const send = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    if (kind === holding) waiting.push(send);
    else send();
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const vendor: TestVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    calls,
    stage: 'IN_PROGRESS',
    decision: 'ACCEPT',
    answers: [],
    hold(kind) {
      holding = kind;
    },
    get held() {
      return waiting.length;
    },
    release() {
      holding = null;
      for (const send of waiting.splice(0)) send();
    },
    reads: (wanted) => calls.filter(({ kind, reference }) => kind === 'read' && reference === wanted).length,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vendor;
}

/** As `startVendor`, for one test. */
export async function vendorForTest(port?: number): Promise<TestVendor> {
  const vendor = await startVendor(port);
  onTestFinished(() => vendor.stop());
  return vendor;
}

/** The id of an order is that of its reference. */
function requestOf(reference: string, { stage, decision }: TestVendor): object {
  const isDone = stage === 'DONE';
  return {
    requestId: reference,
    stage,
    decision: isDone ? decision : null,
    progressPercent: isDone ? 100 : 40,
    affordability: null,
    creditScore: null,
    sanctionsClear: null,
    timeline: [],
    blocker: null,
  };
}

function reportOf({ decision }: TestVendor): object {
  return {
    decision,
    decisionReasons: ['The rent is affordable.'],
    affordability: null,
    credit: null,
    sanctions: null,
    checks: [],
    referees: [],
    timeline: [],
    complaints: { company: 'Vendor', contact: 'complaints@vendor.example' },
  };
}

export const signingSecret = 'the-secret-of-the-account';

/** What the account asks the vendor with. */
export async function giveCredentials(
  api: Api,
  secret = signingSecret,
  headers: Record<string, string> = {},
): Promise<void> {
  const credentials = { api_key: 'key', signing_secret: secret };
  await good(
    api.post('/v1/account', { provider_credentials: { provider_a: credentials, provider_c: credentials } }, headers),
  );
}

/** What services call back with. Written from what they document, not from the simulated ones. */
export interface SignedCallback {
  provider: string;
  account: string;
  /** What is said; by default that something has happened to the reference. */
  body: string;
  headers: Record<string, string>;
}

/** A callback of `provider_a` or `provider_c` about a reference. */
export function callbackAbout(
  reference: string,
  account: string,
  {
    provider = 'provider_a',
    secret = signingSecret,
    atSeconds = Math.floor(Date.now() / 1000),
    says = {},
  }: { provider?: string; secret?: string; atSeconds?: number; says?: object } = {},
): SignedCallback {
  const name = provider === 'provider_c' ? 'external_id' : 'clientReferenceId';
  const body = JSON.stringify({ [name]: reference, ...says });
  const hmacOf = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');
  const headers: Record<string, string> =
    provider === 'provider_c'
      ? { 'x-signature-256': `sha256=${hmacOf(body)}` }
      : { 'x-callback-timestamp': String(atSeconds), 'x-callback-signature': hmacOf(`${atSeconds}.${body}`) };
  return { provider, account, body, headers };
}

/** Calls as the service does, which has no key. */
export async function callBack(
  url: string,
  { provider, account, body, headers }: SignedCallback,
): Promise<ApiResponse> {
  const response = await fetch(`${url}/provider_callbacks/${provider}/${account}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
}

/** Fails unless the callback was taken. */
export async function heardBy(url: string, callback: SignedCallback): Promise<void> {
  const { status, body, text } = await callBack(url, callback);
  expect(status, text).toBe(200);
  expect(body).toEqual({ received: true });
}

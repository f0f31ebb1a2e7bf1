import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { expect } from 'vitest';
import { good, type Api, type ApiResponse } from '../support/server.ts';

/** State of an order at the vendor, in the vendor's words. */
export type Stage = 'NOT_STARTED' | 'IN_PROGRESS' | 'AWAITING_REFEREE' | 'DONE' | 'CANCELLED';

type Kind = 'order' | 'find' | 'read' | 'report' | 'cancel' | 'applicant-email';

/** A service that speaks like `provider_a` under the test's control. */
export interface TestVendor {
  url: string;
  /** The number of orders for each reference. */
  orders: ReadonlyMap<string, number>;
  /** The times of calls, by subject. */
  calls: readonly { kind: Kind; reference: string; atMs: number }[];
  /** The orders that it was told to stop. */
  stopped: ReadonlySet<string>;
  /** The addresses of each order, in the order of the calls. The first came with the order. */
  emails: ReadonlyMap<string, (string | null)[]>;
  /** The stage of all orders without one of their own. */
  stage: Stage;
  decision: 'ACCEPT' | 'CONSIDER' | 'HIGH_RISK';
  /** Responses in the place of the normal ones. Each is for the next call, or for the next one of a kind. */
  answers: { kind?: Kind; status: number; headers?: Record<string, string> }[];
  /** From now on, responses about this subject are made but not sent. */
  hold(kind: Kind): void;
  /** The number of waiting responses. */
  readonly held: number;
  /** Sends the waiting responses, and holds back no more. */
  release(): void;
  /** Responds with 500 to the waiting calls, and holds back further ones. */
  refuseHeld(): void;
  /** The number of reads of a reference. */
  reads(reference: string): number;
  stop(): Promise<void>;
}

/** @param port to listen on; any free port, unless the test has already named it to the server. */
export async function startVendor(port = 0): Promise<TestVendor> {
  const orders = new Map<string, number>();
  const calls: { kind: Kind; reference: string; atMs: number }[] = [];
  const stopped = new Set<string>();
  const emails = new Map<string, (string | null)[]>();
  const waiting: { send: () => void; refuse: () => void }[] = [];
  let holding: string | null = null;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url!, 'http://vendor');
    const [, , , reference, action] = pathname.split('/');
    const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as SentBody);
    const wanted = searchParams.get('clientReferenceId');
    const ordered = reference ?? wanted ?? body.clientReferenceId!;
    const kind = wanted !== null ? 'find' : reference === undefined ? 'order' : ((action ?? 'read') as Kind);
    calls.push({ kind, reference: ordered, atMs: performance.now() });
    const index = vendor.answers.findIndex((each) => each.kind === undefined || each.kind === kind);
    const [special] = index < 0 ? [] : vendor.answers.splice(index, 1);
    if (special) return void response.writeHead(special.status, special.headers).end();
    if (kind === 'order') {
      orders.set(ordered, (orders.get(ordered) ?? 0) + 1);
      emails.set(ordered, [...(emails.get(ordered) ?? []), body.applicant?.email ?? null]);
    }
    if (kind === 'applicant-email') emails.get(ordered)!.push(body.email!);
    if (kind === 'cancel') stopped.add(ordered);
    const found = { requests: orders.has(ordered) ? [requestOf(ordered, vendor)] : [] };
    const text = JSON.stringify(
      kind === 'report' ? reportOf(vendor) : kind === 'find' ? found : requestOf(ordered, vendor),
    );
    const send = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    const refuse = (): void => void response.writeHead(500).end();
    if (kind === holding) waiting.push({ send, refuse });
    else send();
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const vendor: TestVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    calls,
    stopped,
    emails,
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
      for (const { send } of waiting.splice(0)) send();
    },
    refuseHeld() {
      for (const { refuse } of waiting.splice(0)) refuse();
    },
    reads: (wanted) => calls.filter(({ kind, reference }) => kind === 'read' && reference === wanted).length,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vendor;
}

/** Starts a vendor as `startVendor` does, for one test. */
export async function vendorForTest(port?: number): Promise<TestVendor> {
  const vendor = await startVendor(port);
  onTestFinished(() => vendor.stop());
  return vendor;
}

interface SentBody {
  clientReferenceId?: string;
  applicant?: { email: string | null } | null;
  email?: string;
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

/** The account's credentials at the vendor. */
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

/** Callbacks of services, written from their documentation and not from the simulated services. */
export interface SignedCallback {
  provider: string;
  account: string;
  /** The content; by default a change of the reference. */
  body: string;
  headers: Record<string, string>;
}

/** Builds a callback of `provider_a` or `provider_c` about a reference. */
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

/** Sends a callback as the service does, which has no API key. */
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

/** Checks that the callback was accepted. */
export async function heardBy(url: string, callback: SignedCallback): Promise<void> {
  const { status, body, text } = await callBack(url, callback);
  expect(status, text).toBe(200);
  expect(body).toEqual({ received: true });
}

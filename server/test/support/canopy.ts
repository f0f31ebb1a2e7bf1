import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/*
 * Answers as the documents of Canopy say (github.com/insurestreetltd/canopy-apidocs). It checks the signed JWT, the API key and the token.
 * It sends messages to the addresses that it was given. It has no more calls than the documents.
 */

/** The credentials that Canopy has issued. */
export const issued = {
  clientId: 'client-7',
  secretKey: 'the-secret-key-of-the-client',
  apiKey: 'the-api-key-of-the-client',
};

/** A request for a renter, as Canopy has it. */
interface Requested {
  id: string;
  callbackUrl: string;
  clientReferenceId: string | undefined;
  body: Record<string, unknown>;
}

type Call = 'token' | 'request' | 'register' | 'document' | 'passport';

/** Canopy under the control of a test. */
export interface Canopy {
  url: string;
  /** The requests so far. */
  requests: readonly Requested[];
  /** The calls so far, in order. */
  calls: readonly Call[];
  /** The addresses of the webhooks, by their types. */
  webhooks: ReadonlyMap<string, string>;
  /**
   * What happens at the next call of a kind, in place of the normal answer. After `lost`, only the answer is missing. `after` holds the
   * answer back.
   */
  next: {
    call: Call;
    does: { status: number; headers?: Record<string, string>; after?: Promise<unknown> } | 'lost';
  }[];
  /** Called after each new request. */
  onRequest: (requested: Requested) => void;
  /** Makes all tokens so far worthless. */
  expireTokens(): void;
  /** Issues another secret key. The former one is stale. */
  changeSecretKey(): void;
  /** Sends an update of `REQUEST_STATUS_UPDATES`, and returns the status of the answer. */
  event(event: string, requested?: Requested): Promise<number>;
  /** Sends an update of `PASSPORT_STATUS_UPDATES`. */
  section(type: string, newStatus: string, globalStatus: string, requested?: Requested): Promise<number>;
  /** Makes the document of a finished check, and announces it. */
  finish(status: string, document?: Record<string, unknown>, requested?: Requested): Promise<number>;
  /** Sends any message to an address. */
  post(url: string, message: unknown): Promise<number>;
  /** Stops, and starts again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

const pdf = '%PDF-1.7\n%a document of Canopy\n';

/** Seconds that a token lives. */
const tokenSeconds = 20 * 60;

export async function canopyForTest(): Promise<Canopy> {
  const port = await freePort();
  const requests: Requested[] = [];
  const calls: Call[] = [];
  const webhooks = new Map<string, string>();
  const tokens = new Set<string>();
  const documents = new Set<string>();
  let { secretKey } = issued;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
    const { pathname } = new URL(request.url!, 'http://canopy');
    const send = (status: number, json: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    };
    const refuse = (status: number, message: string, more: object = {}): void =>
      send(status, { success: false, requestId: randomUUID(), error: { status, type: 'error', message, ...more } });
    if (request.headers['x-api-key'] !== issued.apiKey) return refuse(403, 'Forbidden');
    const [, root, client, clientId, action, id] = pathname.split('/');
    if (root !== 'referencing-requests' || client !== 'client' || clientId !== issued.clientId)
      return refuse(404, 'Not found');
    const call = callOf(`${request.method} ${action}`);
    if (call === null) return refuse(404, 'Not found');
    calls.push(call);
    const at = canopy.next.findIndex((each) => each.call === call);
    const [instead] = at === -1 ? [] : canopy.next.splice(at, 1);
    if (instead && instead.does !== 'lost') {
      const { status, headers, after } = instead.does;
      await after;
      return send(
        status,
        { success: false, error: { status, type: 'error', message: 'As the test has it.' } },
        headers,
      );
    }
    if (call === 'token') {
      if (!isSigned(String(body['jwtKey']), secretKey)) return refuse(401, 'Invalid jwt key');
      const token = `Bearer ${randomUUID()}`;
      tokens.add(token);
      return send(200, { success: true, access_token: token, expires: Math.floor(Date.now() / 1000) + tokenSeconds });
    }
    if (!tokens.has(request.headers.authorization ?? '')) return refuse(401, 'Unauthorized');
    if (call === 'register') {
      webhooks.set(String(body['type']), String(body['callbackUrl']));
      return send(200, { success: true, webhookType: body['type'], callbackUrl: body['callbackUrl'] });
    }
    if (call === 'document' || call === 'passport') {
      const isThere = call === 'document' ? documents.has(id!) : requests.some((each) => each.id === id);
      if (!isThere) return refuse(404, 'Document not found');
      response.writeHead(200, {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename='${id}.pdf'`,
      });
      response.end(pdf);
      return;
    }
    const faults = faultsOf(body);
    if (faults.length > 0) return refuse(400, 'Validation error', { errors: faults });
    if (body['branchId'] !== undefined) return refuse(404, 'There is no connection with this branch');
    const requested = {
      id: randomUUID(),
      callbackUrl: String(body['callbackUrl']),
      clientReferenceId: body['clientReferenceId'] as string | undefined,
      body,
    };
    requests.push(requested);
    if (instead) response.destroy();
    else send(200, { success: true, requestId: randomUUID(), canopyReferenceId: requested.id });
    canopy.onRequest(requested);
  };

  let server = createServer();
  const canopy: Canopy = {
    url: `http://127.0.0.1:${port}`,
    requests,
    calls,
    webhooks,
    next: [],
    onRequest: () => {},
    expireTokens: () => tokens.clear(),
    changeSecretKey: () => {
      secretKey = 'another-secret-key';
      tokens.clear();
    },
    event: (event, requested = requests.at(-1)!) =>
      canopy.post(webhooks.get('REQUEST_STATUS_UPDATES')!, { ...idsOf(requested), notes: event }),
    section: (type, newStatus, globalStatus, requested = requests.at(-1)!) =>
      canopy.post(webhooks.get('PASSPORT_STATUS_UPDATES')!, {
        ...idsOf(requested),
        updatedSection: { type, newStatus, updatedAt: '2026-11-28T09:00:00Z' },
        instant: { status: globalStatus, sections: {} },
        globalStatus,
      }),
    finish(status, document = {}, requested = requests.at(-1)!) {
      const id = randomUUID();
      documents.add(id);
      const url = `/referencing-requests/client/${issued.clientId}/documents/${id}`;
      const told = {
        documentType: 1,
        url,
        maxRent: 1500,
        status,
        title: 'FULL',
        isGuarantorNeeded: false,
        ...document,
      };
      return canopy.post(requested.callbackUrl, { ...idsOf(requested), document: told });
    },
    async post(url, message) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      });
      await response.body?.cancel();
      return response.status;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server = createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
  await canopy.start();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return canopy;
}

/** Returns the URL of the webhook with the last character of its secret changed. */
export function withWrongSecret(url: string): string {
  return url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
}

/** Returns a port on which `url` is free: the address of the translator, which both sides must know. */
export async function addressForTranslator(): Promise<{ port: number; url: string }> {
  const port = await freePort();
  return { port, url: `http://127.0.0.1:${port}` };
}

function callOf(route: string): Call | null {
  const calls: Record<string, Call> = {
    'POST token': 'token',
    'POST request': 'request',
    'POST webhook': 'register',
    'GET documents': 'document',
    'GET rent-passport': 'passport',
  };
  return calls[route] ?? null;
}

function idsOf({ id, clientReferenceId }: Requested): object {
  return { canopyReferenceId: id, clientReferenceId };
}

/** Checks a JWT as the documents have it: HS256 with the secret key, for this client, and not expired. */
function isSigned(jwt: string, secretKey: string): boolean {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const wanted = createHmac('sha256', secretKey).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return false;
  const { iss, scope, aud, exp } = partOf(payload);
  return (
    partOf(header)['alg'] === 'HS256' &&
    iss === 'canopy.rent' &&
    scope === 'request.write_only document.read_only' &&
    aud === `referencing-requests/client/${issued.clientId}/token` &&
    Number(exp) > Date.now() / 1000
  );
}

function partOf(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
}

function faultsOf({ email, callbackUrl, requestType, itemType }: Record<string, unknown>): object[] {
  const isRight: Record<string, boolean> = {
    email: typeof email === 'string' && /^[^@]+@[^@]+(?<!\.invalid)$/.test(email),
    callbackUrl: typeof callbackUrl === 'string' && callbackUrl.startsWith('http'),
    requestType: requestType === 'RENTER_SCREENING' || requestType === 'GUARANTOR_SCREENING',
    itemType: itemType === 'INSTANT' || itemType === 'FULL',
  };
  return Object.entries(isRight)
    .filter(([, right]) => !right)
    .map(([path]) => ({ type: 'invalid', path, message: `${path} is invalid: ${JSON.stringify(email)}` }));
}

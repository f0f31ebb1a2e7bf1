import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { firstAccountId } from '../support/tenants.ts';

const signingSecret = 'a-secret-of-the-service';

/** A service that speaks like provider_a and does what the test says. */
export interface OwnService {
  url: string;
  /** `POST /v1/reference-requests` and the like, in order of arrival. */
  calls: string[];
  /** The service's state of an order. */
  order: Record<string, unknown>;
  report: Record<string, unknown>;
  /** Answers a call in its own way, or delays it. Null leaves the call to the service. */
  before: (call: string, request: IncomingMessage, response: ServerResponse) => Promise<unknown>;
}

export async function ownService(): Promise<OwnService> {
  const service: OwnService = {
    url: '',
    calls: [],
    order: {
      requestId: 'rr_1',
      stage: 'IN_PROGRESS',
      decision: null,
      progressPercent: 10,
      affordability: null,
      creditScore: null,
      sanctionsClear: null,
      timeline: [],
      blocker: null,
    },
    report: {
      decision: 'ACCEPT',
      decisionReasons: [],
      affordability: null,
      credit: null,
      sanctions: null,
      checks: [],
      referees: [],
      timeline: [],
      complaints: { company: 'A Ltd', contact: 'complaints@a.example' },
    },
    before: async () => {},
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = `${request.method} ${request.url}`;
    service.calls.push(call);
    request.resume();
    await service.before(call, request, response);
    if (response.writableEnded || response.destroyed) return;
    const isReport = request.url!.endsWith('/report');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isReport ? service.report : service.order));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

/** Starts a server with this service as provider_a, and credentials for it. */
export async function serverAsking(
  service: OwnService,
  options: { works?: true } = { works: true },
): Promise<TestServer> {
  const server = await serverForTest({ settings: { TENURE_PROVIDER_A_URL: service.url }, ...options });
  const credentials = { provider_a: { api_key: 'key', signing_secret: signingSecret } };
  await good(server.api.post('/v1/account', { provider_credentials: credentials }));
  return server;
}

/** Sends a callback as the service would. */
export async function callBack(server: TestServer, referenceId: string): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ clientReferenceId: referenceId });
  const signature = createHmac('sha256', signingSecret).update(`${timestamp}.${body}`).digest('hex');
  return fetch(`${server.url}/provider_callbacks/provider_a/${await firstAccountId(server)}`, {
    method: 'POST',
    headers: { 'x-callback-timestamp': timestamp, 'x-callback-signature': signature },
    body,
  });
}

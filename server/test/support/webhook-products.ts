import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * Fakes of the webhook products that the bench can measure. Each takes exactly the requests that its product's OpenAPI document describes,
 * refuses the others, and delivers to the endpoints. It can also run as a process of its own, with NAME, PORT and KEY.
 */

export type FakeName = 'svix' | 'convoy' | 'outpost';

export const fakeProject = 'project-1';

/** The name of this machine that a product takes if it refuses loopback addresses. */
export const receiverHost = 'receiver.test';

export interface FakeProduct {
  url: string;
  stop(): Promise<void>;
}

type Body = Record<string, unknown>;

interface Call {
  /** The parts of the path that the route leaves open. */
  ids: string[];
  body: Body;
}

interface Answer {
  status: number;
  body?: object;
}

type Routes = Record<string, (call: Call) => Answer | Promise<Answer>>;

export async function startFakeProduct(name: FakeName, key: string, port = 0): Promise<FakeProduct> {
  const routes = fakes[name]();
  const server = createServer((asked, response) => {
    void answer(asked, routes, key).then(({ status, body }) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body)),
    );
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => stop(server),
  };
}

async function answer(asked: IncomingMessage, routes: Routes, key: string): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  const path = asked.url!.split('?')[0]!;
  for (const [route, respond] of Object.entries(routes)) {
    const [method, pattern] = route.split(' ') as [string, string];
    const ids = new RegExp(`^${pattern.replaceAll(':id', '([^/]+)')}$`).exec(path)?.slice(1);
    if (asked.method !== method || ids === undefined) continue;
    if (method === 'GET') return respond({ ids, body: {} });
    if (asked.headers.authorization !== `Bearer ${key}`) return { status: 401, body: { message: 'unauthorized' } };
    if (asked.headers['content-type'] !== 'application/json') return { status: 415 };
    try {
      return await respond({ ids, body: JSON.parse(Buffer.concat(chunks).toString()) as Body });
    } catch (error) {
      return { status: error instanceof Refusal ? error.status : 500, body: { message: (error as Error).message } };
    }
  }
  return { status: 404, body: { message: `no route ${asked.method} ${path}` } };
}

const fakes: Record<FakeName, () => Routes> = {
  svix() {
    const urls = new Map<string, string[]>();
    const name = /^[a-zA-Z0-9\-_.]+$/;
    return {
      'GET /api/v1/health/ping': () => ({ status: 204 }),
      'POST /api/v1/app': ({ body }) => {
        textOf(body, 'name', 422);
        const id = `app_${urls.size + 1}`;
        urls.set(id, []);
        return { status: 201, body: { id } };
      },
      'POST /api/v1/app/:id/endpoint': ({ ids: [app], body }) => {
        found(urls, app!, 404).push(urlOf(body, 'url', 422));
        return { status: 201, body: { id: 'ep_1' } };
      },
      'POST /api/v1/app/:id/msg': async ({ ids: [app], body }) => {
        const endpoints = found(urls, app!, 404);
        if (!name.test(textOf(body, 'eventType', 422))) throw new Refusal(422, 'eventType');
        const payload = objectOf(body, 'payload', 422);
        await Promise.all(endpoints.map((url) => deliver(url, payload, { 'svix-id': 'msg_1' })));
        return { status: 202, body: { id: 'msg_1', eventType: body.eventType } };
      },
    };
  },

  convoy() {
    const urls = new Map<string, string>();
    const subscribed = new Set<string>();
    return {
      'GET /healthz': () => ({ status: 200 }),
      'POST /api/v1/projects/:id/endpoints': ({ ids: [project], body }) => {
        inProject(project!);
        textOf(body, 'name', 400);
        const url = urlOf(body, 'url', 400);
        // As in release 26: a host name is checked only when an event is sent.
        if (['localhost', '127.0.0.1'].includes(new URL(url).hostname)) throw new Refusal(400, 'loopback');
        const uid = `endpoint-${urls.size + 1}`;
        urls.set(uid, url);
        return { status: 201, body: { status: true, message: 'created', data: { uid } } };
      },
      'POST /api/v1/projects/:id/subscriptions': ({ ids: [project], body }) => {
        inProject(project!);
        textOf(body, 'name', 400);
        const endpoint = textOf(body, 'endpoint_id', 400);
        found(urls, endpoint, 400);
        subscribed.add(endpoint);
        return { status: 201, body: { status: true, message: 'created', data: { uid: 'subscription-1' } } };
      },
      'POST /api/v1/projects/:id/events': async ({ ids: [project], body }) => {
        inProject(project!);
        const endpoint = textOf(body, 'endpoint_id', 400);
        textOf(body, 'event_type', 400);
        const data = objectOf(body, 'data', 400);
        if (subscribed.has(endpoint)) await deliver(urls.get(endpoint)!, data, {});
        return { status: 201, body: { status: true, message: 'queued', data: null } };
      },
    };
  },

  outpost() {
    const urls = new Map<string, string[]>();
    return {
      'GET /api/v1/healthz': () => ({ status: 200, body: { status: 'healthy' } }),
      'PUT /api/v1/tenants/:id': ({ ids: [tenant] }) => {
        urls.set(tenant!, []);
        return { status: 201, body: { id: tenant } };
      },
      'POST /api/v1/tenants/:id/destinations': ({ ids: [tenant], body }) => {
        const destinations = found(urls, tenant!, 404);
        if (textOf(body, 'type', 422) !== 'webhook') throw new Refusal(422, 'type');
        if (body.topics !== '*' && !Array.isArray(body.topics)) throw new Refusal(422, 'topics');
        destinations.push(urlOf(objectOf(body, 'config', 422), 'url', 422));
        return { status: 201, body: { id: 'des_1' } };
      },
      'POST /api/v1/publish': async ({ body }) => {
        const data = objectOf(body, 'data', 422);
        const destinations = urls.get(textOf(body, 'tenant_id', 422)) ?? [];
        await Promise.all(destinations.map((url) => deliver(url, data, { 'x-outpost-event-id': 'evt_1' })));
        return { status: 202, body: { id: 'evt_1', duplicate: false, destination_ids: ['des_1'] } };
      },
    };
  },
};

function inProject(project: string): void {
  if (project !== fakeProject) throw new Refusal(404, 'project');
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, member: string) {
    super(`${member} is missing or wrong`);
    this.status = status;
  }
}

function textOf(body: Body, member: string, status: number): string {
  const value = body[member];
  if (typeof value !== 'string' || value === '') throw new Refusal(status, member);
  return value;
}

function objectOf(body: Body, member: string, status: number): Body {
  const value = body[member];
  if (typeof value !== 'object' || value === null) throw new Refusal(status, member);
  return value as Body;
}

function urlOf(body: Body, member: string, status: number): string {
  const text = textOf(body, member, status);
  if (!URL.canParse(text)) throw new Refusal(status, member);
  return text;
}

function found<Value>(values: Map<string, Value>, id: string, status: number): Value {
  const value = values.get(id);
  if (value === undefined) throw new Refusal(status, id);
  return value;
}

/**
 * Sends the payload with spaces and in another order, as a database may store it. An event is accepted only afterwards, so that a kill loses
 * none.
 */
async function deliver(url: string, payload: Body, headers: Record<string, string>): Promise<void> {
  const { pathname, hostname, port } = new URL(url);
  const reversed = Object.fromEntries(Object.entries(payload).reverse());
  const body = JSON.stringify(reversed).replaceAll('":"', '": "');
  const sent = request({
    method: 'POST',
    host: hostname === receiverHost ? '127.0.0.1' : hostname,
    port,
    path: pathname,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

if (import.meta.main) {
  await startFakeProduct(process.env.NAME as FakeName, process.env.KEY!, Number(process.env.PORT));
}

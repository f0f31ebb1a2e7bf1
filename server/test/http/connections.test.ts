import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { Connections } from '../../src/http/pipeline/connections.ts';
import { converse, drip, rawRequest, statusesIn } from '../support/raw-http.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { stopMonotonicClock } from '../support/still-clock.ts';
import { addAccount } from '../support/tenants.ts';

/* Connections whose requests never end, or of which there are too many at once. */

describe('slow senders', () => {
  test('stops without a delay when a sender went away in the middle of its body', async () => {
    const server = await serverForTest();
    const app = buildApp(server.context);
    await app.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /v1/references HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.secretKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    // The server has begun to read the body, and then sees the client gone.
    await delay(300);
    socket.destroy();
    await delay(300);
    // The test would end first if the stop took this long.
    await app.stopServing(600_000);
  });

  test('serves a sender when its bytes come one by one but in time', async () => {
    const server = await serverForTest();
    const port = Number(new URL(server.url).port);
    const text = `GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\nConnection: close\r\n\r\n`;
    const answer = await drip(port, '', ...text.split(''));
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['a short body', { application: 'app_1' }, '200'],
    // Reading it takes several rounds of the event loop.
    ['a body of 200 kB', { application: 'app_1', metadata: { note: 'x'.repeat(200_000) } }, '400'],
  ])('answers %s when it arrived in time and the server was busy until the time was over', async (_, sent, status) => {
    const bodyMs = 300;
    const server = await serverForTest({ overrides: { arrivalLimits: { headMs: 10_000, bodyMs, uploadMs: 60_000 } } });
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify(sent);
    const socket = connect(Number(port), hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (data) => (text += String(data)));
    socket.once('data', () => {
      socket.write(body);
      const untilMs = performance.now() + 2 * bodyMs;
      while (performance.now() < untilMs);
    });
    socket.write(
      `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await expect.poll(() => statusesIn(text)).toEqual(['100', status]);
  });

  test('refuses headers when they exceed 16 kB, and accepts them just below that', async () => {
    const server = await serverForTest();
    for (const headers of [
      [`X-More: ${'x'.repeat(17_000)}`],
      Array.from({ length: 40 }, () => `X: ${'x'.repeat(450)}`),
    ])
      expectRefusal(await rawRequest(server, 'GET /v1/events', { headers }), refusals.headersTooLarge);
    const served = await rawRequest(server, 'GET /v1/events', { headers: [`X-More: ${'x'.repeat(15_500)}`] });
    expect(served.status).toBe(200);
  });
});

describe('connections with many requests', () => {
  test('serves a connection when it has 64 requests without a response', async () => {
    const server = await serverForTest();
    const text = `${`${getLine(server)}\r\n`.repeat(63)}${getLine(server)}Connection: close\r\n\r\n`;
    expect(statusesIn(await converse(server, text))).toEqual(Array.from({ length: 64 }, () => '200'));
  });

  test.each([
    ['a key', getLine],
    ['no key', () => 'GET /docs HTTP/1.1\r\nHost: x\r\n'],
  ])(
    'closes a connection when it sends a thousand requests at once with %s, and continues none of them',
    async (_, line) => {
      const server = await serverForTest();
      const port = Number(new URL(server.url).port);
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
      const before = await requestsSeen(server);
      socket.write(`${line(server)}\r\n`.repeat(1_000));
      await closed;
      // The parser made no request of the rest that it had read.
      expect((await requestsSeen(server)) - before).toBeLessThanOrEqual(65);
      const inFlight = async (): Promise<string> => server.context.metrics.text();
      await expect.poll(inFlight).toMatch(/tenure_http_requests_in_flight 0\n/);
      expect((await server.api.get('/v1/references')).status).toBe(200);
    },
  );

  test('ends all requests of a connection when it breaks after a CONNECT behind them', async () => {
    const server = await serverForTest();
    const stream = `GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n\r\n`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`${stream}${`${getLine(server)}\r\n`.repeat(2)}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    const inFlight = async (): Promise<string> => server.context.metrics.text();
    await once(socket, 'data');
    await expect.poll(inFlight).toMatch(/tenure_http_requests_in_flight 3\n/);
    socket.resetAndDestroy();
    await expect.poll(inFlight).toMatch(/tenure_http_requests_in_flight 0\n/);
  });

  test('prints no warning when a client requests downloads without waiting for them', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const server = await serverForTest();
    const file = await good(server.api.post('/v1/files', formOf({}, pdfOf(Buffer.alloc(9_000_000, 'a')))));
    const request = `GET /v1/files/${file.body.id}/contents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n\r\n`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(request.repeat(3));
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    await expect.poll(() => received).toBeGreaterThan(27_000_000);
    expect(warnings).toEqual([]);
  });

  test('closes a connection that pipelines when all connections have 4,096 waiting requests', async () => {
    const server = await serverForTest();
    const closed = await closedOfPipelining(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(63));
    expect(closed).toBeLessThan(pipeliningConnections);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test('closes a connection that pipelines when the waiting requests of all connections have 8 MB of headers', async () => {
    const server = await serverForTest();
    const long = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(15_000)}\r\n\r\n`;
    // 1,080 requests, of which the server holds some 550 at once.
    const closed = await closedOfPipelining(server, long.repeat(12));
    expect(closed).toBeLessThan(pipeliningConnections);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test('closes a connection with long headers when those of all connections take 8 MB', async () => {
    const { port, send } = await startHoldingServer();
    const { closed } = await send(350, '203.0.113.7');
    await expect.poll(closed).toBeGreaterThan(0);
    expect(closed()).toBeLessThan(350);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });

  test('closes a connection of the address that holds most when another one sends long headers', async () => {
    const { send } = await startHoldingServer();
    const ofStranger = await send(350, '203.0.113.7');
    await expect.poll(ofStranger.closed).toBeGreaterThan(0);
    const before = ofStranger.closed();
    const ofOther = await send(3, '198.51.100.9');
    await expect.poll(() => ofStranger.closed() + ofOther.closed()).toBeGreaterThan(before + 1);
    expect(ofOther.closed()).toBe(0);
  });

  test('serves changes with long headers when changes of two other addresses have as much room as they may', async () => {
    const { send } = await startHoldingServer();
    for (const address of ['203.0.113.7', '203.0.113.8']) {
      const { closed } = await send(200, address, 'POST');
      await expect.poll(closed).toBeGreaterThan(0);
    }
    const other = await send(3, '198.51.100.9', 'POST');
    const more = await send(100, '203.0.113.7', 'POST');
    await expect.poll(more.closed).toBe(100);
    expect(other.closed()).toBe(0);
  });

  test('closes pipelined requests of the address that holds most when another one pipelines', async () => {
    const { port } = await startHoldingServer();
    const pipeline = (address: string, count: number): { closed: () => boolean } => {
      let closed = false;
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.once('close', () => (closed = true));
      const from = `HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n`;
      socket.write(`GET / ${from}X-Header-0: \r\n\r\n${`GET / ${from}\r\n`.repeat(count)}`);
      return { closed: () => closed };
    };
    // Together, they have all 4,096 that may wait.
    const ofStranger = Array.from({ length: 65 }, () => pipeline('203.0.113.7', 63));
    const closedOfStranger = (): number => ofStranger.filter(({ closed }) => closed()).length;
    const others = Array.from({ length: 3 }, () => pipeline('198.51.100.9', 2));
    await expect.poll(closedOfStranger).toBeGreaterThan(0);
    expect(others.filter(({ closed }) => closed())).toEqual([]);
  });

  test('refuses changes with long headers with 429 when a tree of accounts has many from many addresses', async () => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    const { hostname, port } = new URL(server.url);
    const texts: string[] = [];
    const begin = (index: number): void => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      texts[index] = '';
      socket.on('data', (data) => (texts[index] += String(data)));
      socket.write(
        `POST /v1/references HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.${index}\r\nAuthorization: Bearer ${server.secretKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: 100\r\n${longHeaders}\r\n{`,
      );
    };
    for (let index = 0; index < 140; index++) begin(index);
    await expect.poll(() => texts.filter((text) => text.includes('long headers')).length).toBeGreaterThan(0);
    const other = await addAccount(server);
    expect((await other.api.post('/v1/references', { application: 'app_1' })).status).toBe(200);
  });

  test('serves a request with long headers after 400 clients disconnected within refused bodies', async () => {
    const server = await serverForTest();
    const { hostname, port } = new URL(server.url);
    const line = `POST /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n${longHeaders}\r\n{`;
    for (let count = 0; count < 400; count++) {
      const socket = connect(Number(port), hostname, () => socket.write(line));
      const [response] = (await once(socket, 'data')) as [Buffer];
      expect(String(response)).toMatch(/^HTTP\/1\.1 405 /);
      socket.destroy();
    }
  });

  test('refuses each request with long headers when the rest of 130 refused bodies can still arrive', async () => {
    const server = await serverForTest();
    const { hostname, port } = new URL(server.url);
    const line = `POST /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n${longHeaders}\r\n{`;
    for (let count = 0; count < 130; count++) {
      const socket = connect(Number(port), hostname, () => socket.write(line)).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      const response = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      expect(String(response[0])).toMatch(/^HTTP\/1\.1 405 /);
    }
  });
});

/** Headers that take some 26 kB of memory. */
const longHeaders = Array.from({ length: 90 }, (_, index) => `X-Header-${index}: ${'x'.repeat(140)}\r\n`).join('');

/** Starts a server that never responds to requests with long headers. A proxy forwards the requests of all addresses. */
async function startHoldingServer(): Promise<{
  port: number;
  send: (count: number, address: string, method?: string) => Promise<{ closed: () => number }>;
}> {
  const { context } = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
  const server = createServer();
  new Connections(context).watch(server);
  let seen = 0;
  server.on('request', ({ headers }, response) => {
    seen++;
    if (headers['x-header-0'] === undefined) response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const send = async (count: number, address: string, method = 'GET'): Promise<{ closed: () => number }> => {
    const before = seen;
    let closed = 0;
    for (let index = 0; index < count; index++) {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {}).once('close', () => closed++);
      socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n${longHeaders}\r\n`);
    }
    await expect.poll(() => seen - before).toBe(count);
    return { closed: () => closed };
  };
  return { port, send };
}

const pipeliningConnections = 90;

/** Sends requests behind event streams of two accounts. Returns how many connections the server has closed, once it has closed some. */
async function closedOfPipelining(server: TestServer, requests: string): Promise<number> {
  const port = Number(new URL(server.url).port);
  const tenants = [await addAccount(server), await addAccount(server)];
  let closed = 0;
  for (let count = 0; count < pipeliningConnections; count++) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).once('close', () => closed++);
    // A stream has no end, so the others wait behind it.
    const { key } = tenants[count % 2]!;
    socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n${requests}`);
  }
  await expect.poll(() => closed).toBeGreaterThan(0);
  return closed;
}

/** How many requests have begun, answered or not. */
async function requestsSeen({ context }: TestServer): Promise<number> {
  const text = await context.metrics.text();
  const answered = text.matchAll(/^tenure_http_request_duration_seconds_count\{.*\} (\d+)$/gm);
  const inFlight = Number(/^tenure_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
  return [...answered].reduce((sum, [, count]) => sum + Number(count), inFlight);
}

/** A request without the end of its headers. */
function getLine(server: TestServer): string {
  return `GET /v1/references?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
}

describe('a full process', () => {
  test('closes the connections that are idle for the longest time when strangers hold all places', async () => {
    const { port, server } = await startFullServer();
    const busy = hold(
      port,
      `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    await expect.poll(() => busy.text).toContain('100 Continue');
    const idle: Held[] = [];
    for (let count = 0; count < 64; count++) {
      const each = hold(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect.poll(() => each.text).toContain('200 OK');
      idle.push(each);
    }
    await expect.poll(() => idle.filter(({ closed }) => closed).length).toBeGreaterThan(32);
    const last = idle.findLastIndex(({ closed }) => closed);
    expect(idle.slice(0, last).every(({ closed }) => closed)).toBe(true);
    expect(busy.closed).toBe(false);
  });

  test.each([
    [
      'bodies that do not end',
      'POST /v1/portal/link HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n',
    ],
    ['delayed refusals', 'POST /v1/references HTTP/1.1\r\nAuthorization: Bearer sk_test_unknown\r\n'],
    ['delayed refusals of a path that cannot be decoded', 'GET /v1/%zz HTTP/1.1\r\n'],
    [
      'delayed refusals and changes behind them',
      'GET /v1/references HTTP/1.1\r\n',
      'POST /v1/portal/link HTTP/1.1\r\n',
    ],
  ])('serves another client when a stranger holds all places with %s', async (_, line, behind = '') => {
    const { port, server } = await startFullServer();
    stopMonotonicClock();
    const rest = 'Host: x\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n';
    // The first 100 refusals in a second are prompt.
    for (let count = 0; count < 100; count++) await refused(port, '203.0.113.7');
    for (let count = 0; count < 40; count++) {
      const before = await requestsSeen(server);
      const held = hold(port, `${line}${rest}${behind && behind + rest}`);
      await expect.poll(async () => held.closed || (await requestsSeen(server)) > before).toBe(true);
    }
    for (let count = 0; count < 8; count++) await refused(port, '198.51.100.9');
  });

  test('keeps connections with changes that have begun when their account holds half of the places', async () => {
    const { port, server } = await startFullServer();
    const blocker = await server.context.database.readers.connect();
    onTestFinished(() => blocker.release(true));
    await blocker.query('begin');
    await blocker.query('lock table tenant_references in access exclusive mode');
    const body = '{"application": "app_1"}';
    const changes = Array.from({ length: 16 }, () =>
      hold(
        port,
        `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    await expect.poll(async () => requestsSeen(server)).toBe(16);
    const idle = Array.from({ length: 64 }, () => hold(port, ''));
    await expect.poll(() => idle.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(48);
    await blocker.query('rollback');
    await expect.poll(() => changes.filter(({ text }) => text.includes('200 OK')).length).toBe(16);
  });
});

/** Starts a server with room for 32 connections. A proxy forwards the requests of all addresses. */
async function startFullServer(): Promise<{ port: number; server: TestServer }> {
  const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
  const app = buildApp(server.context);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  app.server.maxConnections = 32;
  return { port: (app.server.address() as AddressInfo).port, server };
}

/** A connection with a request. */
interface Held {
  closed: boolean;
  text: string;
}

/** Opens a connection, and sends a text. */
function hold(port: number, text: string): Held {
  const held = { closed: false, text: '' };
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  onTestFinished(() => void socket.destroy());
  socket.on('data', (data) => (held.text += String(data)));
  socket.on('error', () => {});
  socket.on('close', () => (held.closed = true));
  return held;
}

/** Sends a request without a key on a connection of its own. The server refuses it. */
async function refused(port: number, address: string): Promise<void> {
  const text = await converse(
    { url: `http://127.0.0.1:${port}` },
    `GET /v1/references HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nConnection: close\r\n\r\n`,
  );
  expect(text).toMatch(/^HTTP\/1\.1 4(01|29) /);
}

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttemptError } from '../../../src/webhooks/sender.ts';
import {
  everyMs,
  pour,
  rawReceiverForTest,
  receiverForTest,
  startReceiver,
  type Received,
  type Receiver,
} from '../../support/receiver.ts';
import { freePort } from '../../support/free-port.ts';
import { serverForTest, startTestServer, type ApiResponse, type TestServer } from '../../support/server.ts';
import { tlsReceiverForTest } from '../../support/tls-receiver.ts';
import {
  deliver,
  deliverOnceTo,
  expectTimedOut,
  queueEmpty,
  deliveriesOf,
  endpointFor,
  makeReferences,
  over,
  patientLimits,
  ping,
  pingedEndpoint,
  placesOf,
  seed,
  soon,
} from '../scenario.ts';

describe('response statuses', () => {
  let server: TestServer;
  let elsewhere: Receiver;
  let receiver: Receiver;
  let endpointId: string;
  /** The response of the receiver for now. */
  let statuses: number[] = [];

  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_RETRY_SCHEDULE: '0.02,0.02' },
      overrides: {
        dispatcherLimits: { pollMs: 20 },
        resolveHost: async (hostname) => (hostname.startsWith('unresolved') ? [] : ['127.0.0.1']),
      },
    });
    elsewhere = await startReceiver();
    receiver = await startReceiver((response) => {
      const status = statuses.length > 1 ? statuses.shift()! : statuses[0]!;
      response.writeHead(status, { location: elsewhere.url }).end([204, 304].includes(status) ? undefined : 'Noted.');
    });
    endpointId = (await pingedEndpoint(server.api, receiver.url)).id;
  });
  afterAll(() => Promise.all([server.stop(), receiver.stop(), elsewhere.stop()]));

  async function answered(...answers: number[]): Promise<{ delivery: ApiResponse['body']; requests: Received[] }> {
    statuses = answers;
    const delivery = await deliver(server, endpointId);
    const ofIt = ({ headers }: Received): boolean => headers['service-delivery-id'] === delivery.id;
    return { delivery, requests: receiver.received.filter(ofIt) };
  }

  test.each([200, 201, 202, 204, 299])('24: counts status %i as success after one request', async (status) => {
    const { delivery, requests } = await answered(status);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, attempts: [{ status, error: null }] });
    expect(requests).toHaveLength(1);
  });

  test.each([300, 301, 302, 303, 304, 307, 308])(
    '21, 68: counts status %i as failure after every attempt, and follows no redirect',
    async (status) => {
      await expectEveryAttempt(status);
      expect(elsewhere.received).toHaveLength(0);
    },
  );

  test.each([400, 401, 403, 404, 418, 429, 451, 500, 502, 503, 599])(
    '21: counts status %i as failure after every attempt',
    expectEveryAttempt,
  );

  test('33: makes every attempt and keeps the endpoint enabled when the status is 410', async () => {
    await expectEveryAttempt(410);
    const { body } = await server.api.get(`/v1/webhook_endpoints/${endpointId}`);
    expect(body).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  async function expectEveryAttempt(status: number): Promise<void> {
    const { delivery, requests } = await answered(status);
    const attempt = { status, error: null, response: status === 304 ? null : 'Noted.' };
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt_count: 3,
      delivered_at: null,
      next_attempt_at: null,
      attempts: [attempt, attempt, attempt],
    });
    expect(requests.map(({ headers }) => headers['service-attempt'])).toEqual(['1', '2', '3']);
  }

  test.each<[string, AttemptError, () => Promise<string>]>([
    ['refuses the connection', 'connection_refused', closedPort],
    ['resets the connection', 'connection_closed', async () => (await rawReceiverForTest(() => {}, reset)).url],
    [
      'closes the connection during the TLS handshake',
      'connection_closed',
      async () => overTls((await rawReceiverForTest(() => {}, hangUp)).url),
    ],
    ['speaks no TLS', 'tls_failed', async () => overTls((await rawReceiverForTest(() => {}, speakPlainly)).url)],
    ['has a self-signed certificate', 'tls_failed', async () => (await tlsReceiverForTest('signed by itself')).url],
    ['has an expired certificate', 'tls_failed', async () => (await tlsReceiverForTest('expired')).url],
    [
      'has the certificate of another host',
      'tls_failed',
      async () => (await tlsReceiverForTest('of another host')).url,
    ],
    ['has a name that does not resolve', 'host_unresolved', async () => 'http://unresolved.example.com/'],
  ])('22: makes every attempt when the receiver %s, and shows %s', async (_, error, urlOf) => {
    const endpoint = await pingedEndpoint(server.api, await urlOf());
    const attempt = { status: null, error, response: null };
    expect(await deliver(server, endpoint.id)).toMatchObject({
      status: 'failed',
      attempt_count: 3,
      attempts: [attempt, attempt, attempt],
    });
  });

  test("22: delivers when the receiver's certificate is valid", async () => {
    const secure = await tlsReceiverForTest('good');
    const endpoint = await pingedEndpoint(server.api, secure.url);
    expect(await deliver(server, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
    expect(secure.requests).toBe(1);
  });

  test('23: delivers with the third request when the statuses are 500, 500, 200', async () => {
    const { delivery, requests } = await answered(500, 500, 200);
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempt_count: 3,
      attempts: [{ status: 500 }, { status: 500 }, { status: 200 }],
    });
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103, with fields', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nRetry-After: 5\r\n\r\n'],
    ['102 three times', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)],
  ])('25: succeeds in one attempt when the response is %s and then 200', async (_, interim) => {
    const raw = await rawReceiverForTest((socket) => {
      socket.write(interim);
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), 20);
    });
    const endpoint = await pingedEndpoint(server.api, raw.url);
    expect(await deliver(server, endpoint.id)).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
      attempts: [{ status: 200, error: null, response: 'ok' }],
    });
    expect(raw.requests).toHaveLength(1);
  });

  test('25: fails the attempt when an unrequested 100 arrives, as the HTTP client treats it as a fault', async () => {
    const raw = await rawReceiverForTest((socket) =>
      socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
    );
    const endpoint = await pingedEndpoint(server.api, raw.url);
    const attempt = { status: null, error: 'connection_closed' };
    expect(await deliver(server, endpoint.id)).toMatchObject({
      status: 'failed',
      attempts: [attempt, attempt, attempt],
    });
  });

  test('32: delivers to one endpoint when another fails for the same event', async () => {
    const failing = await receiverForTest(500);
    const recovering = await receiverForTest(500, 500, 200);
    const endpoints = [await endpointFor(server.api, failing.url), await endpointFor(server.api, recovering.url)];
    await makeReferences(server.api, 1);
    expect(await over(server.api, endpoints[0].id)).toMatchObject({ status: 'failed', attempt_count: 3 });
    expect(await over(server.api, endpoints[1].id)).toMatchObject({ status: 'delivered', attempt_count: 3 });
  });
});

test('31: makes one attempt when the retry schedule is empty', async () => {
  const receiver = await receiverForTest(500);
  const { api } = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
  const endpoint = await pingedEndpoint(api, receiver.url);
  await ping(api, endpoint.id);
  expect(await over(api, endpoint.id)).toMatchObject({ status: 'failed', attempt_count: 1 });
  expect(receiver.received).toHaveLength(1);
});

test('26: retries no earlier than the pause less a fifth when an attempt has failed', async () => {
  const receiver = await receiverForTest(500, 500, 200);
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.3,0.6' },
    overrides: { dispatcherLimits: { pollMs: 10 } },
  });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await ping(server.api, endpoint.id);
  await over(server.api, endpoint.id);
  const [first, second, third] = receiver.received.map(({ receivedAtMs }) => receivedAtMs);
  expect(second! - first!).toBeGreaterThanOrEqual(240);
  expect(third! - second!).toBeGreaterThanOrEqual(480);
});

test('26: spreads retries when deliveries have failed together', async () => {
  const receiver = await receiverForTest(500);
  const server = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '1000' } });
  const endpoint = await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 50);
  await expect
    .poll(async () => (await placesOf(server, endpoint.id)).filter((place) => place.attempt_count === 1).length, soon)
    .toBe(50);
  const dueAtMs = (await placesOf(server, endpoint.id)).map(({ due_at_ms }) => due_at_ms);
  // Jitter spreads retries over 400 seconds. The chance that fifty random ones lie within half of it is 1 in 10^13.
  expect(Math.max(...dueAtMs) - Math.min(...dueAtMs)).toBeGreaterThan(200_000);
  const deliveries = await deliveriesOf(server.api, endpoint.id);
  expect(deliveries.every(({ status }) => status === 'pending')).toBe(true);
});

const inSeconds = (seconds: number) => () => new Date(Date.now() + seconds * 1000).toUTCString();

describe('Retry-After header', () => {
  let server: TestServer;
  let receiver: Receiver;
  let endpointId: string;
  /** The header that the receiver sends for now. */
  let asked: string | string[] | null = null;

  beforeAll(async () => {
    server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '100' } });
    receiver = await startReceiver((response) => {
      if (asked !== null) response.setHeader('Retry-After', asked);
      response.writeHead(503).end();
    });
    endpointId = (await pingedEndpoint(server.api, receiver.url)).id;
  });
  afterAll(() => Promise.all([server.stop(), receiver.stop()]));

  // The pause alone is 80 to 120 seconds. The margins allow for slow machines and for whole seconds in dates.
  test.each<[string, (() => string | string[]) | null, fromSeconds: number, toSeconds: number]>([
    ['is absent', null, 79, 130],
    ['asks for more', () => '150', 149, 160],
    ['asks for more, as a date', inSeconds(150), 148, 160],
    ['asks for more than twice as much', () => '1000000000', 199, 210],
    ['asks for more than any number holds', () => '9'.repeat(30), 199, 210],
    ['asks for a date in the next century', () => 'Fri, 01 Jan 2100 00:00:00 GMT', 199, 210],
    ['asks for less', () => '1', 79, 130],
    ['asks for no pause', () => '0', 79, 130],
    ['is negative', () => '-150', 79, 130],
    ['is a date that has passed', inSeconds(-150), 79, 130],
    ['is not a date', () => 'soon', 79, 130],
    ['is not a date, but contains a number', () => 'maybe 40', 79, 130],
    ['comes twice', () => ['150', '160'], 149, 170],
  ])('27: retries within the expected time when Retry-After %s', async (_, header, fromSeconds, toSeconds) => {
    asked = header && header();
    const earlier = receiver.received.length;
    const [id] = await seed(server, endpointId, 1);
    server.context.dispatcher!.wake();
    const place = async () => (await placesOf(server, endpointId)).find((one) => one.id === id)!;
    await expect.poll(async () => (await place()).attempt_count, soon).toBe(1);
    const pauseSeconds = ((await place()).due_at_ms - receiver.received[earlier]!.receivedAtMs) / 1000;
    expect(pauseSeconds).toBeGreaterThanOrEqual(fromSeconds);
    expect(pauseSeconds).toBeLessThanOrEqual(toSeconds);
  });
});

describe('single attempts', () => {
  const attemptTimeoutMs = 1_000;
  // Few slots, so that a slot that is not released is missed at once.
  const limits = { pollMs: 50, claimMax: 8, heldMax: 8 };
  let server: TestServer;
  /** The endpoints of these tests are copies of this one. */
  let pattern: string;
  /** For attempts that do not end by their timeout. */
  let patient: TestServer;
  beforeAll(async () => {
    const settings = { TENURE_RETRY_SCHEDULE: 'none' };
    server = await startTestServer({
      settings,
      overrides: { dispatcherLimits: { ...limits, attemptTimeoutMs, leaseMs: 5_000 } },
    });
    patient = await startTestServer({ settings, overrides: { dispatcherLimits: { ...limits, ...patientLimits } } });
    pattern = (await pingedEndpoint(server.api, 'http://127.0.0.1:9/')).id;
  });
  afterAll(async () => {
    await patient.stop();
    await server.stop();
  });

  async function deliverPatientlyTo(url: string): Promise<ApiResponse['body']> {
    return deliverOnceTo(patient, (await pingedEndpoint(patient.api, 'http://127.0.0.1:9/')).id, url);
  }

  test('28: ends the attempt in time and closes the connection when no response comes', async () => {
    const receiver = await rawReceiverForTest(() => {});
    const delivery = await deliverOnceTo(server, pattern, receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout', response: null } });
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
  });

  test('29: ends the attempt in time and shows the received part when the response drips for ever', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      everyMs(10, socket, () => socket.write('.'));
    });
    const delivery = await deliverOnceTo(server, pattern, receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: 200, error: 'timeout' } });
    expect(delivery.attempt.response).toMatch(/^\.+$/);
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
  });

  test("30: ends the attempt early when the response's headers never end", async () => {
    let written = 0;
    const receiver = await rawReceiverForTest((socket) => {
      const line = `Field: ${'x'.repeat(1000)}\r\n`;
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, Buffer.from(line.repeat(20)), (bytes) => (written += bytes));
    });
    const delivery = await deliverPatientlyTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { error: 'response_invalid', response: null } });
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test('30: succeeds and reads little of the body when the response has ten gigabytes', async () => {
    let written = 0;
    const receiver = await rawReceiverForTest((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * 1024 ** 3}\r\n\r\n`);
      pour(socket, Buffer.alloc(64 * 1024, 'a'), (bytes) => (written += bytes));
    });
    const beforeBytes = process.memoryUsage.rss();
    const delivery = await deliverPatientlyTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
    expect(delivery.attempt.response).toBe('a'.repeat(1024));
    await expect.poll(() => receiver.open, soon).toBe(0);
    // The bytes read, and what the system buffers for a connection on both sides.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(150 * 1024 * 1024);
  });

  test('30: does not decompress the body when the response is a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const receiver = await receiverForTest((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb),
    );
    const delivery = await deliverPatientlyTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
    expect(delivery.attempt.response).not.toContain('\0');
    expect(delivery.attempt.response.charCodeAt(0)).toBe(0x1f);
    expect(receiver.received[0]!.headers['accept-encoding']).toBeUndefined();
  });

  test('29: releases the slots when nine attempts hang beyond the limit of a process', async () => {
    const hanging = await rawReceiverForTest(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
    );
    const healthy = await receiverForTest();
    const endpoints = [await pingedEndpoint(server.api, hanging.url), await pingedEndpoint(server.api, healthy.url)];
    await seed(server, endpoints[0].id, 9);
    await expect.poll(() => hanging.requests.length, soon).toBeGreaterThanOrEqual(6);
    expect(await deliver(server, endpoints[1].id)).toMatchObject({ status: 'delivered' });
    await queueEmpty(server);
    expect(hanging.requests).toHaveLength(9);
    await expect.poll(() => hanging.open, soon).toBe(0);
  });
});

async function closedPort(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hook`;
}

function overTls(url: string): string {
  return url.replace('http:', 'https:');
}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

/** Closes the connection when the TLS handshake has begun and is not finished. */
function hangUp(socket: Socket): void {
  socket.once('data', () => socket.end());
}

function speakPlainly(socket: Socket): void {
  socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
}

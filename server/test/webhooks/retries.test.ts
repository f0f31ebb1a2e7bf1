import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  rawReceiverForTest,
  receiverForTest,
  startReceiver,
  type Received,
  type Receiver,
} from '../support/receiver.ts';
import { serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import {
  deliver,
  deliveriesOf,
  endpointFor,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  placesOf,
  seed,
  soon,
} from './scenario.ts';

describe('what the receiver’s status does', () => {
  let server: TestServer;
  let elsewhere: Receiver;
  let receiver: Receiver;
  let endpointId: string;
  /** What the receiver answers just now. */
  let statuses: number[] = [];

  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_RETRY_SCHEDULE: '0.02,0.02' },
      overrides: { dispatcherLimits: { pollMs: 20 } },
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

  test.each([200, 201, 202, 204, 299])('%i is success: one request', async (status) => {
    const { delivery, requests } = await answered(status);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, attempts: [{ status, error: null }] });
    expect(requests).toHaveLength(1);
  });

  test.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 599])(
    '%i is failure: every attempt is made, and then it has failed; nobody is followed anywhere',
    async (status) => {
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
      expect(elsewhere.received).toHaveLength(0);
    },
  );

  test('500, 500, 200: three requests, and it is delivered', async () => {
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
  ])('%s and then 200 is success, by one attempt', async (_, interim) => {
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

  test('100, which nobody asked for, ends the attempt: the HTTP client takes it for a fault, and we say so', async () => {
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

  test('one endpoint’s failure is no concern of another that gets the same event', async () => {
    const failing = await receiverForTest(500);
    const recovering = await receiverForTest(500, 500, 200);
    const endpoints = [await endpointFor(server.api, failing.url), await endpointFor(server.api, recovering.url)];
    await makeReferences(server.api, 1);
    expect(await over(server.api, endpoints[0].id)).toMatchObject({ status: 'failed', attempt_count: 3 });
    expect(await over(server.api, endpoints[1].id)).toMatchObject({ status: 'delivered', attempt_count: 3 });
  });
});

test('with an empty schedule there is one attempt', async () => {
  const receiver = await receiverForTest(500);
  const { api } = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
  const endpoint = await pingedEndpoint(api, receiver.url);
  await ping(api, endpoint.id);
  expect(await over(api, endpoint.id)).toMatchObject({ status: 'failed', attempt_count: 1 });
  expect(receiver.received).toHaveLength(1);
});

test('a retry comes no earlier than its pause, less a fifth', async () => {
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

test('those that failed together do not come back together', async () => {
  const receiver = await receiverForTest(500);
  const server = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '1000' } });
  const endpoint = await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 50);
  await expect
    .poll(async () => (await placesOf(server, endpoint.id)).filter((place) => place.attempt_count === 1).length, soon)
    .toBe(50);
  const dueAtMs = (await placesOf(server, endpoint.id)).map(({ due_at_ms }) => due_at_ms);
  // 400 seconds is how far jitter spreads them; that fifty random ones lie within half of it happens once in 10^13 times.
  expect(Math.max(...dueAtMs) - Math.min(...dueAtMs)).toBeGreaterThan(200_000);
  const deliveries = await deliveriesOf(server.api, endpoint.id);
  expect(deliveries.every(({ status }) => status === 'pending')).toBe(true);
});

const inSeconds = (seconds: number) => () => new Date(Date.now() + seconds * 1000).toUTCString();

describe('Retry-After', () => {
  let server: TestServer;
  let receiver: Receiver;
  let endpointId: string;
  /** What the receiver asks for just now. */
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

  // The pause alone is 80 to 120 seconds. Machines are slow and dates have whole seconds, hence the room.
  test.each<[string, (() => string | string[]) | null, fromSeconds: number, toSeconds: number]>([
    ['is not there', null, 79, 130],
    ['asks for more', () => '150', 149, 160],
    ['asks for more, as a date', inSeconds(150), 148, 160],
    ['asks for more than twice as much', () => '1000000000', 199, 210],
    ['asks for more than any number holds', () => '9'.repeat(30), 199, 210],
    ['asks for a date in the next century', () => 'Fri, 01 Jan 2100 00:00:00 GMT', 199, 210],
    ['asks for less', () => '1', 79, 130],
    ['asks for nothing', () => '0', 79, 130],
    ['is negative', () => '-150', 79, 130],
    ['is a date that has passed', inSeconds(-150), 79, 130],
    ['is no date', () => 'soon', 79, 130],
    ['is no date, but has a number in it', () => 'maybe 40', 79, 130],
    ['is there twice', () => ['150', '160'], 149, 170],
  ])('that %s', async (_, header, fromSeconds, toSeconds) => {
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

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { orderNow, sendOrder, token, translatorAloneForTest } from './translator.ts';

/* The translator with the test in the place of Tenure. */

const dayMs = 24 * 60 * 60 * 1000;

test.for([
  ['cannot be reached', 500, 503],
  ['refuses the credentials', 400, 401],
])('keeps none of two orders when Canopy %s as they wait for one token', async ([, status, refusal]) => {
  const scene = await translatorAloneForTest();
  const { canopy, clock } = scene;
  clock.moveTo(30 * 60 * 1000);
  const { promise: after, resolve: release } = Promise.withResolvers<void>();
  canopy.next.push({ call: 'token', does: { status: status as number, after } });
  const orders = ['ref_1', 'ref_2'].map((key) => sendOrder(scene, key));
  // An order is stored before it needs a token.
  for (const key of ['ref_1', 'ref_2']) await expect.poll(() => orderNow(scene, key)).toBeDefined();
  release();
  expect(await Promise.all(orders)).toEqual([refusal, refusal]);
  expect(canopy.requests).toHaveLength(0);
  for (const key of ['ref_1', 'ref_2']) expect(await orderNow(scene, key)).toBeUndefined();
  expect(await sendOrder(scene, 'ref_1')).toBe(201);
});

test('completes the check when Canopy refuses the announced document at first', async () => {
  const scene = await translatorAloneForTest();
  const { canopy, lines } = scene;
  await sendOrder(scene, 'ref_1');
  canopy.next.push(...[404, 400].map((status) => ({ call: 'document' as const, does: { status } })));
  await canopy.finish('VERIFY');
  await expect.poll(() => orderNow(scene, 'ref_1')).toMatchObject({ stage: 'DONE', decision: 'VERIFY' });
  expect(lines).not.toContainEqual(expect.stringContaining('does not have the announced document'));
});

test('takes the messages of both requests when the answer to the first one was lost', async () => {
  const scene = await translatorAloneForTest();
  const { canopy, clock } = scene;
  canopy.next.push({ call: 'request', does: 'lost' });
  expect(await sendOrder(scene, 'ref_1')).toBe(503);
  clock.moveTo(15 * 60 * 1000);
  expect(await sendOrder(scene, 'ref_1')).toBe(201);
  const [first, second] = canopy.requests;
  await canopy.event('INVITED', second);
  await canopy.event('CONNECTED', first);
  expect(await orderNow(scene, 'ref_1')).toMatchObject({ stage: 'IN_PROGRESS' });
  await canopy.finish('VERIFY', {}, first);
  await expect.poll(() => orderNow(scene, 'ref_1')).toMatchObject({ stage: 'DONE', decision: 'VERIFY' });
});

test('ignores a message about an unknown request with the key of an order when no answer was lost', async () => {
  const scene = await translatorAloneForTest();
  const { canopy } = scene;
  await sendOrder(scene, 'ref_1');
  const before = await orderNow(scene, 'ref_1');
  await canopy.event('CONNECTED', { ...canopy.requests[0]!, id: 'of-another-program' });
  expect(await orderNow(scene, 'ref_1')).toEqual(before);
});

test('forgets the hash of the address when the person has accepted the invitation', async () => {
  // An hour of the translator is 36 milliseconds.
  const scene = await translatorAloneForTest({ timeScale: 0.000_01 });
  const { canopy, settings } = scene;
  const hashes = (): RegExpMatchArray | null => readFileSync(settings.ordersFile, 'utf8').match(/"emailHash":"\w+"/);
  await sendOrder(scene, 'ref_1');
  await canopy.event('INVITED');
  expect(hashes()).not.toBeNull();
  await canopy.event('CONNECTED');
  await expect.poll(hashes).toBeNull();
  expect(await orderNow(scene, 'ref_1')).toMatchObject({ stage: 'IN_PROGRESS' });
});

test('forgets the findings and tells nothing again when a check is over for 30 days', async () => {
  const scene = await translatorAloneForTest();
  const { canopy, clock, settings } = scene;
  const { url, received } = await receiverForTest();
  await sendOrder(scene, 'ref_1', { url, signingSecret: 'the-signing-secret' });
  await canopy.section('INCOME', 'DONE', 'VERIFY');
  // No random id and no time of the file has these digits.
  const maxRent = 123_456_789;
  await canopy.finish('VERIFY', { maxRent });
  await expect.poll(() => orderNow(scene, 'ref_1')).toMatchObject({ stage: 'DONE' });
  const newest = (): string => readFileSync(settings.ordersFile, 'utf8').trimEnd().split('\n').at(-1)!;
  await expect.poll(newest).toContain(`"toldNews":"DONE VERIFY ${maxRent}`);
  clock.moveTo(29 * dayMs);
  await scene.restart();
  expect(readFileSync(settings.ordersFile, 'utf8')).toContain(String(maxRent));
  clock.moveTo(31 * dayMs);
  const before = received.length;
  await scene.restart();
  for (const word of [String(maxRent), 'INCOME', 'income']) {
    expect(readFileSync(settings.ordersFile, 'utf8')).not.toContain(word);
  }
  expect(await orderNow(scene, 'ref_1')).toMatchObject({ stage: 'DONE', decision: 'VERIFY', timeline: [] });
  await untilTold(scene, { url, received });
  expect(received.slice(before).map(({ key }) => key)).toEqual(['ref_fence']);
});

test('signs callbacks with the secret of the newest order when the account has changed its secret', async () => {
  const scene = await translatorAloneForTest();
  const { canopy } = scene;
  const { url, received } = await receiverForTest();
  await sendOrder(scene, 'ref_1', { url, signingSecret: 'the-former-secret' });
  await sendOrder(scene, 'ref_2', { url, signingSecret: 'the-new-secret' });
  await canopy.event('CONNECTED', canopy.requests[0]);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]!.key).toBe('ref_1');
  expect(received[0]!.isSignedWith('the-new-secret')).toBe(true);
});

test('drops news when Tenure has refused its signature for three days', async () => {
  const scene = await translatorAloneForTest();
  const { canopy, clock, lines } = scene;
  const receiver = await receiverForTest();
  const { url, received } = receiver;
  receiver.answerWith(400);
  await sendOrder(scene, 'ref_1', { url, signingSecret: 'the-former-secret' });
  await canopy.event('CONNECTED');
  await expect.poll(() => received.length).toBeGreaterThan(2);
  expect(lines).not.toContainEqual(expect.stringContaining('refuses the callbacks'));
  clock.moveTo(4 * dayMs);
  await expect.poll(() => lines).toContain('Tenure refuses the callbacks of ref_1. This news is dropped.');
  receiver.answerWith(200);
  const before = received.length;
  await scene.restart();
  await untilTold(scene, receiver);
  expect(received.slice(before).map(({ key }) => key)).toEqual(['ref_fence']);
});

test('says that Canopy has asked the guarantor when the person has completed the Rent Passport', async () => {
  const scene = await translatorAloneForTest();
  await sendOrder(scene, 'ref_1');
  await scene.canopy.event('PASSPORT_COMPLETED_WAITING_FOR_GUARANTOR');
  expect(await orderNow(scene, 'ref_1')).toMatchObject({
    stage: 'AWAITING_REFEREE',
    // The dashboard looks for these two words.
    timeline: [{ text: expect.stringMatching(/\basked\b.*\bguarantor\b/) }],
  });
});

test('logs unknown events and sections without the rest of the text, and ignores them', async () => {
  const scene = await translatorAloneForTest();
  const { canopy, lines } = scene;
  await sendOrder(scene, 'ref_1');
  const before = await orderNow(scene, 'ref_1');
  expect(await canopy.event('RENTER_MOVED_ON: Ada Lovelace')).toBe(200);
  expect(await canopy.section('PET_REFERENCE', 'DONE', 'IN_PROGRESS')).toBe(200);
  expect(await canopy.section('constructor', 'DONE', 'IN_PROGRESS')).toBe(200);
  expect(await orderNow(scene, 'ref_1')).toEqual(before);
  expect(lines).toEqual([
    'An update of Canopy about ref_1 has an unknown event (RENTER_MOVED_ON). It is ignored.',
    'An update of Canopy about ref_1 has an unknown section (PET_REFERENCE). It is ignored.',
    'An update of Canopy about ref_1 has an unknown section. It is ignored.',
  ]);
});

test('ignores a late rejection when the person has accepted the invitation', async () => {
  const scene = await translatorAloneForTest();
  const { canopy } = scene;
  await sendOrder(scene, 'ref_1');
  await canopy.event('CONNECTION_REJECTED');
  expect(await orderNow(scene, 'ref_1')).toMatchObject({ blocker: { code: 'RENTER_DECLINED' } });
  await canopy.event('CONNECTED');
  const before = await orderNow(scene, 'ref_1');
  expect(before).toMatchObject({ stage: 'IN_PROGRESS', blocker: null });
  await canopy.event('CONNECTION_REJECTED');
  expect(await orderNow(scene, 'ref_1')).toEqual(before);
  await canopy.event('CONNECTION_STOPPED');
  expect(await orderNow(scene, 'ref_1')).toMatchObject({ blocker: { code: 'RENTER_DECLINED' } });
});

test('refuses a long body and answers the next request of the connection when the client sends the whole body', async () => {
  const { settings } = await translatorAloneForTest();
  const { hostname, port } = new URL(settings.callbackUrl);
  const socket = connect(Number(port), hostname);
  socket.end(requestTextOf('a'.repeat(4 * 1024 * 1024)) + requestTextOf('no JSON'));
  const responses = await text(socket);
  expect(responses.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 400']);
  expect(responses).toContain('"TOO_LARGE"');
});

function requestTextOf(body: string): string {
  const headers = ['host: translator', `authorization: Bearer ${token}`, `content-length: ${body.length}`];
  return ['POST /v1/reference-requests HTTP/1.1', ...headers, '', body].join('\r\n');
}

interface Receiver {
  url: string;
  received: { key: string; isSignedWith(secret: string): boolean }[];
}

/** Takes callbacks in the place of Tenure. */
async function receiverForTest(): Promise<Receiver & { answerWith(status: number): void }> {
  let status = 200;
  const received: Receiver['received'] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { 'x-callback-timestamp': time, 'x-callback-signature': signature } = request.headers;
    const signed = `${String(time)}.${body}`;
    received.push({
      key: JSON.parse(body).clientReferenceId,
      isSignedWith: (secret) => createHmac('sha256', secret).update(signed).digest('hex') === signature,
    });
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, received, answerWith: (next) => void (status = next) };
}

/** Waits for the callback of another order. An earlier order with news would have been told before. */
async function untilTold(
  scene: Awaited<ReturnType<typeof translatorAloneForTest>>,
  { url, received }: Receiver,
): Promise<void> {
  await sendOrder(scene, 'ref_fence', { url, signingSecret: 'the-signing-secret' });
  await scene.canopy.event('CONNECTED');
  await expect.poll(() => received.map(({ key }) => key)).toContain('ref_fence');
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { pour, rawReceiverForTest } from '../support/receiver.ts';
import { startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { deliverOnceTo, pingedEndpoint, soon } from './scenario.ts';

/* A response costs a bounded effort, in every part that a receiver can lengthen. */

const informational = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
const chunkedHead = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

let server: TestServer;
let pattern: string;
beforeAll(async () => {
  server = await startTestServer({
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    // No attempt of these tests ends by its time.
    overrides: { dispatcherLimits: { attemptTimeoutMs: 60_000, leaseMs: 120_000, pollMs: 50 } },
  });
  pattern = (await pingedEndpoint(server.api, 'http://127.0.0.1:9/')).id;
});
afterAll(() => server.stop());

/** Makes one delivery to a receiver that writes this. Returns the delivery once its connection is closed. */
async function deliverTo(head: string, endless = ''): Promise<ApiResponse['body']> {
  const receiver = await rawReceiverForTest((socket) => {
    socket.write(head);
    if (endless !== '') pour(socket, Buffer.from(endless.repeat(65_536 / endless.length)), () => {});
  });
  const delivery = await deliverOnceTo(server, pattern, receiver.url);
  await expect.poll(() => receiver.open, soon).toBe(0);
  return delivery;
}

const invalid = { status: 'failed', attempt: { error: 'response_invalid', response: null } };

test('fails an attempt when the receiver sends informational responses without end', async () => {
  const delivery = await deliverTo('', informational);
  expect(delivery).toMatchObject(invalid);
  expect(delivery.attempt.status).toBeNull();
});

test('parses nothing more when a receiver has sent 9 informational responses', async () => {
  const delivery = await deliverTo(`${informational.repeat(9)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`);
  expect(delivery).toMatchObject(invalid);
  expect(delivery.attempt.status).toBeNull();
});

test('delivers when the response follows 8 informational responses', async () => {
  const receiver = await rawReceiverForTest((socket) =>
    socket.write(`${informational.repeat(8)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
  );
  const delivery = await deliverOnceTo(server, pattern, receiver.url);
  expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
});

test.each([
  ['without end', chunkedHead, '1\r\na\r\n'],
  // What follows the limit would make the response invalid, if it were parsed.
  ['and something invalid', `${chunkedHead}${'1\r\na\r\n'.repeat(1_040)}no chunk`, ''],
])('counts the status and stops reading when a body comes in small chunks %s', async (_, head, endless) => {
  const delivery = await deliverTo(head, endless);
  expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
  // 1,000 chunks, one more for each 32 bytes, and the one that is too many.
  expect(delivery.attempt.response).toBe('a'.repeat(1_024));
});

test.each([
  ['reason phrase', 'HTTP/1.1 200 ', 'a'],
  ['header value of spaces', 'HTTP/1.1 200 OK\r\nA:', ' '],
  ['row of empty lines', '', '\r\n'],
  ['row of headers', 'HTTP/1.1 200 OK\r\n', 'a:\r\n'],
])('fails an attempt when a head has a %s without end', async (_, head, endless) => {
  const delivery = await deliverTo(head, endless);
  expect(delivery).toMatchObject(invalid);
  expect(delivery.attempt.status).toBeNull();
});

test.each([
  ['chunk size of zeros', chunkedHead, '0'],
  ['chunk extension', `${chunkedHead}1;a=`, 'b'],
  ['row of trailers', `${chunkedHead}0\r\n`, 'a:\r\n'],
])('fails an attempt when a body has a %s without end', async (_, head, endless) => {
  expect(await deliverTo(head, endless)).toMatchObject(invalid);
});

test.each([
  ['head', `HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(600)}Content-Length: 0\r\n\r\n`],
  ['row of trailers', `${chunkedHead}0\r\n${'a:\r\n'.repeat(900)}\r\n`],
])('fails an attempt when a %s has more than 512 lines', async (_, answer) => {
  expect(await deliverTo(answer)).toMatchObject(invalid);
});

test('delivers when a head has 500 lines and a body has thousands', async () => {
  const body = '\n'.repeat(20_000);
  const receiver = await rawReceiverForTest((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(498)}Content-Length: 20000\r\n\r\n${body}`),
  );
  const delivery = await deliverOnceTo(server, pattern, receiver.url);
  expect(delivery).toMatchObject({ status: 'delivered', attempt: { response: '\n'.repeat(1_024) } });
});

test('bounds each response and not the connection when it is kept', async () => {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`;
  const receiver = await rawReceiverForTest((socket) => socket.write(answer));
  for (let attempt = 0; attempt < 12; attempt++) {
    const delivery = await deliverOnceTo(server, pattern, receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { response: 'x'.repeat(1_024) } });
  }
  // The next attempt may begin before the last connection is free again.
  expect(receiver.connections).toBeLessThanOrEqual(2);
});

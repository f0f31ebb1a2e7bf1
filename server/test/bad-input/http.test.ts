import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { converse, exchange, rawRequest, statusesIn, textUntilClosed } from '../support/raw-http.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { startTestServer, type Api, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const json = ['Content-Type: application/json'];

describe('path', () => {
  test('shortens an unknown id of 12,000 characters in the response', async () => {
    const id = `ref_${'x'.repeat(12_000)}`;
    for (const answer of [await api.get(`/v1/references/${id}`), await api.post(`/v1/references/${id}/cancel`)]) {
      expectRefusal(answer, refusals.idUnknown);
      expect(answer.text.length).toBeLessThan(1_000);
    }
  });

  test('logs the first 500 characters of a long path that does not compress', async () => {
    const id = `ref_${randomBytes(6_000).toString('hex')}`;
    const answer = await api.post(`/v1/references/${id}/cancel`, {}, { 'idempotency-key': 'a long path' });
    expectRefusal(answer, refusals.idUnknown);
    const { body: log } = await api.get(`/v1/logs/${answer.headers.get('request-id')}`);
    expect(log).toMatchObject({ status: 404, url: `/v1/references/${id}/cancel` });
    expect(`/v1/references/${id}/cancel`.startsWith(log.path), log.path).toBe(true);
    expect(log.path.length).toBe(500);
  });

  test('shortens an unknown route of 12,000 characters in the response', async () => {
    const answer = await api.get(`/v1/${'x/'.repeat(6_000)}`);
    expectRefusal(answer, refusals.routeUnknown);
    expect(answer.text.length).toBeLessThan(1_000);
  });

  const ids = [
    '%00',
    'ref_%00',
    '%01',
    '%0a',
    '%22',
    '%27%3B--',
    '%E2%80%AE',
    '%F0%9F%98%80',
    '%5Cu0000',
    '%2e%2e',
    'a%2Fb',
    '%25',
    '*',
    '~',
  ];

  test.each(ids)('finds nothing when an id has odd characters: %s', async (id) => {
    expectRefusal(await rawRequest(server, `GET /v1/references/${id}`), refusals.idUnknown);
    expectRefusal(await rawRequest(server, `POST /v1/references/${id}`), refusals.idUnknown);
    expectRefusal(await rawRequest(server, `POST /v1/references/${id}/cancel`), refusals.idUnknown);
  });

  test.each(['%', '%z', '%zz', '%ff', '%C3%28', '%ED%A0%80', '%F8%88%80%80%80', 'a%'])(
    'refuses an id that is not percent-encoded UTF-8: %s',
    async (id) => {
      expectRefusal(await rawRequest(server, `GET /v1/references/${id}`), refusals.requestInvalid);
      expectRefusal(await rawRequest(server, `POST /v1/references/${id}`), refusals.requestInvalid);
    },
  );

  test('cuts no character in half when a response shortens an id', async () => {
    for (let length = 70; length <= 90; length++) {
      expectRefusal(await api.get(`/v1/references/${'x'.repeat(length)}😀😀😀`), refusals.idUnknown);
    }
  });
});

describe('input that is not HTTP', () => {
  const garbage = [
    'garbage\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    'GET\r\n\r\n',
    'GET /v1/references HTTP/9.9\r\nHost: x\r\n\r\n',
    'GET /v1/references\u0000 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n',
    'get /v1/references HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/references HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n',
    'GET /v1/references HTTP/1.1\r\nHost: x\r\nX-Odd: a\u0000b\r\n\r\n',
    'GET /v1/references HTTP/1.1\r\nHost: x\r\nX Odd: a\r\n\r\n',
    'POST /v1/references HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST /v1/references HTTP/1.1\r\nHost: x\r\nContent-Length: 1e3\r\n\r\n',
    'POST /v1/references HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    'POST /v1/references HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'POST /v1/references HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];

  test.each(garbage)('refuses input that is not HTTP with an ordinary error: %j', async (garbled) => {
    const answer = await exchange(server, garbled);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'request_invalid' });
    expect(answer.headers.get('request-id')).toBe(answer.body.error.request_id);
  });

  test('refuses a chunk with an unreadable length', async () => {
    const head = `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
    const answer = await exchange(
      server,
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    );
    expect([answer.status, answer.body.error.code]).toEqual([400, 'request_invalid']);
  });

  test.each([
    ['one long header', [`X-Long: ${'x'.repeat(17_000)}`]],
    ['many headers', Array.from({ length: 101 }, (_, index) => `X-Header-${index}: some value`)],
    ['a long key', [`Idempotency-Key: ${'k'.repeat(20_000)}`]],
  ])('refuses headers over the limit: %s', async (_, headers) => {
    const answer = await rawRequest(server, 'GET /v1/references', { headers });
    expect(answer.status).toBe(431);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'headers_too_large' });
    expect(answer.headers.get('request-id')).toBe(answer.body.error.request_id);
  });

  test('refuses a path over the limit', async () => {
    const answer = await rawRequest(server, `GET /v1/references/${'x'.repeat(17_000)}`);
    expect([answer.status, answer.body.error.code]).toEqual([431, 'headers_too_large']);
  });

  test('survives a connection that closes in the middle of a request', async () => {
    const head = `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n${json[0]}\r\n`;
    const before = await tracesOf(server);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await new Promise<void>((sent) => socket.write(`${head}Content-Length: 100\r\n\r\n{"application":`, () => sent()));
    socket.destroy();
    expect((await api.get('/v1/references')).status).toBe(200);
    expect(await tracesOf(server)).toEqual(before);
  });

  test.each([
    'Service-Context',
    'Service-Version',
    'Idempotency-Key',
    'Authorization',
    'Content-Type',
    'Content-Encoding',
    'User-Agent',
  ])('never fails when %s has bytes beyond ASCII', async (name) => {
    for (const value of ['\u00e9', '\u00ff\u0080', 'x\u00c3\u00a9', '\u00ed\u00a0\u0080']) {
      const answer = await rawRequest(server, 'POST /v1/references', {
        headers: [`${name}: ${value}`, ...json],
        body: '{"application":"a"}',
      });
      expect(answer.status, answer.text).toBeLessThan(500);
    }
  });
});

describe('pipelined input', () => {
  const body = '{"application":"app_1"}';

  test.each(['garbage\r\n\r\n', '{"application":"app_2"}', '\u0000', 'POST /v1/references HTTP/9.9\r\n\r\n'])(
    'responds to a good request first and then refuses the garbage behind it: %j',
    async (garbled) => {
      // Sends several at once, so that some commits are still running when the rest arrives.
      const asked = Array.from({ length: 10 }, () =>
        converse(server, post(`Content-Length: ${body.length}`, body + garbled)),
      );
      for (const text of await Promise.all(asked)) {
        expect(statusesIn(text)).toEqual(['200', '400']);
        const id = /"id":"(ref_\w+)"/.exec(text)?.[1];
        expect((await api.get(`/v1/references/${id}`)).status).toBe(200);
        expect(text).toContain('"code":"request_invalid"');
      }
    },
  );

  test('responds to pipelined requests in order and refuses the garbage behind them', async () => {
    const get = `GET /v1/references?limit=1 HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`;
    const missed = `GET /v1/references/ref_1 HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`;
    const text = await converse(server, `${(get + missed).repeat(20)}garbage\r\n\r\n`);
    expect(statusesIn(text)).toEqual([...Array.from({ length: 20 }, () => ['200', '404']).flat(), '400']);
  });
});

describe('body length', () => {
  const body = '{"application":"app_1"}';
  const hex = body.length.toString(16);
  const whole = `${hex}\r\n${body}\r\n0\r\n\r\n`;
  const chunked = 'Transfer-Encoding: chunked';

  const refused: [name: string, headers: string, bytes: string, code: string][] = [
    ['a length and chunks', `Content-Length: ${body.length}\r\n${chunked}`, whole, 'request_invalid'],
    ['chunks and a length', `${chunked}\r\nContent-Length: ${body.length}`, whole, 'request_invalid'],
    ['two lengths', `Content-Length: ${body.length}\r\nContent-Length: 5`, body, 'request_invalid'],
    ['a list of lengths', `Content-Length: ${body.length}, ${body.length}`, body, 'request_invalid'],
    ['a hexadecimal one', `Content-Length: 0x${hex}`, body, 'request_invalid'],
    ['one with a sign', `Content-Length: +${body.length}`, body, 'request_invalid'],
    ['one with a space before its colon', `Content-Length : ${body.length}`, body, 'request_invalid'],
    ['one beyond 64 bits', `Content-Length: ${'9'.repeat(30)}`, body, 'request_invalid'],
    ['chunked with a space before its colon', 'Transfer-Encoding : chunked', whole, 'request_invalid'],
    ['chunked twice', `${chunked}\r\n${chunked}`, whole, 'request_invalid'],
    ['chunked, then something else', 'Transfer-Encoding: chunked, identity', whole, 'request_invalid'],
    ['identity', 'Transfer-Encoding: identity', body, 'request_invalid'],
    ['something like chunked', 'Transfer-Encoding: xchunked', whole, 'request_invalid'],
    ['chunked with a tab in it', 'Transfer-Encoding: chunk\ted', whole, 'request_invalid'],
    ['chunked on a folded line', 'Transfer-Encoding:\r\n chunked', whole, 'request_invalid'],
    ['gzip under the chunks', 'Transfer-Encoding: gzip, chunked', whole, 'content_type_unsupported'],
    ['a chunk of no readable length', chunked, `zz\r\n${body}\r\n0\r\n\r\n`, 'request_invalid'],
    ['a chunk of negative length', chunked, `-1\r\n${body}\r\n0\r\n\r\n`, 'request_invalid'],
    ['a chunk with 0x', chunked, `0x${hex}\r\n${body}\r\n0\r\n\r\n`, 'request_invalid'],
    ['a chunk longer than 64 bits can tell', chunked, `${'F'.repeat(17)}\r\n${body}\r\n`, 'request_invalid'],
    ['a chunk longer than it says', chunked, `5\r\n${body}\r\n0\r\n\r\n`, 'request_invalid'],
    ['a chunk with line feeds alone', chunked, `${hex}\n${body}\n0\n\n`, 'request_invalid'],
    [
      'a chunk with 20 kB of extensions',
      chunked,
      `${hex};${'e'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
      'request_invalid',
    ],
    [
      'a trailer that tells a length',
      chunked,
      `${hex}\r\n${body}\r\n0\r\nContent-Length: 5\r\n\r\n`,
      'request_invalid',
    ],
    ['trailers without end', chunked, `${hex}\r\n${body}\r\n0\r\n${'a: b\r\n'.repeat(5_000)}\r\n`, 'headers_too_large'],
  ];

  test.each(refused)('refuses a body once and writes nothing: %s', async (_, headers, bytes, code) => {
    const before = await tracesOf(server);
    const text = await converse(server, post(`Connection: close\r\n${headers}`, bytes));
    expect(statusesIn(text), text).toEqual([
      { content_type_unsupported: '415', headers_too_large: '431' }[code] ?? '400',
    ]);
    expect(text).toContain(`"code":"${code}"`);
    expect(await tracesOf(server)).toEqual(before);
  });

  const taken: [name: string, headers: string, bytes: string][] = [
    ['chunks with extensions', chunked, `${hex};a=b;c="d"\r\n${body}\r\n0;e\r\n\r\n`],
    ['a length with zeros before it', `Content-Length: 000${body.length}`, body],
    ['a chunk length with zeros before it', chunked, `0000${hex}\r\n${body}\r\n000\r\n\r\n`],
    ['chunked in capitals', 'TRANSFER-ENCODING: CHUNKED', whole],
    ['a trailer', chunked, `${hex}\r\n${body}\r\n0\r\nX-Odd: x\r\n\r\n`],
  ];

  test.each(taken)('accepts a body: %s', async (_, headers, bytes) => {
    const text = await converse(server, post(`Connection: close\r\n${headers}`, bytes));
    expect(statusesIn(text), text).toEqual(['200']);
  });

  test('writes nothing when a body is shorter than its Content-Length', async () => {
    const before = await tracesOf(server);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const answer = textUntilClosed(socket);
    socket.end(post('Content-Length: 500', body));
    expect(statusesIn(await answer)).not.toContain('200');
    expect(await tracesOf(server)).toEqual(before);
  });

  test('reads no body when neither a length nor chunks are declared', async () => {
    const before = await tracesOf(server);
    const text = await converse(server, post('X-Odd: x', body));
    expect(statusesIn(text)).toEqual(['400', '400']);
    expect(text).toMatch(/"code":"parameter_missing".*"code":"request_invalid"/s);
    expect(await tracesOf(server)).toEqual(before);
  });

  test('ignores headers in a trailer', async () => {
    const late = `${hex}\r\n${body}\r\n0\r\nIdempotency-Key: late\r\nService-Version: nonsense\r\n\r\n`;
    const before = await tracesOf(server);
    expect(statusesIn(await converse(server, post(`Connection: close\r\n${chunked}`, late)))).toEqual(['200']);
    expect((await tracesOf(server)).idempotencyKeys).toBe(before.idempotencyKeys);
  });
});

describe('HTTP features that the server does not have', () => {
  test('refuses a CONNECT tunnel', async () => {
    const answer = await rawRequest(server, 'CONNECT localhost:80');
    expect([answer.status, answer.body.error.code]).toEqual([400, 'request_invalid']);
  });

  test('survives clients that reset a CONNECT tunnel', async () => {
    const port = Number(new URL(server.url).port);
    for (const before of ['', 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n']) {
      for (let one = 0; one < 50; one++) {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        await new Promise((connected) => socket.once('connect', connected));
        socket.write(`${before}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`, () => socket.resetAndDestroy());
        await new Promise((closed) => socket.once('close', closed));
      }
    }
    expect((await api.get('/v1/references')).status).toBe(200);
  });

  test.each(['websocket', 'h2c', 'TLS/1.0', 'nonsense'])('ignores an upgrade: %s', async (protocol) => {
    const head = `GET /v1/references?limit=1 HTTP/1.1\r\nHost: x\r\n${authorization()}`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const answers = textUntilClosed(socket);
    socket.write(`${head}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    await new Promise((answered) => socket.once('data', answered));
    // The connection continues as before.
    socket.write(`${head}Connection: close\r\n\r\n`);
    expect(statusesIn(await answers)).toEqual(['200', '200']);
    const body = '{"application":"app_1"}';
    const headers = `Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\nContent-Length: ${body.length}`;
    expect(statusesIn(await converse(server, post(headers, body)))).toEqual(['200']);
  });

  test('reads up to a hundred headers and refuses more', async () => {
    // A server that ignored a late Idempotency-Key would make a second record of a repeated request.
    for (const count of [10, 90, 101, 1_100, 3_000]) {
      const headers = [...Array.from({ length: count }, () => 'a:'), 'Service-Version: nonsense'];
      const answer = await rawRequest(server, 'POST /v1/references', { headers });
      expect([answer.status, answer.body.error.code]).toEqual(
        count < 100 ? [400, 'api_version_invalid'] : [431, 'headers_too_large'],
      );
    }
  });
});

function authorization(): string {
  return `Authorization: Bearer ${server.secretKey}\r\n`;
}

function post(headers: string, bytes: string): string {
  return `POST /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}${json[0]}\r\n${headers}\r\n\r\n${bytes}`;
}

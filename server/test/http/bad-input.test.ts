import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routesOf } from '../../src/http/routes.ts';
import { anyRequest, type AnyRequest } from '../support/any-request.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';
import { converse, exchange, rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../support/refusals.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const json = ['Content-Type: application/json'];

describe('the path', () => {
  test('an id of 12,000 characters is unknown, and its answer does not repeat all of it', async () => {
    const id = `ref_${'x'.repeat(12_000)}`;
    for (const answer of [await api.get(`/v1/references/${id}`), await api.post(`/v1/references/${id}/cancel`)]) {
      expectRefusal(answer, refusals.idUnknown);
      expect(answer.text.length).toBeLessThan(1_000);
    }
  });

  test('a route of 12,000 characters is unknown, and its answer does not repeat all of it', async () => {
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

  test.each(ids)('an id of odd characters is unknown: %s', async (id) => {
    expectRefusal(await rawRequest(server, `GET /v1/references/${id}`), refusals.idUnknown);
    expectRefusal(await rawRequest(server, `POST /v1/references/${id}`), refusals.idUnknown);
    expectRefusal(await rawRequest(server, `POST /v1/references/${id}/cancel`), refusals.idUnknown);
  });

  test.each(['%', '%z', '%zz', '%ff', '%C3%28', '%ED%A0%80', '%F8%88%80%80%80', 'a%'])(
    'one that is no percent-encoded UTF-8 cannot be read: %s',
    async (id) => {
      expectRefusal(await rawRequest(server, `GET /v1/references/${id}`), refusals.requestInvalid);
      expectRefusal(await rawRequest(server, `POST /v1/references/${id}`), refusals.requestInvalid);
    },
  );

  test('an answer that repeats part of an id does not break a character', async () => {
    for (let length = 70; length <= 90; length++) {
      expectRefusal(await api.get(`/v1/references/${'x'.repeat(length)}😀😀😀`), refusals.idUnknown);
    }
  });
});

describe('what is no HTTP', () => {
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

  test.each(garbage)('is refused with an error like any other: %j', async (garbled) => {
    const answer = await exchange(server, garbled);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'request_invalid' });
    expect(answer.headers.get('request-id')).toBe(answer.body.error.request_id);
  });

  test('a chunk of no readable length is refused', async () => {
    const head = `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
    const answer = await exchange(
      server,
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    );
    expect([answer.status, answer.body.error.code]).toEqual([400, 'request_invalid']);
  });

  test.each([
    ['one long header', [`X-Long: ${'x'.repeat(17_000)}`]],
    ['many headers', Array.from({ length: 1_000 }, (_, index) => `X-Header-${index}: some value`)],
    ['a long key', [`Idempotency-Key: ${'k'.repeat(20_000)}`]],
  ])('headers over the limit are refused: %s', async (_, headers) => {
    const answer = await rawRequest(server, 'GET /v1/references', { headers });
    expect(answer.status).toBe(431);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'headers_too_large' });
    expect(answer.headers.get('request-id')).toBe(answer.body.error.request_id);
  });

  test('a path over the limit is refused', async () => {
    const answer = await rawRequest(server, `GET /v1/references/${'x'.repeat(17_000)}`);
    expect([answer.status, answer.body.error.code]).toEqual([431, 'headers_too_large']);
  });

  test('a connection that closes in the middle of a request does no harm', async () => {
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
  ])('bytes beyond ASCII in %s never break anything', async (name) => {
    for (const value of ['\u00e9', '\u00ff\u0080', 'x\u00c3\u00a9', '\u00ed\u00a0\u0080']) {
      const answer = await rawRequest(server, 'POST /v1/references', {
        headers: [`${name}: ${value}`, ...json],
        body: '{"application":"a"}',
      });
      expect(answer.status, answer.text).toBeLessThan(500);
    }
  });
});

describe('the query', () => {
  const lists = ['/v1/references', '/v1/customers', '/v1/events'];

  test.each(lists)('the name of something every object has is no parameter: %s', async (path) => {
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '__proto__[x]',
      'created[__proto__]',
      'constructor.name',
    ]) {
      expectRefusal(await api.get(`${path}?${name}=1`), unknown(name));
    }
  });

  test('an empty name is unknown, and empty pairs are none', async () => {
    expectRefusal(await api.get('/v1/references?=1'), unknown(''));
    for (const query of ['', '&', '&&&', 'limit=5&', '&limit=5'])
      expect((await api.get(`/v1/references?${query}`)).status).toBe(200);
  });

  test('a parameter that is repeated is refused, however it is spelt', async () => {
    expectRefusal(await api.get('/v1/references?limit=5&limit=5'), invalid('limit'));
    expectRefusal(await api.get('/v1/references?limit=5&l%69mit=6'), invalid('limit'));
    expectRefusal(await api.get('/v1/references?created[gt]=1&created%5Bgt%5D=1'), invalid('created[gt]'));
    expectRefusal(await api.get('/v1/references?limit[]=5'), unknown('limit[]'));
  });

  test('brackets and spaces may be encoded or not', async () => {
    expect((await api.get('/v1/references?created%5Bgt%5D=1&created[lt]=2')).status).toBe(200);
    expectRefusal(await api.get('/v1/references?status=a+b'), invalid('status'));
  });

  test('the bounds of each number are themselves good', async () => {
    const good = ['limit=1', 'limit=50', 'offset=0', 'offset=1000000'];
    const times = ['gt', 'gte', 'lt', 'lte'].flatMap((bound) => [
      `created[${bound}]=0`,
      `created[${bound}]=9999999999`,
    ]);
    for (const query of [...good, ...times]) expect((await api.get(`/v1/references?${query}`)).status, query).toBe(200);
    const numbers = [
      '-1',
      '1.0',
      '1e2',
      '0x1',
      '9'.repeat(15),
      '9'.repeat(16),
      '9'.repeat(400),
      'NaN',
      'Infinity',
      '%C2%B2',
      '%D9%A1',
      '1_0',
      '%201',
    ];
    for (const name of ['limit', 'offset', ...['gt', 'gte', 'lt', 'lte'].map((bound) => `created[${bound}]`)]) {
      for (const number of numbers) expectRefusal(await api.get(`/v1/references?${name}=${number}`), invalid(name));
    }
  });

  test('a NUL or a control character in a filter or a cursor is refused or finds nothing', async () => {
    const names = {
      '/v1/references': ['application', 'customer', 'status', 'starting_after', 'ending_before'],
      '/v1/customers': ['email', 'starting_after'],
      '/v1/events': ['type', 'object_id', 'related_object', 'ending_before'],
    };
    for (const [path, filters] of Object.entries(names)) {
      for (const name of filters) {
        for (const value of [
          '%00',
          'a%00b',
          'a%00@b.c',
          'a@b.c%00',
          'ref_%00',
          '%01@b',
          '%7F@b',
          '*%00',
          '%0A',
          '%E2%80%A8@b',
          '%F0%9F%98%80@b',
        ]) {
          const answer = await api.get(`${path}?${name}=${value}`);
          if (answer.status === 200) expect(answer.body).toMatchObject({ count: 0, data: [] });
          else expectRefusal(answer, invalid(name));
        }
      }
    }
  });

  test('an event type may end in a star, and a star alone is all', async () => {
    await api.post('/v1/references', { application: 'app_1' });
    await api.post('/v1/customers', { name: 'Ada' });
    const all = (await api.get('/v1/events')).body.count;
    // Several times over each connection of the server, so that one statement meets what another has prepared.
    for (let round = 0; round < 10; round++) {
      const counts = await Promise.all(
        ['*', 'reference.*', 'r*', 'reference.created', 'zebra.*', '*'].map(async (type) => {
          const answer = await api.get(`/v1/events?type=${type}`);
          expect(answer.status, `${type}: ${answer.text}`).toBe(200);
          return answer.body.count;
        }),
      );
      const references = (await api.get('/v1/events?type=reference.created')).body.count;
      expect(counts).toEqual([all, references, references, references, 0, all]);
    }
  });

  test('all filters may be combined, in any choice', async () => {
    const id = server.context.ids.make('ref');
    const parts = ['application=app_1', 'customer=cus_1', 'status=pending', 'outcome=accept', 'type=customer'];
    const ends = [
      '',
      'created[gt]=1',
      'created[gte]=1',
      'created[lt]=1',
      'created[lte]=1',
      `starting_after=${id}`,
      `ending_before=${id}`,
    ];
    for (let round = 0; round < 2; round++) {
      for (let choice = 0; choice < 2 ** parts.length; choice++) {
        const chosen = parts.filter((_, index) => choice & (2 ** index));
        const answers = await Promise.all(
          ends.map((end) => api.get(`/v1/references?${[...chosen, end].filter(Boolean).join('&')}`)),
        );
        answers.forEach((answer, index) =>
          expect(answer.status, `${chosen.join('&')} ${ends[index]}: ${answer.text}`).toBe(200),
        );
      }
    }
  });
});

describe('JSON that programs read differently', () => {
  const refused: [name: string, body: string | Uint8Array][] = [
    ['a key twice', '{"application":"app_1","application":"app_1"}'],
    ['a key twice, once spelt with escapes', '{"application":"app_1","\\u0061pplication":"app_2"}'],
    ['a key twice, both spelt with escapes', '{"\\u0061":1,"\\u0061":2}'],
    ['a key twice, with space before the colon', '{"a":1,"a"\n\t :2}'],
    ['a key twice, deep inside', '{"application":"app_1","metadata":{"a":[{"b":{"c":1,"c":1}}]}}'],
    ['a key twice in metadata', '{"application":"app_1","metadata":{"k":"1","k":"2"}}'],
    ['the empty key twice', '{"":1,"":2}'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
    ['an emoji twice, once spelt with escapes', '{"😀":1,"\\ud83d\\ude00":2}'],
    ['a long key twice, told without cutting an emoji', `{"${'x'.repeat(39)}😀":1,"${'x'.repeat(39)}😀":2}`],
    ['a key twice that has a quote', '{"a\\"b":1,"a\\u0022b":2}'],
    ['NUL, escaped', '{"application":"app_1","metadata":{"a":"\\u0000"}}'],
    ['NUL, escaped, in a key', '{"application":"app_1","metadata":{"a\\u0000":"b"}}'],
    ['NUL, raw', '{"application":"app_\u0000"}'],
    ['NUL after the end', '{"application":"app_1"}\u0000'],
    ['a high surrogate alone', '{"application":"app_1","metadata":{"a":"\\ud83d"}}'],
    ['a low surrogate alone', '{"application":"app_1","metadata":{"a":"\\ude00"}}'],
    ['surrogates in the wrong order', '{"application":"app_1","metadata":{"a":"\\ude00\\ud83d"}}'],
    ['a surrogate alone in a key', '{"application":"app_1","metadata":{"\\ud83d":"a"}}'],
    ['half a pair escaped, half a letter', '{"application":"app_1","metadata":{"a":"\\ud83dude00"}}'],
    ['a surrogate as three bytes', bytes('{"application":"', 0xed, 0xa0, 0x80, '"}')],
    ['a pair of surrogates as six bytes', bytes('{"application":"', 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, '"}')],
    ['bytes that are no UTF-8', bytes('{"application":"', 0xff, 0xfe, '"}')],
    ['Latin-1', bytes('{"application":"app_', 0xe9, '"}')],
    ['overlong UTF-8', bytes('{"application":"', 0xc0, 0xaf, '"}')],
    ['a character cut short', bytes('{"application":"', 0xf0, 0x9f, 0x98, '"}')],
    ['beyond the last character', bytes('{"application":"', 0xf4, 0x90, 0x80, 0x80, '"}')],
    ['UTF-16', Buffer.from('{"application":"app_1"}', 'utf16le')],
    ['a byte order mark', '\ufeff{"application":"app_1"}'],
    ['a comment', '{"application":"app_1"/* the first */}'],
    ['a comma at the end', '{"application":"app_1",}'],
    ['single quotes', "{'application':'app_1'}"],
    ['NaN', '{"application":NaN}'],
    ['a line break in a string', '{"application":"app\n1"}'],
    ['two bodies', '{"application":"app_1"}{"application":"app_2"}'],
    ['a string without end', '{"application":"app_1'],
    ['a string that ends in an escape', '{"application":"app_1\\'],
    ['an emoji where none belongs', '{"application":😀}'],
    ['a number with a leading zero', '{"application":01}'],
    ['an array', '[{"application":"app_1"}]'],
    ['a string', '"application"'],
    ['a number', '1e1000'],
    ['true', 'true'],
    ['null', 'null'],
    ['white space only', ' \n\t'],
  ];

  test.each(refused)('is refused: %s', async (_, body) => {
    for (const chunked of [false, true]) {
      const answer = await rawRequest(server, 'POST /v1/references', { headers: json, body, chunked });
      expectRefusal(answer, refusals.bodyInvalid);
    }
  });

  const taken: [name: string, body: string][] = [
    ['one key in two objects', '{"application":"app_1","metadata":{"application":"1"}}'],
    ['a value that looks like a key', '{"application":"app_1","metadata":{"a":"b","b":"a"}}'],
    ['a value that looks like two keys', '{"application":"app_1","metadata":{"a":"\\"x\\":1,\\"x\\":2"}}'],
    ['keys that differ in case', '{"application":"app_1","metadata":{"a":"1","A":"2"}}'],
    ['keys that only look the same', '{"application":"app_1","metadata":{"\u00e9":"1","e\\u0301":"2"}}'],
    ['a pair of surrogates, escaped', '{"application":"app_1","metadata":{"a":"\\ud83d\\ude00"}}'],
    ['an escape of an escape', '{"application":"app_1","metadata":{"a":"\\\\u0000\\\\ud800"}}'],
    ['white space of every kind', ' \t\r\n{ "application" :\t"app_1"\n}\r\n'],
    ['an escaped solidus', '{"application":"app_1","metadata":{"a":"\\/"}}'],
  ];

  test.each(taken)('is taken: %s', async (_, body) => {
    const answer = await rawRequest(server, 'POST /v1/references', { headers: json, body });
    expect(answer.status, answer.text).toBe(200);
    const { metadata = {} } = JSON.parse(body);
    expect(answer.body.metadata).toEqual(metadata);
  });

  test('32 levels are read, and 33 are refused', async () => {
    expectRefusal(await api.post('/v1/references', nested(32, '[]')), unknown('deep'));
    expectRefusal(await api.post('/v1/references', nested(32, '{}')), unknown('deep'));
    expectRefusal(await api.post('/v1/references', nested(33, '[]')), { ...refusals.bodyInvalid, says: '32' });
    expectRefusal(await api.post('/v1/references', nested(33, '{}')), { ...refusals.bodyInvalid, says: '32' });
    expectRefusal(await api.post('/v1/references', nested(100_000, '[]')), refusals.bodyInvalid);
    expectRefusal(await api.post('/v1/references', '['.repeat(250_000)), refusals.bodyInvalid);
    // Brackets in a string are no levels.
    const answer = await api.post('/v1/references', { application: 'app_1', metadata: { a: '[{'.repeat(100) } });
    expect(answer.status).toBe(200);
  });
});

describe('the size of the body', () => {
  const limit = 256 * 1024;

  test.each([false, true])('256 kB are read, and one byte more is refused; in chunks: %s', async (chunked) => {
    const exactly = padded(limit);
    expect(Buffer.byteLength(exactly)).toBe(limit);
    expect((await rawRequest(server, 'POST /v1/references', { headers: json, body: exactly, chunked })).status).toBe(
      200,
    );
    const more = padded(limit + 1);
    expectRefusal(
      await rawRequest(server, 'POST /v1/references', { headers: json, body: more, chunked }),
      refusals.bodyTooLarge,
    );
  });

  test('it counts in bytes', async () => {
    const body = `{"application":"app_1","metadata":{"a":"${'😀'.repeat(limit / 4)}"}}`;
    expect(body.length).toBeLessThan(limit);
    expectRefusal(await api.post('/v1/references', body), refusals.bodyTooLarge);
  });

  test('one that announces more than anybody would send is refused before it arrives', async () => {
    const headers = [...json, 'Content-Length: 99999999999'];
    expectRefusal(await rawRequest(server, 'POST /v1/references', { headers }), refusals.bodyTooLarge);
  });

  test('one in thousands of tiny chunks is read', async () => {
    const body = Buffer.from(JSON.stringify({ application: 'app_1', metadata: { a: 'é😀'.repeat(150) } }));
    const chunks = Array.from(body, (byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
    );
    const head = `POST /v1/references HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.secretKey}\r\n${json[0]}\r\n`;
    const answer = await exchange(
      server,
      Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...chunks, Buffer.from('0\r\n\r\n')]),
    );
    expect(answer.body.metadata).toEqual({ a: 'é😀'.repeat(150) });
  });
});

describe('a body that is refused unread', () => {
  const smuggled = `POST /v1/customers HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;

  test.each([
    ['no key', '/v1/references', ['Content-Type: application/json'], false],
    ['unknown route', '/v1/nothing', ['Content-Type: application/json'], true],
    ['content type', '/v1/references', ['Content-Type: text/plain'], true],
    ['unknown version', '/v1/references', ['Service-Version: x', 'Content-Type: application/json'], true],
  ])('is not taken for the next request: %s', async (_, path, headers, withKey) => {
    const authorization = `Authorization: Bearer ${server.secretKey}`;
    const first = [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, ...(withKey ? [authorization] : [])];
    const second = ['GET /v1/references?limit=51 HTTP/1.1', 'Host: x', 'Connection: close', authorization, '', ''];
    const head = [...first, `Content-Length: ${smuggled.length}`, '', ''].join('\r\n');
    const answers = await converse(server, head + smuggled + second.join('\r\n'));
    const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status);
    expect(statuses).toHaveLength(2);
    expect(statuses[1]).toBe('400');
    expect(answers).toContain('`limit` must be');
  });
});

describe('an empty body counts as {}', () => {
  const headerSets: { headers: string[] }[] = [
    { headers: [] },
    { headers: ['Content-Type: application/json'] },
    { headers: ['Content-Type: text/plain'] },
    { headers: ['Content-Type: multipart/form-data'] },
    { headers: ['Content-Type: nonsense'] },
    { headers: ['Content-Type:'] },
    { headers: ['Content-Type: a/b, c/d'] },
    { headers: ['Content-Type: application/json', 'Content-Encoding: gzip'] },
  ];

  test.each(headerSets)('whatever its headers say: $headers', async ({ headers }) => {
    for (const request of [{ headers }, { headers, body: '' }, { headers, body: '', chunked: true }]) {
      const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
      const answer = await rawRequest(server, `POST /v1/references/${id}/cancel`, request);
      expect([answer.status, answer.body.status], answer.text).toEqual([200, 'canceled']);
    }
  });

  test('and lacks what {} lacks', async () => {
    expectRefusal(await api.post('/v1/references'), missing('application'));
    expectRefusal(await api.post('/v1/references', ''), missing('application'));
  });
});

describe('encoded bodies', () => {
  test.each(['gzip', 'deflate', 'br', 'x-gzip', 'gzip, identity', 'nonsense'])('%s is refused', async (encoding) => {
    const body = gzipSync('{"application":"app_1"}');
    for (const chunked of [false, true]) {
      const headers = [...json, `Content-Encoding: ${encoding}`];
      expectRefusal(await rawRequest(server, 'POST /v1/references', { headers, body, chunked }), {
        ...refusals.contentType,
        says: encoding,
      });
    }
  });

  test('gzip that is not announced is no UTF-8', async () => {
    const body = gzipSync('{"application":"app_1"}');
    expectRefusal(await rawRequest(server, 'POST /v1/references', { headers: json, body }), refusals.bodyInvalid);
  });

  test('identity is no encoding', async () => {
    const headers = [...json, 'Content-Encoding: identity'];
    expect((await rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' })).status).toBe(
      200,
    );
  });
});

describe('names that every object has', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__'];

  test.each(names)('%s is no parameter, at any depth', async (name) => {
    const value = '{"polluted":"yes"}';
    expectRefusal(await api.post('/v1/references', `{"application":"app_1","${name}":${value}}`), unknown(name));
    expectRefusal(
      await api.post('/v1/references', `{"application":"app_1","automatic_reference":{"${name}":${value}}}`),
      unknown(`automatic_reference[${name}]`),
    );
    expectRefusal(await api.post('/v1/references', `{"${name}":"app_1"}`), missing('application'));
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test('they are keys of metadata like any other, through answers, lists, events and changes', async () => {
    const entries = names.map((name, index): [string, string] => [name, `value ${index}`]);
    const body = `{"application":"app_1","metadata":${objectText(entries)}}`;
    const created = await api.post('/v1/references', body);
    expect(ownEntries(created.body.metadata)).toEqual(entries);
    const { id } = created.body;
    expect(ownEntries((await api.get(`/v1/references/${id}`)).body.metadata)).toEqual(entries);

    const changed = entries.map(([name, value]): [string, string] => [name, value.toUpperCase()]);
    const updated = await api.post(`/v1/references/${id}`, `{"metadata":${objectText(changed)}}`);
    expect(ownEntries(updated.body.metadata)).toEqual(changed);
    const [update, creation] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
    expect(ownEntries(creation.data.object.metadata)).toEqual(entries);
    expect(ownEntries(update.data.object.metadata)).toEqual(changed);
    expect(ownEntries(update.data.previous_attributes.metadata)).toEqual(entries);

    // A key that was not there is null before, and one that is gone has its value.
    const replaced = await api.post(`/v1/references/${id}`, '{"metadata":{"__proto__":"","extra":"1"}}');
    expect(ownEntries(replaced.body.metadata)).toEqual([...changed.slice(1), ['extra', '1']]);
    const [latest] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
    expect(ownEntries(latest.data.previous_attributes.metadata)).toEqual([changed[0], ['extra', null]]);
  });

  test('two bodies that differ only in __proto__ are two requests', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post('/v1/references', withProto('a'), headers);
    expect((await api.post('/v1/references', withProto('a'), headers)).text).toBe(first.text);
    expectRefusal(await api.post('/v1/references', withProto('b'), headers), refusals.idempotencyReused);
  });
});

describe('metadata', () => {
  test('50 pairs are taken, and 51 are refused', async () => {
    expect((await create(pairs(50))).body.metadata).toEqual(pairs(50));
    expectRefusal(await create(pairs(51)), { ...invalid('metadata'), says: '50' });
  });

  test('a record cannot grow beyond 50 pairs, and is left as it was', async () => {
    const path = `/v1/references/${(await create(pairs(50))).body.id}`;
    const { error } = (await api.post(path, { metadata: { more: 'x' } })).body;
    expect(error).toMatchObject({ code: 'parameter_invalid', param: 'metadata' });
    expect((await api.get(path)).body.metadata).toEqual(pairs(50));
    const swapped = await api.post(path, { metadata: { 'key 0': '', more: 'x' } });
    expect(Object.keys(swapped.body.metadata)).toHaveLength(50);
  });

  test('a key has 1 to 40 characters, however many bytes they are', async () => {
    const longest = ['k'.repeat(40), 'é'.repeat(40), '😀'.repeat(40)];
    for (const key of longest) {
      expect((await create({ [key]: 'x' })).body.metadata).toEqual({ [key]: 'x' });
      const answer = await create({ [`${key}k`]: 'x' });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'parameter_invalid']);
      expect(answer.body.error.param).toMatch(/^metadata/);
    }
    expect((await create({ '': 'x' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: expect.stringMatching(/^metadata/),
    });
  });

  test('a key that is refused is told what keys may be', async () => {
    for (const key of ['a[b]', '[', ']', 'x'.repeat(41), '']) {
      const answer = await create({ [key]: 'x' });
      expect([answer.status, answer.body.error.code, answer.body.error.param.slice(0, 8)]).toEqual([
        400,
        'parameter_invalid',
        'metadata',
      ]);
      expect(answer.body.error.message).toMatch(/keys have 1 to 40 characters and no brackets/);
    }
  });

  test('a value has up to 500 characters, however many bytes they are', async () => {
    for (const character of ['v', 'é', '😀', '\n', '"']) {
      const longest = character.repeat(500);
      expect((await create({ a: longest })).body.metadata).toEqual({ a: longest });
      expectRefusal(await create({ a: `${longest}v` }), { ...invalid('metadata[a]'), says: '500' });
    }
  });

  test.each([0, 1.5, -1e300, true, false, null, [], {}, ['x'], { a: 'x' }].map((value) => [JSON.stringify(value)]))(
    'a value that is no string is refused, not converted: %s',
    async (value) => {
      expectRefusal(
        await api.post('/v1/references', `{"application":"app_1","metadata":{"a":${value}}}`),
        invalid('metadata[a]'),
      );
    },
  );

  test('an empty value keeps no pair, and null clears all', async () => {
    const created = await create({ a: '1', b: '' });
    expect(created.body.metadata).toEqual({ a: '1' });
    const path = `/v1/references/${created.body.id}`;
    expect((await api.post(path, { metadata: { b: '2' } })).body.metadata).toEqual({ a: '1', b: '2' });
    expect((await api.post(path, { metadata: {} })).body.metadata).toEqual({ a: '1', b: '2' });
    expect((await api.post(path, { metadata: null })).body.metadata).toEqual({});
    expect((await create(null)).body.metadata).toEqual({});
  });

  test('a number too large for any program is no string', async () => {
    for (const number of ['1e999', '-1e999', '9'.repeat(400), '1e-999', `0.${'1'.repeat(400)}`]) {
      expectRefusal(await api.post('/v1/references', `{"application":${number}}`), invalid('application'));
    }
  });
});

describe('texts that programs change', () => {
  const keys = naughtyStrings.filter((text) => Array.from(text).length <= 40 && !/[[\]]/.test(text));

  test('the list has what it is meant to have', () => {
    expect(new Set(naughtyStrings).size).toBe(naughtyStrings.length);
    expect(naughtyStrings.length).toBeGreaterThanOrEqual(60);
    expect(keys.length).toBeGreaterThanOrEqual(60);
  });

  test('come back exactly: names, metadata, lists, events and stored answers', async () => {
    // All at once, so that they share batches and their arrays.
    const created = await Promise.all(
      naughtyStrings.map(async (text) => {
        const headers = { 'idempotency-key': randomUUID() };
        const body = { name: text, phone: text, metadata: { value: text } };
        const answer = await api.post('/v1/customers', body, headers);
        expect(answer.status, JSON.stringify(text)).toBe(200);
        const again = await api.post('/v1/customers', body, headers);
        expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([answer.text, 'true']);
        return { text, answer };
      }),
    );
    for (const { text, answer } of created) {
      expect(answer.body).toMatchObject({ name: text, phone: text, metadata: { value: text } });
      const { id } = answer.body;
      expect((await api.get(`/v1/customers/${id}`)).text).toBe(answer.text);
      const [event] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
      expect(event.data.object).toEqual(answer.body);
    }
    const { data } = (await api.get('/v1/customers?limit=50')).body;
    const byId = new Map(created.map(({ answer }) => [answer.body.id, answer.body]));
    expect(data).toHaveLength(50);
    for (const customer of data) expect(customer).toEqual(byId.get(customer.id));
  });

  test('come back exactly as keys of metadata, and as what was before a change', async () => {
    for (let start = 0; start < keys.length; start += 25) {
      const some = keys.slice(start, start + 25);
      const metadata = Object.fromEntries(some.map((key) => [key, key]));
      const created = await api.post('/v1/references', { application: 'app_1', metadata });
      expect(Object.entries(created.body.metadata)).toEqual(Object.entries(metadata));
      const { id } = created.body;
      await api.post(`/v1/references/${id}`, { metadata: null });
      const [update] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
      expect(Object.entries(update.data.previous_attributes.metadata)).toEqual(Object.entries(metadata));
      expect(update.data.object.metadata).toEqual({});
    }
  });

  test('are kept in the log as they were sent and answered', async () => {
    for (const text of naughtyStrings.slice(0, 60)) {
      const body = JSON.stringify({ name: text });
      const answer = await api.post('/v1/customers', body);
      const { rows } = await server.context.database.readers.query(
        'select request_body, response_body from request_logs where id = $1',
        [answer.headers.get('request-id')],
      );
      expect(rows).toEqual([{ request_body: body, response_body: answer.text }]);
    }
  });
});

describe('whatever is sent', () => {
  const runs = 65;
  const requestsPerRun = 25;

  test('no answer is a fault of ours, and what is refused leaves no trace', { timeout: 60_000 }, async () => {
    const reference = { application: 'app_1', customer: 'cus_1', metadata: { a: '1' } };
    const endpoint = { url: 'http://127.0.0.1:9/hook', enabled_events: ['nothing.happens'] };
    const ids = {
      references: (await api.post('/v1/references', reference)).body.id,
      customers: (await api.post('/v1/customers', { name: 'Ada', email: 'ada@example.org' })).body.id,
      events: (await api.get('/v1/events')).body.data[0].id,
      webhook_endpoints: (await api.post('/v1/webhook_endpoints', endpoint)).body.id,
    };
    const some = fc.array(anyRequest(routesOf(server.context), ids), {
      minLength: requestsPerRun,
      maxLength: requestsPerRun,
    });
    const statuses: number[] = [];
    await fc.assert(
      fc.asyncProperty(some, async (requests) => {
        const before = await tracesOf(server);
        const answered = await Promise.all(requests.map(async (asked) => ({ asked, answer: await send(asked) })));
        for (const { asked, answer } of answered) {
          expect(answer.status, `${JSON.stringify(asked)} ${answer.text}`).toBeLessThan(500);
          expect(answer.headers.get('request-id'), JSON.stringify(asked)).toMatch(/^req_/);
          statuses.push(answer.status);
        }
        const after = await tracesOf(server);
        const carriedOut = answered.filter(
          ({ answer }) => answer.status === 200 && !answer.headers.has('original-request'),
        );
        const created = (path: string): number =>
          carriedOut.filter(({ asked }) => asked.method === 'POST' && asked.path === path).length;
        expect(after.references - before.references).toBe(created('/v1/references'));
        expect(after.customers - before.customers).toBe(created('/v1/customers'));
        const refused = answered.map(({ answer }) => answer).filter(({ status }) => status !== 200);
        expect(await eventsOf(refused)).toBe(0);
        // Every write of a record is one that an event tells of.
        expect(after.revisions).toBe(after.writesTold);
      }),
      { numRuns: runs, interruptAfterTimeLimit: 30_000, endOnFailure: true },
    );
    expect(statuses.length).toBeGreaterThanOrEqual(1_500);
    // Requests that never pass, or always do, would show nothing.
    const accepted = statuses.filter((status) => status === 200).length / statuses.length;
    expect(accepted).toBeGreaterThan(0.1);
    expect(accepted).toBeLessThan(0.9);
  });
});

/** What requests leave behind when they are carried out. */
async function tracesOf({ context }: TestServer): Promise<{
  references: number;
  customers: number;
  events: number;
  revisions: number;
  writesTold: number;
}> {
  const { rows } = await context.database.readers.query(`
    select
      (select count(*) from tenant_references) as references,
      (select count(*) from customers) as customers,
      (select count(*) from events) as events,
      ((select coalesce(sum(revision), 0) from tenant_references) + (select coalesce(sum(revision), 0) from customers))::bigint as revisions,
      (select count(*) from events where type ~ '^(reference|customer)\\.(created|updated)$') as "writesTold"`);
  return rows[0];
}

function withProto(value: string): string {
  return `{"application":"app_1","metadata":{"__proto__":"${value}"}}`;
}

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 'x']));
}

/** A body that has this many levels, itself the first. */
function nested(levels: number, kind: '[]' | '{}'): string {
  const [start, end] = kind === '[]' ? ['[', ']'] : ['{"a":', '}'];
  const inner = kind === '[]' ? '[]' : '{}';
  return `{"application":"app_1","deep":${start.repeat(levels - 2)}${inner}${end.repeat(levels - 2)}}`;
}

function bytes(...parts: (string | number)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
}

function padded(length: number): string {
  const body = '{"application":"app_1"}';
  return body + ' '.repeat(length - body.length);
}

function objectText(entries: [string, string][]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** What `toEqual` would not see: whether a key is the object's own. */
function ownEntries(object: object): [string, unknown][] {
  return Object.entries(object);
}

async function create(metadata: unknown): Promise<ApiResponse> {
  return api.post('/v1/references', { application: 'app_1', metadata });
}

async function eventsOf(refused: ApiResponse[]): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    `select count(*) from events where request::json->>'id' = any($1)`,
    [refused.map(({ headers }) => headers.get('request-id'))],
  );
  return rows[0]!.count;
}

async function send({ method, path, query, body, headers }: AnyRequest): Promise<ApiResponse> {
  const target = query === '' ? path : `${path}?${query}`;
  return method === 'GET' ? api.get(target, headers) : api.post(target, body, headers);
}

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { request as requestByUndici } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { converse, exchange, rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../support/refusals.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const json = ['Content-Type: application/json'];

describe('ambiguous JSON', () => {
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
    ['UTF-16 with a mark', Buffer.from('\ufeff{"application":"app_1"}', 'utf16le')],
    ['UTF-16, the other end first', Buffer.from('{"application":"app_1"}', 'utf16le').swap16()],
    ['UTF-32', Buffer.from(Array.from('{"application":"app_1"}', (letter) => `${letter}\0\0\0`).join(''))],
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

  test.each(refused)('refuses JSON that programs read differently: %s', async (_, body) => {
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

  test.each(taken)('accepts correct JSON: %s', async (_, body) => {
    const answer = await rawRequest(server, 'POST /v1/references', { headers: json, body });
    expect(answer.status, answer.text).toBe(200);
    const { metadata = {} } = JSON.parse(body);
    expect(answer.body.metadata).toEqual(metadata);
  });

  test('reads 32 levels of JSON and refuses 33', async () => {
    expectRefusal(await api.post('/v1/references', nested(32, '[]')), unknown('deep'));
    expectRefusal(await api.post('/v1/references', nested(32, '{}')), unknown('deep'));
    for (const levels of [33, 1_000, 40_000])
      for (const deep of [nested(levels, '[]'), nested(levels, '{}'), nested(levels, '[{}]')])
        expectRefusal(await api.post('/v1/references', deep), { ...refusals.bodyInvalid, says: '32' });
    for (const start of ['[', '{"a":', '[{"a":', '[[],', '{"a":{},"b":'])
      expectRefusal(await api.post('/v1/references', start.repeat(250_000 / start.length)), refusals.bodyInvalid);
    // Brackets in a string are not levels.
    const answer = await api.post('/v1/references', { application: 'app_1', metadata: { a: '[{'.repeat(100) } });
    expect(answer.status).toBe(200);
  });
});

describe('numbers', () => {
  test.each([
    '1e400',
    '-1e400',
    '9007199254740993',
    '18446744073709551616',
    '604801',
    '-1',
    '0.5',
    '1e-3',
    '4e-320',
    '604800.0000001',
    '100.0000000000000000001',
    '0.99999999999999999999',
    '604799.99999999999999999999',
    '1E-400',
    `100.${'0'.repeat(100_000)}1`,
    '9'.repeat(1_000),
    `1${'0'.repeat(100_000)}`,
    `0.${'0'.repeat(100)}1`,
    '"5"',
    'true',
    '[5]',
  ])('refuses a number that does not fit and does not round it: %.40s', async (spelling) => {
    expectRefusal((await roll(spelling)).answer, invalid('expires_in'));
  });

  test('accepts every spelling of a number that fits', async () => {
    const spellings = {
      '-0': 0,
      '0.0': 0,
      '-0.0e-0': 0,
      '0e-400': 0,
      '1e2': 100,
      '60.0': 60,
      '6048E+2': 604_800,
      '60.00000000000000000000': 60,
      '6000000000000000000000e-20': 60,
    };
    await Promise.all(
      Object.entries(spellings).map(async ([spelling, seconds]) => {
        const { id, answer } = await roll(spelling);
        expect(answer.status, answer.text).toBe(200);
        const old = (await api.get(`/v1/api_keys/${id}`)).body;
        // The second may end between the two times.
        expect([seconds, seconds - 1], spelling).toContain(old.expires_at - answer.body.created);
      }),
    );
  });
});

describe('keys', () => {
  test('shortens an unknown key of any length in the response', async () => {
    for (const key of ['x'.repeat(100_000), '😀'.repeat(50_000), '\\u0061'.repeat(30_000), '['.repeat(200_000)]) {
      for (const body of [
        `{"application":"app_1","${key}":1}`,
        `{"application":"app_1","automatic_reference":{"${key}":1}}`,
      ]) {
        const answer = await api.post('/v1/references', body);
        expect([answer.status, answer.body.error.code]).toEqual([400, 'parameter_unknown']);
        expect(answer.text.length).toBeLessThan(1_500);
      }
    }
  });

  /** Keys that simple hash functions confuse with one another, and other keys in large numbers. */
  const floods: [name: string, keyOf: (index: number) => string][] = [
    ['counted', String],
    [
      'that collide in a hash of 31',
      (index) => Array.from({ length: 14 }, (_, bit) => ((index >> bit) & 1 ? 'Aa' : 'BB')).join(''),
    ],
    ['that have one beginning', (index) => `application${index}`],
    ['of escapes', (index) => `\\u0061${index}`],
    ['of array indexes far apart', (index) => String((index * 261_943) % 4_294_967_291)],
  ];

  test.each(floods)('refuses thousands of unknown keys at once: %s', async (_, keyOf) => {
    const members = Array.from({ length: 6_000 }, (_item, index) => `"${keyOf(index)}":"x"`).join();
    const answers = await Promise.all([
      api.post('/v1/references', `{${members}}`),
      api.post('/v1/references', `{"application":"app_1",${members}}`),
      api.post('/v1/references', `{"application":"app_1","automatic_reference":{${members}}}`),
      api.post('/v1/references', `{"application":"app_1","metadata":{${members}}}`),
      api.post('/v1/customers', `{"name":"Ada","addresses":[{${members}}]}`),
    ]);
    for (const answer of answers) expectRefusal(answer, refusals.bodyInvalid);
  });

  test('refuses lists with thousands of items', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => `"a.b${index}"`).join();
    const body = `{"url":"https://hooks.example.com/","enabled_events":[${items}]}`;
    expectRefusal(await api.post('/v1/webhook_endpoints', body), refusals.bodyInvalid);
    const addresses = Array.from({ length: 50_000 }, () => '{}').join();
    expectRefusal(await api.post('/v1/customers', `{"name":"Ada","addresses":[${addresses}]}`), refusals.bodyInvalid);
  });
});

describe('body size', () => {
  const limit = 256 * 1024;

  test.each([false, true])('accepts a body of 256 kB and refuses one byte more; in chunks: %s', async (chunked) => {
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

  test('counts the body size in bytes', async () => {
    const body = `{"application":"app_1","metadata":{"a":"${'😀'.repeat(limit / 4)}"}}`;
    expect(body.length).toBeLessThan(limit);
    expectRefusal(await api.post('/v1/references', body), refusals.bodyTooLarge);
  });

  test('refuses a body before it arrives when its Content-Length is far too large', async () => {
    const headers = [...json, 'Content-Length: 99999999999'];
    expectRefusal(await rawRequest(server, 'POST /v1/references', { headers }), refusals.bodyTooLarge);
  });

  test('responds 413 to 10 MB from any client, and the client can continue', async () => {
    const before = await tracesOf(server);
    const length = 10_000_000;
    for (let round = 0; round < 10; round++) {
      for (const headers of [{}, { 'content-length': String(length) }]) {
        const authorized = {
          authorization: `Bearer ${server.secretKey}`,
          'content-type': 'application/json',
          ...headers,
        };
        const url = `${server.url}/v1/references`;
        const answers = await Promise.all([
          requestByUndici(url, { method: 'POST', headers: authorized, body: spaces(length) }).then(
            async ({ statusCode, body }) => {
              await body.dump();
              return statusCode;
            },
          ),
          fetch(url, {
            method: 'POST',
            headers: authorized,
            body: Readable.toWeb(spaces(length)),
            duplex: 'half',
          }).then(async (answer) => {
            await answer.text();
            return answer.status;
          }),
        ]);
        expect(answers).toEqual([413, 413]);
      }
    }
    expect(await tracesOf(server)).toEqual(before);
  });

  test('reads a body when it comes in two hundred tiny chunks', async () => {
    const body = Buffer.from(JSON.stringify({ application: 'app_1', metadata: { a: 'é😀'.repeat(25) } }));
    const chunks = Array.from(body, (byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
    );
    const head = `POST /v1/references HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.secretKey}\r\n${json[0]}\r\n`;
    const answer = await exchange(
      server,
      Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...chunks, Buffer.from('0\r\n\r\n')]),
    );
    expect(answer.body.metadata).toEqual({ a: 'é😀'.repeat(25) });
  });
});

describe('refused body that was not read', () => {
  const smuggled = `POST /v1/customers HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;

  test.each([
    ['no key', '/v1/references', ['Content-Type: application/json'], false],
    ['unknown route', '/v1/nothing', ['Content-Type: application/json'], true],
    ['content type', '/v1/references', ['Content-Type: text/plain'], true],
    ['unknown version', '/v1/references', ['Service-Version: x', 'Content-Type: application/json'], true],
  ])('never reads the refused body as the next request: %s', async (_, path, headers, withKey) => {
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

test('keeps the connection open after it refuses a body', async () => {
  const authorization = `Host: x\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
  const refused = ['{', '[]', '{"a":1,"a":2}', '{"application":1}', padded(256 * 1024 + 1)].map(
    (body) =>
      `POST /v1/references HTTP/1.1\r\n${authorization}${json[0]}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  const last = `GET /v1/references?limit=1 HTTP/1.1\r\n${authorization}Connection: close\r\n\r\n`;
  const answers = await converse(server, refused.join('') + last);
  const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status);
  expect(statuses).toEqual(['400', '400', '400', '400', '413', '200']);
});

describe('empty body', () => {
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

  test.each(headerSets)('treats an empty body as {} with any headers: $headers', async ({ headers }) => {
    for (const request of [{ headers }, { headers, body: '' }, { headers, body: '', chunked: true }]) {
      const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
      const answer = await rawRequest(server, `POST /v1/references/${id}/cancel`, request);
      expect([answer.status, answer.body.status], answer.text).toEqual([200, 'canceled']);
    }
  });

  test('reports the missing parameters of an empty body', async () => {
    expectRefusal(await api.post('/v1/references'), missing('application'));
    expectRefusal(await api.post('/v1/references', ''), missing('application'));
  });
});

describe('encoded bodies', () => {
  test.each(['gzip', 'deflate', 'br', 'x-gzip', 'gzip, identity', 'nonsense'])(
    'refuses the content encoding %s',
    async (encoding) => {
      const body = gzipSync('{"application":"app_1"}');
      for (const chunked of [false, true]) {
        const headers = [...json, `Content-Encoding: ${encoding}`];
        expectRefusal(await rawRequest(server, 'POST /v1/references', { headers, body, chunked }), {
          ...refusals.contentType,
          says: encoding,
        });
      }
    },
  );

  test('refuses gzip bytes as invalid UTF-8 when no encoding is declared', async () => {
    const body = gzipSync('{"application":"app_1"}');
    expectRefusal(await rawRequest(server, 'POST /v1/references', { headers: json, body }), refusals.bodyInvalid);
  });

  test.each(['utf-8', 'UTF-8', '"utf-8"', 'latin1', 'utf-16', 'nonsense', ''])(
    'reads a body as UTF-8 with any declared charset (RFC 8259, section 8.1): %j',
    async (charset) => {
      const headers = [`Content-Type: application/json; charset=${charset}`];
      const text = '{"application":"app_1","metadata":{"a":"é😀"}}';
      const read = await rawRequest(server, 'POST /v1/references', { headers, body: text });
      expect([read.status, read.body.metadata]).toEqual([200, { a: 'é😀' }]);
      for (const encoding of ['latin1', 'utf16le'] as const) {
        const body = Buffer.from(text, encoding);
        expectRefusal(await rawRequest(server, 'POST /v1/references', { headers, body }), refusals.bodyInvalid);
      }
    },
  );

  test('accepts the content encoding identity', async () => {
    const headers = [...json, 'Content-Encoding: identity'];
    expect((await rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' })).status).toBe(
      200,
    );
  });
});

/** Returns a body with this many levels, counting itself as the first. */
function nested(levels: number, kind: '[]' | '{}' | '[{}]'): string {
  const isArray = (level: number): boolean => kind === '[]' || (kind === '[{}]' && level % 2 === 0);
  const inner = Array.from({ length: levels - 2 }, (_, level) => level);
  const starts = inner.map((level) => (isArray(level) ? '[' : '{"a":'));
  const ends = inner.map((level) => (isArray(level) ? ']' : '}')).toReversed();
  return `{"application":"app_1","deep":${starts.join('')}${kind === '{}' ? '{}' : '[]'}${ends.join('')}}`;
}

function spaces(length: number): Readable {
  const piece = Buffer.alloc(65_536, ' ');
  const pieces = Array.from({ length: Math.ceil(length / piece.length) }, (_, index) =>
    piece.subarray(0, Math.min(piece.length, length - index * piece.length)),
  );
  return Readable.from(pieces);
}

function bytes(...parts: (string | number)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
}

function padded(length: number): string {
  const body = '{"application":"app_1"}';
  return body + ' '.repeat(length - body.length);
}

/** Rolls a key so that the old key stays valid for `spelling` seconds. A valid spelling means a whole number from 0 to 604,800. */
async function roll(spelling: string): Promise<{ id: string; answer: ApiResponse }> {
  const { id } = (await api.post('/v1/api_keys', { type: 'secret' })).body;
  return { id, answer: await api.post(`/v1/api_keys/${id}/roll`, `{"expires_in":${spelling}}`) };
}

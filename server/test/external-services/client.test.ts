import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpProviderClient } from '../../src/external-services/client.ts';
import { ProviderFault } from '../../src/external-services/service.ts';
import { referencingProviders } from '../../src/referencing/providers/index.ts';
import { freePort } from '../support/free-port.ts';
import { everyMs, pour, rawReceiverForTest } from '../support/receiver.ts';
import { faultOf, goodCredentials, orderOf } from '../support/services.ts';

/* A call to any service ends in time, with a response or an error in plain words. */

const get = { method: 'GET', path: '/orders/1' } as const;

const informational = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
const emptyAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

function chunkedAnswer(chunk: string, count: number): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(count)}0\r\n\r\n`;
}

function clientOf(url: string, timeoutMs = 60_000): HttpProviderClient {
  const client = new HttpProviderClient(url, timeoutMs);
  onTestFinished(() => client.close());
  return client;
}

async function serviceThat(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  serviceThat((_request, response) => response.writeHead(status, headers).end(body));

describe('responses of a service', () => {
  test('returns status and JSON, and nothing for an empty body, when a service responds', async () => {
    expect(await clientOf(await answering(201, '{"id":1}')).call(get)).toEqual({ status: 201, body: { id: 1 } });
    expect(await clientOf(await answering(204, '')).call(get)).toEqual({ status: 204, body: null });
  });

  test('sends the request as asked when a service is called', async () => {
    const seen: unknown[] = [];
    const url = await serviceThat((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push([request.method, request.url, request.headers['x-key'], Buffer.concat(chunks).toString('utf8')]);
        response.end('{}');
      });
    });
    const client = clientOf(`${url}/api/`);
    await client.call({ ...get, headers: { 'x-key': 'k' } });
    await client.call({ method: 'POST', path: '/orders', body: { a: 'ü' } });
    expect(seen).toEqual([
      ['GET', '/api/orders/1', 'k', ''],
      ['POST', '/api/orders', undefined, '{"a":"ü"}'],
    ]);
  });

  test('reuses the connection when calls follow each other', async () => {
    const ports = new Set<number | undefined>();
    const url = await serviceThat((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const client = clientOf(url);
    for (let call = 0; call < 20; call++) await client.call(get);
    // The next call may begin before the last connection is free again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['not JSON', '<html>', /no JSON/],
    ['half of a JSON text', '{"id":', /no JSON/],
    ['longer than the limit', JSON.stringify('x'.repeat(1_000_001)), /too long/],
  ])('rejects a response when it is %s', async (_what, body, message) => {
    const fault = await faultOf(clientOf(await answering(200, body)).call(get));
    expect(fault).toMatchObject({ code: 'response_invalid', message: expect.stringMatching(message) });
  });

  test.each([
    ['more than 8 informational responses', `${informational.repeat(9)}${emptyAnswer}`, /informational/],
    ['too many small chunks', chunkedAnswer('1\r\n1\r\n', 1_100), /small chunks/],
  ])('ends a call when the service sends %s', async (_what, answer, message) => {
    const service = await rawReceiverForTest((socket) => socket.write(answer));
    const fault = await faultOf(clientOf(new URL(service.url).origin, 60_000).call(get));
    expect(fault).toMatchObject({ code: 'response_invalid', message: expect.stringMatching(message) });
    await expect.poll(() => service.open).toBe(0);
  });

  test.each([
    ['8 informational responses', `${informational.repeat(8)}${emptyAnswer}`],
    ['a thousand small chunks', chunkedAnswer('1\r\n1\r\n', 1_000)],
  ])('accepts a response when the service sends %s', async (_what, answer) => {
    const service = await rawReceiverForTest((socket) => socket.write(answer));
    expect(await clientOf(new URL(service.url).origin).call(get)).toMatchObject({ status: 200 });
  });

  test.each([
    ['reason phrase', 'HTTP/1.1 200 ', 'a'],
    ['chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'],
  ])('ends a call when the %s of its response never ends', async (_what, head, endless) => {
    const service = await rawReceiverForTest((socket) => {
      socket.write(head);
      pour(socket, Buffer.from(endless.repeat(65_536)), () => {});
    });
    const fault = await faultOf(clientOf(new URL(service.url).origin, 60_000).call(get));
    expect(fault).toMatchObject({ code: 'response_invalid', message: "The service's answer is too long." });
    await expect.poll(() => service.open).toBe(0);
  });

  test.each([301, 302, 307, 308])('follows no redirect when the status is %i', async (status) => {
    let calls = 0;
    const url = await serviceThat((_request, response) => {
      calls++;
      response.writeHead(status, { location: '/elsewhere' }).end('{}');
    });
    expect((await faultOf(clientOf(url).call(get))).code).toBe('response_invalid');
    expect(calls).toBe(1);
  });

  test('accepts a status when the caller has named it, and no other', async () => {
    const url = await answering(409, '{"code":"closed"}');
    expect(await clientOf(url).call({ ...get, expected: [200, 409] })).toEqual({
      status: 409,
      body: { code: 'closed' },
    });
    expect((await faultOf(clientOf(await answering(200, '{}')).call({ ...get, expected: [201] }))).code).toBe(
      'response_invalid',
    );
  });
});

describe('faults of a service', () => {
  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'refused'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [599, 'unavailable'],
  ])("reports status %i as %s, without the service's text, when a service returns it", async (status, code) => {
    const fault = await faultOf(clientOf(await answering(status, '{"code":"secret_word"}')).call(get));
    expect(fault).toMatchObject({ code, busyForSeconds: null });
    expect(fault.message).not.toContain('secret_word');
  });

  test.each([
    ['7', 7],
    ['0', 1],
    ['86400', 3600],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 60],
    ['-5', 60],
    [undefined, 60],
  ])('postpones the next call when a busy service says %s: %i s', async (told, seconds) => {
    const url = await answering(429, '{}', told === undefined ? {} : { 'retry-after': told });
    expect(await faultOf(clientOf(url).call(get))).toMatchObject({ code: 'busy', busyForSeconds: seconds });
  });

  test('reports the service as unreachable when nothing listens', async () => {
    expect((await faultOf(clientOf(`http://127.0.0.1:${await freePort()}`).call(get))).code).toBe('unavailable');
    expect((await faultOf(clientOf('http://no-such-host.invalid').call(get))).code).toBe('unavailable');
  });

  test.each([
    ['before its response', ''],
    ['in the middle of its head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['in the middle of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":1}'],
    ['in the middle of its chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"id":1}\r\n'],
    ['after something that is not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ])('reports the service as unreachable when the connection closes %s', async (_when, bytes) => {
    const { url } = await rawReceiverForTest((socket) => socket.end(bytes));
    expect((await faultOf(clientOf(new URL(url).origin).call(get))).code).toBe('unavailable');
  });

  test.each([
    ['never responds', () => {}],
    ['never ends its head', (write: (text: string) => void) => write('HTTP/1.1 200 OK\r\nX: ')],
    [
      'never ends its body',
      (write: (text: string) => void) => write('HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n{'),
    ],
  ])('times out when a service %s, however slowly it drips', async (_what, begin) => {
    const { url } = await rawReceiverForTest((socket) => {
      begin((text) => {
        socket.write(text);
        everyMs(20, socket, () => socket.write('x'));
      });
    });
    // A timeout that each byte renews would never come.
    const fault = await faultOf(clientOf(new URL(url).origin, 300).call(get));
    expect(fault).toMatchObject({ code: 'timeout', message: 'The service did not answer within 0.3 seconds.' });
  });

  test.each([
    ['many members', `{${Array.from({ length: 20_000 }, (_, index) => `"a${index}":1`).join()}}`],
    ['many items', `[${'0,'.repeat(20_000)}0]`],
    ['many objects', `[${'{},'.repeat(6_000)}{}]`],
    ['many levels', '['.repeat(400_000) + ']'.repeat(400_000)],
  ])('refuses a response when it has too %s', async (_what, body) => {
    const message = "The service's answer has too many values, or too many levels.";
    expect(await faultOf(clientOf(await answering(200, body)).call(get))).toMatchObject({
      code: 'response_invalid',
      message,
    });
  });

  test('parses no refusal when it has too many values', async () => {
    let isParsed = false;
    const refusalIn = () => {
      isParsed = true;
      return { code: 'A', message: 'B' };
    };
    const url = await answering(422, `[${'0,'.repeat(20_000)}0]`);
    expect((await faultOf(clientOf(url).call({ ...get, refusalIn }))).code).toBe('refused');
    expect(isParsed).toBe(false);
  });

  test('counts no values in texts when a response has long ones', async () => {
    const body = { text: '[{,"\\'.repeat(100_000), list: Array.from({ length: 9_000 }, (_, index) => index) };
    const url = await answering(200, JSON.stringify(body));
    expect(await clientOf(url).call(get)).toEqual({ status: 200, body });
  });

  test('times out when all connections stay busy', async () => {
    const client = clientOf(await answering(200, '{}'), 300);
    // The driver refuses such a path, and treats the connection as busy from then on.
    for (let call = 0; call < 32; call++) await faultOf(client.call({ ...get, path: '/orders/not a path' }));
    expect(await faultOf(client.call(get))).toMatchObject({ code: 'timeout' });
  });

  test("completes later calls when another call's header cannot be sent", async () => {
    const client = clientOf(await answering(200, '{}'));
    for (const value of ['key\n', 'key\r\nx-other: 1', '…', 'k\u0000y']) {
      for (let call = 0; call < 32; call++) {
        const fault = await faultOf(client.call({ ...get, headers: { 'x-key': value } }));
        expect(fault).toMatchObject({
          code: 'credentials_invalid',
          message: expect.stringContaining('cannot be sent'),
        });
      }
    }
    expect(await client.call({ ...get, headers: { 'x-key': 'key' } })).toEqual({ status: 200, body: {} });
  });

  test('closes without a delay or a failure when a service hangs', async () => {
    const url = await serviceThat(() => {});
    const client = new HttpProviderClient(url, 60_000);
    const calling = client.call(get).catch((error: unknown) => error);
    await client.close();
    const error = await calling;
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ProviderFault);
  });
});

describe('refusals of a service', () => {
  test("returns the service's code and text when it refuses", async () => {
    const fault = await refusedWith({ code: 'INVALID-DETAILS', message: 'The postcode is missing.' });
    expect(fault).toMatchObject({ code: 'invalid_details', message: 'The postcode is missing.' });
  });

  test.each([
    ['no word', {}],
    ['a code with spaces at its ends', { code: ' x ' }],
    ['a code that is too long', { code: 'x'.repeat(65) }],
    ['a code that is a sentence', { code: 'Ann Archer, born 1990!' }],
    ['a number', { code: 42, message: 42 }],
    ['no JSON', 'Unprocessable'],
    ['null', 'null'],
  ])('returns our own text when the refusal has %s', async (_what, body) => {
    expect(await refusedWith(body)).toMatchObject({ code: 'refused', message: 'The service refused with status 422.' });
  });

  test('removes contact data from the text and cuts it when a service refuses', async () => {
    const { message } = await refusedWith({
      code: 'bad',
      message: `Ask ann@example.com or 020 7946 0182.\r\n\0${'long '.repeat(100)}`,
    });
    expect(message).toMatch(/^Ask \[e-mail address removed\] or \[phone number removed\]\. long/);
    expect(message).toHaveLength(200);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe('unknown words of a service', () => {
  const answers: Record<keyof typeof referencingProviders, [stage: unknown, verdict: unknown]> = {
    provider_a: [aRequest('ON_HOLIDAY', null), aRequest('DONE', 'MAYBE')],
    provider_b: [
      { CaseNumber: 'B-1', State: 'ON_HOLIDAY', Result: null, OnHold: null },
      { CaseNumber: 'B-1', State: 'Completed', Result: 'MAYBE', OnHold: null },
    ],
    provider_c: [
      { application: { uuid: 'u', phase: 'ON_HOLIDAY', recommendation: null, hold: null } },
      { application: { uuid: 'u', phase: 'concluded', recommendation: 'MAYBE', hold: null } },
    ],
    provider_d: [
      { id: 1, state: 'ON_HOLIDAY', result: null, stopped_by: null },
      { id: 1, state: 'complete', result: 'MAYBE', stopped_by: null },
    ],
  };

  test.each(Object.values(referencingProviders))(
    'refuses an unknown word and names it when $name sends one',
    async (provider) => {
      const [stage, verdict] = answers[provider.name];
      const credentials = goodCredentials[provider.name];
      for (const [answer, word] of [
        [stage, 'ON_HOLIDAY'],
        [verdict, 'MAYBE'],
        [JSON.parse(JSON.stringify(verdict).replace('MAYBE', 'toString')), 'toString'],
      ]) {
        const client = clientOf(await answering(200, JSON.stringify(answer)));
        const fault = await faultOf(provider.read({ client, credentials }, '1'));
        expect(fault).toMatchObject({
          code: 'response_invalid',
          message: `The service answered with a word that is not known: "${word}".`,
        });
      }
    },
  );

  test.each(Object.values(referencingProviders))(
    'refuses a response when $name sends another shape',
    async (provider) => {
      const bodies = ['null', '[]', '"done"', '{}', '{"error":null}', '{"application":null}', '{"screenings":[{}]}'];
      for (const body of bodies) {
        const client = clientOf(await answering(200, body));
        const access = { client, credentials: goodCredentials[provider.name] };
        expect((await faultOf(provider.submit(access, orderOf()))).code).toBe('response_invalid');
        expect((await faultOf(provider.read(access, '1'))).code).toBe('response_invalid');
        expect((await faultOf(provider.fetchFindings(access, '1'))).code).toBe('response_invalid');
      }
    },
  );
});

/** Refuses with this body, and is called by a client that knows the place of its words. */
async function refusedWith(body: unknown): Promise<ProviderFault> {
  const url = await answering(422, typeof body === 'string' ? body : JSON.stringify(body));
  return faultOf(clientOf(url).call({ ...get, refusalIn: wordsIn }));
}

function wordsIn(answer: unknown): { code: unknown; message: unknown } {
  return answer as { code: unknown; message: unknown };
}

/** Responds as provider_a does. */
function aRequest(stage: string, decision: string | null): object {
  return {
    requestId: 'r',
    stage,
    decision,
    progressPercent: 1,
    affordability: null,
    creditScore: null,
    sanctionsClear: null,
    timeline: [],
    blocker: null,
  };
}

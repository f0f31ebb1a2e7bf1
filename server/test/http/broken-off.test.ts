import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

/* Clients that close the connection in the middle of a body. */

let server: TestServer;
let errors: unknown[] = [];

beforeAll(async () => {
  server = await startTestServer({
    changeContext: (context) => {
      context.log.error = (...line: unknown[]) => void errors.push(line);
      return context;
    },
  });
});
afterAll(() => server.stop());
beforeEach(() => (errors = []));

const form = 'content-type: multipart/form-data; boundary=b';
const beginning =
  '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nother\r\n' +
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';
const kinds: [string, string, string[], string][] = [
  ['an upload with a length', '/v1/files', [form, 'content-length: 300000'], beginning + 'x'.repeat(200_000)],
  ['an upload in chunks', '/v1/files', [form, 'transfer-encoding: chunked'], chunk(beginning)],
  ['a form without a file yet', '/v1/files', [form, 'content-length: 300000'], beginning.slice(0, 80)],
  ['a JSON body with a length', '/v1/references', ['content-length: 300'], '{"application":'],
  ['a JSON body in chunks', '/v1/references', ['transfer-encoding: chunked'], chunk('{"application":')],
  ['a callback', '/provider_callbacks/provider_a/acct_1', ['content-length: 300'], '{"application":'],
];

test.each(kinds)(
  'counts the request and logs no error when the client breaks off %s',
  async (_name, path, headers, body) => {
    const before = await facts();
    const socket = open();
    const authorization = `authorization: Bearer ${server.secretKey}`;
    const types = headers[0]!.startsWith('content-type') ? [] : ['content-type: application/json'];
    const lines = [`POST ${path} HTTP/1.1`, 'host: localhost', authorization, ...types, ...headers];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    await expect.poll(inFlight).toBe(1);
    if (body.length > 100_000) await expect.poll(fileParts).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await expect.poll(inFlight).toBe(0);
    await expect.poll(fileParts).toBe(0);
    // The server answers and logs the next request after all work on the first one.
    await server.api.post('/v1/references', { application: 'app_1' });
    const after = await facts();
    expect(errors).toEqual([]);
    expect(after).toEqual({ ...before, logs: before.logs + 1 });
  },
);

async function facts() {
  const errorsCounted = (await server.context.metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('tenure_http_errors_total') && !line.endsWith(' 0'));
  const { body } = await server.api.get('/v1/logs?limit=1');
  return { errorsCounted, logs: body.count as number, files: (await tracesOf(server)).records['files'] };
}

async function inFlight(): Promise<number> {
  return Number(/tenure_http_requests_in_flight (\d+)/.exec(await server.context.metrics.text())![1]);
}

async function fileParts(): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    'select count(*)::int as count from file_parts',
  );
  return rows[0]!.count;
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function open(): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

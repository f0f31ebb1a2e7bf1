import { describe, expect, test } from 'vitest';
import { encodedForm, formOf, pdfOf } from '../support/files.ts';
import { processesForTest, type Processes } from '../support/processes.ts';
import { apiClient, good } from '../support/server.ts';
import { clientAddress, findProgram, proxyForTest, type ProxyKind, type RunningProxy } from './proxy.ts';

/*
 * Sends requests through real proxies, with the files of `deploy/`. No test waits for
 * idle connections. These proxies close theirs after 60 seconds at the latest, and Tenure after 72.
 */

const kinds: ProxyKind[] = ['nginx', 'haproxy'];

describe.each(kinds)('%s', (kind) => {
  test('passes on the address of the client, and none that it forges, when a request is logged', async ({ skip }) => {
    skip(...unless(kind));
    const { processes, proxy, key, direct } = await behindProxy(kind);
    for (const forged of [{}, { 'x-forwarded-for': '203.0.113.9' }]) {
      const headers = { ...key, 'content-type': 'application/json', ...forged };
      const body = Buffer.from('{"application":"app_1"}');
      const made = await proxy.send({ method: 'POST', path: '/v1/references', headers }, body);
      expect(made.status, made.text).toBe(200);
      const api = apiClient(direct, processes.secretKey);
      const log = (await good(api.get(`/v1/logs/${String(made.headers['request-id'])}`))).body;
      expect(log.ip_address).toBe(clientAddress);
    }
  });

  test('passes on an event at once when a client follows the stream of events', async ({ skip }) => {
    skip(...unless(kind));
    const { processes, proxy, key, direct } = await behindProxy(kind);
    const stream = await proxy.open({ path: '/v1/events/stream', headers: key });
    expect(stream.statusCode).toBe(200);
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
    const { id } = (await good(apiClient(direct, processes.secretKey).post('/v1/references', { application: 'app_1' })))
      .body;
    let received = '';
    let hasEnded = false;
    stream.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    stream.on('end', () => (hasEnded = true));
    await expect.poll(() => received).toContain(id);
    expect(hasEnded).toBe(false);
    stream.destroy();
  });

  test('accepts a file of 10 MB, and returns 413, when a body of 12 MB comes', async ({ skip }) => {
    skip(...unless(kind));
    const { proxy, key } = await behindProxy(kind);
    const upload = async (bytes: number) => {
      const form = await encodedForm(formOf({}, pdfOf(Buffer.alloc(bytes - pdfOf('').length, 'x'))));
      const headers = { ...key, 'content-type': form.contentType, 'content-length': form.bytes.length };
      return proxy.send({ method: 'POST', path: '/v1/files', headers }, form.bytes);
    };
    const stored = await upload(10 * 1024 * 1024);
    expect([stored.status, JSON.parse(stored.text).size], stored.text).toEqual([200, 10 * 1024 * 1024]);
    expect((await upload(12 * 1024 * 1024)).status).toBe(413);
  });

  test('hides the metrics when a request comes from outside', async ({ skip }) => {
    skip(...unless(kind));
    const { proxy, direct } = await behindProxy(kind);
    for (const path of ['/metrics', '/metrics?a=b', '/%6detrics', '/metrics/', '//metrics']) {
      const answer = await proxy.send({ path });
      // Tenure redirects `/metrics/` to `/metrics`.
      expect([404, 308], path).toContain(answer.status);
      expect(answer.text, path).not.toContain('tenure_');
    }
    expect((await fetch(`${direct}/metrics`)).status).toBe(200);
  });
});

test('loses no request when one of two processes behind haproxy stops', async ({ skip }) => {
  skip(...unless('haproxy'));
  const processes = await processesForTest();
  const leaving = await startApi(processes, { TENURE_STOP_DELAY_SECONDS: '' });
  const staying = await startApi(processes);
  const proxy = await proxyForTest('haproxy', [portOf(leaving.url), portOf(staying.url)]);
  const headers = { ...keyOf(processes), 'content-type': 'application/json' };
  const body = Buffer.from('{"application":"app_1"}');
  const over = new AbortController();
  const statuses: number[] = [];
  const clients = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted)
      statuses.push((await proxy.send({ method: 'POST', path: '/v1/references', headers }, body)).status);
  });
  await expect.poll(() => statuses.length).toBeGreaterThan(20);
  const exited = new Promise((resolve) => leaving.process.once('exit', resolve));
  leaving.process.kill('SIGTERM');
  expect(await exited).toBe(0);
  const before = statuses.length;
  await expect.poll(() => statuses.length).toBeGreaterThan(before + 20);
  over.abort();
  await Promise.all(clients);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

/** Returns whether a test is skipped, and why. CI installs both proxies. */
function unless(kind: ProxyKind): [boolean, string] {
  return [findProgram(kind) === null && process.env.CI !== 'true', `${kind} is not installed`];
}

async function behindProxy(kind: ProxyKind): Promise<{
  processes: Processes;
  proxy: RunningProxy;
  key: { authorization: string };
  /** The address of the process itself. */
  direct: string;
}> {
  const processes = await processesForTest();
  const { url } = await startApi(processes);
  return { processes, proxy: await proxyForTest(kind, [portOf(url)]), key: keyOf(processes), direct: url };
}

function startApi(processes: Processes, settings: Record<string, string> = {}): ReturnType<Processes['start']> {
  return processes.start({ TENURE_ROLE: 'api', TENURE_TRUSTED_PROXIES: '127.0.0.1', ...settings });
}

function keyOf({ secretKey }: Processes): { authorization: string } {
  return { authorization: `Bearer ${secretKey}` };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

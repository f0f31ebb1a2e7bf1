import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ConcurrencyLimit, requestBounds } from '../../src/http/pipeline/concurrency.ts';
import { Scrape } from '../support/prometheus.ts';
import { formOf } from '../support/files.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/* Work in progress of many accounts. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('takes an upload of an account when four others have as many in progress as they may', async () => {
  const { hostname, port } = new URL(server.url);
  const uploads = async (): Promise<number> =>
    new Scrape(await server.context.metrics.text()).value('tenure_held_bytes{kind="uploads"}')!;
  // Three accounts with 16 uploads, and one that leaves as many as it has.
  for (const begun of [16, 32, 48, 56]) {
    const { key } = await addAccount(server);
    for (let upload = 0; upload < 16; upload++) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n` +
          'content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n--b\r\n',
      );
    }
    // The next account begins only then, because accounts that begin at once get other shares.
    await expect.poll(uploads, { timeout: waitMs, interval: 10 }).toBe(begun * 1024 * 1024);
  }
  const { key } = await addAccount(server);
  const response = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: formOf(),
  });
  expect(response.status).toBe(200);
});

test('leaves places to every other tree when two of them begin as many requests as they may', () => {
  const limit = new ConcurrencyLimit(requestBounds);
  const begun = (rootId: string, wanted: number): number => {
    for (let count = 0; count < wanted; count++) {
      try {
        limit.begin({ accountId: `${rootId}${count % 4}`, rootId });
      } catch {
        return count;
      }
    }
    return wanted;
  };
  expect(['a', 'b', 'c', 'd', 'e'].map((tree) => begun(tree, 1_024))).toEqual([768, 128, 64, 32, 32]);
  expect(begun('f', 1)).toBe(0);
});

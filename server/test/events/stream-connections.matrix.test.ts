import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { heapBytes } from '../support/heap.ts';
import { serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { createReference, idsInOrder, multiplyEvents, queriesOf, streamForTest } from './scenario.ts';

describe('stream connections', () => {
  test('cuts a stream off with little memory held when its client does not read', async () => {
    const own = await serverForTest({ overrides: { streamLimits: { stalledMs: 400 } } });
    const tenant = await addAccount(own);
    await createReference(tenant, { metadata: { text: 'x'.repeat(500), more: 'y'.repeat(500) } });
    await multiplyEvents(tenant, 15_000, own);
    const [oldest] = await idsInOrder(tenant, own);
    const asked = queriesOf(own);
    const before = heapBytes();
    const { hostname, port } = new URL(own.url);
    const sockets = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {}).pause();
        onTestFinished(() => void socket.destroy());
        socket.write(
          `GET /v1/events/stream?after=${oldest} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`,
        );
        return socket;
      }),
    );
    await delay(300);
    expect(heapBytes() - before).toBeLessThan(30_000_000);
    // Until the streams are cut off and the server queries nothing for them.
    const askedMeanwhile = async (): Promise<number> => {
      asked.length = 0;
      await delay(700);
      return asked.length;
    };
    await expect.poll(askedMeanwhile).toBe(0);
    // The bytes sent before the cut can still be read, and are not the whole history.
    const received = await Promise.all(
      sockets.map(async (socket) => {
        let bytes = 0;
        socket.on('data', (chunk) => (bytes += chunk.length)).resume();
        await new Promise((resolve) => socket.once('close', resolve));
        return bytes;
      }),
    );
    for (const bytes of received) expect(bytes).toBeLessThan(15_000_000);
    // A client that reads gets the whole history. On a busy machine it may pause for longer than 400 ms.
    const patient = await serverForTest({ connection: own.connection, secretKey: own.secretKey });
    const reader = await streamForTest(patient.url, tenant.key, { query: `?after=${oldest}` });
    await reader.count(15_000);
    expect(reader.text.join('').length).toBeGreaterThan(20_000_000);
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { patient } from '../../src/core/limits/fair-queue.ts';
import { importFile, importForm, statementOf } from '../support/bank.ts';
import { Scrape } from '../support/prometheus.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest, type Api, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

const soon = { timeout: waitMs };
const file = statementOf([{ date: '2026-01-10', amount: '1.00', reference: 'one' }]);

test('holds only their files for imports when 24 of a platform wait for their turn', async () => {
  const server = await serverForTest();
  const tenants = await platformOf(server, 3);
  const turn = takeTurn(server);
  const turns = watchTurns(server);
  const waiting = tenants.flatMap((tenant) => Array.from({ length: 8 }, () => importFile(tenant.api, file)));
  await turns.areAsked(waiting.length);
  expect(server.context.committer.bytes.held).toBe(0);
  // A file of a few bytes takes a buffer of 64 kB.
  await expect.poll(() => heldBytes(server, 'uploads'), soon).toBeLessThanOrEqual(24 * 64 * 1024);

  const another = await addConnected(server, tenants[0]!.api);
  expectRefusal(await importFile(another.api, file), { ...refusals.rateLimit, says: '24 imports in progress' });
  expectRefusal(await importFile(tenants[0]!.api, file), { ...refusals.rateLimit, says: '8 imports in progress' });
  const stranger = await addAccount(server);
  const ofStranger = importFile(stranger.api, file);

  turn.end();
  for (const answer of await Promise.all([...waiting, ofStranger])) expect(answer.status, answer.text).toBe(200);
  await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(0);
});

test('lets the trees of accounts take turns at imports, and in a tree its accounts', async () => {
  const server = await serverForTest();
  const [platform, connected] = await platformOf(server, 2);
  const stranger = await addAccount(server);
  const turn = takeTurn(server);
  const turns = watchTurns(server);
  const ends: string[] = [];
  const send = async (name: string, { api }: Tenant): Promise<void> => {
    await good(importFile(api, file));
    ends.push(name);
  };
  const sent: Promise<void>[] = [];
  for (const [name, tenant] of [
    ['first of the platform', platform!],
    ['second of the platform', platform!],
    ['of the connected account', connected!],
    ['of another tree', stranger],
  ] as const) {
    sent.push(send(name, tenant));
    await turns.areAsked(sent.length);
  }
  turn.end();
  await Promise.all(sent);
  expect(ends).toEqual([
    'first of the platform',
    'of another tree',
    'of the connected account',
    'second of the platform',
  ]);
});

test('drops a waiting import and its file when its client disconnects', async () => {
  const server = await serverForTest();
  const { key, api } = await addAccount(server);
  const turn = takeTurn(server);
  const turns = watchTurns(server);
  const form = new Response(importForm(file));
  const body = Buffer.from(await form.arrayBuffer());
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /v1/payments/import HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: ${form.headers.get('content-type')!}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await turns.areAsked(1);
  socket.destroy();
  await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(0);
  turn.end();
  await good(importFile(api, file));
  expect((await good(api.get('/v1/payment_imports'))).body.count).toBe(1);
});

/** Takes the turn at imports, so that all imports wait. */
function takeTurn({ context }: TestServer): { end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  void context.importQueue.run('a test', patient, () => promise);
  onTestFinished(() => resolve());
  return { end: resolve };
}

/** Counts the imports that have asked for their turn. */
function watchTurns({ context }: TestServer): { areAsked(count: number): Promise<void> } {
  const asked = vi.spyOn(context.importQueue, 'run');
  return { areAsked: (count) => vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count), soon) };
}

async function platformOf(server: TestServer, accounts: number): Promise<Tenant[]> {
  const platform = await addAccount(server);
  const tenants = [platform];
  while (tenants.length < accounts) tenants.push(await addConnected(server, platform.api));
  return tenants;
}

async function addConnected(server: TestServer, platform: Api): Promise<Tenant> {
  const { body } = await good(platform.post('/v1/accounts', { name: 'Branch' }));
  return addKey(server, body.id);
}

async function heldBytes({ context }: TestServer, kind: string): Promise<number> {
  return new Scrape(await context.metrics.text()).value(`tenure_held_bytes{kind="${kind}"}`)!;
}

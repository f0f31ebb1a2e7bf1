import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashKey, makeKey } from '../../src/core/secrets/api-keys.ts';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { kill } from '../faults/crash-checker/processes.ts';
import { apiClient, good } from '../support/server.ts';
import { cellsProxyForTest, findProgram, type ProxyResponse, type RunningProxy } from './proxy.ts';

/* Two cells, each with its own PostgreSQL, behind a real HAProxy with the files of `deploy/`. */

const isSkipped = findProgram('haproxy') === null && process.env.CI !== 'true';

/** The key of the first account in each cell. The one of `eu2` was made in `eu1`, as that of a moved tree. */
const firstKeys = {
  eu1: makeKey('secret', 'live', randomBytes),
  eu2: makeKey('secret', 'live', randomBytes, 'eu1'),
} as const;
type Cell = keyof typeof firstKeys;

const cells = {} as Record<Cell, Deployment>;
let proxy: RunningProxy;

beforeAll(async () => {
  if (isSkipped) return;
  for (const cell of ['eu1', 'eu2'] as const) {
    const settings = { TENURE_MODE: 'live', TENURE_CELL: cell, TENURE_RATE_LIMIT: '0' };
    cells[cell] = await Deployment.create({ secretKey: firstKeys[cell], settings });
    await cells[cell].start();
    const name = { name: `The account of ${cell}` };
    await good(apiClient(cells[cell].url, firstKeys[cell]).post('/v1/account', name));
  }
});
afterAll(() => Promise.all(Object.values(cells).map((cell) => cell.remove())));
beforeEach(async ({ skip }) => {
  skip(isSkipped, 'haproxy is not installed');
  proxy = await cellsProxyForTest(ports(), [`${hashKey(firstKeys.eu2)} eu2`]);
});

describe('a key', () => {
  test('has the tag of its cell, and reaches it by the shared host, when a key of the cell makes it', async () => {
    for (const cell of ['eu1', 'eu2'] as const) {
      for (const [type, prefix] of [
        ['secret', 'sk'],
        ['restricted', 'rk'],
        ['agent', 'ak'],
      ]) {
        const key = await newKey(cell, type!);
        expect(key).toMatch(new RegExp(`^${prefix}_live_${cell}_[0-9A-Za-z]{38}$`));
        expect(await accountName(key)).toBe(`The account of ${cell}`);
        expect(await accountName(key, 'bearer')).toBe(`The account of ${cell}`);
      }
    }
  });

  test('reaches the first cell when it is older than the cells', async () => {
    expect(firstKeys.eu1).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
    expect(await accountName(firstKeys.eu1)).toBe('The account of eu1');
  });

  test('reaches the cell that the map of moved keys names when its tag is of another one', async () => {
    expect(firstKeys.eu2).toMatch(/^sk_live_eu1_/);
    expect(await accountName(firstKeys.eu2)).toBe('The account of eu2');
  });

  test('reaches its new cell without a reload when the socket of the proxy adds it to the map', async () => {
    const beforeMove = await cellsProxyForTest(ports(), []);
    const get = async () => (await beforeMove.send({ path: '/v1/account', headers: bearer(firstKeys.eu2) })).text;
    expect(JSON.parse(await get()).error.code).toBe('api_key_invalid');
    expect(await beforeMove.addMoved(`${hashKey(firstKeys.eu2)} eu2`)).toBe('');
    expect(JSON.parse(await get()).name).toBe('The account of eu2');
  });
});

test('leads requests without a key to the cell of the host when each cell has a host', async () => {
  for (const cell of ['eu1', 'eu2'] as const) {
    const headers = { host: `${cell.toUpperCase()}.api.example.com:443` };
    // The other cell does not know the key, so only the own one returns its account.
    const key = await newKey(cell, 'secret');
    expect((await proxy.send({ path: '/v1/account', headers: { ...headers, ...bearer(key) } })).status).toBe(200);
    const other = await newKey(cell === 'eu1' ? 'eu2' : 'eu1', 'secret');
    expect((await proxy.send({ path: '/v1/account', headers: { ...headers, ...bearer(other) } })).status).toBe(401);
  }
  expect((await proxy.send({ path: '/readyz', headers: { host: 'api.example.com' } })).status).toBe(200);
});

test('has no error in a cell when the PostgreSQL of the other one is killed under load', async () => {
  const keys = { eu1: await newKey('eu1', 'secret'), eu2: await newKey('eu2', 'secret') };
  const answers: Record<Cell, number[]> = { eu1: [], eu2: [] };
  const over = new AbortController();
  const body = Buffer.from('{"application":"app_1"}');
  const clients = (['eu1', 'eu2'] as const).flatMap((cell) =>
    Array.from({ length: 4 }, async () => {
      const headers = { ...bearer(keys[cell]), 'content-type': 'application/json' };
      while (!over.signal.aborted) {
        const options = { method: 'POST', path: '/v1/references', headers };
        answers[cell].push((await proxy.send(options, body)).status);
      }
    }),
  );
  await expect.poll(() => Math.min(answers.eu1.length, answers.eu2.length)).toBeGreaterThan(20);
  const before = answers.eu2.length;
  const killed = cells.eu1.databasePid();
  kill(killed!, 'SIGKILL');
  // Its server starts it again. Requests of its cell then wait or fail, and none of the other cell does.
  await expect.poll(() => cells.eu1.databasePid()).not.toBe(killed);
  await expect.poll(() => answers.eu2.length).toBeGreaterThan(before + 100);
  over.abort();
  await Promise.all(clients);
  expect(new Set(answers.eu2)).toEqual(new Set([200]));
});

function ports(): Record<Cell, number> {
  return { eu1: portOf('eu1'), eu2: portOf('eu2') };
}

function portOf(cell: Cell): number {
  return Number(new URL(cells[cell].url).port);
}

async function newKey(cell: Cell, type: string): Promise<string> {
  const permissions = type === 'secret' ? {} : { permissions: ['accounts.read'] };
  const api = apiClient(cells[cell].url, firstKeys[cell]);
  return (await good(api.post('/v1/api_keys', { type, name: 'Of a test', ...permissions }))).body.secret;
}

function bearer(key: string, scheme = 'Bearer'): { authorization: string } {
  return { authorization: `${scheme} ${key}` };
}

async function accountName(key: string, scheme?: string): Promise<string> {
  const { status, text }: ProxyResponse = await proxy.send({ path: '/v1/account', headers: bearer(key, scheme) });
  expect(status, text).toBe(200);
  return JSON.parse(text).name;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { adapters } from '../../../bench/products/adapters.ts';
import { comparisonTable } from '../../../bench/products/comparison-table.ts';
import { measureKill, measureLoad, sizesOf, type LoadFigures } from '../../../bench/products/measure.ts';
import { readPeers } from '../../../bench/products/peers-file.ts';
import { startProduct, type Product, type ProductSettings } from '../../../bench/products/product.ts';
import { fakeProject, receiverHost, startFakeProduct, type FakeName } from '../support/webhook-products.ts';

const key = 'a-secret-key';
const fakeNames: FakeName[] = ['svix', 'convoy', 'outpost'];
const sizes = { ...sizesOf(1), receiptTimeoutMs: 20_000 };
const folder = mkdtempSync(join(tmpdir(), 'tenure-test-peers-'));

afterAll(() => rmSync(folder, { recursive: true }));

function settingsOf(name: FakeName, url: string, secret = key): ProductSettings {
  return {
    name,
    adapter: name,
    url,
    credentials: { key: secret, token: secret, project: fakeProject },
    processes: [],
    pids: [],
    receiverHost,
  };
}

async function withProduct(name: FakeName, use: (product: Product) => Promise<void>): Promise<void> {
  const fake = await startFakeProduct(name, key);
  try {
    const product = await startProduct(settingsOf(name, fake.url), folder);
    try {
      await use(product);
    } finally {
      await product.stop();
    }
  } finally {
    await fake.stop();
  }
}

function readFile(content: unknown): ProductSettings[] {
  const file = join(folder, 'peers.json');
  writeFileSync(file, JSON.stringify(content));
  return readPeers(file);
}

describe.each(fakeNames)('the adapter of %s', (name) => {
  test('delivers each event under our id when the API is as documented', async () => {
    await withProduct(name, async (product) => {
      const figures = await measureLoad(product, { kind: 'as_fast_as', clients: 2, seconds: 0.2 }, sizes);
      expect(figures).toMatchObject({ failed: 0, lost: 0, processorMs: 'no process is named' });
      expect(figures.receivedPerSecond).toBeGreaterThan(0);
    });
  });

  test('reports the refusal when the credentials are wrong', async () => {
    const fake = await startFakeProduct(name, key);
    await expect(startProduct(settingsOf(name, fake.url, 'another'), folder)).rejects.toThrow(/was answered 401/);
    await fake.stop();
  });

  test('fails when a member that the API requires is left out', async () => {
    const fake = await startFakeProduct(name, key);
    const calls: { method: string; path: string; body: object }[] = [];
    const send = async (
      method: string,
      path: string,
      headers: Record<string, string>,
      body: object,
    ): Promise<Response> => {
      const options: RequestInit = { method, headers, body: JSON.stringify(body) };
      return fetch(fake.url + path, options);
    };
    const settings = settingsOf(name, fake.url);
    let auth: Record<string, string> = {};
    const event = await adapters[name].subscribe(
      {
        credentials: settings.credentials,
        runName: 'run-1',
        async call(method, path, headers, body) {
          calls.push({ method, path, body });
          auth = headers;
          const response = await send(method, path, headers, body);
          expect(response.ok).toBe(true);
          return response.json();
        },
      },
      `http://${receiverHost}:1/`,
    );
    const requests = [...calls, { method: 'POST', path: event.path, body: JSON.parse(event.body) as object }];
    // A topic is optional unless Outpost is configured with topics.
    const members = requests.flatMap((call) => Object.keys(call.body).map((member) => ({ ...call, member })));
    const required = members.filter(({ member }) => member !== 'topic');
    expect(required.length).toBeGreaterThan(3);
    for (const { method, path, body, member } of required) {
      const response = await send(method, path, auth, { ...body, [member]: undefined });
      expect([400, 422], `${path} without ${member}`).toContain(response.status);
    }
    await fake.stop();
  });
});

describe('a comparison with peers', () => {
  test('leaves the kill out when no process is the worker', async () => {
    await withProduct('svix', async (product) => {
      const tiny = { ...sizes, highPerSecond: 20, seconds: 0.2 };
      await expect(measureKill(product, tiny)).rejects.toThrow('no process is named as the worker');
    });
  });

  test('reports that nothing was received when no event arrives', async () => {
    await withProduct('outpost', async (product) => {
      // Our id is never found in what arrives.
      const deaf = { ...product, idPattern: 'nothing like it' };
      const order = { kind: 'at_rate', perSecond: 50, seconds: 0.2, seed: 1 } as const;
      const impatient = { ...sizes, receiptTimeoutMs: 100 };
      await expect(measureLoad(deaf, order, impatient)).rejects.toThrow('no event was received');
    });
  });

  test('shows the rate, refusals, losses and reasons when a product does not do everything', () => {
    const load: LoadFigures = {
      sentPerSecond: 1_000,
      receivedPerSecond: 990,
      failed: 0,
      lost: 0,
      p50Ms: 4,
      p99Ms: 20,
      processorMs: 1.5,
    };
    const figures = { sustained: load, low: load, high: load, idlePercent: 0.4, memoryMb: 220, killMs: 1_200 };
    const table = comparisonTable(
      [
        { name: 'Quick', rounds: [figures] },
        {
          name: 'Slow',
          rounds: [{ ...figures, high: { ...load, receivedPerSecond: 783, failed: 2, lost: 3 }, killMs: 'no worker' }],
        },
        { name: 'Gone', rounds: [figures, { ...figures, idlePercent: 'no process', low: 'it did not start' }] },
      ],
      sizes,
    );
    const cells = table.split('\n').map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(2, -1),
    );
    expect(cells[0]).toEqual(['Quick', 'Slow', 'Gone']);
    expect(cells.slice(2, 9)).toEqual([
      ['1.50 at 990/s / 1.50', '1.50 at 990/s / 1.50 at 783/s, 2 refused, 3 not received', '1.50 at 990/s / 1.50'],
      ['1.50', '1.50', '1.50, once left out (1)'],
      ['4.00 / 20.0', '4.00 / 20.0', '4.00, once left out (1) / 20.0, once left out (1)'],
      ['4.00 / 20.0', '4.00 / 20.0 at 783/s, 2 refused, 3 not received', '4.00 / 20.0'],
      ['0.40', '0.40', '0.40, once left out (2)'],
      ['1200', 'left out (3)', '1200'],
      ['220', '220', '220'],
    ]);
    expect(table).toContain('(1) it did not start\n(2) no process\n(3) no worker\n');
  });
});

describe('a peers file', () => {
  const peer = { name: 'Svix', adapter: 'svix', url: 'http://127.0.0.1:8071/', credentials: { token: 't' } };

  test('fills in defaults when members are left out', () => {
    expect(readFile([{ ...peer, processes: [{ command: ['svix-server'], worker: true }] }])).toEqual([
      {
        ...peer,
        url: 'http://127.0.0.1:8071',
        processes: [{ command: ['svix-server'], env: {}, folder: null, isWorker: true }],
        pids: [],
        receiverHost: '127.0.0.1',
      },
    ]);
  });

  test.each([
    ['[0].adapter must be one of', { adapter: 'another' }],
    ['[0].url must be a text', { url: undefined }],
    ['[0].credentials.token must be a text', { credentials: {} }],
    ['[0].pids must be a list of process ids', { pids: ['812'] }],
    ['[0].processes[0].command must be a list', { processes: [{ command: 'svix-server' }] }],
    ['[0].process must be left out', { process: [] }],
  ])('is refused with "%s" when this member is wrong', (message, wrong) => {
    expect(() => readFile([{ ...peer, ...wrong }])).toThrow(message);
  });
});

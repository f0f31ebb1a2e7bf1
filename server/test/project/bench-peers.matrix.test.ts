import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compare } from '../../../bench/products/compare.ts';
import { comparisonTable } from '../../../bench/products/comparison-table.ts';
import type { Sizes } from '../../../bench/products/measure.ts';
import { readPeers } from '../../../bench/products/peers-file.ts';
import { fakeProject, receiverHost } from '../support/webhook-products.ts';
import { freePort } from '../support/free-port.ts';

const key = 'a-secret-key';
const fake = fileURLToPath(new URL('../support/webhook-products.ts', import.meta.url));

const tiny: Sizes = {
  clients: 2,
  highPerSecond: 40,
  lowPerSecond: 20,
  warmUpSeconds: 0.3,
  seconds: 1.5,
  lowSeconds: 0.5,
  restSeconds: 0.1,
  idleSeconds: 0.3,
  receiptTimeoutMs: 30_000,
};

test.runIf(process.platform === 'linux')(
  'prints every row for Tenure and three peers when all can be measured',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-test-peers-'));
    const file = join(folder, 'peers.json');
    const peers = await Promise.all(
      ['svix', 'convoy', 'outpost'].map(async (name) => {
        const port = await freePort();
        return {
          name: `fake ${name}`,
          adapter: name,
          url: `http://127.0.0.1:${port}`,
          credentials: { key, token: key, project: fakeProject },
          receiver_host: receiverHost,
          processes: [
            { command: [process.execPath, fake], env: { NAME: name, PORT: String(port), KEY: key }, worker: true },
          ],
          pids: [process.pid],
        };
      }),
    );
    writeFileSync(file, JSON.stringify(peers));
    const table = comparisonTable(await compare(readPeers(file), { rounds: 1, sizes: tiny }), tiny);
    rmSync(folder, { recursive: true });

    const [head, , ...rows] = table
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      );
    expect(head).toEqual(['', 'Tenure', 'fake svix', 'fake convoy', 'fake outpost']);
    expect(rows.map(([title]) => title)).toEqual([
      'CPU ms an event made and delivered, sustained / at 40/s',
      'CPU ms an event made and delivered, at 20/s',
      'Response to receipt at 20/s, p50 / p99, ms',
      'Response to receipt at 40/s, p50 / p99, ms',
      'CPU at rest, % of one core',
      'kill -9 of the only worker to the last event accepted before, ms',
      'Memory at rest, PSS, MB',
    ]);
    for (const [title, ...cells] of rows) {
      for (const cell of cells) expect(cell, title).toMatch(/^[\d.]+( at \d+\/s)?( \/ [\d.]+( at \d+\/s)?)?$/);
    }
  },
);

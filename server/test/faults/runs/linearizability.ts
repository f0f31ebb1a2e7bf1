import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../crash-checker/api.ts';
import { leavesOpen, reachedServer } from '../crash-checker/history.ts';
import { Random } from '../crash-checker/random.ts';
import { Killer } from '../idempotency-checker/kills.ts';
import { judge, play, type Sent } from '../linearizability/load.ts';
import { openSite } from '../site.ts';
import type { FaultReport, FaultRun, PlayOptions } from './fault-run.ts';

/** The share of operations preceded by a kill, if all processes run. */
const killShare = 0.02;

/** Clients use two processes that are killed at random. One order of the operations on each reference must explain all responses. */
export const linearizability: FaultRun = {
  name: 'linearizability',
  title: 'clients compete for references on two processes that are killed: one order explains every response',
  unit: 'operations',
  sizes: { ci: 1_500, gate: 5_000, full: 20_000 },
  play: playLinearizability,
};

async function playLinearizability(operations: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const site = await openSite({ servers: [{}, {}], settings: { TENURE_ROLE: 'api' } });
  const apis = site.servers.map(({ url }) => new Api([url], site.secretKey));
  try {
    for (const server of site.servers) await server.start();
    const killer = new Killer(site.servers);
    const history = await play({
      apis,
      operations,
      print,
      random: new Random(`seed ${seed}`),
      beforeOperation(random) {
        if (random.chance(killShare)) killer.strike(random);
      },
      beforeEnd: () => killer.untilAllRun(),
    });
    print(`The history is kept in ${keep(history)}`);
    const failures = judge(history);
    for (const line of failures.flatMap(({ id, smallest }) => [`${id}:`, ...smallest])) print(line);
    return {
      done: history.filter(({ result }) => reachedServer(result)).length,
      counts: {
        references: new Set(history.map(({ reference }) => reference)).size,
        kills: killer.kills,
        'unknown outcomes': history.filter(({ result }) => reachedServer(result) && leavesOpen(result)).length,
        replays: history.filter(({ result }) => result.kind === 'answered' && result.replayed).length,
      },
      violations: failures.map(({ id, verdict, smallest }) => ({
        rule: verdict,
        about: id,
        message:
          verdict === 'undecided'
            ? 'The history needs more steps than the checker allows.'
            : `No order of the operations explains these:\n${smallest.join('\n')}`,
      })),
    };
  } finally {
    for (const api of apis) api.close();
    await site.close();
  }
}

/** Stores the history as JSON lines, so that a person can judge it again. */
function keep(history: readonly Sent[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tenure-linearizability-')), 'history.jsonl');
  writeFileSync(file, history.map((sent) => `${JSON.stringify(sent)}\n`).join(''));
  return file;
}

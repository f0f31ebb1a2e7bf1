import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureIdle, measureKill, measureLoad, type LoadFigures, type Sizes } from './measure.ts';
import { memoryMb } from './proc.ts';
import { startProduct, type Product, type ProductSettings } from './product.ts';
import { startTenure } from './tenure.ts';

/** What one product showed in one round. A text is the reason why there is no figure. */
export interface Figures {
  sustained: LoadFigures | string;
  low: LoadFigures | string;
  high: LoadFigures | string;
  idlePercent: number | string;
  memoryMb: number | string;
  killMs: number | string;
}

/** The figures of one product, round by round. */
export interface Comparison {
  name: string;
  rounds: Figures[];
}

/**
 * Measures Tenure and the peers, each once in a round, in an order that rotates. Only one of them runs at a time. A product that cannot be
 * measured has the reason in place of its figures.
 */
export async function compare(
  peers: ProductSettings[],
  { rounds, sizes }: { rounds: number; sizes: Sizes },
): Promise<Comparison[]> {
  const logDir = mkdtempSync(join(tmpdir(), 'tenure-bench-logs-'));
  const starts = [
    { name: 'Tenure', start: () => startTenure(logDir) },
    ...peers.map((peer) => ({ name: peer.name, start: () => startProduct(peer, logDir) })),
  ];
  const compared: Comparison[] = starts.map(({ name }) => ({ name, rounds: [] }));
  try {
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < starts.length; turn++) {
        const index = (round + turn) % starts.length;
        const { name, start } = starts[index]!;
        process.stderr.write(`Round ${round + 1} of ${rounds}: ${name} …\n`);
        compared[index]!.rounds.push(await measure(start, sizes, round));
      }
    }
  } finally {
    rmSync(logDir, { recursive: true, force: true });
  }
  return compared;
}

async function measure(start: () => Promise<Product>, sizes: Sizes, seed: number): Promise<Figures> {
  const product = await orReason(start);
  if (typeof product === 'string') {
    return {
      sustained: product,
      low: product,
      high: product,
      idlePercent: product,
      memoryMb: product,
      killMs: product,
    };
  }
  try {
    const { clients, seconds, lowSeconds, lowPerSecond, highPerSecond, warmUpSeconds } = sizes;
    const at = (perSecond: number, duration: number): Promise<LoadFigures | string> =>
      orReason(() => measureLoad(product, { kind: 'at_rate', perSecond, seconds: duration, seed }, sizes));
    await at(highPerSecond, warmUpSeconds);
    return {
      low: await at(lowPerSecond, lowSeconds),
      high: await at(highPerSecond, seconds),
      sustained: await orReason(() => measureLoad(product, { kind: 'as_fast_as', clients, seconds }, sizes)),
      idlePercent: await orReason(() => measureIdle(product, sizes)),
      memoryMb: await orReason(() => memoryMb(product.pids())),
      killMs: await orReason(() => measureKill(product, sizes)),
    };
  } finally {
    await product.stop();
  }
}

async function orReason<Value>(measureOne: () => Value | Promise<Value>): Promise<Value | string> {
  try {
    return await measureOne();
  } catch (error) {
    return (error as Error).message;
  }
}

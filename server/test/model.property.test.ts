import { expect, test } from 'vitest';
import { newSeed } from './faults/crash-checker/checker.ts';
import { playSequences } from './model/sequences.ts';
import { withoutDelivering } from './support/deployments.ts';
import { serverForTest } from './support/server.ts';

const sequences = Number(process.env.MODEL_SEQUENCES ?? 60);
const seed = Number(process.env.MODEL_SEED ?? newSeed() % 1_000_000_000);

test('whatever is done to an account, in whatever order: it is as the contract has it, and its events tell how it came', async () => {
  const server = await serverForTest({ settings: withoutDelivering });
  const played = await playSequences(server, { sequences, seed });
  const repeat = `Repeat with MODEL_SEED=${seed}`;
  process.stdout.write(`model: seed ${seed}, ${played.sequences} sequences, ${played.requests} requests\n`);
  expect(played.failures, repeat).toEqual([]);
  expect(played.requests).toBeGreaterThan(sequences * 10);
}, 300_000);

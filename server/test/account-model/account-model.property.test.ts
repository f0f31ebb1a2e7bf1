import { expect, test } from 'vitest';
import { newSeed } from '../faults/crash-checker/checker.ts';
import { objects } from './account.ts';
import { playedRoutes, routesNotPlayed } from './commands.ts';
import { playSequences } from './sequences.ts';
import { rounds } from '../support/rounds.ts';
import { nameOf, routesOfKeys } from '../support/routes.ts';
import { withoutDelivering } from '../support/deployments.ts';
import { serverForTest } from '../support/server.ts';

const sequences = Number(process.env.MODEL_SEQUENCES ?? rounds(12, 60));
const seed = Number(process.env.MODEL_SEED ?? newSeed() % 1_000_000_000);

test('keeps an account as the contract says, with events that explain it, when random commands run in any order', async () => {
  const server = await serverForTest({ settings: withoutDelivering });
  const played = await playSequences(server, { sequences, seed });
  const repeat = `Repeat with MODEL_SEED=${seed}`;
  process.stdout.write(`model: seed ${seed}, ${played.sequences} sequences, ${played.requests} requests\n`);
  expect(played.failures, repeat).toEqual([]);
  expect(played.requests).toBeGreaterThan(sequences * 10);
});

test('plays every route that writes a record of its kinds, or lists the route as not played', async () => {
  const server = await serverForTest({ settings: withoutDelivering });
  const writing = routesOfKeys(server.context).filter(
    ({ method, path }) => method !== 'GET' && Object.hasOwn(objects, path.split('/')[2]!),
  );
  const known = new Set([...playedRoutes, ...routesNotPlayed]);
  expect(
    writing.map(nameOf).filter((name) => !known.has(name)),
    'Let a command in server/test/account-model/commands.ts send the route, or add it to `routesNotPlayed` there, with a reason.',
  ).toEqual([]);
  const names = new Set(writing.map(nameOf));
  expect([...known].filter((name) => name.includes('/v1/') && !names.has(name))).toEqual([]);
  expect([...routesNotPlayed].filter((name) => playedRoutes.has(name))).toEqual([]);
});

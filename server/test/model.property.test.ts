import { expect, test } from 'vitest';
import { newSeed } from './faults/crash-checker/checker.ts';
import { playSequences } from './model/sequences.ts';
import { standBetween, type Between } from './support/between.ts';
import { inMatrix, rounds } from './support/rounds.ts';
import { withoutDelivering } from './support/deployments.ts';
import { serverForTest } from './support/server.ts';

const sequences = Number(process.env.MODEL_SEQUENCES ?? rounds(12, 60));
const seed = Number(process.env.MODEL_SEED ?? newSeed() % 1_000_000_000);

test('keeps an account as the contract says, with events that explain it, when random commands run in any order', async () => {
  const server = await serverForTest({ settings: withoutDelivering });
  const played = await playSequences(server, { sequences, seed });
  const repeat = `Repeat with MODEL_SEED=${seed}`;
  process.stdout.write(`model: seed ${seed}, ${played.sequences} sequences, ${played.requests} requests\n`);
  expect(played.failures, repeat).toEqual([]);
  expect(played.requests).toBeGreaterThan(sequences * 10);
}, 300_000);

inMatrix(() => {
  test.each<[string, Between]>([
    [
      'a list that counts one too many',
      async (request, send) => {
        const passed = await send(request);
        if (!/\/v1\/references\?.*(status|outcome)=/.test(request.url)) return passed;
        return { ...passed, text: passed.text.replace(/"count":(\d+)/, (_, count) => `"count":${Number(count) + 1}`) };
      },
    ],
    [
      'an update that removes no pair of the metadata',
      (request, send) => send({ ...request, body: request.body.replaceAll(/"(a|b)":""/g, '"$1":"x"') }),
    ],
    [
      'an event of the wrong type',
      async (request, send) => {
        const passed = await send(request);
        return { ...passed, text: passed.text.replaceAll('"reference.canceled"', '"reference.updated"') };
      },
    ],
    [
      'an idempotency key that is ignored',
      (request, send) => {
        const { 'idempotency-key': _key, ...headers } = request.headers;
        return send({ ...request, headers });
      },
    ],
  ])(
    'detects %s when the fault is planted',
    async (_, between) => {
      const server = await serverForTest({ settings: withoutDelivering });
      const url = await standBetween(server.url, between);
      const { failures } = await playSequences({ url, secretKey: server.secretKey }, { sequences: 40, seed });
      expect(failures.length).toBeGreaterThan(0);
      expect(failures[0]).toContain('Repeat it with');
    },
    120_000,
  );
});

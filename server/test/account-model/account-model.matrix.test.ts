import { expect, test } from 'vitest';
import { newSeed } from '../faults/crash-checker/checker.ts';
import { playSequences } from './sequences.ts';
import { standBetween, type Between } from '../support/faulty-proxy.ts';
import { withoutDelivering } from '../support/deployments.ts';
import { serverForTest } from '../support/server.ts';

const seed = Number(process.env.MODEL_SEED ?? newSeed() % 1_000_000_000);

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
])('detects %s when the fault is planted', async (_, between) => {
  const server = await serverForTest({ settings: withoutDelivering });
  const url = await standBetween(server.url, between);
  const { failures } = await playSequences(
    { url, secretKey: server.secretKey },
    { sequences: 40, seed, shortens: false },
  );
  expect(failures.length, `Repeat with MODEL_SEED=${seed}`).toBeGreaterThan(0);
  expect(failures[0]).toContain('Repeat it with');
});

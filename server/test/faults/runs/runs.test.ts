import { describe, expect, onTestFinished, test } from 'vitest';
import { anotherServer } from '../../support/idempotency.ts';
import { serverForTest } from '../../support/server.ts';
import { answersCut, cutAnswers } from './answers-cut.ts';
import { burst, bursts } from './bursts.ts';
import { clockJumps } from './clock-jumps.ts';
import { diskFull } from './disk-full.ts';
import type { FaultReport } from './fault-run.ts';
import type { Place } from './one-server.ts';
import { postAll, posts } from './posts.ts';
import { receivers, sendToReceivers } from './receivers.ts';
import { startRelay, type Relayed, type RelayedAnswer } from './relay.ts';

/*
 * A run that finds nothing means something only if it finds what is wrong. So between each of them and a good server stands somebody
 * who spoils a little.
 */

const options = { seed: 1, print: () => {} };

type Treat = Parameters<typeof startRelay>[1];

/** The same server, reached through somebody who spoils what passes. */
async function spoilt({ url, secretKey }: Place, treat: Treat): Promise<Place> {
  const relay = await startRelay(url, treat);
  onTestFinished(() => relay.stop());
  return { url: relay.url, secretKey };
}

test('each run has a name of its own, and is played more often the more time there is', () => {
  const runs = [posts, bursts, answersCut, clockJumps, receivers, diskFull];
  expect(new Set(runs.map(({ name }) => name)).size).toBe(runs.length);
  for (const { name, sizes } of runs) {
    expect(sizes.gate, name).toBeGreaterThan(sizes.ci);
    expect(sizes.full, name).toBeGreaterThan(sizes.gate);
  }
});

function rulesOf({ violations }: FaultReport): string[] {
  return [...new Set(violations.map(({ rule }) => rule))].sort();
}

function keyOf({ headers }: Relayed): string {
  return String(headers['idempotency-key'] ?? '');
}

function without(relayed: Relayed, header: string): Relayed {
  const { [header]: _, ...headers } = relayed.headers;
  return { ...relayed, headers };
}

function isReplay({ headers }: RelayedAnswer): boolean {
  return headers.some((text) => text.toLowerCase() === 'idempotent-replayed');
}

function madeUp(answer: RelayedAnswer): RelayedAnswer {
  return { ...answer, body: Buffer.from(answer.body.toString().replace('app_', 'ap__')) };
}

describe('POSTs', () => {
  const size = 120;

  test('of a good server are accepted once, whoever sent them twice', async () => {
    const report = await postAll(await serverForTest(), size, options);
    expect(report.violations).toEqual([]);
    expect(report.done).toBe(size);
    expect(report.counts.replays).toBeGreaterThan(10);
  });

  const faults: Record<string, { treat: Treat; found: string[] }> = {
    'carried out again, because its key got lost': {
      treat: (relayed, forward) => forward(keyOf(relayed) === 'post 7' ? without(relayed, 'idempotency-key') : relayed),
      found: ['changed_event'],
    },
    'carried out twice behind the client': {
      async treat(relayed, forward) {
        if (keyOf(relayed) === 'post 7') await forward(without(relayed, 'idempotency-key'));
        return forward(relayed);
      },
      found: ['duplicated_event', 'duplicated_record', 'changed_event', 'wrong_count'],
    },
    'replayed with an answer that somebody made up': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: ['wrong_replay'],
    },
    'missing in its list': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        if (relayed.method !== 'GET' || !relayed.path.startsWith('/v1/references')) return answer;
        const list = JSON.parse(answer.body.toString()) as { data: object[] };
        const body = Buffer.from(JSON.stringify({ ...list, data: list.data.slice(1) }));
        return { ...answer, headers: ['Content-Type', 'application/json'], body };
      },
      found: ['lost_record'],
    },
  };

  test.each(Object.entries(faults))('%s: reported', async (_, { treat, found }) => {
    const report = await postAll(await spoilt(await serverForTest(), treat), size, options);
    expect(rulesOf(report)).toEqual(found.toSorted());
  });
});

describe('bursts', () => {
  const size = 6;

  test('at two good servers have one effect a key', async () => {
    const server = await serverForTest();
    const report = await burst([server, await anotherServer(server)], size, options);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ done: size, counts: { 'carried out': size } });
    expect(report.counts['told 409 in use']).toBeGreaterThan(0);
    expect(report.counts['told 400 reused']).toBeGreaterThan(0);
  });

  const faults: Record<string, { treat: Treat; found: string }> = {
    'at a server that forgets keys': {
      treat: (relayed, forward) => forward(without(relayed, 'idempotency-key')),
      found: 'two_effects',
    },
    'at a server that makes replays up': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: 'wrong_replay',
    },
    'at a server that takes any body for the first one': {
      treat: takesAnyBody(),
      found: 'two_effects',
    },
    'at a server that tells whoever comes later to wait, for ever': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        const body = Buffer.from('{"error":{"code":"idempotency_key_in_use"}}');
        return isReplay(answer) ? { status: 409, headers: ['Request-Id', 'req_1'], body } : answer;
      },
      found: 'unexpected_answer',
    },
  };

  test.each(Object.entries(faults))('%s: reported', async (_, { treat, found }) => {
    const place = await spoilt(await serverForTest(), treat);
    expect(rulesOf(await burst([place, place], size, options))).toContain(found);
  });
});

describe('answers that are cut off', () => {
  const size = 24;

  test('by a good server are the same when they are asked for again', async () => {
    const report = await cutAnswers(await serverForTest(), size, options);
    expect(report.violations).toEqual([]);
    expect(report.done).toBe(size);
    expect(report.counts.replays).toBeGreaterThan(size / 2);
  });

  const faults: Record<string, { treat: Treat; found: string }> = {
    'and replayed with an answer that somebody made up': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: 'wrong_replay',
    },
    'and carried out again': {
      treat: (relayed, forward) => forward(without(relayed, 'idempotency-key')),
      found: 'two_effects',
    },
    'and were carried out twice to begin with': {
      async treat(relayed, forward) {
        if (keyOf(relayed).startsWith('cut')) await forward(without(relayed, 'idempotency-key'));
        return forward(relayed);
      },
      found: 'duplicated_record',
    },
  };

  test.each(Object.entries(faults))('%s: reported', async (_, { treat, found }) => {
    expect(rulesOf(await cutAnswers(await spoilt(await serverForTest(), treat), size, options))).toContain(found);
  });
});

describe('bad receivers', () => {
  const size = 20;
  const impatient = {
    settings: { TENURE_RETRY_SCHEDULE: '0.2' },
    overrides: { dispatcherLimits: { attemptTimeoutMs: 2_000, connectTimeoutMs: 2_000 } },
  };

  test('of a good server keep nothing from the good one, and the API tells what each of them did', async () => {
    const report = await sendToReceivers(await serverForTest(impatient), size, options);
    expect(report.violations).toEqual([]);
    expect(report.counts['requests received']).toBeGreaterThan(6 * size);
  });

  test('whose answers somebody made up: reported', async () => {
    const place = await spoilt(await serverForTest(impatient), async (relayed, forward) => {
      const answer = await forward(relayed);
      if (!relayed.path.includes('/deliveries')) return answer;
      return { ...answer, body: Buffer.from(answer.body.toString().replaceAll('"status":429', '"status":428')) };
    });
    expect(rulesOf(await sendToReceivers(place, size, options))).toEqual(['attempt_untrue']);
  });
});

/** Whoever comes later with a key is served as if they had sent what the first one sent. */
function takesAnyBody(): Treat {
  const firstBodies = new Map<string, Buffer>();
  return (relayed, forward) => {
    const key = keyOf(relayed);
    if (key === '' || relayed.path !== '/v1/references') return forward(relayed);
    const body = firstBodies.get(key) ?? relayed.body;
    firstBodies.set(key, body);
    return forward({ ...without(relayed, 'content-length'), body });
  };
}

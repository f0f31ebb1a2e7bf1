import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anotherServer } from '../../support/idempotency.ts';
import { serverForTest } from '../../support/server.ts';
import { answersCut, cutAnswers } from './answers-cut.ts';
import { burst, bursts } from './bursts.ts';
import type { JsonObject } from '../crash-checker/json.ts';
import { FailpointStage } from '../crash-checker/stages/failpoints.ts';
import { Random } from '../crash-checker/random.ts';
import { failpointNames } from '../failpoints.ts';
import { clockJumps, judgeLeft, judgeTold } from './clock-jumps.ts';
import { diskFull } from './disk-full.ts';
import { shortfallOf, type FaultReport } from './fault-run.ts';
import { onOneServer, type Place } from './one-server.ts';
import { postAll, posts } from './posts.ts';
import { judgeDelays, receivers, sendToReceivers } from './receivers.ts';
import { startRelay, type Relayed, type RelayedAnswer } from './relay.ts';

/* A run without findings proves something only if it can find faults. So a relay between each run and a good server corrupts a little. */

const options = { seed: 1, print: () => {} };

type Treat = Parameters<typeof startRelay>[1];

/** Returns the same server behind a relay that corrupts what passes. */
async function spoilt({ url, secretKey }: Place, treat: Treat): Promise<Place> {
  const relay = await startRelay(url, treat);
  onTestFinished(() => relay.stop());
  return { url: relay.url, secretKey };
}

test('gives each run its own name, and a larger size for more time', () => {
  const runs = [posts, bursts, answersCut, clockJumps, receivers, diskFull];
  expect(new Set(runs.map(({ name }) => name)).size).toBe(runs.length);
  for (const { name, sizes } of runs) {
    expect(sizes.gate, name).toBeGreaterThan(sizes.ci);
    expect(sizes.full, name).toBeGreaterThan(sizes.gate);
  }
});

test('rejects a run that did less than requested, unless it cannot be played here', () => {
  const report: FaultReport = { done: 0, counts: {}, violations: [] };
  expect(shortfallOf(report, 10, 'kills')).toBe('Only 0 of 10 kills happened.');
  expect(shortfallOf({ ...report, done: 9 }, 10, 'kills')).toBe('Only 9 of 10 kills happened.');
  expect(shortfallOf({ ...report, done: 10 }, 10, 'kills')).toBeNull();
  expect(shortfallOf({ ...report, notRun: 'No disk.' }, 10, 'kills')).toBeNull();
});

test('exits with 2 and a message when there is nothing to play', async () => {
  const command = fileURLToPath(new URL('../run.ts', import.meta.url));
  const ended = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [command, '--ci', '--only', 'apis and workers'], (error, output) =>
      resolve({ code: error?.code, output }),
    );
  });
  expect(ended).toEqual({ code: 2, output: expect.stringContaining('Nothing to play') as string });
});

test('reaches each failpoint once in as many rounds as there are failpoints, repeatedly', async () => {
  const stage = await FailpointStage.create();
  onTestFinished(() => stage.close({ keepFiles: false }));
  const random = new Random('failpoints');
  for (let turn = 1; turn <= 2; turn++) {
    const descriptions = failpointNames.map((_, round) => stage.next(random.fork(`${turn} ${round}`)).description);
    const points = descriptions.map((description) => /^server (.*), pass/.exec(description)![1]);
    expect(new Set(points)).toEqual(new Set(failpointNames));
  }
});

test('copies a finding off a temporary disk, prints its place, and leaves no process there', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'tenure-disk-'));
  const printed: string[] = [];
  let pid: number | null = null;
  onTestFinished(() => {
    const places = [disk, ...printed.flatMap((line) => line.match(/\/\S+/g) ?? [])];
    for (const place of places) rmSync(place, { recursive: true, force: true });
  });
  await onOneServer({ dataDir: disk }, { seed: 1, print: (line) => printed.push(line) }, async (server) => {
    pid = server.databasePid();
    return {
      done: 1,
      counts: {},
      violations: [{ rule: 'lost_record', about: 'ref_1', message: 'The record is missing.' }],
    };
  });
  expect(pid).not.toBeNull();
  expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
  const [, kept, log] = /^The data and log are kept in (\S+) and (\S+)$/.exec(printed.at(-1)!)!;
  rmSync(disk, { recursive: true });
  expect(existsSync(join(kept!, 'postgres', 'PG_VERSION'))).toBe(true);
  expect(existsSync(log!)).toBe(true);
});

function rulesOf({ violations }: FaultReport): string[] {
  return [...new Set(violations.map(({ rule }) => rule))].sort();
}

function findingsOf(violations: FaultReport['violations']): string[] {
  return violations.map(({ rule, about }) => `${rule} ${about}`);
}

function eventOf(verb: string, id: string): JsonObject {
  return { type: `reference.${verb}`, data: { object: { id } } };
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

  test('accepts every POST once from a correct server when clients repeat them', async () => {
    const report = await postAll(await serverForTest(), size, options);
    expect(report.violations).toEqual([]);
    expect(report.done).toBe(size);
    expect(report.counts.replays).toBeGreaterThan(10);
  });

  const faults: Record<string, { treat: Treat; found: string[] }> = {
    'executed again because a key was lost': {
      treat: (relayed, forward) => forward(keyOf(relayed) === 'post 7' ? without(relayed, 'idempotency-key') : relayed),
      found: ['changed_event'],
    },
    'executed twice without the client': {
      async treat(relayed, forward) {
        if (keyOf(relayed) === 'post 7') await forward(without(relayed, 'idempotency-key'));
        return forward(relayed);
      },
      found: ['duplicated_event', 'duplicated_record', 'changed_event', 'wrong_count'],
    },
    'replayed with an invented response': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: ['wrong_replay'],
    },
    'missing in the list': {
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

  test.each(Object.entries(faults))('reports POSTs %s', async (_, { treat, found }) => {
    const report = await postAll(await spoilt(await serverForTest(), treat), size, options);
    expect(rulesOf(report)).toEqual(found.toSorted());
  });
});

describe('bursts', () => {
  const size = 6;

  test('finds one effect for each key at two correct servers', async () => {
    const server = await serverForTest();
    const report = await burst([server, await anotherServer(server)], size, options);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ done: size, counts: { executed: size } });
    expect(report.counts['409 in use']).toBeGreaterThan(0);
    expect(report.counts['400 reused']).toBeGreaterThan(0);
  });

  const faults: Record<string, { treat: Treat; found: string }> = {
    'at a server that forgets keys': {
      treat: (relayed, forward) => forward(without(relayed, 'idempotency-key')),
      found: 'two_effects',
    },
    'at a server that responds 503 while its database is up': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        const body = Buffer.from('{"error":{"code":"unavailable","message":"Nothing was changed."}}');
        return isReplay(answer) ? { status: 503, headers: ['Request-Id', 'req_1'], body } : answer;
      },
      found: 'unexpected_answer',
    },
    'at a server that invents replays': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: 'wrong_replay',
    },
    'at a server that accepts any body with a used key': {
      treat: takesAnyBody(),
      found: 'two_effects',
    },
    'at a server that tells later requests to wait for ever': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        const body = Buffer.from('{"error":{"code":"idempotency_key_in_use"}}');
        return isReplay(answer) ? { status: 409, headers: ['Request-Id', 'req_1'], body } : answer;
      },
      found: 'unexpected_answer',
    },
  };

  test.each(Object.entries(faults))('reports bursts %s', async (_, { treat, found }) => {
    const place = await spoilt(await serverForTest(), treat);
    expect(rulesOf(await burst([place, place], size, options))).toContain(found);
  });
});

describe('responses that are cut off', () => {
  const size = 24;

  test('gets the same response from a correct server when it retries', async () => {
    const report = await cutAnswers(await serverForTest(), size, options);
    expect(report.violations).toEqual([]);
    expect(report.done).toBe(size);
    expect(report.counts.replays).toBeGreaterThan(size / 2);
  });

  const faults: Record<string, { treat: Treat; found: string }> = {
    'and replayed with an invented response': {
      async treat(relayed, forward) {
        const answer = await forward(relayed);
        return isReplay(answer) ? madeUp(answer) : answer;
      },
      found: 'wrong_replay',
    },
    'and executed again': {
      treat: (relayed, forward) => forward(without(relayed, 'idempotency-key')),
      found: 'two_effects',
    },
    'and executed twice at first': {
      async treat(relayed, forward) {
        if (keyOf(relayed).startsWith('cut')) await forward(without(relayed, 'idempotency-key'));
        return forward(relayed);
      },
      found: 'duplicated_record',
    },
  };

  test.each(Object.entries(faults))('reports responses that are cut off %s', async (_, { treat, found }) => {
    expect(rulesOf(await cutAnswers(await spoilt(await serverForTest(), treat), size, options))).toContain(found);
  });
});

describe('clock jumps', () => {
  const expected = { changed: new Set(['ref_1', 'ref_2']), onlyMade: new Set(['ref_3']) };
  const events = [
    eventOf('created', 'ref_1'),
    eventOf('created', 'ref_2'),
    eventOf('updated', 'ref_1'),
    eventOf('created', 'ref_3'),
    eventOf('updated', 'ref_2'),
  ];
  const references: JsonObject[] = [
    { id: 'ref_3', status: 'pending' },
    { id: 'ref_2', status: 'processing' },
    { id: 'ref_1', status: 'processing' },
  ];
  test('finds nothing when all events and references are there', () => {
    expect(judgeTold('the list', events, expected)).toEqual([]);
    expect(judgeLeft(references, expected)).toEqual([]);
  });

  test.each<[string, JsonObject[], string]>([
    ['a missing change', events.slice(0, -1), 'lost_event ref_2'],
    ['a missing creation', events.toSpliced(3, 1), 'lost_event ref_3'],
    ['a repeated change', [...events, events[4]!], 'wrong_order ref_2'],
    ['a change before the creation', [events[2]!, ...events.toSpliced(2, 1)], 'wrong_order ref_1'],
    ['a change that no client asked for', [...events, eventOf('updated', 'ref_3')], 'wrong_order ref_3'],
    ['a reference that no client asked for', [...events, eventOf('created', 'ref_4')], 'unasked_record ref_4'],
  ])('reports %s in the events', (_, told, violation) => {
    expect(findingsOf(judgeTold('the list', told, expected))).toEqual([violation]);
  });

  test.each<[string, JsonObject[], string]>([
    ['a lost change', references.with(1, { id: 'ref_2', status: 'pending' }), 'lost_update ref_2'],
    ['a lost reference', references.slice(1), 'lost_record ref_3'],
    ['a duplicated reference', [...references, references[0]!], 'duplicated_record ref_3'],
    [
      'a reference that no client asked for',
      [...references, { id: 'ref_4', status: 'pending' }],
      'unasked_record ref_4',
    ],
  ])('reports %s in the references', (_, left, violation) => {
    expect(findingsOf(judgeLeft(left, expected))).toEqual([violation]);
  });
});

describe('bad receivers', () => {
  test('reports a good receiver that waits longer than moments', () => {
    const soon = Array.from({ length: 200 }, () => 40);
    expect(judgeDelays(soon)).toEqual([]);
    expect(judgeDelays([...soon, 14_000])).toEqual([]);
    expect(judgeDelays([...soon, 16_000])).toMatchObject([{ rule: 'delivered_late' }]);
    expect(judgeDelays([...soon, 6_000, 6_000, 6_000, 6_000])).toMatchObject([{ rule: 'delivered_late' }]);
  });

  const size = 20;
  const impatient = {
    settings: { TENURE_RETRY_SCHEDULE: '0.2' },
    overrides: { dispatcherLimits: { attemptTimeoutMs: 2_000, connectTimeoutMs: 2_000 } },
  };

  test('finds no delay of the good receiver and true attempts at a correct server', async () => {
    const report = await sendToReceivers(await serverForTest(impatient), size, options);
    expect(report.violations).toEqual([]);
    expect(report.counts['requests received']).toBeGreaterThan(6 * size);
    expect(report.counts['ms at most']).toBeGreaterThan(0);
  });

  test('reports attempts that a server invented', async () => {
    const place = await spoilt(await serverForTest(impatient), async (relayed, forward) => {
      const answer = await forward(relayed);
      if (!relayed.path.includes('/deliveries')) return answer;
      return { ...answer, body: Buffer.from(answer.body.toString().replaceAll('"status":429', '"status":428')) };
    });
    expect(rulesOf(await sendToReceivers(place, size, options))).toEqual(['attempt_untrue']);
  });
});

/** Serves later requests with a key as if they had the body of the first one. */
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

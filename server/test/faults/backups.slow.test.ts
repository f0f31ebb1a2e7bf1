import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { backUp, heldAt, restore } from '../support/backups.ts';
import { Api } from './crash-checker/api.ts';
import { newSeed } from './crash-checker/checker.ts';
import { Deployment } from './crash-checker/deployment.ts';
import { History, recordIdIn, type Operation } from './crash-checker/history.ts';
import { parseObject, textOf, type JsonObject } from './crash-checker/json.ts';
import { withoutWebhooks } from './crash-checker/judge/evidence.ts';
import { judge } from './crash-checker/judge/judge.ts';
import { startLoad } from './crash-checker/load.ts';
import { observe } from './crash-checker/observe.ts';
import { ClientMemory } from './crash-checker/operations.ts';
import { kill } from './crash-checker/processes.ts';
import { Random } from './crash-checker/random.ts';
import { repeatAnswered, settleUnknown } from './crash-checker/settle.ts';
import { rounds } from '../support/rounds.ts';

const backups = rounds(2, 20);
const seed = Number(process.env.BACKUP_SEED ?? newSeed());
const clients = 8;

/** Load before the backup begins and after it has ended, in milliseconds. */
const aroundMs = 700;

test(`restores every response before the start and no unrequested record from ${backups} backups under load`, async () => {
  print(`seed ${seed}`);
  const random = new Random(`seed ${seed}`);
  const original = await Deployment.create();
  onTestFinished(() => original.remove());
  await original.start();
  const api = new Api([original.url], original.secretKey);
  onTestFinished(() => api.close());
  const history = new History();
  const memories = Array.from({ length: clients }, () => new ClientMemory());
  const folder = `${original.dataDir}.backup`;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  for (let round = 1; round <= backups; round++) {
    rmSync(folder, { recursive: true, force: true });
    const stop = new AbortController();
    const roundsRandom = random.fork(`round ${round}`);
    const { ended } = await startLoad(
      { api, history, random: roundsRandom, round, memories, onResult() {} },
      stop.signal,
    );
    await sleep(aroundMs);
    const span = { beganMs: performance.now(), endedMs: 0 };
    const { code, output } = await backUp(original.dataDir, folder);
    span.endedMs = performance.now();
    await sleep(aroundMs);
    stop.abort();
    await ended;
    expect(code, output).toBe(0);
    await expectRestored({ original, folder, history, span, random: roundsRandom, round });
    await expectDamageRefused(folder, roundsRandom);
  }
});

test('prints one line and leaves no partial backup when the database dies during a backup', async () => {
  const deployment = await Deployment.create();
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const folder = `${deployment.dataDir}.backup`;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const killed = `${folder}.killed`;
  onTestFinished(() => rmSync(killed, { force: true }));
  const ended = backUp(deployment.dataDir, folder, heldAt('the copy', killed));
  while (!existsSync(join(folder, 'postgres', 'base'))) await sleep(5);
  kill(deployment.databasePid()!, 'SIGKILL');
  writeFileSync(killed, '');
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(/^The database was stopped during the backup \(.*\): take another one\.\n$/);
  expect(readdirSync(folder)).toEqual([]);
});

interface Round {
  original: Deployment;
  folder: string;
  history: History;
  /** The span of the backup, on the clock of the calls. */
  span: { beganMs: number; endedMs: number };
  random: Random;
  round: number;
}

async function expectRestored({ original, folder, history, span, random, round }: Round): Promise<void> {
  const restored = await Deployment.create({ secretKey: original.secretKey });
  try {
    const { code, output } = await restore(folder, restored.dataDir);
    expect(code, output).toBe(0);
    await restored.start();
    const api = new Api([restored.url], restored.secretKey);
    const found = await observe(api, [], 0);
    const foundIds = new Set([found.references, found.customers].flatMap(({ items }) => items).map(({ id }) => id));
    const known = new History();
    known.operations.push(...asKnownAt(span, history.operations, foundIds));
    const unknown = await settleUnknown(api, known);
    await repeatAnswered(api, known, random);
    const observation = await observe(api, [], 0);
    api.close();
    const violations = judge({
      operations: known.operations,
      outages: [],
      observation,
      // Data that the restored server showed at first must not vanish either.
      earlier: found,
      webhooks: withoutWebhooks(),
    });
    print(
      `${round}: backed up in ${Math.round(span.endedMs - span.beganMs)} ms; ` +
        `${known.operations.length} operations, ${unknown.operations} of them under way (${unknown.done} are in the backup), ` +
        `${found.events.items.length} events restored, ${violations.length} violations`,
    );
    for (const { rule, about, message } of violations) print(`${rule}: ${about}: ${message}`);
    expect(violations, `BACKUP_SEED=${seed}`).toEqual([]);
    // Otherwise nothing was written while the copy was made.
    expect(unknown.operations).toBeGreaterThan(clients);
  } finally {
    await restored.remove();
  }
}

/**
 * Returns the history as the backup must show it. Responses before its start are certain. Requests sent before its end may be in it, and
 * later ones are not. An operation on a record that did not exist yet, or one that names it, changed nothing.
 */
function asKnownAt(
  { beganMs, endedMs }: Round['span'],
  operations: readonly Operation[],
  foundIds: ReadonlySet<JsonObject[string] | undefined>,
): Operation[] {
  const unanswered = { kind: 'unanswered', reason: 'the backup began' } as const;
  const answersMeanwhile = operations
    .filter(({ calls }) => calls.every((call) => call.endedMs > beganMs))
    .flatMap(({ calls }) => calls.map(({ result }) => (result.kind === 'answered' ? result.text : '')));
  const lostIds = new Set(answersMeanwhile.map(idIn).filter((id) => id !== '' && !foundIds.has(id)));
  return operations
    .filter(({ path, body }) => !lostIds.has(recordIdIn(path)) && !lostIds.has(textOf(body ?? {}, 'customer')))
    .map((operation) => ({
      ...operation,
      calls: operation.calls
        .filter(({ sentMs }) => sentMs < endedMs)
        .map((call) => (call.endedMs <= beganMs ? call : { ...call, endedMs, result: unanswered })),
    }))
    .filter(({ calls }) => calls.length > 0);
}

function idIn(text: string): string {
  return textOf(parseObject(text) ?? {}, 'id');
}

/** Flips one bit of one random file. */
async function expectDamageRefused(folder: string, random: Random): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'manifest.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).length > 0)
    .sort();
  const file = random.pick(files)!;
  const bytes = readFileSync(file);
  bytes[random.between(0, bytes.length - 1)]! ^= 1 << random.between(0, 7);
  writeFileSync(file, bytes);
  const dataDir = `${folder}.refused`;
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const { code, output } = await restore(folder, dataDir);
  expect(code, file).toBe(1);
  expect(output).toContain('The backup is damaged: ');
  expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([]);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Api, Request } from '../crash-checker/api.ts';
import { leavesOpen, reachedServer, type Answered, type CallResult } from '../crash-checker/history.ts';
import { parseObject, textOf } from '../crash-checker/json.ts';
import { isTemporary } from '../crash-checker/operations.ts';
import type { Random } from '../crash-checker/random.ts';
import { checkHistory, smallestFailure, type Observed } from './checker.ts';
import { keyReused, referenceModel, resultOf, type Result, type Wish } from './reference-model.ts';

const clients = 16;

/** Clients compete for this many references at a time. The next one follows after `operationsPerReference` operations. */
const referencesTogether = 4;
export const operationsPerReference = 100;

/** Clients send this many operations each without a pause, and then all rest. So a run lasts long enough for kills. */
const operationsPerBurst = 4;
const restMsMax = 300;

/** A client that lost a response retries with the same key this many times. */
const repeatsMax = 5;

/** The pause while no process listens, in milliseconds. */
const pauseWhileDownMs = 50;

/** A request about one of the references, which has a number. */
export interface Sent {
  reference: number;
  client: number;
  wish: Wish;
  request: Request;
  sentMs: number;
  endedMs: number;
  result: CallResult;
}

export interface LoadSettings {
  /** The same API, served by several processes. */
  apis: readonly Api[];
  random: Random;
  /** How many operations must reach a process. */
  operations: number;
  /** Called before each operation, with the random choices of its client. */
  beforeOperation?: (random: Random) => void;
  /** Called after the last operation, before the final state is read. */
  beforeEnd?: () => Promise<void>;
  print?: (line: string) => void;
}

/**
 * Lets clients compete for references.
 * @returns all requests, in the order of sending.
 */
export async function play(settings: LoadSettings): Promise<Sent[]> {
  const { apis, random, operations, beforeOperation, print } = settings;
  const history: Sent[] = [];
  const ids: string[] = [];
  const keyed: Wish[][] = [];
  const references = Math.ceil(operations / operationsPerReference);
  const progress = { reached: 0 };

  async function send(own: Random, client: number, reference: number, wish: Wish): Promise<CallResult> {
    const request = requestOf(reference, ids[reference], wish);
    const result: CallResult = { kind: 'unanswered', reason: 'still under way' };
    const call: Sent = { reference, client, wish, request, sentMs: performance.now(), endedMs: Infinity, result };
    history.push(call);
    call.result = await apis[own.between(0, apis.length - 1)]!.send(request);
    call.endedMs = performance.now();
    if (reachedServer(call.result)) progress.reached++;
    const id = idIn(call.result);
    if (id !== undefined) ids[reference] ??= id;
    return call.result;
  }

  async function playOne(own: Random, client: number): Promise<void> {
    beforeOperation?.(own);
    const front = Math.floor((progress.reached / operations) * (references - referencesTogether + 1));
    const reference = Math.min(Math.max(front, 0) + own.between(0, referencesTogether - 1), references - 1);
    const known = (keyed[reference] ??= []);
    const wish = chooseWish(own, `${reference}-${history.length}`, ids[reference] !== undefined, known);
    if (wish.key !== null) known.push(wish);
    for (let attempt = 0; attempt <= repeatsMax; attempt++) {
      const result = await send(own, client, reference, wish);
      if (result.kind === 'answered' && !isTemporary(result)) return;
      if (!reachedServer(result)) await sleep(pauseWhileDownMs);
      else if (wish.key === null) return;
    }
  }

  for (let burst = 0; progress.reached < settings.operations; burst++) {
    if (burst > operations) throw new Error('Too few requests reach a process.');
    const burstRandom = random.fork(`burst ${burst}`);
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const own = burstRandom.fork(`client ${client}`);
        for (let number = 0; number < operationsPerBurst; number++) await playOne(own, client);
      }),
    );
    if (burst % 25 === 24) print?.(`${progress.reached} of ${operations} operations`);
    await sleep(burstRandom.between(0, restMsMax));
  }
  await settings.beforeEnd?.();
  // Reads the final state from every process. It must follow from the responses.
  for (const api of apis) {
    for (const [reference, id] of ids.entries()) {
      const wish: Wish = { kind: 'retrieve', body: null, key: null };
      const request = requestOf(reference, id, wish);
      const sentMs = performance.now();
      const result = await api.send(request);
      history.push({ reference, client: 0, wish, request, sentMs, endedMs: performance.now(), result });
    }
  }
  return history;
}

const shownMax = 3;

/** A reference whose history no order of its operations explains, or that was too much for the checker. */
export interface Failure {
  reference: number;
  id: string;
  verdict: 'not_linearizable' | 'undecided';
  /** The contradicting operations, one a line; only for the first few failures, because this takes time. */
  smallest: string[];
}

/** Judges each reference by itself, because a response about one says nothing about another. */
export function judge(history: readonly Sent[]): Failure[] {
  const failures: Failure[] = [];
  for (const [reference, sent] of Map.groupBy(history, (one) => one.reference)) {
    const id = sent.map(({ result }) => idIn(result)).find((found) => found !== undefined) ?? '';
    const model = referenceModel(id);
    const operations = withFoundAnswers(sent.filter(isOperation).map(observedOf));
    const verdict = checkHistory(model, operations);
    if (verdict === 'linearizable') continue;
    const isShown = verdict === 'not_linearizable' && failures.length < shownMax;
    const smallest = isShown ? smallestFailure(model, operations) : [];
    const lines = smallest.filter(({ input, result }) => result !== null || isWrite(input)).map(lineOf);
    failures.push({ reference, id, verdict, smallest: lines });
  }
  return failures;
}

/** Chooses a wish, mostly with a key. It is sometimes an earlier wish again, or an earlier key for another wish. */
function chooseWish(random: Random, id: string, isMade: boolean, known: readonly Wish[]): Wish {
  const create: Wish = { kind: 'create', body: null, key: 'create' };
  const list: Wish = { kind: 'list', body: null, key: null };
  // All writers want the same, with the same key. A list then shows none or one.
  if (!isMade) return random.chance(0.7) ? create : list;
  const choice = random.weighted({
    retrieve: 24,
    list: 10,
    metadata: 26,
    processing: 8,
    outcome: 4,
    processingWithOutcome: 4,
    pdf: 8,
    cancel: 2,
    create: 2,
    repeat: 8,
    misuse: 4,
  });
  const update = (body: Wish['body']): Wish => ({ kind: 'update', body, key: random.chance(0.6) ? id : null });
  const outcome = random.pick(['accept', 'consider', 'high_risk'])!;
  const mark = { metadata: { [`slot_${random.between(1, 3)}`]: random.pick(['', 'a', id])! } };
  switch (choice) {
    case 'retrieve':
      return { kind: 'retrieve', body: null, key: null };
    case 'list':
      return list;
    case 'create':
      return create;
    case 'metadata':
      return update(mark);
    case 'processing':
      return update({ status: 'processing' });
    case 'outcome':
      return update({ outcome });
    case 'processingWithOutcome':
      return update({ status: 'processing', outcome, ...mark });
    case 'pdf':
      return update({ reference_pdf: `file_${random.between(1, 3)}` });
    case 'cancel':
      return { ...update(null), kind: 'cancel' };
    case 'repeat':
      return random.pick(known.slice(-8)) ?? create;
    case 'misuse':
      return { ...update(mark), key: random.pick(known.slice(-8))?.key ?? id };
  }
}

function requestOf(reference: number, id: string | undefined, wish: Wish): Request {
  // One reference names the application, so that a list of its references has only one.
  const application = `app_linear${reference}`;
  const key = wish.key === null ? null : `${application} ${wish.key}`;
  const path = `/v1/references/${id ?? ''}`;
  switch (wish.kind) {
    case 'create':
      return { method: 'POST', path: '/v1/references', body: { application }, key };
    case 'list':
      return { method: 'GET', path: `/v1/references?application=${application}`, body: null, key };
    case 'retrieve':
      return { method: 'GET', path, body: null, key };
    case 'update':
      return { method: 'POST', path, body: wish.body, key };
    case 'cancel':
      return { method: 'POST', path: `${path}/cancel`, body: null, key };
  }
}

/** Whether the request may have had an effect. It had none if no server got it, or if it was postponed before it was read. */
function isOperation({ result }: Sent): boolean {
  if (!reachedServer(result)) return false;
  return result.kind === 'unanswered' || leavesOpen(result) || !isTemporary(result);
}

function observedOf({ wish, sentMs, endedMs, result }: Sent): Observed<Wish, Result> {
  return { input: wish, sentMs, endedMs, result: leavesOpen(result) ? null : resultOf(result as Answered) };
}

/**
 * Adds the execution that a replay proves. If a key has a known response, only one lost request with the key had an effect. That was before
 * its first replay. Without this, the search would have to guess.
 */
function withFoundAnswers(operations: readonly Observed<Wish, Result>[]): Observed<Wish, Result>[] {
  const found: Observed<Wish, Result>[] = [];
  for (const [key, sharers] of Map.groupBy(operations, ({ input }) => input.key)) {
    const known = sharers.filter(({ result }) => result !== null);
    const original = known.find(({ result }) => !result!.replayed && result!.told !== keyReused);
    const [again] = known.filter(({ result }) => result!.replayed).sort((one, other) => one.endedMs - other.endedMs);
    const lost = sharers.filter(({ input, result }) => result === null && isDeepStrictEqual(again?.input, input));
    if (key === null || !(original ?? again) || (!original && lost.length === 0)) {
      found.push(...sharers);
      continue;
    }
    found.push(...known);
    if (original) continue;
    const { input, endedMs, result } = again!;
    const sentMs = Math.min(...lost.map((one) => one.sentMs));
    found.push({ input, sentMs, endedMs, result: { ...result!, replayed: false } });
  }
  return found;
}

function isWrite({ kind }: Wish): boolean {
  return kind !== 'retrieve' && kind !== 'list';
}

function lineOf({ input: { kind, body, key }, sentMs, endedMs, result }: Observed<Wish, Result>): string {
  const wish = [kind, ...(body ? [JSON.stringify(body)] : []), ...(key === null ? [] : [`key ${key}`])].join(' ');
  const times = `${sentMs.toFixed(2)}–${result ? endedMs.toFixed(2) : '?'} ms`;
  const told = result ? `${result.replayed ? 'again ' : ''}${JSON.stringify(result.told)}` : 'any response';
  return `${times}: ${wish} → ${told}`;
}

function idIn(result: CallResult): string | undefined {
  if (result.kind !== 'answered' || result.status !== 200) return undefined;
  const body = parseObject(result.text);
  if (body?.object === 'reference') return textOf(body, 'id');
  const [first] = Array.isArray(body?.data) ? body.data : [];
  return first === undefined ? undefined : textOf(first, 'id');
}

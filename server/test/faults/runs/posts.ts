import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, type Request } from '../crash-checker/api.ts';
import { errorCodeOf, isStored, type Answered, type CallResult } from '../crash-checker/history.ts';
import { textOf, type JsonObject } from '../crash-checker/json.ts';
import { isTemporary } from '../crash-checker/operations.ts';
import { readPages } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import type { FaultReport, FaultRun, FaultViolation, PlayOptions } from './fault-run.ts';
import { onOneServer, type Place } from './one-server.ts';

/** As many POSTs as one server takes. Each accepted one is one reference and one event for ever, however often it was sent. */
export const posts: FaultRun = {
  name: 'posts',
  title: 'POSTs at the highest rate of one server, a quarter of them sent two or three times with their key',
  unit: 'accepted POSTs',
  sizes: { ci: 3_000, gate: 20_000, full: 100_000 },
  play: (size, options) => onOneServer({}, options, (server) => postAll(server, size, options)),
};

/** Enough to fill the committer's batches. More would only wait in the queue. */
const clients = 32;

const sentAgainShare = 0.25;

/** A copy that is not sent at once is sent after at most this many other POSTs. */
const laterByMax = 2_000;

/** A key is in use while its twin runs, and a full queue empties soon. The pause before a retry, in milliseconds. */
const pauseMs = 20;
const attemptsMax = 500;

/** An accepted POST. Responses are hashed, because a hundred thousand of them would fill the memory. */
interface Accepted {
  recordId: string;
  /** The request that made it. */
  requestId: string;
  answerHash: string;
  recordHash: string;
}

/** Sends the POSTs, reads everything back, and compares. */
export async function postAll(place: Place, size: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const api = new Api([place.url], place.secretKey);
  const load = new Load(api, new Random(`posts, seed ${seed}`), size, print);
  try {
    const startedMs = performance.now();
    await load.run();
    const seconds = (performance.now() - startedMs) / 1000;
    print(`${size} accepted in ${Math.round(seconds)} s; reading everything back`);
    await Promise.all([judgeRecords(api, load), judgeEvents(api, load)]);
    return {
      done: load.accepted.filter((accepted) => accepted).length,
      counts: { ...load.counts, 'requests a second': Math.round(load.counts.requests / seconds), ...load.latencies() },
      violations: load.violations,
    };
  } finally {
    api.close();
  }
}

class Load {
  /** By the POST's number; undefined if it was not accepted. */
  readonly accepted: (Accepted | undefined)[];
  readonly violations: FaultViolation[] = [];
  readonly counts = { requests: 0, replays: 0, 'asked to retry': 0 };
  readonly #api: Api;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #latenciesMs: Float64Array;
  /** Copies to send when the POST of that number begins, or at the end. */
  readonly #later = new Map<number, number[]>();
  /** POSTs whose first sending has no final response yet. A later copy must not overtake it. */
  readonly #unanswered = new Set<number>();
  #next = 0;

  constructor(api: Api, random: Random, size: number, print: (line: string) => void) {
    this.#api = api;
    this.#random = random;
    this.#print = print;
    this.accepted = Array.from({ length: size });
    this.#latenciesMs = new Float64Array(size);
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#runClient()));
    const rest = [...this.#later.values()].flat().values();
    const finish = async (): Promise<void> => {
      for (const number of rest) await this.#sendAgain(number);
    };
    await Promise.all(Array.from({ length: clients }, finish));
  }

  /** Returns the latencies of the requests that made the references, as the clients saw them. */
  latencies(): Record<string, number> {
    const sorted = this.#latenciesMs.toSorted();
    const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)]! * 10) / 10;
    return { 'ms p50': at(0.5), 'ms p99': at(0.99), 'ms at most': at(1) };
  }

  report(rule: string, number: number | string, message: string): void {
    this.violations.push({ rule, about: typeof number === 'number' ? keyOf(number) : number, message });
  }

  async #runClient(): Promise<void> {
    while (this.#next < this.accepted.length) {
      const number = this.#next++;
      if (number > 0 && number % 10_000 === 0) this.#print(`${number} of ${this.accepted.length} sent`);
      const due = this.#later.get(number) ?? [];
      this.#later.delete(number);
      for (const earlier of due) {
        if (this.#unanswered.has(earlier)) this.#sendLater(earlier, number + clients);
        else await this.#sendAgain(earlier);
      }
      this.#unanswered.add(number);
      await this.#sendFirst(number);
      this.#unanswered.delete(number);
    }
  }

  /** Sends a new POST together with its immediate copies, and notes those that are sent later. */
  async #sendFirst(number: number): Promise<void> {
    const random = this.#random.fork(`copies of ${number}`);
    const copies = random.chance(sentAgainShare) ? random.between(1, 2) : 0;
    let atOnce = 0;
    for (let copy = 0; copy < copies; copy++) {
      if (random.chance(0.5)) atOnce++;
      else this.#sendLater(number, number + random.between(1, laterByMax));
    }
    const request = requestOf(number, this.#random);
    const sentMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 1 + atOnce }, async () => {
        const answer = await this.#sendUntilAnswered(number, request);
        if (answer && !answer.replayed) this.#latenciesMs[number] = performance.now() - sentMs;
        return answer;
      }),
    );
    const stored = answers.filter((answer) => answer !== null);
    const executed = stored.filter(({ replayed }) => !replayed);
    if (executed.length !== 1) {
      const message = `${answers.length} sent at once: ${executed.length} of their responses were no replay.`;
      this.report(executed.length === 0 ? 'never_answered' : 'two_effects', number, message);
    }
    if (!executed[0]) return;
    this.#accept(number, request, executed[0]);
    for (const answer of stored) if (answer !== executed[0]) this.#judgeReplay(number, answer);
  }

  #accept(number: number, { body }: Request, { text, requestId }: Answered): void {
    const record = JSON.parse(text) as JsonObject;
    const { application, metadata } = record;
    if (JSON.stringify({ application, metadata }) !== JSON.stringify(body)) {
      this.report('wrong_answer', number, `The response to ${JSON.stringify(body)} is ${text}.`);
    }
    this.accepted[number] = {
      recordId: textOf(record, 'id'),
      requestId,
      answerHash: hashOf(text),
      recordHash: hashOf(JSON.stringify(record)),
    };
  }

  #sendLater(number: number, due: number): void {
    const others = this.#later.get(due);
    if (others) others.push(number);
    else this.#later.set(due, [number]);
  }

  async #sendAgain(number: number): Promise<void> {
    const answer = await this.#sendUntilAnswered(number, requestOf(number, this.#random));
    if (answer) this.#judgeReplay(number, answer);
  }

  #judgeReplay(number: number, { replayed, originalRequest, text }: Answered): void {
    this.counts.replays++;
    const accepted = this.accepted[number];
    if (!accepted) return;
    if (!replayed) {
      this.report('two_effects', number, `The server executed the repeat: ${text}`);
    } else if (hashOf(text) !== accepted.answerHash || originalRequest !== accepted.requestId) {
      const { recordId, requestId } = accepted;
      this.report(
        'wrong_replay',
        number,
        `It made ${recordId} by ${requestId}; the replay names ${originalRequest} and is ${text}`,
      );
    }
  }

  /** Sends it until its final response. Reports an unexpected response, and returns null. */
  async #sendUntilAnswered(number: number, request: Request): Promise<Answered | null> {
    let last: CallResult | null = null;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      this.counts.requests++;
      last = await this.#api.send(request);
      if (last.kind === 'unanswered' || !isTemporary(last)) break;
      this.counts['asked to retry']++;
      await sleep(pauseMs);
    }
    if (last?.kind === 'answered' && last.status === 200 && isStored(last)) return last;
    const told = last?.kind === 'answered' ? `${last.status} ${errorCodeOf(last)}` : last?.reason;
    this.report('unexpected_answer', number, `The response is ${told}.`);
    return null;
  }
}

/** Expects exactly the confirmed references in the list, each once and equal to its response. Every page must count them all. */
async function judgeRecords(api: Api, load: Load): Promise<void> {
  const seen = new Set<number>();
  for await (const { items, count } of readPages(api, '/v1/references')) {
    judgeCount(load, 'references', count);
    for (const record of items) {
      const number = numberOf(textOf(record, 'metadata', 'post'));
      const accepted = load.accepted[number];
      if (!accepted) {
        load.report('unasked_record', textOf(record, 'id'), `No response has it: ${JSON.stringify(record)}`);
      } else if (seen.has(number) || accepted.recordId !== record.id) {
        load.report(
          'duplicated_record',
          number,
          `The response has ${accepted.recordId}, but the list has ${textOf(record, 'id')}.`,
        );
      } else if (hashOf(JSON.stringify(record)) !== accepted.recordHash) {
        load.report('lost_update', number, `The list and the response differ: ${JSON.stringify(record)}`);
      }
      seen.add(number);
    }
  }
  for (const [number, accepted] of load.accepted.entries()) {
    if (accepted && !seen.has(number)) load.report('lost_record', number, `${accepted.recordId} is not listed.`);
  }
}

/** Expects exactly one event for each reference, of its request and with its key. */
async function judgeEvents(api: Api, load: Load): Promise<void> {
  const seen = new Set<number>();
  for await (const { items, count } of readPages(api, '/v1/events', '&type=reference.*')) {
    judgeCount(load, 'events', count);
    for (const event of items) {
      const id = textOf(event, 'id');
      const number = numberOf(textOf(event, 'data', 'object', 'metadata', 'post'));
      const accepted = load.accepted[number];
      if (!accepted || event.type !== 'reference.created') {
        load.report('unasked_event', id, `No request caused it: ${JSON.stringify(event)}`);
        continue;
      }
      if (seen.has(number)) load.report('duplicated_event', number, `${id} is not its only event.`);
      seen.add(number);
      const told = [
        ['data', 'object', 'id'],
        ['request', 'id'],
        ['request', 'idempotency_key'],
      ] as const;
      const named = told.map((path) => textOf(event, ...path)).join();
      const expected = [accepted.recordId, accepted.requestId, keyOf(number)].join();
      if (named !== expected) load.report('changed_event', number, `${id} names ${named} instead of ${expected}.`);
    }
  }
  for (const [number, accepted] of load.accepted.entries()) {
    if (accepted && !seen.has(number)) load.report('lost_event', number, `${accepted.recordId} has no event.`);
  }
}

/** Expects the full count on every page, because no request is running any more. */
function judgeCount({ accepted, violations }: Load, what: string, count: number): void {
  const isTold = violations.some(({ rule, about }) => rule === 'wrong_count' && about === what);
  if (count !== accepted.length && !isTold) {
    violations.push({
      rule: 'wrong_count',
      about: what,
      message: `Expected a count of ${accepted.length}, got ${count}.`,
    });
  }
}

/** Returns the same request each time for a number, so that requests need not be kept. */
function requestOf(number: number, load: Random): Request {
  const random = load.fork(`body of ${number}`);
  return {
    method: 'POST',
    path: '/v1/references',
    key: keyOf(number),
    body: {
      application: `app_${random.between(1, 99)}`,
      metadata: { post: String(number), note: 'ö'.repeat(random.between(1, 20)) },
    },
  };
}

function keyOf(number: number): string {
  return `post ${number}`;
}

function numberOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : NaN;
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64');
}

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStream, type EventStream } from '../../support/event-stream.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { Api, type Request } from '../crash-checker/api.ts';
import type { Answered } from '../crash-checker/history.ts';
import { parseObject, sameJson, textOf, type JsonObject } from '../crash-checker/json.ts';
import { readPages } from '../crash-checker/observe.ts';
import { isTemporary } from '../crash-checker/operations.ts';
import { Random } from '../crash-checker/random.ts';
import type { FaultReport, FaultRun, FaultViolation } from './fault-run.ts';
import { onOneServer, type Place } from './one-server.ts';

const movedClockServer = fileURLToPath(new URL('./moved-clock-server.ts', import.meta.url));

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What clocks do: they are set by minutes or hours, a machine sleeps for days, a day is entered wrongly, a second comes twice. */
const jumps = {
  '5 minutes forward': 5 * minuteMs,
  '5 minutes back': -5 * minuteMs,
  'an hour forward': hourMs,
  'an hour back': -hourMs,
  '25 hours forward': 25 * hourMs,
  '73 hours forward': 73 * hourMs,
  'a day back': -dayMs,
  'a second twice': -1_000,
};

/** The server's clock jumps while clients write, webhooks are retried and a stream is followed. */
export const clockJumps: FaultRun = {
  name: 'clock jumps',
  title: `the server's clock jumps under load: ${Object.keys(jumps).join(', ')}`,
  unit: 'jumps',
  sizes: { ci: 6, gate: 12, full: 60 },
  async play(size, options) {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-clock-'));
    const clock = new ServerClock(join(folder, 'ahead-ms'));
    const server = {
      program: movedClockServer,
      // Far more than all jumps together, so that nothing is too old.
      settings: { TEST_CLOCK_FILE: clock.file, TENURE_RETENTION_DAYS: '365' },
    };
    try {
      return await onOneServer(server, options, async (place) => {
        const play = await ClockPlay.open(place, clock, new Random(`clock jumps, seed ${options.seed}`));
        try {
          return await play.run(size, options.print);
        } finally {
          await play.close();
        }
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

const clients = 4;
const pairsPerJump = 24;

/** Of the keys that were used before a jump, so many are used again after it. */
const keysAgain = 12;

const keyLifetimeMs = dayMs;
/** Whoever is overtaken by so much comes too late for its key, and is told to come again. */
const overtakenMs = 2 * minuteMs;

/** The server looks at its clock a little after we look at ours. */
const uncertainMs = 10_000;

/** On a busy machine, an event that is due at once comes in moments all the same. */
const arrivalTimeoutMs = 15_000;
const overTimeoutMs = 60_000;
const pollEveryMs = 20;

/** The clock that the server goes by, as we set it. */
class ServerClock {
  readonly file: string;
  #aheadMs = 0;
  /** The same, but for a moment in which the server may not know yet. */
  #wasAheadMs = 0;
  #highestMs = 0;

  constructor(file: string) {
    this.file = file;
    writeFileSync(file, '0');
    writeFileSync(`${file}.seen`, '0');
  }

  /** While it jumps, the server may go by the old time or by the new one: between these it is in any case. */
  get fromMs(): number {
    return Date.now() + Math.min(this.#aheadMs, this.#wasAheadMs);
  }

  get toMs(): number {
    return Date.now() + Math.max(this.#aheadMs, this.#wasAheadMs);
  }

  /** The latest that it has ever been. */
  get highestMs(): number {
    return Math.max(this.#highestMs, this.toMs);
  }

  /** Returns when the server goes by it. */
  async jump(byMs: number): Promise<void> {
    this.#highestMs = this.highestMs;
    this.#aheadMs += byMs;
    // Never half a number.
    writeFileSync(`${this.file}.next`, String(this.#aheadMs));
    renameSync(`${this.file}.next`, this.file);
    while (Number(readFileSync(`${this.file}.seen`, 'utf8')) !== this.#aheadMs) await sleep(1);
    this.#wasAheadMs = this.#aheadMs;
  }
}

/** A key that was used, and what was answered. */
interface UsedKey {
  request: Request;
  answer: Answered;
  /** By the server's clock, it was used for the first time between these. */
  fromMs: number;
  toMs: number;
}

/** Everything that is played and seen. */
class ClockPlay {
  readonly #api: Api;
  readonly #clock: ServerClock;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #stream: EventStream;
  readonly #violations: FaultViolation[] = [];
  readonly #used: UsedKey[] = [];
  /** The references that were made and then changed; and those that a key has made which was new again, and nobody changed. */
  readonly #changed = new Set<string>();
  readonly #onlyMade = new Set<string>();
  readonly #counts = {
    requests: 0,
    'overtaken by the clock': 0,
    'keys replayed': 0,
    'keys new again': 0,
    'keys that may be either': 0,
    'events streamed': 0,
    'attempts of deliveries': 0,
  };

  private constructor(api: Api, clock: ServerClock, random: Random, receiver: Receiver, stream: EventStream) {
    this.#api = api;
    this.#clock = clock;
    this.#random = random;
    this.#receiver = receiver;
    this.#stream = stream;
  }

  /** With a receiver that refuses, the first time, what says that it wants to be refused. */
  static async open({ url, secretKey }: Place, clock: ServerClock, random: Random): Promise<ClockPlay> {
    const refused = new Set<string>();
    const receiver = await startReceiver((response, request) => {
      const event = receiver.received.at(-1)!.body as JsonObject;
      const isRefused = textOf(event, 'data', 'object', 'metadata', 'first') === 'refused';
      const id = String(request.headers['service-event-id']);
      response.writeHead(isRefused && !refused.has(id) ? 500 : 200).end();
      refused.add(id);
    });
    const api = new Api([url], secretKey);
    const body = { url: receiver.url, enabled_events: ['reference.*'] };
    const made = await api.send({ method: 'POST', path: '/v1/webhook_endpoints', body, key: null });
    if (made.kind !== 'answered' || made.status !== 200) throw new Error(`No endpoint: ${JSON.stringify(made)}`);
    return new ClockPlay(api, clock, random, receiver, await openStream(url, secretKey));
  }

  async run(size: number, print: (line: string) => void): Promise<FaultReport> {
    let kinds: (keyof typeof jumps)[] = [];
    for (let number = 1; number <= size; number++) {
      if (kinds.length === 0) kinds = this.#random.shuffled(Object.keys(jumps) as typeof kinds);
      const kind = kinds.pop()!;
      await this.#writeAndJump(number, jumps[kind]);
      await this.#useKeysAgain(number);
      await this.#expectArrival(number, kind);
      if (number % 10 === 0) print(`${number} of ${size} jumps`);
    }
    // What a jump back has put off is due now.
    await this.#clock.jump(this.#clock.highestMs - this.#clock.fromMs + hourMs);
    await this.#judgeReferences();
    await this.#judgeEvents();
    await this.#judgeDeliveries();
    await this.#judgeLogs();
    return { done: size, counts: this.#counts, violations: this.#violations };
  }

  async close(): Promise<void> {
    this.#stream.close();
    this.#api.close();
    await this.#receiver.stop();
  }

  #report(rule: string, about: string, message: string): void {
    this.#violations.push({ rule, about, message });
  }

  /** References are made and changed, and somewhere in the middle the clock jumps. */
  async #writeAndJump(number: number, byMs: number): Promise<void> {
    const jumpsAt = this.#random.between(2, pairsPerJump);
    let next = 1;
    const runClient = async (): Promise<void> => {
      while (next <= pairsPerJump) {
        const pair = next++;
        if (pair === jumpsAt) await this.#clock.jump(byMs);
        await this.#writePair(`jump ${number}, pair ${pair}`, pair % 3 === 0);
      }
    };
    await Promise.all(Array.from({ length: clients }, runClient));
  }

  async #writePair(name: string, isRefusedFirst: boolean): Promise<string> {
    const metadata = isRefusedFirst ? { first: 'refused' } : {};
    const path = '/v1/references';
    const id = await this.#write({ method: 'POST', path, body: { application: 'app_1', metadata }, key: name });
    if (id === '') return id;
    this.#noteNew(id, name, this.#changed);
    await this.#write({
      method: 'POST',
      path: `${path}/${id}`,
      body: { status: 'processing' },
      key: `${name}, update`,
    });
    return id;
  }

  #noteNew(id: string, name: string, made: Set<string>): void {
    if (this.#changed.has(id) || this.#onlyMade.has(id)) {
      this.#report('duplicated_record', id, `${name} was answered with an id that was given before.`);
    }
    made.add(id);
  }

  /** Sends it, remembers its key, and answers the record's id; '' if it was refused, which nothing here may be. */
  async #write(request: Request): Promise<string> {
    const before = { fromMs: this.#clock.fromMs, toMs: this.#clock.toMs };
    const answer = await this.#send(request);
    const after = { fromMs: this.#clock.fromMs, toMs: this.#clock.toMs };
    if (answer?.status === 409 && after.toMs - before.fromMs > overtakenMs && isTemporary(answer)) {
      this.#counts['overtaken by the clock']++;
      return this.#write(request);
    }
    if (answer?.status !== 200 || answer.replayed) {
      this.#report('unexpected_answer', request.key!, `It was answered ${JSON.stringify(answer)}.`);
      return '';
    }
    // The clock may have jumped in between, in either direction.
    const fromMs = Math.min(before.fromMs, after.fromMs);
    this.#used.push({ request, answer, fromMs, toMs: Math.max(before.toMs, after.toMs) });
    return textOf(parseObject(answer.text) ?? undefined, 'id');
  }

  async #send(request: Request): Promise<Answered | null> {
    this.#counts.requests++;
    const result = await this.#api.send(request);
    return result.kind === 'answered' ? result : null;
  }

  /** A key counts for 24 hours of the clock: before, it is replayed; afterwards, it is new. */
  async #useKeysAgain(number: number): Promise<void> {
    const random = this.#random.fork(`keys after jump ${number}`);
    const creates = this.#used.filter(({ request }) => request.path === '/v1/references');
    const chosen = new Set(Array.from({ length: keysAgain }, () => random.pick(creates)!));
    for (const used of chosen) {
      const { request, answer } = used;
      const nowMs = this.#clock.fromMs;
      const again = await this.#send(request);
      const isReplay = again?.status === 200 && again.replayed && again.text === answer.text;
      const isNew = again?.status === 200 && !again.replayed;
      const expected = this.#expectedOf(used, nowMs);
      if ((expected === 'replay' && !isReplay) || (expected === 'new' && !isNew) || (!isReplay && !isNew)) {
        const ageHours = ((nowMs - used.toMs) / hourMs).toFixed(2);
        const message = `Used again ${ageHours} h later (${expected}), it was answered ${JSON.stringify(again)}.`;
        this.#report(isNew ? 'two_effects' : 'wrong_replay', request.key!, message);
      }
      if (expected === 'either') this.#counts['keys that may be either']++;
      else this.#counts[expected === 'replay' ? 'keys replayed' : 'keys new again']++;
      if (!isNew) continue;
      this.#noteNew(textOf(parseObject(again.text) ?? undefined, 'id'), request.key!, this.#onlyMade);
      this.#used.splice(this.#used.indexOf(used), 1, {
        request,
        answer: again,
        fromMs: nowMs,
        toMs: this.#clock.toMs,
      });
    }
  }

  /** A key whose day was over once may have been forgotten, although the clock has gone back since. */
  #expectedOf({ fromMs, toMs }: UsedKey, nowMs: number): 'replay' | 'new' | 'either' {
    if (nowMs - toMs > keyLifetimeMs + uncertainMs) return 'new';
    return this.#clock.highestMs - fromMs < keyLifetimeMs - uncertainMs ? 'replay' : 'either';
  }

  /** Whatever waits for the clock, what is new is delivered at once. */
  async #expectArrival(number: number, kind: string): Promise<void> {
    const id = await this.#writePair(`after jump ${number}`, false);
    const giveUpAtMs = performance.now() + arrivalTimeoutMs;
    while (!this.#receiver.received.some(({ body }) => body.data.object.id === id)) {
      if (performance.now() > giveUpAtMs) {
        return this.#report('event_not_delivered', `after jump ${number}, ${kind}`, `${id} did not arrive.`);
      }
      await sleep(pollEveryMs);
    }
  }

  get #expected(): ExpectedReferences {
    return { changed: this.#changed, onlyMade: this.#onlyMade };
  }

  /** Every reference that was answered is there, as it was left, and no other. */
  async #judgeReferences(): Promise<void> {
    const listed: JsonObject[] = [];
    for await (const { items } of readPages(this.#api, '/v1/references')) listed.push(...items);
    this.#violations.push(...judgeLeft(listed, this.#expected));
  }

  /** Each reference tells of its making and then of its change, in the list and in the stream, which has each event once. */
  async #judgeEvents(): Promise<void> {
    const listed: JsonObject[] = [];
    for await (const { items } of readPages(this.#api, '/v1/events', '&type=reference.*')) listed.push(...items);
    const listedIds = listed.map((event) => textOf(event, 'id'));
    if (listedIds.some((id, at) => at > 0 && id >= listedIds[at - 1]!)) {
      this.#report('wrong_order', '/v1/events', 'The ids do not go from the newest to the oldest.');
    }
    const isStreamed = (): boolean => listedIds.every((id) => this.#stream.ids.includes(id));
    for (const giveUpAtMs = performance.now() + arrivalTimeoutMs; !isStreamed(); await sleep(200)) {
      if (performance.now() > giveUpAtMs) {
        const lost = listedIds.filter((id) => !this.#stream.ids.includes(id));
        this.#report('lost_event', 'the stream', `It did not bring ${lost.join(', ')}.`);
        break;
      }
    }
    this.#counts['events streamed'] = this.#stream.events.length;
    if (new Set(this.#stream.ids).size !== this.#stream.ids.length) {
      this.#report('duplicated_event', 'the stream', 'It brought an event twice.');
    }
    const streamed = this.#stream.events.map(({ event }) => event as JsonObject);
    const streamedOfReferences = streamed.filter((event) => textOf(event, 'type').startsWith('reference.'));
    this.#violations.push(
      ...judgeTold('/v1/events', listed.toReversed(), this.#expected),
      ...judgeTold('the stream', streamedOfReferences, this.#expected),
    );
  }

  /** Once the clock has come as far as it ever was, everything has arrived, and every attempt has taken a time that can be. */
  async #judgeDeliveries(): Promise<void> {
    const [endpoint] = (await this.#api.read('/v1/webhook_endpoints')).data as JsonObject[];
    const path = `/v1/webhook_endpoints/${textOf(endpoint, 'id')}/deliveries`;
    const giveUpAtMs = performance.now() + overTimeoutMs;
    let deliveries: JsonObject[] = [];
    while (deliveries.length === 0 || (deliveries.some(isPending) && performance.now() < giveUpAtMs)) {
      if (deliveries.length > 0) await sleep(1_000);
      deliveries = [];
      for await (const { items } of readPages(this.#api, path)) deliveries.push(...items);
    }
    const arrived = new Set(this.#receiver.received.map(({ headers }) => headers['service-delivery-id']));
    for (const delivery of deliveries) {
      const { status, attempts } = delivery;
      const id = textOf(delivery, 'id');
      const told = attempts as JsonObject[];
      this.#counts['attempts of deliveries'] += told.length;
      if (status !== 'delivered' || !arrived.has(id)) {
        this.#report(
          'event_not_delivered',
          textOf(delivery, 'event'),
          `Its delivery is ${textOf(delivery, 'status')}: ${JSON.stringify(told)}`,
        );
      }
      for (const { duration_ms: ms } of told) this.#judgeDuration(id, ms);
    }
    const events = (await this.#api.read('/v1/events?type=reference.*&limit=1')).count;
    if (events !== deliveries.length) {
      this.#report(
        'event_not_delivered',
        path,
        `${JSON.stringify(events)} events have ${deliveries.length} deliveries.`,
      );
    }
  }

  /** Nothing was a fault of the server, and nothing took less than no time. */
  async #judgeLogs(): Promise<void> {
    for await (const { items } of readPages(this.#api, '/v1/logs')) {
      for (const log of items) {
        const { status, duration_ms: ms } = log;
        const id = textOf(log, 'id');
        this.#judgeDuration(id, ms);
        if (Number(status) >= 500) this.#report('unexpected_answer', id, `It was answered ${Number(status)}.`);
      }
    }
  }

  #judgeDuration(about: string, ms: unknown): void {
    if (typeof ms !== 'number' || !(ms >= 0))
      this.#report('negative_duration', about, `It took ${JSON.stringify(ms)} ms.`);
  }
}

/** By their ids, the references that were made and changed, and those that were made alone. */
export interface ExpectedReferences {
  changed: ReadonlySet<string>;
  onlyMade: ReadonlySet<string>;
}

/** Whether each reference is told of as it was treated, and no other is: exactly its making, and exactly its change if there was one. */
export function judgeTold(where: string, events: JsonObject[], expected: ExpectedReferences): FaultViolation[] {
  const found = Map.groupBy(events, (event) => textOf(event, 'data', 'object', 'id'));
  return judgeEach(expected, found.keys(), (id, wasChanged) => {
    const types = (found.get(id) ?? []).map((event) => textOf(event, 'type'));
    const wanted = wasChanged ? ['reference.created', 'reference.updated'] : ['reference.created'];
    if (sameJson(types, wanted)) return null;
    const rule = types.length < wanted.length ? 'lost_event' : 'wrong_order';
    return { rule, about: id, message: `In ${where}, its events are: ${types.join() || 'none'}.` };
  });
}

/** Whether each reference is there once, in the status in which it was left. */
export function judgeLeft(listed: JsonObject[], expected: ExpectedReferences): FaultViolation[] {
  const found = Map.groupBy(listed, (reference) => textOf(reference, 'id'));
  return judgeEach(expected, found.keys(), (id, wasChanged) => {
    const statuses = (found.get(id) ?? []).map((reference) => textOf(reference, 'status'));
    if (sameJson(statuses, [wasChanged ? 'processing' : 'pending'])) return null;
    const rule = statuses.length === 0 ? 'lost_record' : statuses.length > 1 ? 'duplicated_record' : 'lost_update';
    return { rule, about: id, message: `In the list, it is: ${statuses.join() || 'missing'}.` };
  });
}

function judgeEach(
  { changed, onlyMade }: ExpectedReferences,
  found: Iterable<string>,
  judgeOne: (id: string, wasChanged: boolean) => FaultViolation | null,
): FaultViolation[] {
  const unasked = [...found].filter((id) => !changed.has(id) && !onlyMade.has(id));
  return [
    ...[...changed].map((id) => judgeOne(id, true)),
    ...[...onlyMade].map((id) => judgeOne(id, false)),
    ...unasked.map((id) => ({ rule: 'unasked_record', about: id, message: 'Nobody was answered with its id.' })),
  ].filter((violation) => violation !== null);
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending';
}

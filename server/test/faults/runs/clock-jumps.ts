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

/** What clocks do. They are set by minutes or hours. A machine sleeps for days, a date is entered wrongly, or a second comes twice. */
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

/** The server's clock jumps while clients write, webhooks are retried and a client follows a stream. */
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
      // Far more days than all jumps together, so that nothing is too old.
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

/** How many keys from before a jump are used again after it. */
const keysAgain = 12;

const keyLifetimeMs = dayMs;
/** A request that the clock overtakes by this much is too late for its key, and its client must retry. */
const overtakenMs = 2 * minuteMs;

/** The server reads its clock slightly later than this run does. */
const uncertainMs = 10_000;

/** On a busy machine, an event that is due at once still comes within this time. */
const arrivalTimeoutMs = 15_000;
const overTimeoutMs = 60_000;
const pollEveryMs = 20;

/** The server's clock, as this run sets it. */
class ServerClock {
  readonly file: string;
  #aheadMs = 0;
  /** The same, except while the server may not know the new value yet. */
  #wasAheadMs = 0;
  #highestMs = 0;

  constructor(file: string) {
    this.file = file;
    writeFileSync(file, '0');
    writeFileSync(`${file}.seen`, '0');
  }

  /** The earliest time on the server's clock. During a jump the server may use the old or the new time. */
  get fromMs(): number {
    return Date.now() + Math.min(this.#aheadMs, this.#wasAheadMs);
  }

  get toMs(): number {
    return Date.now() + Math.max(this.#aheadMs, this.#wasAheadMs);
  }

  /** The latest time that it has ever had. */
  get highestMs(): number {
    return Math.max(this.#highestMs, this.toMs);
  }

  /** Sets the clock. Returns when the server uses the new time. */
  async jump(byMs: number): Promise<void> {
    this.#highestMs = this.highestMs;
    this.#aheadMs += byMs;
    // Renames the file, so that the server never reads half a number.
    writeFileSync(`${this.file}.next`, String(this.#aheadMs));
    renameSync(`${this.file}.next`, this.file);
    while (Number(readFileSync(`${this.file}.seen`, 'utf8')) !== this.#aheadMs) await sleep(1);
    this.#wasAheadMs = this.#aheadMs;
  }
}

/** A key that was used, and its response. */
interface UsedKey {
  request: Request;
  answer: Answered;
  /** The span of its first use, by the server's clock. */
  fromMs: number;
  toMs: number;
}

/** The state of one run: requests, responses and findings. */
class ClockPlay {
  readonly #api: Api;
  readonly #clock: ServerClock;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #stream: EventStream;
  readonly #violations: FaultViolation[] = [];
  readonly #used: UsedKey[] = [];
  /** References that were made and then changed, and references that an expired key made and no request changed. */
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

  /** Starts with a receiver that refuses marked events the first time. */
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
    if (made.kind !== 'answered' || made.status !== 200)
      throw new Error(`Could not make an endpoint: ${JSON.stringify(made)}`);
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
    // Deliveries that a jump back postponed are due now.
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

  /** Makes and changes references. The clock jumps somewhere in the middle. */
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
      this.#report('duplicated_record', id, `The response to ${name} has an id that another record has.`);
    }
    made.add(id);
  }

  /** Sends a request, remembers its key, and returns the record's id. Returns '' and reports a violation if the request fails. */
  async #write(request: Request): Promise<string> {
    const before = { fromMs: this.#clock.fromMs, toMs: this.#clock.toMs };
    const answer = await this.#send(request);
    const after = { fromMs: this.#clock.fromMs, toMs: this.#clock.toMs };
    if (answer?.status === 409 && after.toMs - before.fromMs > overtakenMs && isTemporary(answer)) {
      this.#counts['overtaken by the clock']++;
      return this.#write(request);
    }
    if (answer?.status !== 200 || answer.replayed) {
      this.#report('unexpected_answer', request.key!, `The response is ${JSON.stringify(answer)}.`);
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

  /** Uses keys again. A key counts for 24 hours of the clock: before, it is replayed; afterwards, it is new. */
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
        const message = `Used again ${ageHours} h later (expected: ${expected}), the key got ${JSON.stringify(again)}.`;
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

  /** Returns what a key must do. A key that once was older than a day may be forgotten, even after the clock jumped back. */
  #expectedOf({ fromMs, toMs }: UsedKey, nowMs: number): 'replay' | 'new' | 'either' {
    if (nowMs - toMs > keyLifetimeMs + uncertainMs) return 'new';
    return this.#clock.highestMs - fromMs < keyLifetimeMs - uncertainMs ? 'replay' : 'either';
  }

  /** Expects a new event to be delivered at once, even while others wait for the clock. */
  async #expectArrival(number: number, kind: string): Promise<void> {
    const id = await this.#writePair(`after jump ${number}`, false);
    const giveUpAtMs = performance.now() + arrivalTimeoutMs;
    while (!this.#receiver.received.some(({ body }) => body.data.object.id === id)) {
      if (performance.now() > giveUpAtMs) {
        return this.#report(
          'event_not_delivered',
          `after jump ${number}, ${kind}`,
          `The event of ${id} did not arrive.`,
        );
      }
      await sleep(pollEveryMs);
    }
  }

  get #expected(): ExpectedReferences {
    return { changed: this.#changed, onlyMade: this.#onlyMade };
  }

  /** Expects every confirmed reference in its last state, and no other. */
  async #judgeReferences(): Promise<void> {
    const listed: JsonObject[] = [];
    for await (const { items } of readPages(this.#api, '/v1/references')) listed.push(...items);
    this.#violations.push(...judgeLeft(listed, this.#expected));
  }

  /**
   * Expects the events of each reference, its creation and then its change, in the list and in the stream. The stream has each event once.
   */
  async #judgeEvents(): Promise<void> {
    const listed: JsonObject[] = [];
    for await (const { items } of readPages(this.#api, '/v1/events', '&type=reference.*')) listed.push(...items);
    const listedIds = listed.map((event) => textOf(event, 'id'));
    if (listedIds.some((id, at) => at > 0 && id >= listedIds[at - 1]!)) {
      this.#report('wrong_order', '/v1/events', 'The ids are not in descending order.');
    }
    const isStreamed = (): boolean => listedIds.every((id) => this.#stream.ids.includes(id));
    for (const giveUpAtMs = performance.now() + arrivalTimeoutMs; !isStreamed(); await sleep(200)) {
      if (performance.now() > giveUpAtMs) {
        const lost = listedIds.filter((id) => !this.#stream.ids.includes(id));
        this.#report('lost_event', 'the stream', `The stream did not send ${lost.join(', ')}.`);
        break;
      }
    }
    this.#counts['events streamed'] = this.#stream.events.length;
    if (new Set(this.#stream.ids).size !== this.#stream.ids.length) {
      this.#report('duplicated_event', 'the stream', 'The stream sent an event twice.');
    }
    const streamed = this.#stream.events.map(({ event }) => event as JsonObject);
    const streamedOfReferences = streamed.filter((event) => textOf(event, 'type').startsWith('reference.'));
    this.#violations.push(
      ...judgeTold('/v1/events', listed.toReversed(), this.#expected),
      ...judgeTold('the stream', streamedOfReferences, this.#expected),
    );
  }

  /** Expects every delivery to arrive once the clock is at its latest time. Every attempt must have a plausible duration. */
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

  /** Expects no server error in the logs, and no negative duration. */
  async #judgeLogs(): Promise<void> {
    for await (const { items } of readPages(this.#api, '/v1/logs')) {
      for (const log of items) {
        const { status, duration_ms: ms } = log;
        const id = textOf(log, 'id');
        this.#judgeDuration(id, ms);
        if (Number(status) >= 500)
          this.#report('unexpected_answer', id, `The response has the status ${Number(status)}.`);
      }
    }
  }

  #judgeDuration(about: string, ms: unknown): void {
    if (typeof ms !== 'number' || !(ms >= 0))
      this.#report('negative_duration', about, `Its duration is ${JSON.stringify(ms)} ms.`);
  }
}

/** The ids of references that were made and changed, and of those that were only made. */
export interface ExpectedReferences {
  changed: ReadonlySet<string>;
  onlyMade: ReadonlySet<string>;
}

/** Expects exactly the events of each reference: its creation, and its change if there was one. Expects no other reference. */
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

/** Expects each reference once, in its last status. */
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
    ...unasked.map((id) => ({ rule: 'unasked_record', about: id, message: 'No response has its id.' })),
  ].filter((violation) => violation !== null);
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending';
}

import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../src/server/config.ts';
import { Encryption } from '../../../src/core/secrets/encryption.ts';
import { Random } from '../crash-checker/random.ts';
import type { DatabaseLies, SharedDatabase } from './database.ts';
import { judge, type Violation } from './judge.ts';
import { Life, masterKey, type Claimed } from './life.ts';
import { Receiver, type Temper } from './receivers.ts';
import { ask, wishKinds, type Asked, type Wish } from './wishes.ts';

/** A planted fault of the product, which the simulation must notice. */
export interface Plant extends DatabaseLies {
  /** Deliveries go to a server that accepts everything and is no receiver. */
  sendsNothing?: boolean;
}

/** A Wednesday, so that a world's days lie in one week and the next. */
export const startMs = Date.UTC(2027, 0, 6, 9);

const steps = {
  ask: 6,
  ask_again: 3,
  ask_twice_at_once: 1,
  wait: 3,
  seconds_pass: 3,
  hours_pass: 0.7,
  a_day_passes: 0.3,
  deliver: 3,
  crash: 0.6,
  stop: 0.3,
  purge_keys: 0.5,
} as const;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A client retries a key until it gets a response. An open transaction holds the key for a moment. */
const triesMax = 100;

/** More rounds than a delivery has attempts, with the leases that run out in between. */
const roundsMax = 60;

/** One seed: an account, its processes and receivers, and everything that happens to them. */
export class World {
  readonly seed: number;
  readonly accountId: string;
  readonly plant: Plant;
  readonly random: Random;
  readonly scheduleSeconds = readConfig({}).retryScheduleSeconds;
  readonly faultShare: number;
  readonly crashShare: number;
  /** How long the outcome of a lost commit is looked up, in real milliseconds; in some worlds hardly at all. */
  readonly doubtMs: number;
  readonly receivers: Receiver[] = [];
  readonly wishes: Wish[] = [];
  readonly counts: Record<string, number> = {};
  readonly trace: string[] = [];
  readonly lives: Life[] = [];
  /** Faults strike while this is true. Then the world settles. */
  isStormy = true;
  nowMs = startMs;
  readonly #shared: SharedDatabase;
  /** Work of the real database, even if its process is gone. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #claims = new Map<string, Claimed[]>();
  readonly #asking = new Set<Promise<void>>();
  #started = 0;

  constructor(seed: number, shared: SharedDatabase, plant: Plant) {
    this.seed = seed;
    this.#shared = shared;
    this.plant = plant;
    this.accountId = `acct_${String(seed).padStart(22, '0')}`;
    this.random = new Random(`simulation ${seed}`);
    this.faultShare = this.random.pick([0, 0.03, 0.08, 0.2])!;
    this.doubtMs = this.random.pick([5_000, 5_000, 10])!;
    this.crashShare = this.random.pick([0, 0.3, 0.8])!;
  }

  /** Plays it to its end, and judges it. */
  async play(): Promise<Violation[]> {
    await this.#makeAccount();
    const processes = this.random.between(2, 3);
    while (this.lives.length < processes) this.lives.push(this.#start(this.lives.length));
    const stepCount = this.random.between(6, 12);
    const dayAt = this.random.between(1, stepCount);
    for (let step = 1; step <= stepCount; step++) {
      // Every world lasts at least a day.
      if (step === dayAt) this.#pass(dayMs);
      await this.#takeStep(this.random.weighted(steps));
      if (this.random.chance(0.3)) await this.#answers();
      else await delay(this.random.between(0, 4));
      this.#startAgain();
    }
    const late = await this.#settle();
    const { rows } = await this.#real(0).readers.query<{ found: string }>(judge.statement(this.accountId));
    await Promise.all(this.lives.map((life) => life.dispatcher.stop(0)));
    for (const life of this.lives) life.leave();
    await Promise.all(this.#underWay);
    this.count('simulated days', Math.floor((this.nowMs - startMs) / dayMs));
    return [...late, ...judge.world(this, JSON.parse(rows[0]!.found))];
  }

  /** The role that sees this world alone. */
  get role(): string {
    return this.#shared.role;
  }

  /** Returns the world's time, which passes with each reading. No two readings are the same. */
  tick(): number {
    return this.nowMs++;
  }

  tell(what: string): void {
    this.trace.push(`${((this.nowMs - startMs) / 1000).toFixed(3)} s: ${what}`);
  }

  count(what: string, times = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }

  /** Makes the world wait for this work to succeed or fail. */
  waitsFor(work: Promise<unknown>): void {
    const ending: Promise<unknown> = work.catch(() => {}).finally(() => this.#underWay.delete(ending));
    this.#underWay.add(ending);
  }

  claimed(deliveryId: string, claimed: Claimed): void {
    const earlier = this.#claims.get(deliveryId);
    if (earlier) earlier.push(claimed);
    else this.#claims.set(deliveryId, [claimed]);
  }

  /** In the order in which they were made. */
  claimsOf(deliveryId: string): readonly Claimed[] {
    return this.#claims.get(deliveryId) ?? [];
  }

  async #makeAccount(): Promise<void> {
    const tempers: Temper[] = ['good', 'moody'];
    const receiverCount = this.random.between(1, 2);
    for (let number = 1; number <= receiverCount; number++) {
      const temper = this.random.chance(0.05) ? 'dead' : this.random.pick(tempers)!;
      const enabledEvents = this.random.pick([
        ['*'],
        ['*'],
        ['customer.*'],
        ['reference.completed', 'customer.created'],
      ])!;
      const id = `we_${number}${this.accountId.slice(-21)}`;
      this.receivers.push(new Receiver(id, this.random.fork(id), { temper, enabledEvents }));
    }
    const encryption = new Encryption(masterKey, (length) => new Uint8Array(length).fill(this.seed));
    await this.#real(0).readers.query(
      `with own as (
         insert into accounts (account_id, id, created, revision, name, linked_records, api_version)
         values ($1, $1, 0, 1, 'Simulated', 'open', '2026-11-01')
       )
       insert into webhook_endpoints
         (account_id, id, created, revision, url, enabled_events, api_version, status, signing_secret, metadata)
       select $1, id, 0, 1, 'http://' || host || '/', string_to_array(events, ','), '2026-11-01', 'enabled', decode(secret, 'hex'), '{}'
       from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as input (id, host, events, secret)`,
      [
        this.accountId,
        this.receivers.map(({ endpointId }) => endpointId),
        this.receivers.map(({ host }) => host),
        this.receivers.map(({ enabledEvents }) => enabledEvents.join()),
        this.receivers.map(({ signingSecret }) => encryption.encrypt(signingSecret).toString('hex')),
      ],
    );
  }

  #start(place: number): Life {
    return new Life(this, `process ${place + 1}, life ${++this.#started}`, this.#real(place));
  }

  #real(place: number): SharedDatabase['real'][number] {
    const { real } = this.#shared;
    return real[(this.seed + place) % real.length]!;
  }

  #startAgain(): void {
    this.lives.forEach((life, place) => {
      if (life.isOver && (!this.isStormy || this.random.chance(0.7))) this.lives[place] = this.#start(place);
    });
  }

  async #takeStep(step: keyof typeof steps): Promise<void> {
    const life = this.random.pick(this.lives)!;
    switch (step) {
      case 'ask':
        for (let more = this.random.between(1, 4); more > 0; more--)
          this.#ask(this.random.pick(this.lives)!, this.#newWish());
        return;
      case 'ask_again': {
        const wish = this.random.pick(this.wishes.filter(({ key }) => key !== null));
        if (wish) this.#ask(life, wish);
        return;
      }
      case 'ask_twice_at_once': {
        const wish = this.#newWish();
        for (const each of this.lives) this.#ask(each, wish);
        return;
      }
      case 'wait':
        return this.#answers();
      case 'seconds_pass':
        return this.#pass(this.random.between(1, 45_000));
      case 'hours_pass':
        return this.#pass(this.random.between(1, 6 * hourMs));
      case 'a_day_passes':
        return this.#pass(dayMs + this.random.between(-60_000, 600_000));
      case 'deliver':
        return life.dispatcher.wake();
      case 'crash':
        life.tell('is killed');
        return life.crash();
      case 'stop':
        return life.stop();
      case 'purge_keys':
        return life.purgeIdempotencyKeys();
    }
  }

  #pass(durationMs: number): void {
    this.nowMs += durationMs;
    this.tell(`${Math.round(durationMs / 1000)} s pass`);
    for (const life of this.lives) if (!life.isOver) life.dispatcher.wake();
  }

  #newWish(): Wish {
    const number = this.wishes.length + 1;
    let kind = this.random.weighted(wishKinds);
    let target: string | null = null;
    if (kind === 'count_up') target = this.#someRecord('cus_');
    else if (kind === 'complete' || kind === 'cancel') target = this.#someRecord('ref_');
    if (target === null && kind !== 'unknown_record') kind = kind === 'count_up' ? 'new_customer' : 'new_reference';
    const wish: Wish = { number, kind, target, key: this.random.chance(0.75) ? `wish-${number}` : null, asked: [] };
    this.wishes.push(wish);
    return wish;
  }

  /** Returns a record that a client knows. */
  #someRecord(prefix: string): string | null {
    const known = this.wishes
      .flatMap(({ asked }) => asked.map(({ told }) => (told?.kind === 'answered' ? told.body : '')))
      .map((body) => /^\{"id":"(\w+)"/.exec(body)?.[1])
      .filter((id) => id?.startsWith(prefix));
    return this.random.pick(known) ?? null;
  }

  #ask(life: Life, wish: Wish): void {
    const asking = this.#askNow(life, wish).finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
  }

  async #askNow(life: Life, wish: Wish): Promise<void> {
    if (life.isOver) return;
    const asked: Asked = { requestId: life.ids.make('req'), told: null };
    wish.asked.push(asked);
    this.count('requests');
    const name = `wish ${wish.number} (${wish.kind}, ${wish.key ? 'with' : 'without'} a key) as ${asked.requestId}`;
    life.tell(`receives ${name}`);
    const told = await Promise.race([ask(life, wish, asked), life.ended]);
    asked.told = told === 'gone' ? { kind: 'gone' } : told;
    this.count(`outcome ${asked.told.kind}`);
    this.tell(`${name}: ${asked.told.kind}${asked.told.kind === 'fault' ? ` ${asked.told.message}` : ''}`);
  }

  async #answers(): Promise<void> {
    while (this.#asking.size > 0) await Promise.all(this.#asking);
  }

  /** Ends all faults. Every client gets its response, and every delivery all its time. */
  async #settle(): Promise<Violation[]> {
    this.isStormy = false;
    this.tell('the world settles');
    this.#startAgain();
    for (const receiver of this.receivers) if (receiver.temper === 'moody') receiver.temper = 'good';
    await this.#answers();
    await Promise.all(this.#underWay);
    const late: Violation[] = [];
    for (const wish of this.wishes) {
      for (let tries = 0; wish.key !== null && !wish.asked.some(({ told }) => told?.kind === 'answered'); tries++) {
        if (tries === triesMax) {
          late.push({
            rule: 'never_answered',
            about: `wish ${wish.number}`,
            message: 'The client got no response, although no fault was left.',
          });
          break;
        }
        if (tries > 1) await delay(5);
        await this.#askNow(this.random.pick(this.lives)!, wish);
      }
    }
    for (let round = 0; ; round++) {
      await this.#idle();
      const { rows } = await this.#real(0).readers.query<{ over_ms: number | null }>({
        name: 'simulation_pending',
        text: `select max(greatest(due_at_ms, claimed_until_ms)) as over_ms from webhook_queue where account_id = $1`,
        values: [this.accountId],
      });
      const overMs = rows[0]!.over_ms;
      if (overMs === null || round === roundsMax) return late;
      this.nowMs = Math.max(this.nowMs, overMs + 2_000);
      const some = this.random.chance(0.7) ? [this.random.pick(this.lives)!] : this.lives;
      for (const life of some) life.dispatcher.wake();
    }
  }

  /** Waits until no work is running. */
  async #idle(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet++) {
      await nextTurn();
      while (this.lives.some(({ busy, dispatcher }) => busy + dispatcher.held > 0)) {
        quiet = 0;
        await delay(2);
      }
    }
  }
}

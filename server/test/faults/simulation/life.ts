import type { Duplex } from 'node:stream';
import pino from 'pino';
import { Committer } from '../../../src/commit/committer.ts';
import { purgeIdempotencyKeys } from '../../../src/maintenance/purge-idempotency-keys.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { IdMaker } from '../../../src/core/ids.ts';
import type { RandomBytes } from '../../../src/core/random.ts';
import { Encryption } from '../../../src/core/secrets/encryption.ts';
import type { Database } from '../../../src/db/pools.ts';
import { Reader } from '../../../src/db/reader.ts';
import { recordReader, type RecordReader } from '../../../src/db/record-reader.ts';
import { Dispatcher, dispatcherLimits } from '../../../src/webhooks/dispatcher.ts';
import { apiVersions } from '../../../src/versions/index.ts';
import { ApiVersions } from '../../../src/versions/apply.ts';
import type { Random } from '../crash-checker/random.ts';
import { SimulatedPool, type DatabaseLies, type Query } from './database.ts';
import { connectorOf } from './receivers.ts';
import type { World } from './world.ts';

/** The limit of one attempt, in real milliseconds. A hanging receiver must not delay the simulation. */
const attemptTimeoutMs = 150;

/** Only the simulation wakes a dispatcher. */
const neverMs = 2 ** 30;

const versions = new ApiVersions(apiVersions);
export const masterKey = Buffer.alloc(32, 7);
const log = pino({ level: 'silent' });

/** When a delivery was claimed, and until when, by the clock of the claiming process. */
export interface Claimed {
  atMs: number;
  untilMs: number;
}

/**
 * A server process from its start to its end, built of the real classes as `context.ts` builds them. After a crash, no result reaches it,
 * and nothing it sends arrives.
 */
export class Life {
  readonly world: World;
  readonly name: string;
  readonly random: Random;
  readonly lies: DatabaseLies;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly encryption: Encryption;
  readonly committer: Committer;
  readonly dispatcher: Dispatcher;
  readonly reader: Reader;
  readonly readRecord: RecordReader;
  /** Resolves at any end of the process. */
  readonly ended: Promise<'gone'>;
  readonly sockets = new Set<Duplex>();
  /** How many connections to receivers it has requested. */
  connections = 0;
  /** Statements that are running. */
  busy = 0;
  readonly #aheadMs: number;
  readonly #end: (gone: 'gone') => void;
  readonly #deliverers: SimulatedPool;
  /** The number of the point at which it crashes. */
  readonly #crashAt: number;
  #points = 0;
  #isOver = false;

  constructor(world: World, name: string, real: Database) {
    this.world = world;
    this.name = name;
    this.random = world.random.fork(name);
    this.lies = world.plant;
    this.#crashAt = this.random.chance(world.crashShare) ? this.random.between(1, 90) : Infinity;
    ({ promise: this.ended, resolve: this.#end } = Promise.withResolvers<'gone'>());
    // The clocks of processes differ, and no two readings of one are the same.
    this.#aheadMs = this.random.between(-1_000, 1_000);
    this.clock = { nowMs: () => world.tick() + this.#aheadMs };
    const ofIds = bytesOf(this.random.fork('ids'));
    const ofTokens = bytesOf(this.random.fork('tokens'));
    this.ids = new IdMaker(this.clock, ofIds);
    this.encryption = new Encryption(masterKey, ofTokens);
    this.#deliverers = new SimulatedPool(this, real.deliverers, { purpose: 'delivering', ownRole: world.role });
    const readers = new SimulatedPool(this, real.readers, { purpose: 'reading', ownRole: null });
    const writers = new SimulatedPool(this, real.writers, { purpose: 'writing', ownRole: null });
    this.reader = new Reader(readers.asPool);
    this.readRecord = recordReader(this.reader);
    this.dispatcher = new Dispatcher({
      pool: this.#deliverers.asPool,
      accounts: { get: async () => null },
      encryption: this.encryption,
      clock: this.clock,
      realClock: this.clock,
      versions,
      randomBytes: ofTokens,
      log,
      connect: connectorOf(this),
      retryScheduleSeconds: world.scheduleSeconds,
      userAgent: 'Tenure/simulation',
      limits: { ...dispatcherLimits, attemptTimeoutMs, pollMs: neverMs },
      observer: { attempted: () => world.count('attempts') },
    });
    this.committer = new Committer({
      writers: writers.asPool,
      ids: this.ids,
      clock: this.clock,
      realClock: this.clock,
      eventShape: () => ({ version: versions.newest, of: (event) => event }),
      personalDataIds: /(?!)/g,
      epoch: 1,
      onDeliveries: () => this.dispatcher.wake(),
      newDeliveryClaims: this.dispatcher,
      doubtMs: world.doubtMs,
    });
    this.dispatcher.start();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  tell(what: string): void {
    if (!this.#isOver) this.world.tell(`${this.name} ${what}`);
  }

  /** Returns a fault for the next step, or none. */
  fault<Name extends string>(weights: Record<Name, number>): Name | undefined {
    const happens = this.random.chance(this.world.faultShare);
    const fault = this.random.weighted(weights);
    if (!happens || !this.world.isStormy || this.#isOver) return undefined;
    this.world.count(`fault ${fault}`);
    return fault;
  }

  /** Whether it crashes at the next point. */
  isDueToCrash(): boolean {
    return this.world.isStormy && this.#points + 1 === this.#crashAt;
  }

  /** Passes a point where it can crash. */
  async point(where: string): Promise<void> {
    if (this.isDueToCrash()) {
      this.tell(`crashes ${where}`);
      this.crash();
    }
    if (this.world.isStormy) this.#points++;
    await this.through(Promise.resolve());
  }

  /** Waits for work of the process. After a crash, the process never gets the result. */
  async through<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- The dead neither return nor throw.
      if (this.#isOver) await new Promise(() => {});
    }
  }

  /** Ends the process at once, with the loss of all its state. */
  crash(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.world.count('crashes');
    this.#end('gone');
    for (const socket of this.sockets) socket.destroy();
    // The dead dispatcher waits for ever for a claim without a response, and its timers are gone.
    this.dispatcher.wake();
    void this.dispatcher.stop(0);
  }

  /** Stops the process as an operator does. Interrupts and releases what is running. */
  async stop(): Promise<void> {
    this.tell('is stopped');
    await Promise.race([this.dispatcher.stop(0), this.ended]);
    this.leave();
  }

  /** Removes the process from the world without a loss. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end('gone');
  }

  /** Runs the duty that deletes keys after their day. */
  async purgeIdempotencyKeys(): Promise<void> {
    const purging = purgeIdempotencyKeys(this.#deliverers.asPool, this.clock.nowMs()).catch(() => {});
    await Promise.race([purging, this.ended]);
  }

  /** Notes a result of the database before the process gets it. */
  saw({ name, values }: Query, result: unknown): void {
    const isOfNew = name === 'insert_claimed_deliveries';
    if (!isOfNew && name !== 'claim_deliveries' && name !== 'claim_deliveries_in_turns') return;
    const { rows: all } = result as { rows: { id: string; is_claimed?: boolean }[] };
    const rows = all.filter(({ is_claimed: isClaimed = true }) => isClaimed);
    const untilMs = Number(isOfNew ? values!.at(-1) : values![1]);
    const claimed: Claimed = { atMs: this.world.nowMs + this.#aheadMs, untilMs };
    this.tell(`claims ${rows.map(({ id }) => id).join(', ') || 'nothing'}`);
    for (const { id } of rows) this.world.claimed(id, claimed);
  }
}

function bytesOf(random: Random): RandomBytes {
  return (length) => Uint8Array.from({ length }, () => random.between(0, 255));
}

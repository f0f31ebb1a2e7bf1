import type { Logger } from 'pino';
import { findPayer, type AccountTrees, type Payer } from '../core/limits/byte-budget.ts';
import { FairQueue, patient } from '../core/limits/fair-queue.ts';
import { firstIdAt, timeOfId, type Id } from '../core/ids.ts';
import { workflowsLockKey } from '../db/advisory-locks.ts';
import { onlyRow } from '../db/only-row.ts';
import type { Pool, PoolClient } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import { isAfter, type Position } from '../events/event-order.ts';
import {
  awaitsAny,
  forgetPosition,
  positionOf,
  readActive,
  readEarliestWait,
  readFollowed,
  readHorizon,
  readMoved,
  readPage,
  readPosition,
  readPositionBefore,
  storePosition,
  type ActiveWorkflow,
} from './positions.ts';
import { startRuns, typesOfTriggers, type TriggerContext } from './triggers.ts';
import { endWaits } from './end-waits.ts';

/** Milliseconds between two looks for events of other processes. */
const pollEveryMs = 250;

/** Milliseconds between two looks of a process without others. It looks sooner after a commit of its own. */
const pollAloneEveryMs = 5_000;

/** Milliseconds until a held back event is looked for again. A transaction mostly lasts that long. */
const heldBackPauseMs = 5;

/** Looks for a held back event in a row. After them, only the poll looks. */
const heldBackMax = 20;

/**
 * After a page with events, an account rests nine times as long as the page took, up to 100 ms. Under load, each page then has many events.
 * After a longer page, it rests as long as the page took. So long filters leave half of the time to others.
 */
const restFactor = 9;
const restMaxMs = 100;

const eventsAtOnce = 500;

/** Runs that a page can start. With 500 active workflows, it has only forty events. */
const startsAtOnce = 20_000;

/** Milliseconds by which the clocks of processes may differ. An account is followed from so much earlier on. */
const clockSkewMs = 60_000;

/** Only tests change these. */
export interface WorkflowLimits {
  /** Runs of one workflow in an hour. A mistake in a trigger ends here. */
  runsAnHour: number;
  /** Milliseconds until another account has its turn. An event can end the waits of many thousand runs. The next turn ends the others. */
  turnMs: number;
  /** Seconds between the attempts of an `http` step. There is one attempt more. */
  pausesSeconds: readonly number[];
}

export const workflowLimits: WorkflowLimits = {
  runsAnHour: 1_000,
  turnMs: 1_000,
  pausesSeconds: [5, 30, 120, 600],
};

interface FollowerContext extends TriggerContext {
  /** Whether no other process can commit. */
  isAlone: boolean;
  accounts: AccountTrees;
  database: { followers: Pool };
  reader: Reader;
  log: Logger;
}

/** What the follower knows of an account. */
interface Followed {
  readonly payer: Payer;
  /** Whether there may be events that were not read. */
  isWanted: boolean;
  /** Whether it has its turn, or waits for it. */
  isInTurn: boolean;
  /** The earliest time of the next look, by the clock of `performance`. */
  notBeforeMs: number;
  /** The looks in a row that found only events that are held back. */
  heldBack: number;
  /** Where the last turn stopped within a page. */
  rest: RestOfPage | null;
}

/** The waits that a page has yet to end. All of its events have started their runs. */
interface RestOfPage {
  /** The position of the account, from which the page was read. */
  position: Position;
  /** The last event of the page. */
  last: Position;
  /** The last run that was looked at. */
  afterRun: string;
}

/** What a look at an account has found. */
interface Found {
  /** The settled events that were read. */
  events: number;
  hasMore: boolean;
  isHeldBack: boolean;
}

const nothing: Found = { events: 0, hasMore: false, isHeldBack: false };

/**
 * Follows the events of accounts with workflows, beside the requests that make them. It starts one run for each event and workflow that
 * match, and ends the waits for events. One process at a time follows an account, under a lock. If a process dies within a page, the page is
 * read again. The runs that have begun are then found.
 */
export class WorkflowFollower {
  readonly #context: FollowerContext;
  readonly #limits: Pick<WorkflowLimits, 'runsAnHour' | 'turnMs'>;
  readonly #stopping = new AbortController();
  #followed: ReadonlyMap<string, Followed> = new Map();
  /** Lets trees of accounts take turns. A tree with many accounts delays others by one look. */
  readonly #turns = new FairQueue(1);
  readonly #looks = new Set<Promise<void>>();
  /** Whether this process has committed since the last poll. */
  #hasCommitted = true;
  #wakeUp: () => void = () => {};
  #running: Promise<void> | null = null;

  constructor(context: FollowerContext, limits: Pick<WorkflowLimits, 'runsAnHour' | 'turnMs'>) {
    this.#context = context;
    this.#limits = limits;
  }

  /** Notes accounts with new events. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    if (!this.#hasCommitted) {
      this.#hasCommitted = true;
      this.#wakeUp();
    }
    this.#want(accountIds);
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp();
    await this.#running;
  }

  #want(accountIds: Iterable<string>): void {
    for (const id of accountIds) {
      const account = this.#followed.get(id);
      if (!account || account.isWanted) continue;
      account.isWanted = true;
      this.#wakeUp();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let polledAtMs = -Infinity; !signal.aborted;) {
      if (performance.now() >= polledAtMs + this.#pollPauseMs) {
        polledAtMs = performance.now();
        this.#hasCommitted = false;
        await this.#poll().catch((error: unknown) => this.#warn(error));
      }
      for (const account of this.#followed.values())
        if (account.isWanted && !account.isInTurn && performance.now() >= account.notBeforeMs)
          this.#lookInTurn(account);
      await this.#sleepUntil(polledAtMs + this.#pollPauseMs);
    }
    await Promise.all(this.#looks);
  }

  #lookInTurn(account: Followed): void {
    account.isInTurn = true;
    const look = this.#turns.run(account.payer, patient, async () => {
      if (!this.#stopping.signal.aborted) await this.#look(account);
      account.isInTurn = false;
    });
    this.#looks.add(look);
    void look.finally(() => {
      this.#looks.delete(look);
      this.#wakeUp();
    });
  }

  get #pollPauseMs(): number {
    const isQuiet = !this.#hasCommitted && [...this.#followed.values()].every(({ heldBack }) => heldBack === 0);
    return this.#context.isAlone && isQuiet ? pollAloneEveryMs : pollEveryMs;
  }

  /** Sleeps until this time, until the next look at an account, or until an account has new events. */
  async #sleepUntil(atMs: number): Promise<void> {
    const wanted = [...this.#followed.values()].filter(({ isWanted, isInTurn }) => isWanted && !isInTurn);
    const untilMs = Math.min(atMs, ...wanted.map(({ notBeforeMs }) => notBeforeMs));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
    if (!this.#stopping.signal.aborted) await promise;
    clearTimeout(timer);
  }

  #warn(error: unknown): void {
    this.#context.log.warn({ err: error }, 'events could not start workflows; they are read again');
  }

  async #poll(): Promise<void> {
    const { reader, accounts } = this.#context;
    const ids = await readFollowed(reader);
    const known = this.#followed;
    const followed = ids.map(async (id) => known.get(id) ?? notYetFollowed(await findPayer(accounts, id)));
    this.#followed = new Map((await Promise.all(followed)).map((account) => [account.payer.accountId, account]));
    if (ids.length > 0) this.#want(await readMoved(reader, ids));
  }

  /** Reads one page of an account, and decides on its next look. */
  async #look(account: Followed): Promise<void> {
    account.isWanted = false;
    const beganAtMs = performance.now();
    try {
      const { events, hasMore, isHeldBack } = await this.#step(account);
      const endedAtMs = performance.now();
      account.heldBack = isHeldBack && events === 0 ? account.heldBack + 1 : 0;
      if (hasMore || (isHeldBack && account.heldBack < heldBackMax)) account.isWanted = true;
      const tookMs = endedAtMs - beganAtMs;
      const restMs = events > 0 ? Math.max(tookMs, Math.min(restMaxMs, tookMs * restFactor)) : heldBackPauseMs;
      account.notBeforeMs = endedAtMs + restMs;
    } catch (error) {
      this.#warn(error);
      account.isWanted = true;
      account.notBeforeMs = performance.now() + pollEveryMs;
    }
  }

  async #step(account: Followed): Promise<Found> {
    const { accountId } = account.payer;
    const client = await this.#context.database.followers.connect();
    try {
      // The lock takes no transaction id. So this transaction holds back no events until it stores the position.
      await client.query('begin');
      const lock = await client.query<{ ours: boolean }>('select pg_try_advisory_xact_lock($1, hashtext($2)) as ours', [
        workflowsLockKey,
        accountId,
      ]);
      const found = onlyRow(lock.rows).ours ? await this.#page(client, account) : nothing;
      await client.query('commit');
      client.release();
      return found;
    } catch (error) {
      // The connection may be in any state.
      client.release(true);
      throw error;
    }
  }

  async #page(client: PoolClient, account: Followed): Promise<Found> {
    const { accountId } = account.payer;
    const horizon = await readHorizon(client);
    const workflows = await readActive(client, accountId);
    if (workflows.length === 0 && !(await awaitsAny(client, accountId))) {
      await forgetPosition(client, accountId);
      return nothing;
    }
    const position = (await readPosition(client, accountId)) ?? (await this.#begin(client, accountId, workflows));
    if (!position) return nothing;
    // Another process may have had a turn, and has then done the rest.
    const rest = account.rest && isSame(account.rest.position, position) ? account.rest : null;
    account.rest = null;
    const types = [...new Set([...typesOfTriggers(this.#context, workflows).values()].flatMap((own) => [...own]))];
    const limit = Math.min(eventsAtOnce, Math.ceil(startsAtOnce / Math.max(1, workflows.length)));
    const page = await readPage(client, accountId, position, { horizon, types, limit });
    // The page can be longer now. Its new events have not started runs.
    const events = rest ? page.events.filter((row) => !isAfter(positionOf(row), rest.last)) : page.events;
    const last = events.at(-1);
    if (!last) return { ...nothing, isHeldBack: page.isHeldBack };
    const found = { events: events.length, hasMore: true, isHeldBack: page.isHeldBack };
    const wanted = events.filter(({ is_wanted: isWanted }) => isWanted);
    if (wanted.length > 0) {
      const untilMs = performance.now() + this.#limits.turnMs;
      const isOver = (): boolean => performance.now() >= untilMs;
      const triggers = { events: wanted, workflows, runsAnHour: this.#limits.runsAnHour };
      // The page is read again. The runs that have begun are then found.
      if (!rest && !(await startRuns(this.#context, client, accountId, triggers, isOver))) return found;
      const afterRun = await endWaits(
        this.#context,
        client,
        accountId,
        { events: wanted, afterRun: rest?.afterRun ?? '' },
        isOver,
      );
      if (afterRun !== null) {
        account.rest = { position, last: positionOf(last), afterRun };
        return found;
      }
    }
    await storePosition(client, accountId, positionOf(last));
    return { ...found, hasMore: page.hasMore || events.length < page.events.length };
  }

  /** Returns the position from which an account is followed first: before the activation, or before the wait. */
  async #begin(client: PoolClient, accountId: string, workflows: readonly ActiveWorkflow[]): Promise<Position | null> {
    const earliestWait = await readEarliestWait(client, accountId);
    const activations = workflows.map(({ active_from: from }) => from);
    const froms = [...activations, ...(earliestWait === null ? [] : [earliestWait])].toSorted();
    if (froms[0] === undefined) return null;
    return readPositionBefore(client, accountId, firstIdAt('evt', timeOfId(froms[0] as Id) - clockSkewMs));
  }
}

function notYetFollowed(payer: Payer): Followed {
  return { payer, isWanted: false, isInTurn: false, notBeforeMs: 0, heldBack: 0, rest: null };
}

function isSame(one: Position, other: Position): boolean {
  return !isAfter(one, other) && !isAfter(other, one);
}

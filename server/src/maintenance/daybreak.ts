import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import { readRelated } from '../commit/read-related.ts';
import { withRollUps } from '../commit/roll-ups.ts';
import type { Guard } from '../commit/write-request.ts';
import { findPayer, type Payer } from '../core/limits/byte-budget.ts';
import { today } from '../core/calendar.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { FairQueue, patient } from '../core/limits/fair-queue.ts';
import type { IdMaker } from '../core/ids.ts';
import type { Rules } from '../core/vocabulary/law-rules.ts';
import { isHere } from '../db/away.ts';
import { UnavailableError } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { counterIdOf } from '../model/invoice-counter.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import { toDecision } from '../model/change.ts';
import { fieldOf, type StoredRecord } from '../model/record.ts';
import type { Related } from '../model/related.ts';
import type { RecordChange, Resource } from '../model/resource.ts';
import { daybreak, type Dawn } from '../model/traits/daybreak.ts';

/** Records that change together, in one mutation. */
const pageSize = 100;

/** Pages of different accounts that change at once. Few, because requests go on beside them. */
const pagesAtOnce = 8;

/**
 * A look at what is due reads each due record of all accounts. The next look waits until this part of the accounts is done, or until
 * `pagesOfLook` pages are. A look after each page read 50 million rows for 100,000 records of one account.
 */
const shareOfLook = 1 / 64;

/** Few, because records of other accounts can become due meanwhile. */
const pagesOfLook = 32;

/** A mutation that has lost to other writers this often continues with half of its records. */
const lossesBeforeHalving = 2;

export interface DaybreakContext {
  resources: readonly Resource[];
  reader: Reader;
  readRecord: RecordReader;
  committer: Committer;
  accounts: {
    get(id: string): Promise<{ rootId: string; rules: Rules; timeZone: string; invoicePrefix: string } | null>;
  };
  clock: Clock;
  ids: IdMaker;
  log: Logger;
}

/** The earliest day on which records of an account change, and their kind. */
interface DueDay {
  resource: Resource;
  accountId: string;
  day: string;
}

/** Records of one kind and account that change on one day. */
interface Page extends DueDay {
  ids: string[];
}

/**
 * Makes the changes of all days that have begun. Each account has its days in their order. A day begins at midnight in the time zone of the
 * account. Trees of accounts take turns, and so do the accounts of a tree. So an account with many changes delays others by a page.
 *
 * Several processes may run it at once: the revision of a record lets only one of them make a change.
 *
 * @returns the number of changed records.
 */
export async function breakDays(context: DaybreakContext, signal: AbortSignal): Promise<number> {
  // A record that cannot be changed must not stop the others.
  const failed = new Set<string>();
  const zones = await readTimeZones(context.reader);
  // The first start has yet to make its account.
  if (zones.length === 0) return 0;
  const queue = new FairQueue(pagesAtOnce);
  const turns = new Turns(context.accounts);
  let changed = 0;
  while (!signal.aborted) {
    if (turns.isStale) await turns.renew(await readDueDays(context, zones, failed));
    const next = turns.next();
    if (next.length === 0) break;
    // The run ends only after all its changes, so that a stop or the next run meets none of them.
    const results = await Promise.allSettled(
      next.map((turn) =>
        queue.run(turn.payer, patient, async () => {
          if (signal.aborted) return 0;
          const page = { ...turn.dueDay, ids: await readIds(context, turn.dueDay, failed) };
          const ofPage = await changePageOrEach(context, page, failed, signal);
          turns.end(turn, page.ids.length === pageSize);
          return ofPage;
        }),
      ),
    );
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      changed += result.value;
    }
  }
  return changed;
}

/** An account that changes a page. */
interface Turn {
  payer: Payer;
  dueDay: DueDay;
}

/** Chooses the accounts that change next. */
class Turns {
  readonly #accounts: DaybreakContext['accounts'];
  /** The tree of an account stays the same. */
  readonly #payers = new Map<string, Payer>();
  /** The number of the last round in which an account had a turn. */
  readonly #last = new Map<string, number>();
  #rounds = 0;
  /** The accounts of each tree that wait, in the order of their turns. */
  #trees = new Map<string, Turn[]>();
  /** How many accounts, and how many pages, can be done until the next look. */
  #accountsLeft = 0;
  #pagesLeft = 0;

  constructor(accounts: DaybreakContext['accounts']) {
    this.#accounts = accounts;
  }

  /** Whether to look again at what is due. */
  get isStale(): boolean {
    return this.#accountsLeft <= 0 || this.#pagesLeft <= 0;
  }

  /** Takes what is due. The accounts that have waited for the most rounds are first. */
  async renew(dueDays: readonly DueDay[]): Promise<void> {
    const waiting = await Promise.all(
      dueDays.map(async (dueDay) => ({ payer: await this.#payerOf(dueDay.accountId), dueDay })),
    );
    const lastOf = ({ payer }: Turn): number => this.#last.get(payer.accountId) ?? 0;
    waiting.sort((one, other) => lastOf(one) - lastOf(other));
    this.#trees = Map.groupBy(waiting, ({ payer }) => payer.rootId);
    this.#accountsLeft = Math.max(1, waiting.length * shareOfLook);
    this.#pagesLeft = Math.max(pagesOfLook, this.#accountsLeft);
  }

  /** Returns some accounts of each tree, so that the round is short. Each has one page in it. */
  next(): Turn[] {
    const next = [...this.#trees.values()].flatMap((ofTree) => ofTree.splice(0, pagesAtOnce));
    this.#rounds++;
    for (const { payer } of next) this.#last.set(payer.accountId, this.#rounds);
    return next;
  }

  /** Notes a page. An account with more records of its day waits for another turn. */
  end(turn: Turn, hasMore: boolean): void {
    this.#pagesLeft--;
    if (hasMore) this.#trees.get(turn.payer.rootId)!.push(turn);
    else this.#accountsLeft--;
  }

  async #payerOf(accountId: string): Promise<Payer> {
    const payer = this.#payers.get(accountId) ?? (await findPayer(this.#accounts, accountId));
    this.#payers.set(accountId, payer);
    return payer;
  }
}

/** Changes a page of records. Returns the number of changed records. */
async function changePageOrEach(
  context: DaybreakContext,
  page: Page,
  failed: Set<string>,
  signal: AbortSignal,
): Promise<number> {
  if (page.ids.length === 0) return 0;
  try {
    return await changePage(context, page);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    context.log.error({ err: error, kind: page.resource.object, ids: page.ids.length }, 'a daybreak failed');
    return changeEach(context, page, failed, signal);
  }
}

/** Changes the records of a failed page one by one, so that only the faulty ones are left. */
async function changeEach(
  context: DaybreakContext,
  page: Page,
  failed: Set<string>,
  signal: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (const id of page.ids) {
    if (signal.aborted) break;
    try {
      changed += await changePage(context, { ...page, ids: [id] });
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      failed.add(id);
      context.log.error({ err: error, kind: page.resource.object, id }, 'a daybreak failed');
    }
  }
  return changed;
}

async function readTimeZones(reader: Reader): Promise<string[]> {
  const rows = await reader.query<{ time_zone: string }>({
    name: 'read_time_zones',
    text: 'select distinct time_zone from accounts',
    values: [],
  });
  return rows.map(({ time_zone: zone }) => zone);
}

/** Returns the earliest day that has begun of each account with such days. */
async function readDueDays(
  { resources, reader, clock }: DaybreakContext,
  zones: readonly string[],
  failed: Set<string>,
): Promise<DueDay[]> {
  const nowSeconds = toSeconds(clock.nowMs());
  const days = zones.map((zone) => today(nowSeconds, zone));
  const latest = days.reduce((last, day) => (day > last ? day : last), '');
  const earliest = new Map<string, DueDay>();
  for (const resource of resources) {
    if (!daybreak.has(resource)) continue;
    const rows = await reader.query<{ account_id: string; day: string }>({
      ...dueDaysStatement(resource),
      values: [latest, zones, days, [...failed]],
    });
    for (const { account_id: accountId, day } of rows) {
      const known = earliest.get(accountId);
      if (!known || day < known.day) earliest.set(accountId, { resource, accountId, day });
    }
  }
  return [...earliest.values()];
}

const dueDaysStatement = oncePerKind((resource) => ({
  name: `due_days_${resource.table}`,
  // The days of the time zones come from this process, because PostgreSQL may not know a name that we do.
  text: `
      with due as (
        select account_id, min(next_on) as day
        from ${resource.table}
        where next_on <= $1::date and id <> all($4::text[])
        group by account_id
      )
      select due.account_id, due.day
      from due
      join accounts account on account.account_id = due.account_id and account.id = due.account_id
      join unnest($2::text[], $3::date[]) as zone (name, day) on zone.name = account.time_zone
      where due.day <= zone.day and ${isHere('due.account_id')}
      order by due.day, due.account_id`,
}));

async function readIds({ reader }: DaybreakContext, dueDay: DueDay, failed: Set<string>): Promise<string[]> {
  const { resource, accountId, day } = dueDay;
  const rows = await reader.query<{ id: string }>({
    ...dueIdsStatement(resource),
    values: [day, accountId, [...failed]],
  });
  return rows.map(({ id }) => id);
}

const dueIdsStatement = oncePerKind((resource) => ({
  name: `due_ids_${resource.table}`,
  text: `
      select id
      from ${resource.table}
      where next_on = $1::date and account_id = $2 and id <> all($3::text[])
      order by id
      limit ${pageSize}`,
}));

/** Records that a page reads at once. Most are small. */
const readsAtOnce = 64;

/** Makes the changes of a page in one mutation. Returns the number of changed records. */
async function changePage(context: DaybreakContext, page: Page): Promise<number> {
  const { accountId, ids } = page;
  let decisions = 0;
  let changed = 0;
  await context.committer.commitAsSystem({
    accountId,
    // The changes may number records. A page that loses the next number to a request would have to be decided again.
    locks: [...ids, counterIdOf(accountId)],
    async decide(room) {
      const losses = decisions++;
      const dawn = await dawnOf(context, page);
      if (!dawn) return null;
      const deciding = { ...context, readRecord: room.readerOf(context.readRecord, readsAtOnce) };
      const due = await readDue(deciding, { ...page, ids: idsAfter(losses, ids) });
      const { changes, guards } = await decideEach(deciding, page, due, dawn);
      changed = changes.length;
      return changed === 0 ? null : { changes: await withRollUps(deciding, accountId, changes), guards };
    },
  });
  return changed;
}

/** Returns the records that a mutation changes after so many losses to other writers. */
function idsAfter(losses: number, ids: readonly string[]): string[] {
  const halvings = Math.max(0, losses - lossesBeforeHalving + 1);
  return ids.slice(0, Math.max(1, ids.length >> halvings));
}

/** Returns the facts of the day. Null if the account was deleted. */
async function dawnOf({ accounts, clock, ids }: DaybreakContext, { accountId, day }: Page): Promise<Dawn | null> {
  const account = await accounts.get(accountId);
  if (!account) return null;
  return {
    day,
    nowSeconds: toSeconds(clock.nowMs()),
    account: { rules: account.rules, time_zone: account.timeZone, invoice_prefix: account.invoicePrefix },
    makeId: (prefix) => ids.make(prefix),
  };
}

/** Reads the records that still wait for the day. Another process, or a request, was first with the others. */
async function readDue(
  { readRecord }: DaybreakContext,
  { resource, accountId, day, ids }: Page,
): Promise<StoredRecord[]> {
  const records = await Promise.all(ids.map((id) => readRecord(resource, accountId, id)));
  return records.filter((record) => record !== null).filter((record) => fieldOf(record, 'next_on') === day);
}

/** Decides the changes of each record, and returns the guards that they rely on. */
async function decideEach(
  context: DaybreakContext,
  { resource, accountId }: Page,
  due: readonly StoredRecord[],
  dawn: Dawn,
): Promise<{ changes: RecordChange[]; guards: Guard[] }> {
  const paths = daybreak.of(resource)?.reads ?? [];
  const reads = await Promise.all(due.map((record) => readRelated(context, accountId, resource, record, paths)));
  const changes: RecordChange[] = [];
  const guards: Guard[] = [];
  const touched = new Set<string>();
  for (const [index, record] of due.entries()) {
    const { related, guards: ofRecord } = reads[index]!;
    // It reads a record that an earlier one has changed, so it waits for the next page.
    if (ofRecord.some((guard) => touched.has(guard.record.id))) continue;
    const decided = changesOf(resource, record, dawn, related);
    for (const { before, after } of decided) touched.add((after ?? before).id);
    changes.push(...decided);
    guards.push(...ofRecord);
  }
  return { changes, guards };
}

/** Returns the changes of one record on a day. */
function changesOf(resource: Resource, record: StoredRecord, dawn: Dawn, related: Related): RecordChange[] {
  const rule = daybreak.of(resource)!;
  const decided = rule.decide(record, dawn, related);
  // A record that the day leaves as it is still waits for another day.
  const after = decided.after === record ? { ...record } : decided.after;
  const nextOn = rule.nextOn(after);
  if (nextOn !== null && nextOn <= dawn.day)
    throw new Error(`Bug! After ${dawn.day}, ${record.id} waits for ${nextOn} again.`);
  return toDecision(resource, record, { ...decided, after }).changes;
}

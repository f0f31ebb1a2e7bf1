import { setTimeout as delay } from 'node:timers/promises';
import { isId } from '../core/ids.ts';
import { searchLockKey } from '../db/advisory-locks.ts';
import { isHere } from '../db/away.ts';
import { onlyRow } from '../db/only-row.ts';
import { isUnavailable, UnavailableError, type Pool, type PoolClient } from '../db/pools.ts';
import { readingOnce, type RecordReader } from '../db/record-reader.ts';
import { isAfter, type Position } from '../events/event-order.ts';
import { hopsOf, type Hop } from '../model/links.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { madeInBulk } from '../model/traits/made-in-bulk.ts';
import { searchable } from '../model/traits/searchable.ts';
import { ownerOf, pagesThatLink, readNextIds, readWithTexts, writeEntries, type Entry } from './entries.ts';
import { readBehind, beginOrReadBuilt, readDistance, readNextEvents, storeBuilt, storePosition } from './positions.ts';
import { joined, readLinked, searchOf, textsOf } from './texts.ts';

/** Events of a page. A transaction indexes one page, in some 10 ms for references and 200 ms for persons. */
const eventsAtOnce = 1_000;

/** Records whose entries one statement writes. Large ones are fewer. */
const recordsAtOnce = 250;

/** Records whose linked records are in memory at once. */
const entriesAtOnce = 50;

/** While clients change records, the index uses a fortieth of the time of one processor. Otherwise it uses half. */
const restFactor = { busy: 39, idle: 1 };

/** Milliseconds between two looks for accounts that another process has changed, or a killed one. */
const sweepEveryMs = 15_000;

/** What a search may rely on. */
export interface Freshness {
  /** All changes until this time are found, in seconds. Null while the first entries of the account are being made. */
  indexedUntil: number | null;
}

interface Parts {
  /** For writes of entries, and for reads of the search. */
  pool: Pool;
  readRecord: RecordReader;
  resources: readonly Resource[];
  /** Whether clients are changing records at this moment. */
  isBusy: () => boolean;
}

/**
 * Keeps the entries of the search. It follows the events of each account, beside the requests that make them. Entries follow from records
 * alone, so a page that runs again writes the same ones.
 */
export class SearchIndex {
  readonly #parts: Parts;
  /**
   * The searched kinds. Those that others show come before them. So a person already has an entry when tenancies get theirs. If the person
   * changes, that entry differs, and the tenancies follow.
   */
  readonly #kinds: readonly Resource[];
  /** As `announcedBy` returns it. It is asked for each event. */
  readonly #announced: ReadonlyMap<string, readonly [resource: Resource, link: string][]>;
  /** Accounts with events that may have no entries yet. */
  readonly #waiting = new Set<string>();
  #sweptAtMs = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#kinds = parts.resources
      .filter((resource) => searchable.has(resource))
      .toSorted((one, other) => depthOf(one) - depthOf(other));
    this.#announced = announcedBy(parts.resources, this.#kinds);
  }

  /** Notes accounts with new events. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    for (const id of accountIds) this.#waiting.add(id);
  }

  /** Follows all accounts with new events, slowly while clients change records. */
  async advance(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#sweptAtMs >= sweepEveryMs) {
      this.#sweptAtMs = performance.now();
      this.wake(await readBehind(this.#parts.pool));
    }
    const accountIds = [...this.#waiting];
    this.#waiting.clear();
    for (const [at, accountId] of accountIds.entries()) {
      try {
        for (let more = true; more && !signal.aborted;) {
          const startedMs = performance.now();
          more = (await this.#step(accountId)) === 'more';
          const rest = this.#parts.isBusy() ? restFactor.busy : restFactor.idle;
          await delay((performance.now() - startedMs) * rest, undefined, { signal }).catch(() => {});
        }
      } catch (error) {
        // This account comes last next time, so that it holds up no other one.
        this.wake([...accountIds.slice(at + 1), accountId]);
        throw error;
      }
      if (signal.aborted) return;
    }
  }

  /** Follows one account for a short time, so that a search finds what its client has just written. */
  async catchUp(
    accountId: string,
    { budgetMs, nowSeconds }: { budgetMs: number; nowSeconds: number },
  ): Promise<Freshness> {
    const startedMs = performance.now();
    let goal: Position | null = null;
    for (;;) {
      const { position, newest, nextCreated } = await readDistance(this.#parts.pool, accountId);
      goal ??= newest;
      // Events that come meanwhile are no matter of this search.
      if (position && !isAfter(goal, position)) return { indexedUntil: nowSeconds };
      if (performance.now() - startedMs >= budgetMs)
        return { indexedUntil: position && Math.min(nowSeconds, (nextCreated ?? nowSeconds) - 1) };
      // Another process is at it, or an event waits for a transaction that is still running.
      if ((await this.#step(accountId)) !== 'more') await delay(stepAsideMs);
    }
  }

  /** Makes the entries of these records anew, and those of all records that show them. Waits for other work on the account. */
  async renew(accountId: string, ids: readonly string[]): Promise<void> {
    await inTransaction(this.#parts.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [searchLockKey, accountId]);
      await this.#index(client, accountId, ids);
    });
  }

  /**
   * Takes the next step of an account: a page of its first entries, or of its events. Returns `taken` if another process is at it, or if the
   * account moves.
   */
  async #step(accountId: string): Promise<'more' | 'done' | 'taken'> {
    return inTransaction(this.#parts.pool, async (client) => {
      // An account that moves may have been noted before. Its writes would fail, and hold up other accounts.
      const lock = await client.query<{ ours: boolean }>(
        `select ${isHere('$2')} and pg_try_advisory_xact_lock($1, hashtext($2)) as ours`,
        [searchLockKey, accountId],
      );
      if (!onlyRow(lock.rows).ours) return 'taken';
      const builtUntil = await beginOrReadBuilt(client, accountId);
      return builtUntil === null ? this.#follow(client, accountId) : this.#build(client, accountId, builtUntil);
    });
  }

  /** Makes entries of the next records, in the order of the kinds and of the ids. Events of meanwhile follow at the end. */
  async #build(client: PoolClient, accountId: string, builtUntil: string): Promise<'more'> {
    const kinds = this.#kinds;
    const known = kinds.findIndex(({ prefix }) => builtUntil.startsWith(`${prefix}_`));
    let at = Math.max(0, known);
    let reached: string | null = builtUntil;
    for (let left = eventsAtOnce; left > 0 && at < kinds.length;) {
      const kind = kinds[at]!;
      const ids = await readNextIds(client, accountId, kind, { after: reached!, limit: left });
      await this.#write(client, accountId, kind, ids);
      left -= ids.length;
      reached = ids.at(-1) ?? reached;
      if (left === 0) break;
      at++;
      reached = kinds[at] ? `${kinds[at]!.prefix}_` : null;
    }
    await storeBuilt(client, accountId, reached);
    return 'more';
  }

  /** Indexes the records of the next settled events. */
  async #follow(client: PoolClient, accountId: string): Promise<'more' | 'done'> {
    const events = await readNextEvents(client, accountId, eventsAtOnce);
    const announcing = events.findIndex(({ type }) => this.#announced.has(type));
    // Many records belong to an event that announces them, so the page ends with it.
    const page = announcing < 0 ? events : events.slice(0, announcing + 1);
    const last = page.at(-1);
    if (!last) return 'done';
    await this.#index(client, accountId, [...new Set(page.map(({ object_id: id }) => id))]);
    for (const [resource, link] of this.#announced.get(last.type) ?? []) {
      for await (const made of pagesThatLink(client, accountId, resource, link, [last.object_id]))
        await this.#index(client, accountId, made);
    }
    await storePosition(client, accountId, last);
    return page.length < events.length || events.length === eventsAtOnce ? 'more' : 'done';
  }

  /** Makes entries of records of any kind, and of those that show one whose entry has changed. */
  async #index(client: PoolClient, accountId: string, ids: readonly string[]): Promise<void> {
    for (const resource of this.#parts.resources) {
      const own = ids.filter((id) => isId(resource.prefix, id));
      if (own.length === 0) continue;
      const changed = searchable.has(resource) ? await this.#write(client, accountId, resource, own) : own;
      await this.#indexThatShow(client, accountId, resource, changed);
    }
  }

  /** Makes the entries of records that show these: tenancies show the names of their tenants. */
  async #indexThatShow(client: PoolClient, accountId: string, shown: Resource, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const resource of this.#kinds) {
      for (const path of Object.keys(searchOf(resource).linked ?? {})) {
        const hops = hopsOf(this.#parts.resources, resource, path);
        for (const [at, { target }] of hops.entries()) {
          if (target.path !== shown.path) continue;
          for await (const own of this.#back(client, accountId, hops.slice(0, at + 1), ids))
            await this.#write(client, accountId, resource, own);
        }
      }
    }
  }

  /** Follows links back from records to those at the beginning of a path. Yields their ids page by page. */
  async *#back(
    client: PoolClient,
    accountId: string,
    hops: readonly Hop[],
    ids: readonly string[],
  ): AsyncGenerator<readonly string[]> {
    const last = hops.at(-1);
    if (!last) return yield ids;
    for await (const page of pagesThatLink(client, accountId, last.from, last.link, ids))
      yield* this.#back(client, accountId, hops.slice(0, -1), page);
  }

  /** Writes the entries of records of one kind, page by page, as `writeEntries` does. */
  async #write(client: PoolClient, accountId: string, resource: Resource, ids: readonly string[]): Promise<string[]> {
    const changed: string[] = [];
    for (let unread = ids; unread.length > 0;) {
      const page = unread.slice(0, recordsAtOnce);
      const { records, left } = await readWithTexts(client, accountId, resource, page);
      const later = new Set(left);
      const entries = await this.#entriesOf(resource, records);
      changed.push(
        ...(await writeEntries(
          client,
          accountId,
          page.filter((id) => !later.has(id)),
          entries,
        )),
      );
      unread = [...left, ...unread.slice(recordsAtOnce)];
    }
    return changed;
  }

  /** Makes the entries of some records, a few at a time. Each can show fifty others, and those can be large. */
  async #entriesOf(resource: Resource, records: readonly StoredRecord[]): Promise<Entry[]> {
    const { linked = {} } = searchOf(resource);
    const { resources } = this.#parts;
    const entries: Entry[] = [];
    for (let at = 0; at < records.length; at += entriesAtOnce) {
      const readRecord = readingShown(this.#parts, resource);
      const some = records.slice(at, at + entriesAtOnce).map(async (record) => {
        const related = await readLinked({ resources, readRecord }, resource, record, Object.keys(linked));
        return {
          id: record.id,
          words: joined(textsOf(resource, record, related)),
          owner: ownerOf(resource, record.account_id),
        };
      });
      entries.push(...(await Promise.all(some)));
    }
    return entries;
  }
}

/**
 * Returns a reader that reads each record once, and keeps only the members that entries of this kind show. Twenty large persons can be the
 * tenants of many tenancies, and would be in memory once for each.
 */
function readingShown({ resources, readRecord }: Parts, resource: Resource): RecordReader {
  const shown = shownBy(resources, resource);
  const readNarrowed = async (target: Resource, accountId: string, id: string): Promise<StoredRecord | null> => {
    const record = await readRecord(target, accountId, id);
    const kept = shown.get(target.path);
    return record && (Object.fromEntries(Object.entries(record).filter(([name]) => kept?.has(name))) as StoredRecord);
  };
  return readingOnce(readNarrowed as RecordReader);
}

/** Returns the members of linked records that the entries of a kind need, by the kind of the linked record. */
function shownBy(resources: readonly Resource[], resource: Resource): Map<string, Set<string>> {
  const shown = new Map<string, Set<string>>();
  const keep = (target: Resource, members: readonly string[]): void => {
    const kept = shown.get(target.path) ?? new Set(['account_id', 'id', 'revision', 'deleted_at']);
    for (const member of members) kept.add(member.split('.', 1)[0]!);
    shown.set(target.path, kept);
  };
  for (const [path, members] of Object.entries(searchOf(resource).linked ?? {})) {
    const hops = hopsOf(resources, resource, path);
    for (const [at, { target }] of hops.entries()) keep(target, at + 1 < hops.length ? [hops[at + 1]!.link] : members);
  }
  return shown;
}

/** Returns how many links are between a kind and the records that it shows. */
function depthOf(resource: Resource): number {
  const paths = Object.keys(searchOf(resource).linked ?? {});
  return Math.max(0, ...paths.map((path) => path.split('.').length));
}

/** Returns, for each type of event that announces records, their kinds with the link to the record of the event. */
function announcedBy(
  resources: readonly Resource[],
  kinds: readonly Resource[],
): Map<string, [resource: Resource, link: string][]> {
  const announced = new Map<string, [resource: Resource, link: string][]>();
  for (const resource of kinds) {
    const { announcedBy: link } = madeInBulk.of(resource) ?? {};
    const announcer = link && resources.find(({ path }) => path === resource.links?.[link]);
    if (!link || !announcer) continue;
    const type = `${announcer.object}.created`;
    announced.set(type, [...(announced.get(type) ?? []), [resource, link]]);
  }
  return announced;
}

/** Milliseconds until a search looks again whether another process has indexed what it waits for. */
const stepAsideMs = 10;

async function inTransaction<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  let client: PoolClient | null = null;
  try {
    client = await pool.connect();
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // The connection may be in any state.
    client?.release(true);
    throw isUnavailable(error) ? new UnavailableError(false, error) : error;
  }
}

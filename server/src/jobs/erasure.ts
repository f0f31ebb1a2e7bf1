import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import { eraseAttempts, eraseEvents, eraseLogs, readMentioned, type Rewriting } from '../commit/erase-history.ts';
import { withRollUps } from '../commit/roll-ups.ts';
import { decideErasure, isErased, type RecordChange } from '../core/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { eraseWithin, withoutPerson } from '../core/erase.ts';
import type { JsonObject } from '../core/diff.ts';
import { isId } from '../core/ids.ts';
import type { Resource } from '../core/resource.ts';
import type { Reader } from '../db/reader.ts';
import type { Pool } from '../db/database.ts';
import type { RecordReader } from '../db/records.ts';
import type { ApiVersions } from '../versions/apply.ts';

/** So many records are erased by one change: their files go with them, and others are waiting. */
const recordsAtOnce = 10;

/** The answer to a deletion waits no longer than this; then the rest goes on without it. */
const waitMsMax = 10_000;

/** A request that had read the person before the deletion has written its log by then. */
const settledAfterSeconds = 60;

const personsAtOnce = 20;

interface ErasureContext {
  committer: Committer;
  /** History is long: who looks through it keeps nobody from signing in. */
  database: { listers: Pool };
  reader: Reader;
  readRecord: RecordReader;
  resources: readonly Resource[];
  versions: ApiVersions;
  clock: Clock;
  log: Logger;
}

/**
 * Takes a person who was deleted out of all that tells of them: the records about them, their files, and what was written earlier:
 * events, logs with the answers they keep, and what receivers of webhooks answered. Ids, times and outcomes stay. It is done right
 * after the deletion, and once more when no request can be under way that had read the person before; whatever was cut off between
 * is done then.
 */
export class Eraser {
  readonly #context: ErasureContext;

  constructor(context: ErasureContext) {
    this.#context = context;
  }

  /** Resolves when the person is erased, or after ten seconds in which most was; then the rest follows. */
  async erasedNow(person: Resource, accountId: string, id: string): Promise<void> {
    const erasing = this.#begin(person, accountId, id).catch((error: unknown) => {
      this.#context.log.warn({ err: error, person: id }, 'an erasure was cut off; it is done again in a minute');
    });
    const timeout = new AbortController();
    await Promise.race([erasing, delay(waitMsMax, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
  }

  /** Erases those who were deleted a minute ago or earlier, for the last time. */
  async finish(): Promise<void> {
    const { clock, resources, database } = this.#context;
    for (const person of resources.filter((resource) => resource.delete === 'erases')) {
      const deletedBefore = toSeconds(clock.nowMs()) - settledAfterSeconds;
      for (let after = '', more = true; more;) {
        const unfinished = await readUnfinished(database.listers, person, deletedBefore, after);
        for (const { account_id: accountId, id } of unfinished) await this.#finish(person, accountId, id);
        after = unfinished.at(-1)?.id ?? '';
        more = unfinished.length === personsAtOnce;
      }
    }
  }

  /** One that fails holds up no other; it is tried again in the next round. */
  async #finish(person: Resource, accountId: string, id: string): Promise<void> {
    const { clock, database, log } = this.#context;
    try {
      await this.#erase(person, accountId, id);
      await markFinished(database.listers, person, accountId, id, toSeconds(clock.nowMs()));
    } catch (error) {
      log.warn({ err: error, person: id }, 'an erasure could not be finished; it is tried again');
    }
  }

  /** Also of a person who was deleted long ago: something may have been written about them since. */
  async #begin(person: Resource, accountId: string, id: string): Promise<void> {
    await markFinished(this.#context.database.listers, person, accountId, id, null);
    await this.#erase(person, accountId, id);
  }

  async #erase(person: Resource, accountId: string, personId: string): Promise<void> {
    const ids = new Set([personId]);
    for (const about of this.#context.resources) {
      if (!about.erasure || about.links?.[about.erasure.link] !== person.path) continue;
      const recordIds = await readIdsAbout(this.#context.reader, about, accountId, personId);
      for (let at = 0; at < recordIds.length; at += recordsAtOnce) {
        const page = recordIds.slice(at, at + recordsAtOnce);
        for (const id of await this.#eraseRecords(about, accountId, page, personId)) ids.add(id);
      }
    }
    const pool = this.#context.database.listers;
    const rewriting = this.#rewriting(ids);
    const { events, requests } = await eraseEvents(pool, accountId, [...ids], rewriting);
    const paths = [...ids].flatMap((id) => this.#pathsOf(id));
    await eraseLogs(pool, accountId, { ...requests, paths, ids: [...ids] }, rewriting);
    await eraseAttempts(pool, accountId, events);
  }

  /** @returns the ids of the records and of their files. */
  async #eraseRecords(about: Resource, accountId: string, recordIds: string[], personId: string): Promise<string[]> {
    const { committer, resources, readRecord, clock } = this.#context;
    const files = await this.#filesOf(about, accountId, recordIds, personId);
    await committer.commitOwn({
      accountId,
      touches: [...recordIds, ...files.map(({ id }) => id)],
      decide: async () => {
        const records = await Promise.all(recordIds.map((id) => readRecord(about, accountId, id)));
        const changes: RecordChange[] = [];
        for (const record of records) {
          if (!record) continue;
          if (!isErased(record)) changes.push(decideErasure(about, record, toSeconds(clock.nowMs())));
        }
        for (const { resource, id } of files) {
          const file = await readRecord(resource, accountId, id);
          if (file) changes.push({ resource, before: withoutPerson(resource, file), after: null });
        }
        return { changes: await withRollUps({ resources, readRecord }, accountId, changes) };
      },
    });
    return [...recordIds, ...files.map(({ id }) => id)];
  }

  /**
   * The files that these records link to or have linked to, also those that are gone already. One that a record about somebody else links
   * to is theirs too, and stays.
   */
  async #filesOf(
    about: Resource,
    accountId: string,
    recordIds: string[],
    personId: string,
  ): Promise<{ resource: Resource; id: string }[]> {
    const { resources, reader, database } = this.#context;
    const mentioned = new Set(await readMentioned(database.listers, accountId, recordIds));
    const found: { resource: Resource; id: string }[] = [];
    for (const link of about.erasure!.files) {
      const resource = resources.find(({ path }) => path === about.links![link]);
      if (!resource) continue;
      for (const { id } of await readLinked(reader, about, link, accountId, recordIds)) mentioned.add(id);
      const ids = [...mentioned].filter((id) => isId(resource.prefix, id));
      const others = await readLinkedByOthers(reader, about, link, accountId, ids, personId);
      found.push(...ids.filter((id) => !others.has(id)).map((id) => ({ resource, id })));
    }
    return found;
  }

  /** How stored texts are emptied; null where they tell nothing of these. */
  #rewriting(ids: ReadonlySet<string>): Rewriting {
    const { versions, resources } = this.#context;
    const kinds = new Map(resources.map((resource) => [resource.object, resource]));
    return (object, version) => {
      const newest = versions.convert(object, version, versions.newest);
      const emptied = eraseWithin(newest, kinds, ids) as JsonObject;
      return emptied === newest ? null : versions.convert(emptied, versions.newest, version);
    };
  }

  #pathsOf(id: string): string[] {
    const resource = this.#context.resources.find(({ prefix }) => id.startsWith(`${prefix}_`));
    return resource ? [`/v1/${resource.path}/${id}`] : [];
  }
}

async function readIdsAbout(reader: Reader, about: Resource, accountId: string, personId: string): Promise<string[]> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${about.table}_about`,
    text: `select id from ${about.table} where account_id = $1 and ${about.erasure!.link} = $2 order by id`,
    values: [accountId, personId],
  });
  return rows.map(({ id }) => id);
}

/** What these records link to. */
async function readLinked(
  reader: Reader,
  about: Resource,
  link: string,
  accountId: string,
  recordIds: string[],
): Promise<{ id: string }[]> {
  return reader.query<{ id: string }>({
    name: `read_${link}_of_${about.table}`,
    text: `select ${link} as id from ${about.table} where account_id = $1 and id = any($2::text[]) and ${link} is not null`,
    values: [accountId, recordIds],
  });
}

/** Those of these files that records about somebody else link to. */
async function readLinkedByOthers(
  reader: Reader,
  about: Resource,
  link: string,
  accountId: string,
  fileIds: string[],
  personId: string,
): Promise<Set<string>> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${link}_of_other_${about.table}`,
    text: `
      select distinct ${link} as id
      from ${about.table}
      where account_id = $1
        and ${link} = any($2::text[])
        and ${about.erasure!.link} is distinct from $3
        and deleted_at is null`,
    values: [accountId, fileIds, personId],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Persons of any account whose history is not known to be erased, in the order of their ids. */
async function readUnfinished(
  pool: Pool,
  person: Resource,
  deletedBefore: number,
  after: string,
): Promise<{ account_id: string; id: string }[]> {
  const { rows } = await pool.query<{ account_id: string; id: string }>({
    name: `unfinished_${person.table}`,
    text: `
      select account_id, id
      from ${person.table}
      where deleted_at <= $1 and history_erased_at is null and id > $2
      order by id
      limit ${personsAtOnce}`,
    values: [deletedBefore, after],
  });
  return rows;
}

/**
 * Notes when it was done, or that it is to be done once more. That is no change of the person: it has no event, and nobody asked for
 * it.
 */
async function markFinished(
  pool: Pool,
  person: Resource,
  accountId: string,
  id: string,
  atSeconds: number | null,
): Promise<void> {
  await pool.query({
    name: `finished_${person.table}`,
    text: `update ${person.table} set history_erased_at = $3 where account_id = $1 and id = $2 and deleted_at is not null`,
    values: [accountId, id, atSeconds],
  });
}

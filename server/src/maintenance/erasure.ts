import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import {
  eraseAttempts,
  erasedAtOnceBytes,
  eraseEvents,
  eraseLogs,
  readAccountsThatNamed,
  readMentioned,
  type BodyRewriting,
  type Rewriting,
} from './erase-history.ts';
import { readFilesOfOthers, readFilesToErase, readHoldsToFill } from './erase-files.ts';
import { eraseEmails } from './purge-emails.ts';
import { readIdsWithTexts } from './erase-texts.ts';
import type { SealedFiles } from '../commit/sealed-files.ts';
import { retryWhileUnavailable } from '../commit/retry.ts';
import { withRollUps } from '../commit/roll-ups.ts';
import { decideEmptying, decideEnd, decideErasure, isErased } from '../model/change.ts';
import { ByteBudget, type ByteCeiling, type HeldBytes } from '../core/byte-budget.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/encryption.ts';
import { eraseWithin, withoutPerson } from '../model/erase.ts';
import { isId, type IdMaker } from '../core/ids.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource, RecordChange } from '../model/resource.ts';
import { erasable, type Erasure } from '../model/traits/erasable.ts';
import { opensData } from '../model/traits/opens-data.ts';
import { storesFile } from '../model/traits/stores-file.ts';
import { emptied, personalTexts } from '../model/traits/personal-texts.ts';
import type { Reader } from '../db/reader.ts';
import { query, type Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { ApiVersions } from '../versions/apply.ts';

/** Records that one change erases. Their files go with them, and other changes are waiting. */
const recordsAtOnce = 10;

/** Milliseconds that the response to a deletion waits. The erasure continues after it. */
const waitMsMax = 10_000;

/** Seconds after which every request that read the person before the deletion has written its log. */
const settledAfterSeconds = 60;

const deletionsAtOnce = 20;

/** Bytes. Two accounts can erase at once, each with a page. */
const erasedBytes = { max: 2 * erasedAtOnceBytes, maxPerAccount: erasedAtOnceBytes };

interface ErasureContext {
  committer: Committer;
  /** Reads long history through its own pool, so that it does not block sign-ins. */
  database: { listers: Pool };
  reader: Reader;
  /** Keeps the files that legal duties need. */
  sealedFiles: SealedFiles;
  encryption: Encryption;
  readRecord: RecordReader;
  /** Removes the person from the texts that a search compares. */
  searchIndex: { renew(accountId: string, ids: readonly string[]): Promise<void> };
  resources: readonly Resource[];
  versions: ApiVersions;
  clock: Clock;
  ids: IdMaker;
  log: Logger;
  /** The memory of the process. */
  memory: ByteCeiling;
}

/** Ids of erased records, by resource. */
type Erased = Map<Resource, string[]>;

/**
 * Erases the history of a deleted person and their records, or of one record about a person in another system. It removes
 * personal data from events, logs, stored responses and the responses of webhook receivers, and deletes the files. Ids, times and outcomes
 * stay. It runs right after the deletion, and again when no request that read the record before can still run. The second run also finishes
 * what was cut off.
 */
export class Eraser {
  /** The memory that pages of history hold while they are erased. */
  readonly bytes: ByteBudget;
  readonly #context: ErasureContext;

  constructor(context: ErasureContext) {
    this.#context = context;
    this.bytes = new ByteBudget(erasedBytes, context.memory);
  }

  /**
   * Erases the history. Resolves when that is done, or after ten seconds; then the erasure continues in the background. `finish` repeats one
   * that failed all the time because the database was unavailable.
   */
  async erasedNow(deleted: Resource, accountId: string, id: string): Promise<void> {
    const begin = (): Promise<void> => this.#begin(deleted, accountId, id);
    const erasing = retryWhileUnavailable(waitMsMax, begin).catch((error: unknown) => {
      this.#context.log.warn({ err: error, record: id }, 'an erasure was cut off; it runs again in a minute');
    });
    const timeout = new AbortController();
    await Promise.race([erasing, delay(waitMsMax, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
  }

  /** Returns how many records of each kind the erasure of a person would reach. They lose the person, or texts about the person. */
  async preview(
    persons: Resource,
    person: StoredRecord,
  ): Promise<Record<'erased' | 'emptied', { object: string; number: number }[]>> {
    const { reader, resources } = this.#context;
    const { account_id: accountId, id } = person;
    const erased = new Map<Resource, number>();
    const fileIds = new Set<string>();
    for (const about of resources) {
      if (about.links?.[erasable.of(about)?.link ?? ''] !== persons.path) continue;
      const ids = await readIdsAbout(reader, about, accountId, id);
      erased.set(about, ids.length);
      for (const file of await this.#filesOf(about, accountId, ids, id)) fileIds.add(file.id);
    }
    const files = resources.find((resource) => storesFile.has(resource));
    if (files) {
      for (const file of await readFilesToErase(reader, resources, persons, files, person)) fileIds.add(file);
      const known = await Promise.all([...fileIds].map((file) => this.#context.readRecord(files, accountId, file)));
      erased.set(files, known.filter((file) => file !== null).length);
    }
    const texts = await readIdsWithTexts(this.#context, accountId, id);
    return { erased: numbersOf(erased), emptied: numbersOf([...texts].map(([kind, ids]) => [kind, ids.length])) };
  }

  /** Erases a last time the history of what was deleted at least a minute ago. */
  async finish(): Promise<void> {
    const { clock, resources, database } = this.#context;
    // Persons first: this also finishes the records about them.
    const kinds = resources.filter(({ fields }) => 'history_erased_at' in fields);
    for (const deleted of kinds.toSorted((left, right) => Number(isPerson(right)) - Number(isPerson(left)))) {
      const deletedBefore = toSeconds(clock.nowMs()) - settledAfterSeconds;
      for (let after = '', more = true; more;) {
        const unfinished = await readUnfinished(database.listers, deleted, deletedBefore, after);
        for (const { account_id: accountId, id } of unfinished) await this.#finish(deleted, accountId, id);
        after = unfinished.at(-1)?.id ?? '';
        more = unfinished.length === deletionsAtOnce;
      }
    }
  }

  /** Finishes one erasure. A failure does not stop the others, and is retried in the next round. */
  async #finish(deleted: Resource, accountId: string, id: string): Promise<void> {
    const { clock, database, log } = this.#context;
    try {
      const erased = await this.#erase(deleted, accountId, id);
      const nowSeconds = toSeconds(clock.nowMs());
      // A request that read a record before its deletion may run for a minute more. Only older deletions are finished now.
      const deletedBefore = nowSeconds - settledAfterSeconds;
      for (const [resource, ids] of erased) {
        await markFinished(database.listers, resource, accountId, { ids, deletedBefore }, nowSeconds);
      }
    } catch (error) {
      log.warn({ err: error, record: id }, 'an erasure could not be finished; it is retried');
    }
  }

  /** Marks the record as unfinished and erases it, even after a deletion long ago: later writes may mention it. */
  async #begin(deleted: Resource, accountId: string, id: string): Promise<void> {
    const { database, clock } = this.#context;
    await markFinished(
      database.listers,
      deleted,
      accountId,
      { ids: [id], deletedBefore: toSeconds(clock.nowMs()) },
      null,
    );
    await this.#erase(deleted, accountId, id);
  }

  /**
   * @returns the erased records.
   * @throws if the record was not deleted. This is the last check: an erasure cannot be undone.
   */
  async #erase(deleted: Resource, accountId: string, id: string): Promise<Erased> {
    const record = await this.#context.readRecord(deleted, accountId, id);
    if (!record || !isErased(record)) throw new Error(`Bug! ${id} is not deleted, so its history stays.`);
    const erased: Erased = new Map([[deleted, [id]]]);
    const ids = new Set([id]);
    if (erasable.has(deleted)) {
      for (const each of await this.#eraseRecords(deleted, accountId, [id], null)) ids.add(each);
    }
    for (const about of this.#context.resources) {
      const erasure = erasable.of(about);
      if (!erasure || about.links?.[erasure.link] !== deleted.path) continue;
      const recordIds = await readIdsAbout(this.#context.reader, about, accountId, id);
      for (let at = 0; at < recordIds.length; at += recordsAtOnce) {
        const page = recordIds.slice(at, at + recordsAtOnce);
        for (const each of await this.#eraseRecords(about, accountId, page, id)) ids.add(each);
      }
      erased.set(about, recordIds);
    }
    if (isPerson(deleted)) for (const each of await this.#eraseFiles(deleted, record)) ids.add(each);
    for (const each of await this.#endLinks(accountId, [...ids])) ids.add(each);
    const ownIds = new Set(ids);
    const textIds = new Set(isPerson(deleted) ? await this.#eraseTexts(accountId, id) : []);
    for (const each of textIds) ids.add(each);
    // The search forgets the texts that are gone.
    await this.#context.searchIndex.renew(accountId, [...ids]);
    const pool = this.#context.database.listers;
    const rewriting = this.#rewriting(ids);
    const holdPage = (): Promise<HeldBytes> => this.bytes.take(accountId, erasedAtOnceBytes);
    await eraseEmails(pool, accountId, [...ids]);
    const { events, requests } = await eraseEvents(pool, accountId, [...ids], ownIds, rewriting, holdPage);
    const paths = [...ownIds].flatMap((each) => this.#pathsOf(each));
    const pathsWithTexts = [...textIds].flatMap((each) => this.#pathsOf(each));
    const logs = { paths, pathsWithTexts, ids: [...ids] };
    const bodies: BodyRewriting = (body, recordId) =>
      textIds.has(recordId) ? this.#bodyWithoutTexts(body, recordId, ids) : body;
    await eraseLogs(pool, accountId, { ...requests, ...logs }, rewriting, bodies, holdPage);
    for (const other of await readAccountsThatNamed(pool, accountId, [...ids])) {
      await eraseLogs(pool, other, { about: [], besides: [], ...logs }, rewriting, bodies, holdPage);
    }
    await eraseAttempts(pool, accountId, events);
    return erased;
  }

  /**
   * @param personId the person that the records are about; null if another system keeps the person.
   * @returns the ids of the records and of their files.
   */
  async #eraseRecords(
    about: Resource,
    accountId: string,
    recordIds: string[],
    personId: string | null,
  ): Promise<string[]> {
    const { committer, readRecord, clock } = this.#context;
    const files = await this.#filesOf(about, accountId, recordIds, personId);
    await committer.commitAsSystem({
      accountId,
      locks: [...recordIds, ...files.map(({ id }) => id)],
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
        return { changes: await withRollUps(this.#context, accountId, changes) };
      },
    });
    return [...recordIds, ...files.map(({ id }) => id)];
  }

  /**
   * Copies files into the records that keep them for a legal duty. Deletes those that are about no other person. All copies are stored before
   * a file is deleted, so an erasure that was cut off loses none.
   *
   * @returns the ids of the deleted files.
   */
  async #eraseFiles(person: Resource, record: StoredRecord): Promise<string[]> {
    const { committer, readRecord, reader, resources, sealedFiles, encryption } = this.#context;
    const { account_id: accountId } = record;
    const files = resources.find((resource) => storesFile.has(resource));
    if (!files) return [];
    const ids = await readFilesToErase(reader, resources, person, files, record);
    for (const hold of await readHoldsToFill(reader, resources, accountId, { person: record.id, files: ids })) {
      const key = Buffer.from(encryption.decrypt(hold.key), 'base64');
      for (const file of hold.files) await sealedFiles.seal(accountId, hold.id, key, file);
    }
    for (let at = 0; at < ids.length; at += recordsAtOnce) {
      const page = ids.slice(at, at + recordsAtOnce);
      await committer.commitAsSystem({
        accountId,
        locks: page,
        async decide() {
          const found = await Promise.all(page.map((id) => readRecord(files, accountId, id)));
          const changes = found.flatMap((file): RecordChange[] =>
            file ? [{ resource: files, before: withoutPerson(files, file), after: null }] : [],
          );
          return changes.length === 0 ? null : { changes };
        },
      });
    }
    return ids;
  }

  /**
   * Ends the records that open one of these files or persons to others, also of files that were deleted before.
   *
   * @returns the ids of the ended records.
   */
  async #endLinks(accountId: string, openedIds: readonly string[]): Promise<string[]> {
    const { committer, readRecord, reader, resources, clock } = this.#context;
    const found: string[] = [];
    for (const resource of resources.filter((candidate) => opensData.has(candidate))) {
      const ids = await readIdsOpening(reader, resource, accountId, openedIds);
      for (let at = 0; at < ids.length; at += recordsAtOnce) {
        const page = ids.slice(at, at + recordsAtOnce);
        await committer.commitAsSystem({
          accountId,
          locks: page,
          async decide() {
            const records = await Promise.all(page.map((id) => readRecord(resource, accountId, id)));
            const changes = records.flatMap((record) => {
              const change = record && decideEnd(resource, record, toSeconds(clock.nowMs()));
              return change ? [change] : [];
            });
            return changes.length === 0 ? null : { changes };
          },
        });
      }
      found.push(...ids);
    }
    return found;
  }

  /**
   * Empties the texts about a person in the records that stay.
   *
   * @returns the ids of these records.
   */
  async #eraseTexts(accountId: string, personId: string): Promise<string[]> {
    const { committer, readRecord } = this.#context;
    const found = await readIdsWithTexts(this.#context, accountId, personId);
    for (const [resource, ids] of found) {
      for (let at = 0; at < ids.length; at += recordsAtOnce) {
        const page = ids.slice(at, at + recordsAtOnce);
        await committer.commitAsSystem({
          accountId,
          locks: page,
          decide: async () => {
            const records = await Promise.all(page.map((id) => readRecord(resource, accountId, id)));
            const changes = records.flatMap((record) => {
              const change = record && decideEmptying(resource, record, new Set([personId]));
              return change ? [change] : [];
            });
            return { changes: await withRollUps(this.#context, accountId, changes) };
          },
        });
      }
    }
    return [...found.values()].flat();
  }

  /**
   * Finds the files that these records link to or have linked to, also deleted ones. A file stays if another record, not about this person,
   * links to it.
   */
  async #filesOf(
    about: Resource,
    accountId: string,
    recordIds: string[],
    personId: string | null,
  ): Promise<{ resource: Resource; id: string }[]> {
    const { resources, reader, database } = this.#context;
    const mentioned = new Set(await readMentioned(database.listers, accountId, recordIds));
    const { files: links } = erasureOf(about);
    for (const link of links)
      for (const { id } of await readLinked(reader, about, link, accountId, recordIds)) mentioned.add(id);
    // Another record may link to a file by any of the links.
    const others = new Set<string>();
    for (const link of links) {
      const linked = { ids: [...mentioned], recordIds, personId };
      for (const id of await readLinkedByOthers(reader, about, link, accountId, linked)) others.add(id);
    }
    const kinds = resources.filter(({ path }) => links.some((link) => path === about.links?.[link]));
    // Records of other kinds may need a file, too. A wrong id in a link of this record must not delete it.
    const persons = resources.find(isPerson);
    for (const { path, prefix } of persons ? kinds : []) {
      const ids = [...mentioned].filter((id) => isId(prefix, id));
      const kept = await readFilesOfOthers(reader, resources, persons!, { accountId, personId, ids, path });
      for (const id of kept) others.add(id);
    }
    return kinds.flatMap((resource) =>
      [...mentioned].filter((id) => isId(resource.prefix, id) && !others.has(id)).map((id) => ({ resource, id })),
    );
  }

  /** Returns the function that erases stored texts. It returns null for a text that does not mention these records. */
  #rewriting(ids: ReadonlySet<string>): Rewriting {
    const { versions, resources } = this.#context;
    const kinds = new Map(resources.map((resource) => [resource.object, resource]));
    return (object, version) => {
      const newest = versions.convert(object, version, versions.newest);
      const left = eraseWithin(newest, kinds, ids);
      return left === newest ? null : versions.convert(left, versions.newest, version);
    };
  }

  /** Returns the body of a request about a record that stays, without its texts. A body that names another person stays as it is. */
  #bodyWithoutTexts(body: JsonObject, recordId: string, ids: ReadonlySet<string>): JsonObject {
    const resource = this.#context.resources.find(({ prefix }) => isId(prefix, recordId));
    const texts = resource && personalTexts.of(resource);
    if (!texts || (typeof body.customer === 'string' && !ids.has(body.customer))) return body;
    return emptied(body, texts.inputs) as JsonObject;
  }

  #pathsOf(id: string): string[] {
    const resource = this.#context.resources.find(({ prefix }) => id.startsWith(`${prefix}_`));
    return resource ? [`/v1/${resource.path}/${id}`, `/v1/test_helpers/${resource.path}/${id}`] : [];
  }
}

/** Returns how many records there are of each kind, without the kinds that have none. */
function numbersOf(found: Iterable<readonly [Resource, number]>): { object: string; number: number }[] {
  return [...found].filter(([, number]) => number > 0).map(([{ object }, number]) => ({ object, number }));
}

function erasureOf(about: Resource): Erasure {
  const erasure = erasable.of(about);
  if (!erasure) throw new Error(`Bug! The data of ${about.object} cannot be erased.`);
  return erasure;
}

async function readIdsAbout(reader: Reader, about: Resource, accountId: string, personId: string): Promise<string[]> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${about.table}_about`,
    text: `select id from ${about.table} where account_id = $1 and ${erasureOf(about).link} = $2 order by id`,
    values: [accountId, personId],
  });
  return rows.map(({ id }) => id);
}

async function readIdsOpening(
  reader: Reader,
  resource: Resource,
  accountId: string,
  fileIds: readonly string[],
): Promise<string[]> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${resource.table}_opening`,
    text: `select id from ${resource.table} where account_id = $1 and ${opensData.of(resource)!.link} = any($2::text[]) order by id`,
    values: [accountId, fileIds],
  });
  return rows.map(({ id }) => id);
}

/** Returns the ids of a link as rows. A link has one id or a list. */
function linkedIds({ fields }: Resource, link: string): string {
  return `unnest(${fields[link]?.column === 'text[]' ? link : `array[${link}]`}) as linked (id)`;
}

/** Returns the ids that these records link to. */
async function readLinked(
  reader: Reader,
  about: Resource,
  link: string,
  accountId: string,
  recordIds: string[],
): Promise<{ id: string }[]> {
  return reader.query<{ id: string }>({
    name: `read_${link}_of_${about.table}`,
    text: `
      select linked.id
      from ${about.table}, ${linkedIds(about, link)}
      where account_id = $1 and ${about.table}.id = any($2::text[]) and linked.id is not null`,
    values: [accountId, recordIds],
  });
}

/** Returns those of these files that other records link to, which are not about this person. */
async function readLinkedByOthers(
  reader: Reader,
  about: Resource,
  link: string,
  accountId: string,
  { ids, recordIds, personId }: { ids: string[]; recordIds: string[]; personId: string | null },
): Promise<Set<string>> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${link}_of_other_${about.table}`,
    text: `
      select distinct linked.id
      from ${about.table}, ${linkedIds(about, link)}
      where account_id = $1
        and linked.id = any($2::text[])
        ${about.fields[link]?.column === 'text[]' ? `and ${link} && $2::text[] and ${link} <> '{}'` : ''}
        and ${about.table}.id <> all($3::text[])
        and ($4::text is null or ${erasureOf(about).link} is distinct from $4)
        and deleted_at is null`,
    values: [accountId, ids, recordIds, personId],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns deleted records of any account whose history may not be erased yet, in the order of their ids. */
async function readUnfinished(
  pool: Pool,
  deleted: Resource,
  deletedBefore: number,
  after: string,
): Promise<{ account_id: string; id: string }[]> {
  const { rows } = await query<{ account_id: string; id: string }>(pool, {
    name: `unfinished_${deleted.table}`,
    text: `
      select account_id, id
      from ${deleted.table}
      where deleted_at <= $1 and history_erased_at is null and id > $2
      order by id
      limit ${deletionsAtOnce}`,
    values: [deletedBefore, after],
  });
  return rows;
}

/**
 * Stores the time at which the history of deleted records was erased, or null to erase it once more. That is no change of the records, so
 * it has no event.
 */
async function markFinished(
  pool: Pool,
  deleted: Resource,
  accountId: string,
  { ids, deletedBefore }: { ids: string[]; deletedBefore: number },
  atSeconds: number | null,
): Promise<void> {
  await query(pool, {
    name: `finished_${deleted.table}`,
    text: `
      update ${deleted.table} set history_erased_at = $3
      where account_id = $1 and id = any($2::text[]) and deleted_at <= $4`,
    values: [accountId, ids, atSeconds, deletedBefore],
  });
}

function isPerson(resource: Resource): boolean {
  return resource.delete === 'erases';
}

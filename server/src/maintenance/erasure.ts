import { setTimeout as delay } from 'node:timers/promises';
import { retryWhileUnavailable } from '../commit/retry.ts';
import { ByteBudget, type HeldBytes } from '../core/limits/byte-budget.ts';
import { toSeconds } from '../core/clock.ts';
import { isId } from '../core/ids.ts';
import type { JsonObject } from '../core/json-diff.ts';
import { isHere } from '../db/away.ts';
import { query, type Pool } from '../db/pools.ts';
import { isErased } from '../model/change.ts';
import { eraseWithin } from '../model/erase.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { erasable } from '../model/traits/erasable.ts';
import { emptied, personalTexts } from '../model/traits/personal-texts.ts';
import { storesFile } from '../model/traits/stores-file.ts';
import { eraseFiles, readFilesToErase } from './erase-files.ts';
import {
  eraseAttempts,
  eraseClients,
  erasedAtOnceBytes,
  eraseEvents,
  eraseLogs,
  readAccountsThatNamed,
  type BodyRewriting,
  type Rewriting,
} from './erase-history.ts';
import { endLinks, eraseRecords, filesOf, isPerson, readFilesNamedBy, readIdsAbout } from './erase-records.ts';
import { eraseCopies, eraseQuestions, eraseTexts, readIdsAsking, readIdsWithTexts } from './erase-texts.ts';
import { pagesOf, type ErasureContext } from './erasure-context.ts';
import { eraseEmails } from './purge-emails.ts';

/** Seconds after which every request that read the person before the deletion has written its log. */
const settledAfterSeconds = 60;

const deletionsAtOnce = 20;

/** Bytes. Two accounts can erase at once, each with a page. */
const erasedBytes = { max: 2 * erasedAtOnceBytes, maxPerAccount: erasedAtOnceBytes };

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
  /** Milliseconds that the response to a deletion waits. The erasure continues after it. */
  waitMs = 10_000;
  readonly #context: ErasureContext;

  constructor(context: ErasureContext) {
    this.#context = context;
    this.bytes = new ByteBudget(erasedBytes, context.memory);
  }

  /**
   * Erases the history. Resolves when that is done, or after ten seconds. The erasure then continues in the background. `finish` repeats an
   * erasure that failed because the database was unavailable.
   */
  async erasedNow(deleted: Resource, accountId: string, id: string): Promise<void> {
    const begin = (): Promise<void> => this.#begin(deleted, accountId, id);
    const erasing = retryWhileUnavailable(this.waitMs, begin).catch((error: unknown) => {
      this.#context.log.warn({ err: error, record: id }, 'an erasure was cut off; it runs again in a minute');
    });
    const timeout = new AbortController();
    await Promise.race([erasing, delay(this.waitMs, undefined, { signal: timeout.signal }).catch(() => {})]);
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
    const ownIds = new Set<string>([id]);
    for (const about of resources) {
      if (about.links?.[erasable.of(about)?.link ?? ''] !== persons.path) continue;
      const ids = await readIdsAbout(reader, about, accountId, id);
      erased.set(about, ids.length);
      for (const each of ids) ownIds.add(each);
      for (const file of await filesOf(this.#context, about, accountId, ids, id)) fileIds.add(file.id);
    }
    const files = resources.find((resource) => storesFile.has(resource));
    if (files) {
      for (const file of await readFilesToErase(reader, resources, persons, files, person)) fileIds.add(file);
      const known = await Promise.all([...fileIds].map((file) => this.#context.readRecord(files, accountId, file)));
      erased.set(files, known.filter((file) => file !== null).length);
    }
    const texts = await readIdsWithTexts(this.#context, accountId, id);
    const askedAbout = { erased: [...ownIds, ...fileIds], emptied: [...texts.values()].flat() };
    const asking = await readIdsAsking(this.#context, accountId, askedAbout, id);
    for (const [kind, ids] of asking) texts.set(kind, [...new Set([...(texts.get(kind) ?? []), ...ids])]);
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
      for (const each of await eraseRecords(this.#context, deleted, accountId, [id], null)) ids.add(each);
    }
    for (const about of this.#context.resources) {
      const erasure = erasable.of(about);
      if (!erasure || about.links?.[erasure.link] !== deleted.path) continue;
      const recordIds = await readIdsAbout(this.#context.reader, about, accountId, id);
      for (const page of pagesOf(recordIds)) {
        for (const each of await eraseRecords(this.#context, about, accountId, page, id)) ids.add(each);
      }
      erased.set(about, recordIds);
    }
    if (isPerson(deleted)) for (const each of await eraseFiles(this.#context, deleted, record)) ids.add(each);
    // A link to a file that stays for another person ends, too: it was given away for the erased one.
    const opened = new Set(ids);
    for (const [about, recordIds] of erased) {
      if (!erasable.has(about)) continue;
      for (const each of await readFilesNamedBy(this.#context, about, accountId, recordIds)) opened.add(each);
    }
    for (const each of await endLinks(this.#context, accountId, [...opened])) ids.add(each);
    const ownIds = new Set(ids);
    // The payment of a person's bank line names that person, so it is found as a record with texts.
    const textIds = new Set(
      isPerson(deleted)
        ? await eraseTexts(this.#context, accountId, id)
        : await eraseCopies(this.#context, accountId, deleted, id),
    );
    const personId = isPerson(deleted) ? id : null;
    const askedAbout = { erased: [...ownIds], emptied: [...textIds] };
    for (const each of await eraseQuestions(this.#context, accountId, askedAbout, personId)) textIds.add(each);
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
    if (isPerson(deleted)) await eraseClients(pool, accountId, id);
    return erased;
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
      where deleted_at <= $1 and history_erased_at is null and id > $2 and ${isHere(`${deleted.table}.account_id`)}
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

import { withRollUps } from '../commit/roll-ups.ts';
import { toSeconds } from '../core/clock.ts';
import { isId } from '../core/ids.ts';
import type { Reader } from '../db/reader.ts';
import { decideEnd, decideErasure, isErased } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';
import { erasable, type Erasure } from '../model/traits/erasable.ts';
import { opensData } from '../model/traits/opens-data.ts';
import { storesFile } from '../model/traits/stores-file.ts';
import { deleteFiles, evidenceLinks, fillHolds, readFilesOfOthers } from './erase-files.ts';
import { readMentioned } from './erase-history.ts';
import { pagesOf, type ErasureContext } from './erasure-context.ts';

/**
 * Erases records about a person, and deletes their files.
 *
 * @param personId the person that the records are about; null if another system keeps the person.
 * @returns the ids of the records and of their files.
 */
export async function eraseRecords(
  context: ErasureContext,
  about: Resource,
  accountId: string,
  recordIds: string[],
  personId: string | null,
): Promise<string[]> {
  const { committer, clock } = context;
  const files = await filesOf(context, about, accountId, recordIds, personId);
  const fileIds = files.map(({ id }) => id);
  // Evidence for a reference can be that of the right to rent, which a legal duty needs.
  if (files.length > 0) await fillHolds(context, accountId, { person: null, files: fileIds });
  await committer.commitAsSystem({
    accountId,
    locks: recordIds,
    decide: async (room) => {
      const readRecord = room.readerOf(context.readRecord);
      const records = await Promise.all(recordIds.map((id) => readRecord(about, accountId, id)));
      const changes = records.flatMap((record) =>
        record && !isErased(record) ? [decideErasure(about, record, toSeconds(clock.nowMs()))] : [],
      );
      return { changes: await withRollUps(context, accountId, changes) };
    },
  });
  for (const kind of new Set(files.map(({ resource }) => resource))) {
    const ids = files.flatMap(({ resource, id }) => (resource === kind ? [id] : []));
    await deleteFiles(context, kind, accountId, ids);
  }
  return [...recordIds, ...fileIds];
}

/**
 * Ends the records that open one of these files or persons to others, also of files that were deleted before.
 *
 * @returns the ids of the ended records.
 */
export async function endLinks(
  context: ErasureContext,
  accountId: string,
  openedIds: readonly string[],
): Promise<string[]> {
  const { committer, reader, resources, clock } = context;
  const found: string[] = [];
  for (const resource of resources.filter((candidate) => opensData.has(candidate))) {
    const ids = await readIdsOpening(reader, resource, accountId, openedIds);
    for (const page of pagesOf(ids)) {
      await committer.commitAsSystem({
        accountId,
        locks: page,
        async decide(room) {
          const readRecord = room.readerOf(context.readRecord);
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
 * Finds the files that these records link to or have linked to, also deleted ones. Finds the evidence for them, too. A file stays if
 * another record, not about this person, links to it.
 */
export async function filesOf(
  context: ErasureContext,
  about: Resource,
  accountId: string,
  recordIds: string[],
  personId: string | null,
): Promise<{ resource: Resource; id: string }[]> {
  const { resources, reader, database } = context;
  const mentioned = new Set(await readMentioned(database.listers, accountId, recordIds));
  const { files: links } = erasureOf(about);
  for (const id of await readFilesNamedBy(context, about, accountId, recordIds)) mentioned.add(id);
  // Another record may link to a file by any of the links.
  const others = new Set<string>();
  for (const link of links) {
    const linked = { ids: [...mentioned], recordIds, personId };
    for (const id of await readLinkedByOthers(reader, about, link, accountId, linked)) others.add(id);
  }
  const kinds = resources.filter(
    (kind) =>
      links.some((link) => kind.path === about.links?.[link]) ||
      (storesFile.has(kind) && evidenceLinks(kind, about).length > 0),
  );
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

/**
 * Returns the files that these records name, and those that are evidence for them. Some stay, because a record about another person names
 * them, too.
 */
export async function readFilesNamedBy(
  { reader, resources }: Pick<ErasureContext, 'reader' | 'resources'>,
  about: Resource,
  accountId: string,
  recordIds: string[],
): Promise<string[]> {
  const { files: links } = erasureOf(about);
  const found = await Promise.all([
    ...links.map((link) => readLinked(reader, about, link, accountId, recordIds)),
    ...resources
      .filter((kind) => storesFile.has(kind))
      .flatMap((files) =>
        evidenceLinks(files, about).map((link) =>
          reader.query<{ id: string }>({
            name: `read_${files.table}_by_${link}`,
            text: `select id from ${files.table} where account_id = $1 and ${link} = any($2::text[])`,
            values: [accountId, recordIds],
          }),
        ),
      ),
  ]);
  return found.flat().map(({ id }) => id);
}

/** Returns the ids of the records of a kind that are about a person. */
export async function readIdsAbout(
  reader: Reader,
  about: Resource,
  accountId: string,
  personId: string,
): Promise<string[]> {
  const rows = await reader.query<{ id: string }>({
    name: `read_${about.table}_about`,
    text: `select id from ${about.table} where account_id = $1 and ${erasureOf(about).link} = $2 order by id`,
    values: [accountId, personId],
  });
  return rows.map(({ id }) => id);
}

/** Returns the ids of the records of a kind that open one of these files or persons. */
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

function erasureOf(about: Resource): Erasure {
  const erasure = erasable.of(about);
  if (!erasure) throw new Error(`Bug! The data of ${about.object} cannot be erased.`);
  return erasure;
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

/** Returns whether the deletion of a kind of record erases a person. */
export function isPerson(resource: Resource): boolean {
  return resource.delete === 'erases';
}

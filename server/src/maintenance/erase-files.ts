import { isId } from '../core/ids.ts';
import type { Reader } from '../db/reader.ts';
import { withoutPerson } from '../model/erase.ts';
import { fieldOf, type StoredRecord } from '../model/record.ts';
import type { RecordChange, Resource } from '../model/resource.ts';
import { erasable } from '../model/traits/erasable.ts';
import { personalFiles } from '../model/traits/personal-files.ts';
import { retained } from '../model/traits/retained.ts';
import { sealsPersons } from '../model/traits/seals-persons.ts';
import { storesFile } from '../model/traits/stores-file.ts';
import { pagesOf, type ErasureContext } from './erasure-context.ts';

/**
 * Copies files into the records that keep them for a legal duty. Deletes those that are about no other person.
 *
 * @returns the ids of the deleted files.
 */
export async function eraseFiles(context: ErasureContext, person: Resource, record: StoredRecord): Promise<string[]> {
  const { reader, resources } = context;
  const { account_id: accountId } = record;
  const files = resources.find((resource) => storesFile.has(resource));
  if (!files) return [];
  const ids = await readFilesToErase(reader, resources, person, files, record);
  await fillHolds(context, accountId, { person: record.id, files: ids });
  await deleteFiles(context, files, accountId, ids);
  return ids;
}

/**
 * Copies files into the records that keep them for a legal duty. These are the records of this person, and any other that keeps one of
 * these files. Call it before the files are deleted. So an erasure that was cut off loses none.
 */
export async function fillHolds(
  { reader, resources, sealedFiles, encryption }: ErasureContext,
  accountId: string,
  wanted: { person: string | null; files: readonly string[] },
): Promise<void> {
  for (const hold of await readHoldsToFill(reader, resources, accountId, wanted)) {
    const key = Buffer.from(encryption.decrypt(hold.key), 'base64');
    for (const file of hold.files) await sealedFiles.seal(accountId, hold.id, key, file);
  }
}

/** Deletes files without the persons in their events, a few in each change. */
export async function deleteFiles(
  context: ErasureContext,
  files: Resource,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  for (const page of pagesOf(ids)) {
    await context.committer.commitAsSystem({
      accountId,
      locks: page,
      async decide(room) {
        const readRecord = room.readerOf(context.readRecord);
        const found = await Promise.all(page.map((id) => readRecord(files, accountId, id)));
        const changes = found.flatMap((file): RecordChange[] =>
          file ? [{ resource: files, before: withoutPerson(files, file), after: null }] : [],
        );
        return changes.length === 0 ? null : { changes };
      },
    });
  }
}

/** Returns the links of a kind of files to records of another kind, for which they are evidence. */
export function evidenceLinks({ links = {} }: Resource, about: Resource): string[] {
  return Object.keys(links).filter((link) => links[link] === about.path);
}

/**
 * Finds the files that go with an erased person, or would go with a living one. They are those of the person, and those of records that stay.
 * A file stays while a record about a living person links to it.
 */
export async function readFilesToErase(
  reader: Reader,
  resources: readonly Resource[],
  persons: Resource,
  { path, prefix, table: filesTable, links = {} }: Resource,
  person: StoredRecord,
): Promise<string[]> {
  const { account_id: accountId, id: personId } = person;
  const rule = retained.of(persons);
  const own = rule ? [...(fieldOf(person, rule.filesColumn) as string[]), ...rule.filesOf(person)] : [];
  const found = new Set(own);
  const sender = Object.keys(links).find((link) => links[link] === persons.path);
  if (sender !== undefined) {
    const sent = await reader.query<{ id: string }>({
      name: `read_${filesTable}_of_person`,
      text: `select id from ${filesTable} where account_id = $1 and ${sender} = $2`,
      values: [accountId, personId],
    });
    for (const { id } of sent) found.add(id);
  }
  for (const { table, link, from, persons: column } of linksOfStaying(resources)) {
    const rows = await reader.query<{ id: string }>({
      name: `read_${link}_of_${table}_about`,
      text: `select record.${link} as id ${from} where record.account_id = $1 and record.${link} is not null and ${column} && array[$2]`,
      values: [accountId, personId],
    });
    for (const { id } of rows) found.add(id);
  }
  const ids = [...found].filter((id) => isId(prefix, id));
  if (ids.length === 0) return [];
  const others = await readFilesOfOthers(reader, resources, persons, { accountId, personId, ids, path });
  return ids.filter((id) => !others.has(id)).toSorted();
}

/** The links to files in records that stay, each with the SQL to read the persons. */
function linksOfStaying(
  resources: readonly Resource[],
): { table: string; link: string; from: string; persons: string }[] {
  return resources.flatMap((resource) => {
    const rule = personalFiles.of(resource);
    if (!rule) return [];
    const { table, links = {} } = resource;
    const owner = rule.through === undefined ? null : resources.find(({ path }) => path === links[rule.through!]);
    const { fields } = owner ?? resource;
    const column = `${owner ? 'owner' : 'record'}.${rule.persons}`;
    const persons = fields[rule.persons]?.column === 'text[]' ? column : `array[${column}]`;
    const join = owner
      ? ` join ${owner.table} owner on owner.account_id = record.account_id and owner.id = record.${rule.through}`
      : '';
    return rule.links.map((link) => ({ table, link, from: `from ${table} record${join}`, persons }));
  });
}

/**
 * Returns the files that another living person needs. A record about that person links to them, they are evidence for it, or that person
 * has sent them. The other persons are not erased, or in another system.
 *
 * @param path the path of the kind of the files.
 */
export async function readFilesOfOthers(
  reader: Reader,
  resources: readonly Resource[],
  persons: Resource,
  {
    accountId,
    personId,
    ids,
    path,
  }: { accountId: string; personId: string | null; ids: readonly string[]; path: string },
): Promise<Set<string>> {
  const statements = [
    ...linksOfStaying(resources).map(({ table, link, from, persons: column }) => ({
      name: `read_${link}_of_${table}_about_others`,
      text: `
        select record.${link} as id ${from}
        where record.account_id = $1
          and record.${link} = any($2::text[])
          and exists (
            select
            from unnest(${column}) as other (id)
            where not exists (
              select
              from ${persons.table} person
              where person.account_id = $1
                and person.id = other.id
                and (person.deleted_at is not null or person.id = $3)
            )
          )`,
    })),
    ...resources.flatMap((resource) =>
      (erasable.of(resource)?.files ?? [])
        .filter((link) => resource.links?.[link] === path)
        .map((link) => ({ link, person: erasable.of(resource)!.link }))
        .map(({ link, person }) => ({
          name: `read_${link}_of_${resource.table}_left`,
          text: `
            select linked.id
            from ${resource.table}, unnest(${resource.fields[link]?.column === 'text[]' ? link : `array[${link}]`}) as linked (id)
            where account_id = $1
              and linked.id = any($2::text[])
              and deleted_at is null
              and ${person} is distinct from $3`,
        })),
    ),
    // The file itself tells which person has sent it.
    ...resources
      .filter((resource) => resource.path === path)
      .flatMap(({ table, links = {} }) =>
        Object.keys(links)
          .filter((link) => links[link] === persons.path)
          .map((link) => ({
            name: `read_${table}_sent_by_others`,
            text: `
              select file.id
              from ${table} file
              join ${persons.table} person on person.account_id = $1 and person.id = file.${link}
              where file.account_id = $1
                and file.id = any($2::text[])
                and person.deleted_at is null
                and person.id is distinct from $3`,
          })),
      ),
    // The file itself tells for which record it is evidence.
    ...resources
      .filter((resource) => resource.path === path)
      .flatMap((files) =>
        resources.flatMap((about) => {
          const erasure = erasable.of(about);
          if (!erasure) return [];
          return evidenceLinks(files, about).map((link) => ({
            name: `read_${files.table}_by_${link}_left`,
            text: `
              select file.id
              from ${files.table} file
              join ${about.table} record on record.account_id = $1 and record.id = file.${link}
              where file.account_id = $1
                and file.id = any($2::text[])
                and record.deleted_at is null
                and ($3::text is null or record.${erasure.link} is distinct from $3)`,
          }));
        }),
      ),
    ...Object.entries(persons.links ?? {})
      .filter(([, target]) => target === path)
      .map(([link]) => link.split('.', 1)[0]!)
      .map((column) => ({
        name: `read_${column}_of_${persons.table}`,
        text: `
          select wanted.id
          from ${persons.table} person
          join unnest($2::text[]) as wanted (id) on strpos(person.${column}, wanted.id) > 0
          where person.account_id = $1
            and person.${column} is not null
            and person.deleted_at is null
            and person.id is distinct from $3`,
      })),
  ];
  const rows = await Promise.all(
    statements.map((statement) => reader.query<{ id: string }>({ ...statement, values: [accountId, ids, personId] })),
  );
  return new Set(rows.flat().map(({ id }) => id));
}

/** A record that keeps copies of files. */
interface HoldToFill {
  id: string;
  files: string[];
  /** The encrypted key of its copies. */
  key: Buffer;
}

/** Returns the records that keep files of the person, and all others that keep one of these files. */
async function readHoldsToFill(
  reader: Reader,
  resources: readonly Resource[],
  accountId: string,
  { person, files }: { person: string | null; files: readonly string[] },
): Promise<HoldToFill[]> {
  const resource = resources.find((candidate) => sealsPersons.has(candidate));
  if (!resource) return [];
  const { link, files: column } = sealsPersons.of(resource)!;
  return reader.query<{ id: string; files: string[]; key: Buffer }>({
    name: `read_${resource.table}_to_fill`,
    text: `
      select id, ${column} as files, file_key as key
      from ${resource.table}
      where account_id = $1 and status = 'held' and (${link} = $2 or ${column} && $3::text[])
      order by id`,
    values: [accountId, person, files],
  });
}

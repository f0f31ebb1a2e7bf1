import { arrayLiteral } from '../db/array-literal.ts';
import { identifier } from '../db/identifier.ts';
import type { Reader } from '../db/reader.ts';
import type { Resource } from '../model/resource.ts';
import { ownerOf } from './entries.ts';
import { searchOf } from './texts.ts';
import { partsOfWord, type Word } from './words.ts';

/** Numbers of newest records to compare one by one. */
interface Walk {
  own: number;
  /** For kinds that other records lead to. Each of theirs takes longer. */
  foundBy: number;
}

/** The newest records, which show a frequent word at once. */
const firstWalk: Walk = { own: 1_000, foundBy: 250 };

/**
 * The steps of a search, until enough records of a kind are found. The newest records show a frequent word at once. Comparing a thousand
 * takes a millisecond, or some ten if other records lead to them. The index shows a rare word at once. It reads each record that it finds
 * from another place. A word between the two is found by the wider steps. The last one takes up to a second.
 */
const steps: readonly ({ walk: Walk } | { foundMax: number })[] = [
  { walk: firstWalk },
  { foundMax: 1_000 },
  { walk: { own: 4_000, foundBy: 1_500 } },
  { foundMax: 5_000 },
  { walk: { own: 200_000, foundBy: 200_000 } },
];

/** Numbers of parts that the index compares. The texts decide about all others. */
const partsMax = 48;

export interface Wanted {
  accountId: string;
  words: readonly Word[];
  /** Folded. A record must have it, too. */
  phrase?: string;
  /** Kinds of record that the caller may read. */
  kinds: readonly Resource[];
  /** All kinds that lead to others by `foundBy`, as far as the caller may read them. */
  leading: readonly Resource[];
  /** The most ids of a kind that are returned. */
  limit: number;
}

/**
 * Returns ids of records that have all words in their texts, the newest first. Some may be outdated: the texts of the records decide.
 *
 * @throws {UnavailableError} also if the statement takes too long.
 */
export async function findIds(reader: Reader, wanted: Wanted): Promise<string[]> {
  const found = new Map<string, string[]>();
  let open = wanted.kinds;
  for (const step of steps) {
    if (open.length === 0) break;
    const { ids, unfinished } =
      'walk' in step ? await walk(reader, wanted, open, step.walk) : await lookUp(reader, wanted, open, step.foundMax);
    for (const [prefix, ofKind] of ids) found.set(prefix, ofKind);
    open = unfinished;
  }
  return newestFirst([...found.values()].flat());
}

/**
 * Returns ids of records that have the words of a query as a phrase, the newest first. It compares only the newest records, because the
 * search then finds all that have the words. A number is whole, so that "flat 4" is not in "flat 41".
 *
 * @param phrase the query, folded.
 */
export async function findPhrase(reader: Reader, wanted: Wanted, phrase: string): Promise<string[]> {
  const { ids } = await walk(reader, { ...wanted, phrase }, wanted.kinds, firstWalk);
  return newestFirst([...ids.values()].flat());
}

function newestFirst(ids: readonly string[]): string[] {
  return ids.toSorted((one, other) => (afterPrefix(one) < afterPrefix(other) ? 1 : -1));
}

/** What a step has found, by the prefix of the kind, and the kinds of which there may be more. */
interface StepResult {
  ids: Map<string, string[]>;
  unfinished: Resource[];
}

/** Returns ids that begin with this text, the newest first. */
export async function findByIdStart(
  reader: Reader,
  { accountId, kinds, limit }: Pick<Wanted, 'accountId' | 'kinds' | 'limit'>,
  start: string,
): Promise<string[]> {
  const kind = kinds.find(({ prefix }) => start.startsWith(`${prefix}_`));
  if (!kind) return [];
  const rows = await reader.query<{ id: string }>({
    name: `search_ids_of_${kind.table}`,
    text: `
      select id from ${kind.table}
      where account_id = $1 and id >= $2 and id < $2 || '{'
      order by id desc
      limit $3`,
    values: [accountId, start, limit],
  });
  return rows.map(({ id }) => id);
}

/** Returns the part of an id that sorts by time. */
function afterPrefix(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

/** Compares the newest records of some kinds, until there are enough. */
async function walk(reader: Reader, wanted: Wanted, kinds: readonly Resource[], most: Walk): Promise<StepResult> {
  const { accountId, limit } = wanted;
  const values: unknown[] = [accountId];
  const conditions = conditionsOf(wanted, values);
  const parts = kinds.map((kind) => {
    const links = linksOf(wanted, kind);
    if (links.length === 0)
      return `(
        select id
        from (
          select id, words, starts from search_entries
          where account_id = $1 and id >= '${kind.prefix}_' and id < '${kind.prefix}\`'
          order by id desc
          limit ${most.own}
        ) entry
        where ${conditions}
        order by id desc
        limit ${limit}
      )`;
    return `(
        select id
        from (
          select id, ${links.map(({ link }) => identifier(link)).join(', ')}
          from ${kind.table}
          where account_id = $1
          order by id desc
          limit ${most.foundBy}
        ) record
        where exists (
          select
          from search_entries entry
          where entry.account_id = $1
            and entry.id in (record.id, ${links.map(({ link }) => `record.${identifier(link)}`).join(', ')})
            and ${conditions}
        )
        order by id desc
        limit ${limit}
      )`;
  });
  const ids = byPrefix(await reader.query<{ id: string }>({ text: parts.join(' union all '), values }));
  return { ids, unfinished: kinds.filter(({ prefix }) => (ids.get(prefix)?.length ?? 0) < limit) };
}

/** Asks the index, which finds all records of a kind. If they are more than `foundMax`, the kind is unfinished. */
async function lookUp(
  reader: Reader,
  wanted: Wanted,
  kinds: readonly Resource[],
  foundMax: number,
): Promise<StepResult> {
  const { accountId, words, limit } = wanted;
  const values: unknown[] = [accountId];
  const conditions = conditionsOf(wanted, values);
  const asked = new Set(kinds.flatMap((kind) => [kind, ...linksOf(wanted, kind).map(({ target }) => target)]));
  const entries = [...asked].map((kind) => {
    const parts = words.flatMap((word) => partsOfWord(ownerOf(kind, accountId), word));
    const chosen = arrayLiteral([...new Set(parts)].slice(0, partsMax));
    return `${entriesOf(kind)} as materialized (
        select id
        from search_entries entry
        where account_id = $1 and parts @> $${values.push(chosen)}::integer[] and ${conditions}
        limit ${foundMax + 1}
      )`;
  });
  const selects = kinds.flatMap((kind) => {
    const links = linksOf(wanted, kind);
    const found = [kind, ...links.map(({ target }) => target)].map(
      (each) => `(select count(*) from ${entriesOf(each)})`,
    );
    const ids = [
      `select id from ${entriesOf(kind)}`,
      ...links.map(
        ({ link, target }) => `
          select record.id
          from ${entriesOf(target)} entry
          join ${kind.table} record on record.account_id = $1 and record.${identifier(link)} = entry.id`,
      ),
    ];
    return [
      `(select null as id, '${kind.prefix}' as prefix where greatest(${found.join(', ')}) > ${foundMax})`,
      `(
        select id, '${kind.prefix}' as prefix
        from (${ids.join(' union ')}) found
        where greatest(${found.join(', ')}) <= ${foundMax}
        order by id desc
        limit ${limit}
      )`,
    ];
  });
  const text = `with ${entries.join(', ')} ${selects.join(' union all ')}`;
  const rows = await reader.query<{ id: string | null; prefix: string }>({ text, values });
  const overfull = new Set(rows.filter(({ id }) => id === null).map(({ prefix }) => prefix));
  return {
    ids: byPrefix(rows.flatMap(({ id }) => (id === null ? [] : [{ id }]))),
    unfinished: kinds.filter(({ prefix }) => overfull.has(prefix)),
  };
}

function entriesOf({ prefix }: Resource): string {
  return `entries_${prefix}`;
}

/** Returns the links by which a kind is found, each with its target. Kinds that the caller may not read are left out. */
function linksOf({ leading }: Wanted, kind: Resource): { link: string; target: Resource }[] {
  return (searchOf(kind).foundBy ?? []).flatMap((link) => {
    const target = leading.find(({ path }) => path === kind.links?.[link]);
    return target ? [{ link, target }] : [];
  });
}

/** Compares texts literally: nothing in a query is a wildcard. */
function conditionsOf({ words, phrase }: Pick<Wanted, 'words' | 'phrase'>, values: unknown[]): string {
  const conditions = words.map(({ text, isShort }) =>
    isShort
      ? `strpos(entry.starts, $${values.push(` ${text}`)}) > 0`
      : `strpos(entry.words, $${values.push(text)}) > 0`,
  );
  if (phrase !== undefined) conditions.push(`entry.words ~ $${values.push(patternOf(phrase))}`);
  return conditions.join(' and ');
}

/** Returns a regular expression of PostgreSQL that finds a text literally. It finds no number that is a part of a longer one. */
function patternOf(phrase: string): string {
  const literal = phrase.replaceAll(/[^\p{L}\p{N} ]/gu, '\\$&');
  return `${/^[0-9]/.test(phrase) ? '(?<![0-9])' : ''}${literal}${/[0-9]$/.test(phrase) ? '(?![0-9])' : ''}`;
}

function byPrefix(rows: readonly { id: string }[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id } of rows) {
    const prefix = prefixOf(id);
    const known = ids.get(prefix);
    if (known) known.push(id);
    else ids.set(prefix, [id]);
  }
  return ids;
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

import type { Reader } from '../db/reader.ts';
import type { Resource } from '../model/resource.ts';
import { personalTexts, type PersonalTexts } from '../model/traits/personal-texts.ts';

/**
 * Finds the records that stay when a person is erased, but have texts about the person. One leads to another: a tenancy to its deposit, and
 * the deposit to its payments.
 *
 * @returns their ids, by resource.
 */
export async function readIdsWithTexts(
  reader: Reader,
  resources: readonly Resource[],
  accountId: string,
  personId: string,
): Promise<Map<Resource, string[]>> {
  const found = new Map<Resource, string[]>();
  const known = new Set([personId]);
  for (let before = 0; before < known.size;) {
    before = known.size;
    for (const resource of resources) {
      const texts = personalTexts.of(resource);
      if (!texts) continue;
      const ids = await readLinking(reader, resource, texts, accountId, { personId, ids: [...known] });
      found.set(resource, ids);
      for (const id of ids) known.add(id);
    }
  }
  return found;
}

/** Returns the ids of the records that link to one of these records, unless their texts are about another person. */
async function readLinking(
  reader: Reader,
  { table, fields }: Resource,
  { links, person }: PersonalTexts,
  accountId: string,
  { personId, ids }: { personId: string; ids: readonly string[] },
): Promise<string[]> {
  const conditions = links.map((link) =>
    fields[link]?.column === 'text[]' ? `${link} && $2::text[]` : `${link} = any($2::text[])`,
  );
  const rows = await reader.query<{ id: string }>({
    name: `read_${table}_with_texts`,
    text: `
      select id
      from ${table}
      where account_id = $1
        and (${conditions.join(' or ')})
        ${person === undefined ? '' : `and (${person} is null or ${person} = $3)`}
      order by id`,
    values: person === undefined ? [accountId, ids] : [accountId, ids, personId],
  });
  return rows.map(({ id }) => id);
}

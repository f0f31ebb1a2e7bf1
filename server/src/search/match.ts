import { isGone } from '../model/change.ts';
import { hopsOf } from '../model/links.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { joined, readLinked, searchOf, textsOf, type MemberText, type TextContext } from './texts.ts';
import { hasWord, type Word } from './words.ts';

/** How a record matches a query. */
export interface Match {
  /** A line that names the record, for people. */
  title: string;
  subtitle: string | null;
  /** The members that match, such as `id`, `name` or `unit.building.address.city`. A link stands for the whole linked record. */
  matched: string[];
}

/**
 * Compares a record with a query. All words must be in its own texts, or in those of one record that it is found by. The beginning of its id
 * matches, too.
 *
 * @returns null if it does not match.
 */
export async function matchOf(
  reading: TextContext,
  resource: Resource,
  record: StoredRecord,
  { text, words }: { text: string; words: readonly Word[] },
): Promise<Match | null> {
  if (isGone(resource, record)) return null;
  const options = searchOf(resource);
  const { linked = {}, foundBy = [], reads = [] } = options;
  const paths = [...new Set([...Object.keys(linked), ...foundBy, ...reads])];
  const related = await readLinked(reading, resource, record, paths);
  const own = textsOf(resource, record, related);
  const matched = new Set(record.id.startsWith(text.trim()) ? ['id'] : []);
  if (hasAll(own, words)) for (const member of membersWith(own, words)) matched.add(member);
  for (const link of foundBy) {
    if (matched.size > 0) break;
    const { target } = hopsOf(reading.resources, resource, link).at(-1)!;
    for (const other of related.all(link)) {
      const others = await readLinked(reading, target, other, Object.keys(searchOf(target).linked ?? {}));
      if (hasAll(textsOf(target, other, others), words)) matched.add(link);
    }
  }
  if (matched.size === 0) return null;
  return { title: options.title(record, related), subtitle: options.subtitle(record, related), matched: [...matched] };
}

function hasAll(texts: readonly MemberText[], words: readonly Word[]): boolean {
  const whole = joined(texts);
  return words.every((word) => hasWord(whole, word));
}

function membersWith(texts: readonly MemberText[], words: readonly Word[]): string[] {
  return texts.filter(({ text }) => words.some((word) => hasWord(text, word))).map(({ member }) => member);
}

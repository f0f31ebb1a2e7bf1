import { readRelated } from '../commit/read-related.ts';
import { isErased } from '../model/change.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Related } from '../model/related.ts';
import type { Resource } from '../model/resource.ts';
import { searchable, type Searchable } from '../model/traits/searchable.ts';
import { searchedText } from './words.ts';

/** Characters of a record's texts that are searched. Further ones, such as a long `metadata`, are left out. */
const charactersMax = 8_000;

/** A searched text, folded, with the member that has it: `name` or `unit.building.address.city`. */
export interface MemberText {
  member: string;
  text: string;
}

export interface TextContext {
  resources: readonly Resource[];
  /** Reads one record of the account. Returns null if there is none, or if the caller may not read it. */
  readRecord: (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;
}

/** Returns the options of a kind of record that the search finds. */
export function searchOf(resource: Resource): Searchable {
  const options = searchable.of(resource);
  if (!options) throw new Error(`Bug! The search does not find ${resource.object}.`);
  return options;
}

/** Reads the linked records of a record at these paths. Erased persons are left out. */
export async function readLinked(
  { resources, readRecord }: TextContext,
  resource: Resource,
  record: StoredRecord,
  paths: readonly string[],
): Promise<Related> {
  const readPresent: TextContext['readRecord'] = async (...wanted) => {
    const found = await readRecord(...wanted);
    return found && isErased(found) ? null : found;
  };
  const read = await readRelated({ resources, readRecord: readPresent }, record.account_id, resource, record, paths);
  return read.related;
}

/** Returns the texts of a record and of its linked records. An erased record has none. */
export function textsOf(resource: Resource, record: StoredRecord, related: Related): MemberText[] {
  if (isErased(record)) return [];
  const { members, linked = {} } = searchOf(resource);
  const texts = [
    ...membersOf(record, members, ''),
    ...Object.entries(linked).flatMap(([path, names]) =>
      related.all(path).flatMap((other) => membersOf(other, names, `${path}.`)),
    ),
  ];
  let left = charactersMax;
  return texts
    .map(({ member, text }) => {
      const taken = left <= 0 ? '' : searchedText(text).slice(0, left).toWellFormed();
      left -= taken.length + 1;
      return { member, text: taken };
    })
    .filter(({ text }) => text !== '');
}

/** Returns the texts as one, in which a word is looked for. */
export function joined(texts: readonly MemberText[]): string {
  return texts.map(({ text }) => text).join(' ');
}

function membersOf(record: StoredRecord, members: readonly string[], before: string): MemberText[] {
  return members.flatMap((member) =>
    valuesAt(record, member.split('.')).map((text) => ({ member: before + member, text })),
  );
}

/** Returns the texts at a path. Lists have one for each item, and objects without a further name one for each member. */
function valuesAt(value: unknown, [name, ...inner]: string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...inner]));
  if (typeof value === 'object' && value !== null) {
    const members = value as Readonly<Record<string, unknown>>;
    if (name === undefined) return Object.values(members).flatMap((member) => valuesAt(member, []));
    return Object.hasOwn(members, name) ? valuesAt(members[name], inner) : [];
  }
  return name === undefined && (typeof value === 'string' || typeof value === 'number') ? [String(value)] : [];
}

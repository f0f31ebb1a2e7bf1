import { isObject, type Json } from '../../core/json-diff.ts';
import { defineTrait } from '../trait.ts';

/** The rest of a text after an erasure. */
type Left = Json | ((value: Json) => Json);

/**
 * Records that stay when a person is erased, because they are about money or about others, too. The erasure empties their texts about the
 * person, also in their history. Ids, amounts, dates and `metadata` stay.
 */
export interface PersonalTexts {
  /** Links to persons, and to other records with texts about them. One of them is enough. */
  links: readonly string[];
  /** A link to the one person that the texts are about. If it names another person, they stay. */
  person?: string;
  /** A link to the record from which a text was copied. The erasure of that record empties the texts here, too. */
  copiedFrom?: string;
  /**
   * For a kind that asks a person about a request or an event. By these fields, an erasure finds a record that names no person. They have
   * the path, the body, the id of the executed request, and the link to the run.
   */
  asks?: { path: string; body: string; executed: string; run: string };
  /** The rest of each field, by its name. A value can be a part: that of `previous_attributes`. `ids` has the id of the person. */
  texts: Readonly<Record<string, (value: Json, ids: ReadonlySet<string>) => Json>>;
  /** The rest of the same texts in bodies of requests, by the name of the member. */
  inputs: Readonly<Record<string, Left>>;
}

export const personalTexts = defineTrait<PersonalTexts>();

/**
 * Returns an object, or each of a list of them, without its texts.
 *
 * @param left what is left of each text. A member that is null or left out stays so.
 */
export function emptied(value: Json, left: Readonly<Record<string, Left>>): Json {
  if (Array.isArray(value)) return value.map((item) => emptied(item, left));
  if (!isObject(value)) return value;
  const others = { ...value };
  for (const [name, remains] of Object.entries(left)) {
    const known = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    if (known !== null) others[name] = typeof remains === 'function' ? remains(known) : remains;
  }
  return others;
}

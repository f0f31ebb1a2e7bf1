import { Type } from 'typebox';
import { described, named } from './make.ts';
import { setMember, type JsonObject } from '../../core/json-diff.ts';
import { invalidParameter } from '../../core/errors.ts';

/** Key-value pairs that a client attaches to a record. */
export type Metadata = Record<string, string>;

const pairsMax = 50;

export const metadataSchema = described(
  named(
    'Metadata',
    'Your own key-value pairs.',
    Type.Unsafe<Metadata>({ type: 'object', additionalProperties: { type: 'string' } }),
  ),
  'Your own key-value pairs, such as ids of your system. Empty if there are none.',
);

/** Keys have no brackets, because brackets name nested parameters: `metadata[order]`. */
export const metadataForCreate = metadataInput(
  pairsMax,
  'Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of up to 500 characters.',
);

/** Allows twice the pairs, because one update may remove fifty and add fifty. */
export const metadataForUpdate = metadataInput(
  2 * pairsMax,
  'Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it, and null clears all. A record has up to 50.',
);

function metadataInput(maxProperties: number, description: string) {
  return Type.Unsafe<Metadata | null>({
    type: ['object', 'null'],
    description,
    maxProperties,
    propertyNames: { type: 'string', minLength: 1, maxLength: 40, pattern: '^[^\\[\\]]*$' },
    additionalProperties: { type: 'string', maxLength: 500 },
  });
}

/** Returns the metadata of a body: undefined, null, or the pairs. */
export function metadataOf(input: JsonObject): Metadata | null | undefined {
  return input.metadata as Metadata | null | undefined;
}

/** Merges metadata. A pair replaces the one with its key, an empty value removes it, null clears all, and undefined changes nothing. */
export function mergeMetadata(current: Metadata, input: Metadata | null | undefined): Metadata {
  if (input === undefined) return current;
  if (input === null) return {};
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(input)) {
    if (value === '') merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > pairsMax) {
    throw invalidParameter(
      'metadata',
      `\`metadata\` would have ${merged.size} pairs, and a record can have ${pairsMax}. To remove a pair, set it to an empty string.`,
    );
  }
  const metadata: Metadata = {};
  for (const [key, value] of merged) setMember(metadata, key, value);
  return metadata;
}

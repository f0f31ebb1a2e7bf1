import { createHash } from 'node:crypto';

/** Returns the same digest for the same data, in any order of members. */
export function digestOf(contents: object): string {
  const text = JSON.stringify(contents, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

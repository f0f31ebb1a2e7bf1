/** Words before or after a name that are no part of it. */
const titles: ReadonlySet<string> = new Set([
  'mr',
  'mrs',
  'ms',
  'miss',
  'mx',
  'dr',
  'prof',
  'sir',
  'dame',
  'lord',
  'lady',
  'rev',
]);

/**
 * Returns what two spellings of a name have in common: the words in one order. Titles, case, accents and punctuation do not count. The key
 * of `MR BYRON, G.` is that of `G Byron`.
 *
 * @returns null if nothing is left.
 */
export function nameKey(name: string | null): string | null {
  const words = (name ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’‘`]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !titles.has(word));
  return words.length === 0 ? null : words.toSorted().join(' ');
}

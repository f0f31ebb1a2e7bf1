/** How texts are compared: folded, as words, by their beginnings and by groups of three characters. */

/** Letters that Unicode does not take apart, in the spelling that people type. */
const spellings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};
const spelledOut = new RegExp(`[${Object.keys(spellings).join('')}]`, 'gu');

/** Scripts that write no spaces between words. A word of theirs can begin at each character. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const letterOrDigit = /[\p{L}\p{N}\p{M}]/u;

/** Texts that are one number, as people group its digits: `+44 1904 555 0123`. */
const groupedDigits = /^\+?\d[\d\s().\-/]*$/;

/** Returns a text without case, accents and control characters, and with single spaces. */
export function fold(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(/[\p{Mn}\p{Cf}\u0640]/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(spelledOut, (letter) => spellings[letter]!)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Returns a text as it is searched: folded, and once more without spaces if it is a grouped number. */
export function searchedText(text: string): string {
  const folded = fold(text);
  const digits = folded.replace(/\D/g, '');
  return groupedDigits.test(folded) && digits !== folded ? `${folded} ${digits}` : folded;
}

/** Returns the characters of a text. Two units that stand for one character stay together. */
export function charactersOf(text: string): string[] {
  return Array.from(text);
}

/** A word of a query. A short one has one or two characters. */
export interface Word {
  text: string;
  isShort: boolean;
}

/** Returns the different words of a query, the longest first: it excludes most. */
export function wordsOf(query: string): Word[] {
  const texts = [...new Set(fold(query).split(' '))].filter((text) => text !== '');
  const words = texts.map((text) => ({ text, isShort: charactersOf(text).length <= 2 }));
  return words.sort((one, other) => other.text.length - one.text.length);
}

/** Returns whether a folded text has a word: anywhere, or at the beginning of a word if it is short. */
export function hasWord(folded: string, { text, isShort }: Word): boolean {
  return isShort ? startsOf(folded).includes(` ${text}`) : folded.includes(text);
}

/** Returns the first one or two characters of each word of a folded text, each after a space: ` fl f 2`. */
export function startsOf(folded: string): string {
  const starts = new Set<string>();
  for (const word of folded.split(' ')) eachStart(charactersOf(word), (start) => starts.add(start));
  return starts.size === 0 ? '' : ` ${[...starts].join(' ')}`;
}

/** Calls back with each beginning of a word: two characters, or one at the end. */
function eachStart(characters: readonly string[], each: (start: string) => void): void {
  for (const [at, character] of characters.entries()) {
    const before = characters[at - 1];
    const begins =
      before === undefined || !letterOrDigit.test(before) || !letterOrDigit.test(character) || unspaced.test(character);
    if (begins) each(character + (characters[at + 1] ?? ''));
  }
}

/**
 * Returns the numbers of a text's parts. The parts are each three characters in a row, and the beginnings of words. PostgreSQL indexes the
 * numbers. Equal parts of different owners have different numbers, so a search reads nothing of other accounts. Two parts can share a number.
 * So the texts decide.
 *
 * @param owner the account with the kind of record.
 */
export function partsOf(owner: string, folded: string): number[] {
  const seed = mixed(firstSeed, owner);
  const parts = new Set<number>();
  for (const word of new Set(folded.split(' '))) {
    const characters = charactersOf(word);
    for (let at = 0; at + 2 < characters.length; at++)
      parts.add(mixed(seed, characters[at]! + characters[at + 1]! + characters[at + 2]!));
    eachStart(characters, (start) => {
      const [first = ''] = start;
      parts.add(mixed(seed, ` ${first}`));
      parts.add(mixed(seed, ` ${start}`));
    });
  }
  return [...parts];
}

/** Returns numbers that every text with this word has. They are as few as cover the word, because the index reads the list of each. */
export function partsOfWord(owner: string, { text, isShort }: Word): number[] {
  const seed = mixed(firstSeed, owner);
  if (isShort) return [mixed(seed, ` ${text}`)];
  const characters = charactersOf(text);
  const last = characters.length - 3;
  const parts = [mixed(seed, characters.slice(last).join(''))];
  for (let at = 0; at < last; at += 3) parts.push(mixed(seed, characters.slice(at, at + 3).join('')));
  return parts;
}

const firstSeed = 0x811c9dc5;

/** Hashes a text (FNV-1a, 32 bits) from a seed on, to a signed integer. */
function mixed(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The last bits of the hash alone decide little, so they are spread once more.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) | 0;
}

/** More than any sentence of a report. */
const sentenceLengthMax = 1_000;

/** Whatever stands around an at sign, its full-width twin included. */
const emailAddress = /[^\s@＠<>()[\]{}"';:,|]{1,320}[@＠][^\s@＠<>()[\]{}"';:,|]{1,320}/gu;

/** A phone number has seven digits at least (ITU-T E.164 allows fifteen), grouped in whatever way. */
const manyDigits = /[+＋]?\(?\p{Nd}(?:[\s().\-/\u2010-\u2015]{0,3}\p{Nd}){6,}/gu;

/** A parenthesis that was there for nothing else. */
const nothingElse = /\s*\((?:\[(?:e-mail address|phone number) removed\][\s,;]*)+\)/g;

const calendarDate = /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/g;

/**
 * A service's sentence, without what says how to reach somebody: e-mail addresses, phone numbers and the names that are given are replaced.
 * Dates as YYYY-MM-DD stay; any other seven digits in a row go, because a number too few says less than a referee who is called by a
 * stranger. What is spelled out (`ann at example dot com`) is not found.
 */
export function withoutContacts(text: string, names: readonly string[] = []): string {
  // A cut may leave half a character.
  let cleaned = text
    .slice(0, sentenceLengthMax)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  for (const name of names.filter((each) => each.trim() !== '').toSorted((one, other) => other.length - one.length)) {
    // A short name may stand within another word.
    const literally = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    const alone = new RegExp(`(?<![\\p{L}\\p{N}])${literally}(?![\\p{L}\\p{N}])`, 'giu');
    cleaned = cleaned.replace(alone, 'the referee');
  }
  return cleaned
    .replace(emailAddress, '[e-mail address removed]')
    .replace(manyDigits, (digits) => (isDates(digits) ? digits : '[phone number removed]'))
    .replace(nothingElse, '')
    .trim();
}

function isDates(digits: string): boolean {
  const rest = digits.replace(calendarDate, '');
  return (rest.match(/\p{Nd}/gu) ?? []).length === 0;
}

/** Characters, more than any sentence of a report has. */
const sentenceLengthMax = 1_000;

/** Matches the text around an at sign, its full-width twin included. */
const emailAddress = /[^\s@＠<>()[\]{}"';:,|]{1,320}[@＠][^\s@＠<>()[\]{}"';:,|]{1,320}/gu;

/** Matches a phone number: seven digits or more (ITU-T E.164 allows fifteen), in any grouping. */
const manyDigits = /[+＋]?\(?\p{Nd}(?:[\s().\-/\u2010-\u2015]{0,3}\p{Nd}){6,}/gu;

/** Matches a parenthesis that held nothing but removed contacts. */
const nothingElse = /\s*\((?:\[(?:e-mail address|phone number) removed\][\s,;]*)+\)/g;

const calendarDate = /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b/g;

/**
 * Removes contact details from a service's sentence. E-mail addresses, phone numbers and the given names are replaced. Dates as YYYY-MM-DD
 * stay. Any other seven digits in a row are removed. A missing number does less harm than a stranger's call to a referee. Spelled-out
 * addresses (`ann at example dot com`) are not found.
 */
export function withoutContacts(text: string, names: readonly string[] = []): string {
  // A cut may leave half a character.
  let cleaned = text
    .slice(0, sentenceLengthMax)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  for (const name of names.filter((each) => each.trim() !== '').toSorted((one, other) => other.length - one.length)) {
    // A short name may be part of another word.
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

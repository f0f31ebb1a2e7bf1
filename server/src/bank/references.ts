/** Numbers that are read from one reference. A longer list of numbers is no reference of an invoice. */
const numbersMax = 10;

/** The digits of an invoice number that has not outgrown them. */
const digits = 6;

/**
 * Returns the numbers of invoices that a reference may name. Case, spaces and punctuation do not count, and the zeros in front may be left
 * out: `inv 12` names `INV-000012`. A number that is cut off, or part of a longer one, names nothing.
 *
 * @param prefix that of the account’s new invoices. Older ones may have another.
 */
export function invoiceNumbersIn(reference: string | null, prefix: string): string[] {
  if (reference === null) return [];
  const text = reference.normalize('NFKC').toUpperCase();
  const found = new Set<string>();
  for (const begin of [prefix, '[A-Z]{1,12}']) {
    const named = new RegExp(`(?<![\\p{L}\\p{N}])(${begin})[^\\p{L}\\p{N}]*(\\d{1,15})(?![\\p{L}\\p{N}])`, 'gu');
    for (const [, word, number] of text.matchAll(named)) {
      const whole = wholeNumber(number!);
      if (whole !== null && found.size < numbersMax) found.add(`${word}-${whole}`);
    }
  }
  return [...found];
}

/** A number with zeros in front has exactly six digits. With fewer, a bank may have cut it off. */
function wholeNumber(number: string): string | null {
  if (number.length === digits) return number;
  if (number.startsWith('0')) return null;
  return number.padStart(digits, '0');
}

/** Returns the ids of tenancies in a reference, in lower case, because banks write capitals. */
export function tenancyIdsIn(reference: string | null): string[] {
  const named = (reference ?? '').matchAll(/(?<![0-9a-z])ten[^0-9a-z]?([0-9a-z]{22})(?![0-9a-z])/gi);
  return [...new Set([...named].slice(0, numbersMax).map(([, id]) => `ten_${id}`.toLowerCase()))];
}

/** Words that many tenants write. A reference of these alone names no tenancy. */
const common: ReadonlySet<string> = new Set(
  'rent rents rental payment payments pay paid deposit monthly month weekly week transfer bank standing order so from to for ref the my house flat home room tenancy tenant january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec'.split(
    ' ',
  ),
);

/** Returns whether a reference can tell one tenancy from others: it has a word that is not common. Numbers of years do not count. */
export function isTelling(reference: string): boolean {
  return reference
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word !== '' && !common.has(word) && !/^(19|20)\d\d$/.test(word));
}

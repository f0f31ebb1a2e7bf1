/* Money, days, names and addresses as people in Britain write them. */

/** Returns names as people list them: "Ada, Grace and Alan". */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { style: 'long', type: 'conjunction' }).format(names);
}

/** The parts of an address that a line shows. */
export interface PostalAddress {
  line1: string;
  line2: string | null;
  city: string;
  postal_code: string;
  country: string;
}

/** Returns an address in one line. The country is left out if it is the United Kingdom. */
export function addressLine({ line1, line2, city, postal_code: postalCode, country }: PostalAddress): string {
  return [line1, line2, city, postalCode, country === 'GB' ? null : country].filter(Boolean).join(', ');
}

/** Returns money as people write it: "£1,295", or "£1,295.50". */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  const format = currencyFormat(currency);
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const value = amount / 10 ** digits;
  return Number.isInteger(value) ? currencyFormat(currency, 0).format(value) : format.format(value);
}

/** Returns money as a number, so that spreadsheets can sum it: 1295.5. */
export function numberOf({ amount, currency }: { amount: number; currency: string }): number {
  return amount / 10 ** (currencyFormat(currency).resolvedOptions().maximumFractionDigits ?? 2);
}

function currencyFormat(currency: string, digits?: number): Intl.NumberFormat {
  const options = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency: currency.toUpperCase(), ...options });
}

/** Returns a day as people write it: "31 January 2027". */
export function dayText(day: string | null): string {
  if (day === null) return 'Not known';
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day));
}

/** Returns a day in a narrow column: "31 Jan 2027". */
export function shortDay(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day));
}

/**
 * Returns a moment as people write it: "25 November 2026, 17:57", or "25 Nov 2026, 17:57".
 *
 * @param at seconds since the Unix epoch.
 * @param zone the name of a time zone, such as `Europe/London`.
 */
export function momentText(at: number, zone: string, dateStyle: 'long' | 'medium' = 'long'): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: zone }).format(at * 1000);
  return `${dayOfMoment(at, zone, dateStyle)}, ${time}`;
}

/** Returns the day of a moment in a time zone: "25 Nov 2026". */
export function dayOfMoment(at: number, zone: string, dateStyle: 'long' | 'medium' = 'medium'): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle, timeZone: zone }).format(at * 1000);
}

/** Returns the days of a period: "1–31 January 2027". */
export function periodText({ start, end }: { start: string; end: string }): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return format.formatRange(Date.parse(start), Date.parse(end));
}

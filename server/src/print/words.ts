import { currencyDigits } from '../core/vocabulary/iso-codes.ts';

/* Formats times, money and places. Nothing depends on the place or time of printing: it uses British English, and UTC. */

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const countries = new Intl.DisplayNames('en-GB', { type: 'region' });

/** Seconds at the end of the year 9999. A document cannot have a later date. */
const secondsMax = 253_402_300_799;

/** Formats a day as `31 January 2027`. */
export function dayOf(seconds: number): string {
  return longDate.format(dateOf(seconds));
}

/** Formats a minute as `31 January 2027, 14:05`. */
export function minuteOf(seconds: number): string {
  return `${dayOf(seconds)}, ${timeOfDay.format(dateOf(seconds))}`;
}

/** Formats a calendar day, `2027-01-31`, in words. Other text stays as it is. */
export function calendarDay(text: string): string {
  const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? text : longDate.format(timeMs);
}

const mediumDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a calendar day as `31 Jan 2027`. */
export function shortDay(day: string): string {
  return mediumDate.format(Date.parse(day));
}

/** Formats days as `1–28 Feb 2027`. */
export function shortSpan({ start, end }: { start: string; end: string }): string {
  return mediumDate.formatRange(Date.parse(start), Date.parse(end));
}

export function dateOf(seconds: number): Date {
  return new Date(Math.min(Math.max(0, seconds), secondsMax) * 1000);
}

/** An address, of which some lines can be missing. */
export interface Address {
  line1: string;
  line2: string | null;
  city: string;
  postalCode: string | null;
  country: string;
}

/**
 * Formats money as `£950.00`. A text that is no currency code follows the plain number.
 *
 * @param money.amount in the smallest unit of the currency.
 */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  const code = currency.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) return `${amount} ${currency}`;
  const digits = currencyDigits(currency.toLowerCase());
  return moneyFormat(code, digits).format(amount / 10 ** digits);
}

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** Returns the format of a currency. To make one takes longer than to use it. */
function moneyFormat(code: string, digits: number): Intl.NumberFormat {
  const known = moneyFormats.get(code);
  if (known) return known;
  const made = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency: code,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  moneyFormats.set(code, made);
  return made;
}

/** Returns the lines of an address in the order of an envelope, with the country's name. */
export function addressLines({ line1, line2, city, postalCode, country }: Address): string[] {
  const code = country.toUpperCase();
  const countryName = /^[A-Z]{2}$/.test(code) ? countries.of(code) : country;
  return [line1, line2, city, postalCode, countryName].filter(
    (line) => typeof line === 'string' && line !== '',
  ) as string[];
}

/** Returns the lines of an address, with the postal code behind the town. */
export function envelopeLines(address: Address, hasCountry = true): string[] {
  const { city, postalCode } = address;
  const lines = addressLines({ ...address, city: postalCode ? `${city} ${postalCode}` : city, postalCode: null });
  return hasCountry ? lines : lines.slice(0, -1);
}

import type { Address, Rent } from '../providers/provider.ts';

/* Formats times, money and places. Nothing depends on the place or time of printing: it uses British English, and UTC. */

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });
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

export function dateOf(seconds: number): Date {
  return new Date(Math.min(Math.max(0, seconds), secondsMax) * 1000);
}

/** Formats money as `£950.00`. A text that is no currency code follows the plain number. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  const code = currency.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) return `${amount} ${currency}`;
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency: code });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Formats a rent as `£950.00 a month`. */
export function rentText(rent: Rent): string {
  return `${money(rent)} a ${rent.interval}`;
}

/** Formats 28.5 as `28.5%`. */
export function percentText(value: number): string {
  return percent.format(value / 100);
}

/** Formats an address in the order of an envelope, with the country's name. */
export function addressText({ line1, line2, city, postalCode, country }: Address): string {
  const code = country.toUpperCase();
  const countryName = /^[A-Z]{2}$/.test(code) ? countries.of(code) : country;
  return [line1, line2, city, postalCode, countryName].filter(Boolean).join(', ');
}

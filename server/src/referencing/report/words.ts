import type { Address, Rent } from '../providers/provider.ts';

/*
 * How a report says times, money and places. Nothing depends on where or when it is printed: British English, and UTC.
 */

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });
const countries = new Intl.DisplayNames('en-GB', { type: 'region' });

/** The end of the year 9999: nothing later can be written as a date of a document. */
const secondsMax = 253_402_300_799;

/** `31 January 2027`. */
export function dayOf(seconds: number): string {
  return longDate.format(dateOf(seconds));
}

/** `31 January 2027, 14:05`. */
export function minuteOf(seconds: number): string {
  return `${dayOf(seconds)}, ${timeOfDay.format(dateOf(seconds))}`;
}

/** A day of the calendar, `2027-01-31`, in words; what is none is left as it is. */
export function calendarDay(text: string): string {
  const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? text : longDate.format(timeMs);
}

export function dateOf(seconds: number): Date {
  return new Date(Math.min(Math.max(0, seconds), secondsMax) * 1000);
}

/** `£950.00`; what is no currency's name is said after the bare number. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  const code = currency.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) return `${amount} ${currency}`;
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency: code });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** `£950.00 a month`. */
export function rentText(rent: Rent): string {
  return `${money(rent)} a ${rent.interval}`;
}

/** `28.5%` of 28.5. */
export function percentText(value: number): string {
  return percent.format(value / 100);
}

/** In the lines of an envelope's order, with the country's name. */
export function addressText({ line1, line2, city, postalCode, country }: Address): string {
  const code = country.toUpperCase();
  const countryName = /^[A-Z]{2}$/.test(code) ? countries.of(code) : country;
  return [line1, line2, city, postalCode, countryName].filter(Boolean).join(', ');
}

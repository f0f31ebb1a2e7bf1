import type { Address, Application, Customer, DeletedCustomer, Rent, Unit } from 'tenure';

/* The words of the trade. An id is never a name. */

/** A person as a link shows them: the record if it was expanded, else the id. */
export type Linked = string | null | Customer | DeletedCustomer;

/** Returns the name of a person. A person of another system has none here. */
export function nameOf(person: Linked): string {
  if (person === null || typeof person === 'string') return 'Someone kept in another system';
  return 'name' in person ? person.name : 'An erased person';
}

/** Returns the last word of a name, for the name of a file. */
export function surnameOf(person: Linked): string {
  return nameOf(person).trim().split(/\s+/).at(-1)!;
}

/** Returns the id of a linked record. */
export function idOf(linked: string | { id: string }): string {
  return typeof linked === 'string' ? linked : linked.id;
}

/** Returns the page of a person, or null if their record is not here. */
export function personHref(person: Linked): string | null {
  return person !== null && typeof person === 'object' && 'name' in person ? `/customers/${person.id}` : null;
}

/** Returns names as people list them: "Ada, Grace and Alan". */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { style: 'long', type: 'conjunction' }).format(names);
}

/** Returns the home as people call it: "Flat 5, Micklegate House". */
export function homeOf(unit: string | null | Unit): string {
  if (unit === null) return 'No home chosen';
  if (typeof unit === 'string') return 'A home kept in another system';
  return typeof unit.building === 'string' ? unit.name : `${unit.name}, ${unit.building.name}`;
}

/** Returns the address of a home in one line, or null if it is not known. */
export function addressOf(unit: string | null | Unit): string | null {
  if (unit === null || typeof unit === 'string' || typeof unit.building === 'string') return null;
  return addressLine(unit.building.address);
}

/** Returns an address in one line. The country is left out if it is the United Kingdom. */
export function addressLine({
  line1,
  line2,
  city,
  postal_code: postalCode,
  country,
}: Pick<Address, 'line1' | 'line2' | 'city' | 'postal_code' | 'country'>): string {
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

/** Returns a rent: "£1,295 a month". */
export function rentText(rent: Rent | null): string {
  return rent === null ? 'Rent not known' : `${money(rent)} a ${rent.interval}`;
}

/** Returns what each applicant pays. All pay the same, because an application has no other shares. */
export function shareOf({ rent, customers }: Pick<Application, 'rent' | 'customers'>): Rent | null {
  return rent && { ...rent, amount: Math.round(rent.amount / Math.max(1, customers.length)) };
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

/** Returns a code of a service in words: `HIGH_RISK` is "high risk". */
export function plain(code: string): string {
  return code.replaceAll(/[_-]+/g, ' ').trim().toLowerCase();
}

/** Returns a text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a name for a downloaded file: "Lovelace - Flat 12 - reference.pdf". */
export function reportName(person: Linked, unit: string | null | Unit | undefined): string {
  const home = typeof unit === 'object' && unit !== null ? unit.name : null;
  const parts = [surnameOf(person), home, 'reference'].filter((part) => part !== null);
  return `${parts.map((part) => part.replaceAll(/[^\p{L}\p{N}'’.()-]+/gu, ' ').trim()).join(' - ')}.pdf`;
}

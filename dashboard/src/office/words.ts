import { addressLine, money } from '@tenure/ui/words';
import type { Application, Customer, DeletedCustomer, Rent, Unit } from 'tenure';

export {
  addressLine,
  dayOfMoment,
  dayText,
  listed,
  momentText,
  money,
  numberOf,
  periodText,
  shortDay,
} from '@tenure/ui/words';

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

/** Returns the page of a person, or null if their record is not here. That of an erased person says so, and what is kept. */
export function personHref(person: Linked): string | null {
  return person !== null && typeof person === 'object' ? `/customers/${person.id}` : null;
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

/** Returns a rent: "£1,295 a month". */
export function rentText(rent: Rent | null): string {
  return rent === null ? 'Rent not known' : `${money(rent)} a ${rent.interval}`;
}

/** Returns what each applicant pays. All pay the same, because an application has no other shares. */
export function shareOf({ rent, customers }: Pick<Application, 'rent' | 'customers'>): Rent | null {
  return rent && { ...rent, amount: Math.round(rent.amount / Math.max(1, customers.length)) };
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

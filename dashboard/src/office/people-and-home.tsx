import type { ReactNode } from 'react';
import { operations, type Event, type Unit } from 'tenure';
import { eventRead } from '../api/reads.ts';
import { defineRead, useRead } from '../api/requests.ts';
import { useUser } from '../api/session.ts';
import { homeOf, listed, nameOf, type Linked } from './words.ts';

/* All people that a record is about, and its home. */

/** A record by its id, with the path that reads it. */
export interface RecordPath {
  id: string;
  path: string;
}

/** The links of a record that lead to its people and to its home, by the kind in its path. */
const links: Readonly<Record<string, readonly string[]>> = {
  applications: ['customers', 'unit.building'],
  references: ['customer', 'application.customers', 'application.unit.building'],
  guarantors: ['customer', 'application.customers', 'application.unit.building'],
  tenancies: ['customers', 'unit.building'],
  subscriptions: ['tenancy.customers', 'tenancy.unit.building'],
  invoices: ['customers', 'tenancy.unit.building'],
  payments: ['customer', 'tenancy.customers', 'tenancy.unit.building', 'deposit.unit.building'],
  deposits: ['unit.building', 'tenancy.customers', 'application.customers'],
  units: ['building'],
  customers: [],
};

/** The people and the home of a record. A home that is not known is null. */
export interface Concerned {
  people: readonly Linked[];
  home: Unit | null;
}

const concernedRead = defineRead<Concerned, { path: string }>(async (tenure, { path }, options) => {
  const expand = links[kindOf(path)] ?? [];
  // The server refuses an empty list.
  return concernedOf(
    await tenure.request<Holder>('GET', path, expand.length > 0 ? { expand: [...expand] } : {}, options),
  );
});

/** The members of records that lead to people and to homes. */
interface Holder {
  object?: string;
  customers?: Linked[];
  customer?: Linked;
  unit?: string | Unit | null;
  application?: string | Holder | null;
  tenancy?: string | Holder | null;
  deposit?: string | Holder | null;
}

function concernedOf(record: Holder): Concerned {
  if (record.object === 'customer') return { people: [record as Linked], home: null };
  if (record.object === 'unit') return { people: [], home: record as Unit };
  const holders = [record, record.tenancy, record.application, record.deposit].filter(
    (each): each is Holder => typeof each === 'object' && each !== null,
  );
  const people = holders
    .map(({ customer, customers }) => (customer ? [customer] : (customers ?? [])))
    .find((each) => each.length > 0);
  const home = holders.map(({ unit }) => unit).find((each) => typeof each === 'object' && each !== null);
  return { people: people ?? [], home: home ?? null };
}

/** Reads the people and the home of a record. Undefined while they are on their way, and if the person may not read them. */
export function useConcerned(record: RecordPath | null): Concerned | undefined {
  return useRead(concernedRead, { path: record?.path ?? '' }, { isOn: record !== null && kindOf(record.path) in links })
    .data;
}

/** Reads an event, if there is one and the person may read it. */
export function useEvent(id: string | null): Event | undefined {
  const mayRead = useUser().permissions.includes('events.read');
  return useRead(eventRead, { id: id ?? '' }, { isOn: id !== null && mayRead }).data;
}

/** Returns the people and the home in a line, or null if there are none. People of another system have no name here. */
export function concernedText({ people, home }: Concerned): string | null {
  const named = people.filter((person) => typeof person !== 'string').map(nameOf);
  const parts = [named.length > 0 ? listed(named) : null, home && homeOf(home)];
  return parts.filter((part) => part !== null).join(', ') || null;
}

/** The people and the home of a record in a line. */
export function ConcernedText({ record, other = '–' }: { record: RecordPath | null; other?: ReactNode }): ReactNode {
  const concerned = useConcerned(record);
  return (concerned && concernedText(concerned)) ?? other;
}

function kindOf(path: string): string {
  return /^\/v1\/([a-z_]+)\//.exec(path)?.[1] ?? '';
}

/** Returns the record of an event, or null if the API has no path for it. */
export function recordOfEvent({ data }: Event): RecordPath | null {
  const { object, id } = data.object as { object: string; id: string };
  const plural = [`${object}s`, object.replace(/y$/, 'ies')].find((each) => readPaths.has(`/v1/${each}/{id}`));
  return plural === undefined ? null : { id, path: `/v1/${plural}/${id}` };
}

const readPaths: ReadonlySet<string> = new Set(
  Object.values(operations)
    .flatMap((resource) => Object.values(resource as Record<string, { method?: string; path?: string }>))
    .flatMap(({ method, path }) => (method === 'GET' && path !== undefined ? [path] : [])),
);

/** The kinds of record that people know, by the prefix of their ids. */
const kinds: ReadonlyMap<string, { path: string; noun: string }> = new Map([
  ['app', { path: 'applications', noun: 'application' }],
  ['ref', { path: 'references', noun: 'check' }],
  ['cus', { path: 'customers', noun: 'person' }],
  ['unit', { path: 'units', noun: 'home' }],
  ['ten', { path: 'tenancies', noun: 'tenancy' }],
  ['in', { path: 'invoices', noun: 'bill' }],
  ['pay', { path: 'payments', noun: 'payment' }],
  ['sub', { path: 'subscriptions', noun: 'regular charge' }],
  ['dep', { path: 'deposits', noun: 'deposit' }],
]);

/** Returns the path of a record by its id, or null if people do not know its kind. */
export function recordOfId(id: string): RecordPath | null {
  const kind = /^([a-z]+)_[0-9A-Za-z]{22}$/.exec(id)?.[1] ?? '';
  const known = kinds.get(kind);
  return known === undefined ? null : { id, path: `/v1/${known.path}/${id}` };
}

/** Returns what people call the record of an id: "the application". An id of another kind stays. */
export function nounOfId(id: string): string {
  const noun = kinds.get(id.slice(0, id.lastIndexOf('_')))?.noun;
  return noun === undefined ? id : `the ${noun}`;
}

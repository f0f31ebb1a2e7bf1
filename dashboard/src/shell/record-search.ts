import { useEffect, useState } from 'react';
import type { Application, Deposit, Invoice, Payment, Reference, SearchHit, Tenancy } from 'tenure';
import type { IconName } from '@tenure/ui';
import { defineRead, shownError, useRead } from '../api/requests.ts';
import { useUser } from '../api/session.ts';
import { standingOf } from '../office/checks.ts';
import { billState, depositState, paymentState, tenancyState } from '../office/letting-words.ts';
import { dayText } from '../office/words.ts';
import { stateOf } from '../pages/applications/application-words.tsx';
import { maySee, pathOfId } from './navigation.ts';

/** Milliseconds without a key until the text is searched, so that a word is searched once. */
const pauseMs = 200;

/** A shorter text finds too much. */
const lengthMin = 2;

interface Kind {
  title: string;
  icon: IconName;
  permission: string;
}

/** The kinds of records that a search finds, in the order in which the palette shows them. */
const kinds: Readonly<Record<string, Kind>> = {
  customer: { title: 'People', icon: 'person', permission: 'customers.read' },
  tenancy: { title: 'Tenancies', icon: 'tenancy', permission: 'tenancies.read' },
  unit: { title: 'Properties', icon: 'building', permission: 'units.read' },
  application: { title: 'Applications', icon: 'clipboard', permission: 'applications.read' },
  reference: { title: 'Checks', icon: 'reference', permission: 'references.read' },
  deposit: { title: 'Deposits', icon: 'safe', permission: 'deposits.read' },
  invoice: { title: 'Bills', icon: 'money', permission: 'invoices.read' },
  payment: { title: 'Payments', icon: 'check', permission: 'payments.read' },
  bank_line: { title: 'Bank lines', icon: 'log', permission: 'bank_lines.read' },
};

/** A let has many of these. They would leave no room for its people and its home. */
const moneyKinds = ['deposit', 'invoice', 'payment', 'bank_line'];

/** The most records of each of those kinds if there are too many. */
const moneyMax = 3;

const searchRead = defineRead<{ data: SearchHit[]; has_more: boolean }, { params: { query: string } }>(
  async (tenure, { params: { query } }, options) => {
    const found = await tenure.search({ query }, options);
    if (!found.has_more) return found;
    const types = Object.keys(kinds).filter((kind) => !moneyKinds.includes(kind));
    const letting = await tenure.search({ query, types: types.join() }, options);
    const money = moneyKinds.flatMap((kind) => found.data.filter(({ type }) => type === kind).slice(0, moneyMax));
    return { data: [...letting.data, ...money], has_more: true };
  },
);

/** Returns where a found record stands, as its page says it. */
const states: Readonly<Record<string, (record: never) => { name: string }>> = {
  application: (record: Application) => stateOf(record),
  tenancy: (record: Tenancy) => tenancyState(record),
  deposit: (record: Deposit) => depositState(record),
  invoice: (record: Invoice) => billState(record),
  payment: (record: Payment) => paymentState(record),
};

/** Returns the second line of a found record in the words of the office. */
export function detailOf({ type, subtitle, record }: SearchHit): string | null {
  if (type === 'reference') return standingOf(record as unknown as Reference).title;
  if (subtitle === null) return null;
  const status = 'status' in record ? record.status : null;
  // One part of the text is the status, and the name of a home may have the same word.
  const parts = subtitle.split(', ');
  const at = parts.lastIndexOf(String(status));
  const name = at === -1 ? undefined : states[type]?.(record as never).name;
  // "received 1 December 2026" says that it is received.
  const isSaid = name !== undefined && parts[at + 1]?.startsWith(`${name.toLowerCase()} `);
  return parts
    .map((part, index) => (index === at && name !== undefined ? name : part))
    .filter((_, index) => index !== at || !isSaid)
    .join(', ')
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => dayText(day))
    .replaceAll(/\b([a-z]+)_([a-z]+)\b(?![^,]*@)/g, '$1 $2');
}

/** Found records of one kind. */
export interface FoundGroup {
  id: string;
  title: string;
  icon: IconName;
  hits: SearchHit[];
}

/** Searches records by a text while it is typed. The status says what a reader cannot see in the groups. */
export function useRecordSearch(text: string): { groups: FoundGroup[]; status: string } {
  const { permissions } = useUser();
  const maySearch = Object.values(kinds).some(({ permission }) => permissions.includes(permission));
  const seen = (hits: readonly SearchHit[]): SearchHit[] =>
    hits.filter(({ id }) => maySee(pathOfId(id) ?? '', permissions));
  const typed = text.trim();
  const query = usePaused(typed);
  const isOn = maySearch && Array.from(query).length >= lengthMin;
  const { data, error, isFetching } = useRead(searchRead, { params: { query } }, { isOn });
  if (!maySearch || typed === '') return { groups: [], status: '' };
  if (Array.from(typed).length < lengthMin) return { groups: [], status: 'Type two characters to find records.' };
  if (query !== typed || isFetching) return { groups: groupsOf(seen(data?.data ?? [])), status: 'Searching records …' };
  if (error) return { groups: [], status: shownError(error).message };
  const hits = seen(data?.data ?? []);
  const more = data?.has_more ? ' There are more: type more words.' : '';
  return { groups: groupsOf(hits), status: `${hits.length} ${hits.length === 1 ? 'record' : 'records'} found.${more}` };
}

function groupsOf(hits: readonly SearchHit[]): FoundGroup[] {
  return Object.entries(kinds)
    .map(([id, { title, icon }]) => ({ id, title, icon, hits: hits.filter(({ type }) => type === id) }))
    .filter((group) => group.hits.length > 0);
}

/** Returns a text once it has stayed the same for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

import { nameKey } from './names.ts';
import { invoiceNumbersIn, isTelling, tenancyIdsIn } from './references.ts';
import type { StatementLine } from './statement-file.ts';

/** What of a line fits a tenancy. */
export const evidence = ['reference', 'payer', 'amount'] as const;
export type Evidence = (typeof evidence)[number];

/** A tenancy that a line may be for. */
export interface Match {
  tenancy: string;
  /** The person that paid, if the payer is known. */
  customer: string | null;
  /** In the order of `evidence`. */
  matched_by: Evidence[];
}

/** The match of a line, if there is only one. Otherwise those that are possible, the best first. */
export interface Proposal {
  match: Match | null;
  candidates: Match[];
}

/** A tenancy whose money is expected. */
export interface ExpectedTenancy {
  id: string;
  /** The currency of its rent. */
  currency: string;
  tenants: readonly { customer: string; name: string | null }[];
  /** The amounts that would settle something: each open invoice, and all of them. */
  due: readonly number[];
}

/** An earlier payment of a tenancy. */
export interface EarlierPayment {
  tenancy: string;
  customer: string | null;
}

/** What lines are compared with. */
export interface Expectations {
  invoicePrefix: string;
  tenancies: readonly ExpectedTenancy[];
  /** The tenancies of invoices, by number. */
  invoices: ReadonlyMap<string, string>;
  /** The newest payments with a reference, by the reference as lines have it. */
  byReference: ReadonlyMap<string, readonly EarlierPayment[]>;
  /** The newest payments of a payer, by `nameKey`. */
  byPayer: ReadonlyMap<string, readonly EarlierPayment[]>;
}

/** The most candidates of a line. */
export const candidatesMax = 5;

/**
 * Returns a function that proposes the tenancy of a line. A reference or a payer can tell it, and the amount only decides between several.
 * Two that contradict each other tell nothing. A name of an invoice or a tenancy counts before earlier references.
 *
 * Thousands of tenancies can have one rent or one name. So no line looks at all tenancies of its amount or its payer. What
 * they have in common is found once for a file.
 */
export function matcherOf(expected: Expectations): (line: StatementLine) => Proposal {
  const index = indexOf(expected);
  return (line) => {
    const { named, referenced } = signsOf(line, expected, index);
    const signs: Signs = {
      named,
      referenced,
      payers: index.payersOf(line.payer_name, line.currency),
      due: index.dueTo(line.amount, line.currency),
      shared: index.sharedOf(line),
    };
    const told = toldBy(signs);
    if (told !== null) return { match: matchOf(told, signs), candidates: [] };
    return { match: null, candidates: bestOf(signs) };
  };
}

/** The tenancies that each sign of a line tells. All have the currency of the line. */
interface Signs {
  /** By the number of an invoice, or by their id. At most some twenty. */
  named: readonly string[];
  /** By the reference of an earlier payment. At most ten. */
  referenced: readonly string[];
  payers: Group;
  due: Group;
  /** The tenancies of both the payer and the amount, in the order of their ids. */
  shared: readonly string[];
}

/** Tenancies that have something in common. */
interface Group {
  /** In the order of their ids. */
  ids: readonly string[];
  /** The customers of the tenancies, if a customer makes them belong to the group. */
  customers: ReadonlyMap<string, string | null>;
}

const emptyGroup: Group = { ids: [], customers: new Map() };

function groupOf(customers: ReadonlyMap<string, string | null>): Group {
  return { ids: [...customers.keys()].toSorted(), customers };
}

function matchOf(tenancy: string, { named, referenced, payers, due }: Signs): Match {
  return {
    tenancy,
    customer: payers.customers.get(tenancy) ?? null,
    matched_by: evidence.filter(
      (kind) =>
        (kind === 'reference' && (named.includes(tenancy) || referenced.includes(tenancy))) ||
        (kind === 'payer' && payers.customers.has(tenancy)) ||
        (kind === 'amount' && due.customers.has(tenancy)),
    ),
  };
}

/** Returns the candidates with the most signs. Those with as many come in the order of their ids. */
function bestOf(signs: Signs): Match[] {
  const { named, referenced, payers, due, shared } = signs;
  const byReference = [...new Set([...named, ...referenced])];
  // The best can be hidden behind those that have a reference, too.
  const most = candidatesMax + byReference.length;
  const others = shared.length < most ? [payers, due].flatMap(({ ids }) => ids.slice(0, 2 * most)) : [];
  const possible = new Set([...byReference, ...shared.slice(0, most), ...others]);
  return [...possible]
    .map((tenancy) => matchOf(tenancy, signs))
    .toSorted((one, other) => other.matched_by.length - one.matched_by.length || (one.tenancy < other.tenancy ? -1 : 1))
    .slice(0, candidatesMax);
}

/** Returns the tenancy that the reference and the payer tell. Null if they contradict each other, or tell nothing. */
function toldBy({ named, referenced, payers, due, shared }: Signs): string | null {
  const isReferenced = new Set(referenced);
  if (named.length > 0) {
    const told = onlyOne(named, [isReferenced, payers.customers, due.customers]);
    return told === null || payers.ids.length === 0 || payers.customers.has(told) ? told : null;
  }
  if (referenced.length > 0) {
    const both = payers.ids.length === 0 ? referenced : referenced.filter((id) => payers.customers.has(id));
    return onlyOne(both, [due.customers]);
  }
  const left = payers.ids.length > 1 && shared.length > 0 ? shared : payers.ids;
  return left.length === 1 ? left[0]! : null;
}

/** Returns the only one of these, after each further list has narrowed them. A list that excludes all does not count. */
function onlyOne(tenancies: readonly string[], narrowing: readonly Pick<Set<string>, 'has'>[]): string | null {
  let left = [...new Set(tenancies)];
  for (const list of narrowing) {
    if (left.length <= 1) break;
    const narrowed = left.filter((tenancy) => list.has(tenancy));
    if (narrowed.length > 0) left = narrowed;
  }
  return left.length === 1 ? left[0]! : null;
}

interface Index {
  /** The currencies of the tenancies, by id. */
  currencies: ReadonlyMap<string, string>;
  byFoldedId: ReadonlyMap<string, string>;
  /** The tenancies to which an amount is due. */
  dueTo: (amount: number, currency: string) => Group;
  /** The tenancies of a payer, with the customer. */
  payersOf: (payer: string | null, currency: string) => Group;
  /** The tenancies of both. */
  sharedOf: (line: StatementLine) => readonly string[];
}

function indexOf({ tenancies, byPayer }: Expectations): Index {
  const byAmount = new Map<string, Map<string, null>>();
  const byName = new Map<string, EarlierPayment[]>();
  const currencies = new Map<string, string>();
  for (const { id, currency, due, tenants } of tenancies) {
    currencies.set(id, currency);
    for (const amount of due) {
      const key = `${currency} ${amount}`;
      byAmount.set(key, (byAmount.get(key) ?? new Map<string, null>()).set(id, null));
    }
    for (const { customer, name } of tenants) {
      const key = nameKey(name);
      if (key !== null) append(byName, key, { tenancy: id, customer });
    }
  }
  const dueGroups = new Map<string, Group>();
  const dueTo = (amount: number, currency: string): Group =>
    remembered(dueGroups, `${currency} ${amount}`, (key) => groupOf(byAmount.get(key) ?? emptyGroup.customers));
  const payerGroups = new Map<string, Group>();
  const payersOf = (payer: string | null, currency: string): Group => {
    const name = nameKey(payer);
    if (name === null) return emptyGroup;
    return remembered(payerGroups, `${currency} ${name}`, () => {
      const known = [...(byPayer.get(name) ?? []), ...(byName.get(name) ?? [])];
      const fitting = known.filter(({ tenancy }) => currencies.get(tenancy) === currency);
      return groupOf(new Map(fitting.map(({ tenancy, customer }) => [tenancy, customer])));
    });
  };
  const shared = new Map<string, readonly string[]>();
  return {
    currencies,
    byFoldedId: new Map(tenancies.map(({ id }) => [id.toLowerCase(), id])),
    dueTo,
    payersOf,
    sharedOf: ({ amount, currency, payer_name: payer }) =>
      remembered(shared, `${currency} ${amount} ${nameKey(payer) ?? ''}`, () => {
        const [fewer, more] = [payersOf(payer, currency), dueTo(amount, currency)].toSorted(
          (one, other) => one.ids.length - other.ids.length,
        );
        return fewer!.ids.filter((id) => more!.customers.has(id));
      }),
  };
}

/** Returns the value of a key, which is made once. */
function remembered<Value>(values: Map<string, Value>, key: string, make: (key: string) => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  values.set(key, made);
  return made;
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Returns the tenancies that a line names, and those with its reference, if they have its currency. */
function signsOf(
  { reference, currency }: StatementLine,
  { invoicePrefix, invoices, byReference }: Expectations,
  { byFoldedId, currencies }: Index,
): Pick<Signs, 'named' | 'referenced'> {
  const named = [
    ...invoiceNumbersIn(reference, invoicePrefix).flatMap((number) => invoices.get(number) ?? []),
    ...tenancyIdsIn(reference).flatMap((id) => byFoldedId.get(id) ?? []),
  ];
  const earlier = reference !== null && isTelling(reference) ? (byReference.get(reference) ?? []) : [];
  const fits = (tenancy: string): boolean => currencies.get(tenancy) === currency;
  return { named: named.filter(fits), referenced: earlier.map(({ tenancy }) => tenancy).filter(fits) };
}

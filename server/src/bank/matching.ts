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
 */
export function matcherOf(expected: Expectations): (line: StatementLine) => Proposal {
  const index = indexOf(expected);
  return (line) => {
    const { named, referenced, payers } = signsOf(line, expected, index);
    const fits = (tenancy: string): boolean => index.byId.get(tenancy)?.currency === line.currency;
    const dueTo = new Set((index.byAmount.get(line.amount) ?? []).filter(fits));
    const [isNamed, isReferenced] = [named.filter(fits), referenced.filter(fits)];
    const isPayer = new Map([...payers].filter(([tenancy]) => fits(tenancy)));
    const matchOf = (tenancy: string): Match => ({
      tenancy,
      customer: isPayer.get(tenancy) ?? null,
      matched_by: evidence.filter(
        (kind) =>
          (kind === 'reference' && (isNamed.includes(tenancy) || isReferenced.includes(tenancy))) ||
          (kind === 'payer' && isPayer.has(tenancy)) ||
          (kind === 'amount' && dueTo.has(tenancy)),
      ),
    });
    const told = toldBy(isNamed, isReferenced, [...isPayer.keys()], [...dueTo]);
    if (told !== null) return { match: matchOf(told), candidates: [] };
    const possible = [...new Set([...isNamed, ...isReferenced, ...isPayer.keys(), ...dueTo])].map(matchOf);
    const best = possible.toSorted(
      (one, other) => other.matched_by.length - one.matched_by.length || (one.tenancy < other.tenancy ? -1 : 1),
    );
    return { match: null, candidates: best.slice(0, candidatesMax) };
  };
}

/** Returns the tenancy that the reference and the payer tell. Null if they contradict each other, or tell nothing. */
function toldBy(
  named: readonly string[],
  referenced: readonly string[],
  payers: readonly string[],
  dueTo: readonly string[],
): string | null {
  if (named.length > 0) {
    const told = onlyOne(named, [referenced, payers, dueTo]);
    return told === null || payers.length === 0 || payers.includes(told) ? told : null;
  }
  if (referenced.length > 0 && payers.length > 0) {
    const both = referenced.filter((tenancy) => payers.includes(tenancy));
    return onlyOne(both, [dueTo]);
  }
  return onlyOne([...referenced, ...payers], [dueTo]);
}

/** Returns the only one of these, after each further list has narrowed them. A list that excludes all does not count. */
function onlyOne(tenancies: readonly string[], narrowing: readonly (readonly string[])[]): string | null {
  let left = [...new Set(tenancies)];
  for (const list of narrowing) {
    if (left.length <= 1) break;
    const narrowed = left.filter((tenancy) => list.includes(tenancy));
    if (narrowed.length > 0) left = narrowed;
  }
  return left.length === 1 ? left[0]! : null;
}

interface Index {
  byId: ReadonlyMap<string, ExpectedTenancy>;
  byFoldedId: ReadonlyMap<string, string>;
  byAmount: ReadonlyMap<number, readonly string[]>;
  /** Tenants by `nameKey`. */
  byName: ReadonlyMap<string, readonly EarlierPayment[]>;
}

function indexOf({ tenancies }: Expectations): Index {
  const byAmount = new Map<number, string[]>();
  const byName = new Map<string, EarlierPayment[]>();
  for (const { id, due, tenants } of tenancies) {
    for (const amount of new Set(due)) append(byAmount, amount, id);
    for (const { customer, name } of tenants) {
      const key = nameKey(name);
      if (key !== null) append(byName, key, { tenancy: id, customer });
    }
  }
  return {
    byId: new Map(tenancies.map((tenancy) => [tenancy.id, tenancy])),
    byFoldedId: new Map(tenancies.map(({ id }) => [id.toLowerCase(), id])),
    byAmount,
    byName,
  };
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Returns the tenancies that a line names, those with its reference, and those of its payer with the customer. */
function signsOf(
  { reference, payer_name: payer }: StatementLine,
  { invoicePrefix, invoices, byReference, byPayer }: Expectations,
  { byFoldedId, byName }: Index,
): { named: string[]; referenced: string[]; payers: Map<string, string | null> } {
  const named = [
    ...invoiceNumbersIn(reference, invoicePrefix).flatMap((number) => invoices.get(number) ?? []),
    ...tenancyIdsIn(reference).flatMap((id) => byFoldedId.get(id) ?? []),
  ];
  const earlier = reference !== null && isTelling(reference) ? (byReference.get(reference) ?? []) : [];
  const key = nameKey(payer);
  const known = key === null ? [] : [...(byPayer.get(key) ?? []), ...(byName.get(key) ?? [])];
  return {
    named,
    referenced: earlier.map(({ tenancy }) => tenancy),
    payers: new Map(known.map(({ tenancy, customer }) => [tenancy, customer])),
  };
}

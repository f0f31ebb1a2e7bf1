import { addMonths, type Day } from '../core/calendar.ts';
import type { RulesetId } from '../core/vocabulary/law-rules.ts';
import type { Jurisdiction } from './facts.ts';

/** The duties that keep personal data after an erasure. */
export const retentionKinds = ['right_to_rent', 'accounts'] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The law behind each duty. UK GDPR, article 17(3)(b), exempts from erasure what a duty needs. */
export const retentionBases: Readonly<Record<RetentionKind, string>> = {
  right_to_rent:
    'Immigration Act 2014, s22 to s24, with its code of practice: copies of the evidence are kept until one year after the tenancy.',
  accounts:
    'Companies Act 2006, s386 and s388, and Finance Act 1998, Schedule 18, paragraph 21: accounting records are kept for six years after the accounting year.',
};

/** What is known of the lets of a person. */
export interface RetentionFacts {
  ruleset: RulesetId;
  /** The tenancies that have ended. Without a jurisdiction, the ruleset is that of the account. */
  tenancies: readonly { jurisdiction: Jurisdiction | null; ended_on: Day }[];
  /** The day of the last ledger entry of the tenancies that a law rules. Null if there is none. */
  last_entry_on: Day | null;
  /** The last day of the accounting year: `03-31`. */
  year_end: string;
}

/** Returns the last day on which each duty keeps the data. Duties that do not exist, or have ended, are left out. */
export function retentionsOn(today: Day, facts: RetentionFacts): { kind: RetentionKind; until: Day }[] {
  if (facts.ruleset === 'none') return [];
  const untils = { right_to_rent: rightToRentUntil(facts), accounts: accountsUntil(facts) };
  return retentionKinds.flatMap((kind) => {
    const until = untils[kind];
    return until === null || until < today ? [] : [{ kind, until }];
  });
}

/** The right to rent is checked in England alone. */
function rightToRentUntil({ ruleset, tenancies }: RetentionFacts): Day | null {
  const ends = tenancies.filter(({ jurisdiction }) => (jurisdiction ?? ruleset) === 'england');
  const last = ends
    .map(({ ended_on: day }) => day)
    .toSorted()
    .at(-1);
  return last === undefined ? null : addMonths(last, 12);
}

function accountsUntil({ last_entry_on: last, year_end: yearEnd }: RetentionFacts): Day | null {
  if (last === null) return null;
  const year = Number(last.slice(0, 4));
  const thisYear = dayOf(year, yearEnd);
  return dayOf((thisYear < last ? year + 1 : year) + 6, yearEnd);
}

function dayOf(year: number, monthAndDay: string): Day {
  return `${String(Math.min(year, 9999)).padStart(4, '0')}-${monthAndDay}`;
}

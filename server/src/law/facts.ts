import type { Day, Rhythm, Span } from '../core/calendar.ts';

/* The facts that checks judge. They are plain values: no check reads a record. */

export const tenancyTypes = ['assured', 'licence', 'student', 'company', 'social'] as const;
export type TenancyType = (typeof tenancyTypes)[number];

export const jurisdictions = ['england', 'wales', 'scotland', 'northern_ireland', 'none'] as const;
export type Jurisdiction = (typeof jurisdictions)[number];

export interface Rent {
  /** In the smallest unit of the currency. */
  amount: number;
  currency: string;
  interval: 'week' | 'month' | 'year';
  /** 1 if it is left out. */
  interval_count?: number;
}

/** The place and kind of the let. They choose the checks. */
export interface Scope {
  /** Null: that of the account's ruleset. */
  jurisdiction: Jurisdiction | null;
  /** An application, and a unit without a tenancy, count as assured. */
  type: TenancyType;
}

export interface AdvertFacts {
  onMarket: boolean;
  rent: Rent | null;
}

export interface BidFacts {
  /** The rent that the applicant or tenant would pay. Null if it is not known. */
  rent: Rent | null;
  /** The lowest rent that was asked for the unit since it came on the market. Null if none was. */
  lowestAsked: Rent | null;
}

export interface TermFacts {
  endDate: Day | null;
  isEndedByNotice: boolean;
}

export interface RentPeriodFacts {
  rent: Rent;
}

export interface SigningFacts {
  statementGivenOn: Day | null;
  signedOn: Day;
  /** The ids of the tenants without a recorded check of their right to rent. */
  unrecordedTenants: readonly string[];
}

export interface NoticeFacts {
  servedOn: Day;
  endsOn: Day;
}

export interface TenantNoticeFacts extends NoticeFacts {
  agreedInWriting: boolean;
  /** The tenancy's rent periods. One of them begins on the anchor. */
  rentPeriods: Rhythm & { anchor: Day };
}

export interface LandlordNoticeFacts extends NoticeFacts {
  /** Grounds of Schedule 2 to the Housing Act 1988, such as `8` and `14ZA`. */
  grounds: readonly string[];
}

export interface RentFacts {
  /** Whether the tenancy is signed. */
  isSigned: boolean;
  /** The parameter that demands or pays rent. Null if none does. */
  rentParam: string | null;
}

export interface InvoiceFacts extends RentFacts {
  signedOn: Day | null;
  /** The first day of the tenancy. */
  startDate: Day;
  dueOn: Day;
  lines: readonly {
    type: string;
    /** The days that the line is for. */
    period: Span | null;
    /** The due date of the invoice that the line is about, such as that of the interest. */
    unpaidSince: Day | null;
    /** The day on which that invoice was paid. Null if it was not. */
    paidOn: Day | null;
  }[];
}

export interface IncreaseFacts {
  isIncrease: boolean;
  basis: 'section_13' | 'tribunal' | 'agreement' | 'correction';
  /** The day on which the notice of the new rent was served. Null if none was. */
  servedOn: Day | null;
  /** The first day with the new rent. */
  effectiveOn: Day;
  /** The day on which the first period of the rent began. */
  startedOn: Day;
  /** The days on which the first and the last increase by notice or tribunal took effect. Null if there was none. */
  firstIncreaseOn: Day | null;
  lastIncreaseOn: Day | null;
}

export interface PetFacts {
  openPetRequests: readonly { number: number; answerBy: Day }[];
}

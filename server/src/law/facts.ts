import type { Anchor, Day, Rhythm, Span } from '../core/calendar.ts';

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
  rentPeriods: Rhythm & Anchor;
}

export interface LandlordNoticeFacts extends NoticeFacts {
  /** Grounds of Schedule 2 to the Housing Act 1988, such as `8` and `14ZA`. */
  grounds: readonly string[];
  /** The first day of the tenancy. */
  startedOn: Day;
}

export interface RentFacts {
  /** Whether the tenancy was signed when rent was demanded or paid. */
  isSigned: boolean;
  /** The day of the signing. Null if the tenancy is not signed yet. */
  signedOn: Day | null;
  /** The parameter that demands or pays rent. Null if none does. */
  rentParam: string | null;
}

export interface InvoiceFacts extends RentFacts {
  /** The first day of the tenancy. */
  startDate: Day;
  /** How often the rent of the tenancy is due. */
  rentPeriods: Rhythm;
  dueOn: Day;
  lines: readonly {
    type: string;
    /** The days that the line is for. */
    period: Span | null;
    /** The due date of the invoice of rent that the line is about, such as that of the interest. Null if it names none. */
    unpaidSince: Day | null;
    /** The day on which the last money for that invoice came. Null if it is not paid. */
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
  /** The first day of the tenancy. */
  startedOn: Day;
  /** The days on which the first and the last increase by notice or tribunal took effect. Null if there was none. */
  firstIncreaseOn: Day | null;
  lastIncreaseOn: Day | null;
}

export interface PetFacts {
  openPetRequests: readonly { number: number; answerBy: Day }[];
}

export interface HoldingDepositFacts extends HeldUnitFacts {
  /** In the smallest unit of the currency of the rent. */
  amount: number;
  /** The part of the amount that came before the money that is judged. Left out if none comes. */
  received?: number;
  /** Null if no rent is known. */
  rent: Rent | null;
}

export interface HeldUnitFacts {
  /** The id of another holding deposit that is held for the unit. Null if none is. */
  otherDeposit: string | null;
  /** The parameter that names the application or the deposit. */
  param: string;
}

export interface DepositFacts {
  /** In the smallest unit of the currency of the rent. */
  amount: number;
  /** The part of the amount that came before the money that is judged. Left out if none comes. */
  received?: number;
  rent: Rent;
  /** The parameter with the amount. The default is `amount`. */
  param?: string;
}

export interface HoldingDutyFacts {
  /** The last day to return or apply it. Null if it is not known yet. */
  repayBy: Day | null;
  /** Whether money of it is still held. */
  isHeld: boolean;
  /** The day on which it was retained. Null if it was not. */
  retainedOn: Day | null;
}

export interface HoldingRetentionFacts {
  /** The day on which a tenancy of the application was signed. Null if none was. */
  signedOn: Day | null;
}

export interface DepositDutyFacts {
  /** The last day to protect it and to inform the tenants. Null until money of it has come. */
  protectBy: Day | null;
  /** The day on which nothing of it was held any more. Null until then. */
  settledOn: Day | null;
  protectedOn: Day | null;
  informationGivenOn: Day | null;
  /** The last day to return it after a proposal. Null if none is made, or if it is disputed. */
  returnBy: Day | null;
}

export interface PossessionFacts {
  servedOn: Day;
  grounds: readonly string[];
  /** The deposit of the tenancy. Null if none was received. */
  deposit: { protectedOn: Day | null; informationGivenOn: Day | null } | null;
}

import type { Letterhead } from '../../print/letterhead.ts';
import type { Address as PlaceAddress } from '../../print/words.ts';
import type { Address, Findings, Note, Rent, Verdict } from '../providers/provider.ts';

/** The data of a report. It is plain data, so that another process can receive it. */
export interface ReportContents {
  referenceId: string;
  /** Seconds since the Unix epoch. The document has the time of its decision, or else `completed`. */
  created: number;
  completed: number;
  /** The public name of the service: `Canopy`. Null if the account made the check itself. */
  providerName: string | null;
  applicationId: string;
  /** The account that ordered the reference, and decides by it. */
  accountName: string;
  /** Null if the account has no letterhead. */
  letterhead: Letterhead | null;
  /** Null if the person lives in a system of the account's own. */
  applicant: ReportApplicant | null;
  customerId: string | null;
  /** Null if the application is kept elsewhere. */
  tenancy: ReportTenancy | null;
  /** Null if one person applies alone, or the application is kept elsewhere. */
  sharedRent: SharedRent | null;
  /** Whether the application names a guarantor, which the service learned. */
  hasGuarantor: boolean;
  /** Null if no service has finished, or if its findings cannot be read any more. */
  findings: Findings | null;
  /** What the service had reported when the account decided. Null if there are findings, or no service. */
  unfinished: Unfinished | null;
  /** Null if only a service has set the outcome. */
  decision: ReportDecision | null;
  /** The notes until it was complete. */
  timeline: readonly Note[];
  /** Whether it was made in the sandbox. Every page then says so. */
  isTest: boolean;
}

/** An outcome that a person or a program has set. */
export interface ReportDecision {
  outcome: Verdict;
  /** Null if none was given. */
  reason: string | null;
  /** The decider and its role: `Ada Lovelace, operator`. */
  by: string;
  /** Seconds since the Unix epoch. */
  at: number;
}

/** The reports of a service without its findings. */
export interface Unfinished {
  /** The verdict in the service's words. Null if it had none. */
  words: string | null;
  /** Per cent of gross income that goes on rent. */
  percentage: number | null;
  creditScore: number | null;
  sanctionsPassed: boolean | null;
}

/** What the person applies for. */
interface ReportTenancy {
  /** Null if the application names no home. */
  home: { name: string; address: PlaceAddress | null } | null;
  /** YYYY-MM-DD. */
  moveInDate: string | null;
  rent: Rent | null;
  /** The ids of the other applicants. Only ids, because a report is about one person. */
  coApplicants: readonly string[];
}

/** A rent that several people pay together. */
interface SharedRent {
  whole: Rent;
  /** In the order of the application. Only ids, because a report is about one person. */
  shares: readonly { customerId: string; rent: Rent }[];
}

interface ReportApplicant {
  name: string;
  /** YYYY-MM-DD. */
  dateOfBirth: string | null;
  currentAddress: Address | null;
}

import type { Address, Findings, Note, Rent } from '../providers/provider.ts';

/** The data of a report. It is plain data, so that another thread can receive it. */
export interface ReportContents {
  referenceId: string;
  /** Seconds since the Unix epoch. `completed` is also the time of the document. */
  created: number;
  completed: number;
  /** The public name of the service: `Canopy`. */
  providerName: string;
  applicationId: string;
  /** The account that ordered the reference, and decides by it. */
  accountName: string;
  /** Null if the person lives in a system of the account's own. */
  applicant: ReportApplicant | null;
  customerId: string | null;
  /** Null if one person applies alone, or the application is kept elsewhere. */
  sharedRent: SharedRent | null;
  /** Whether the application names a guarantor, which the service learned. */
  hasGuarantor: boolean;
  findings: Findings;
  /** The notes until it was complete. */
  timeline: readonly Note[];
  /** Whether it was made in the sandbox. Every page then says so. */
  isTest: boolean;
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

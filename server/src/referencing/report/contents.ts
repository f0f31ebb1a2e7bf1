import type { Address, Findings, Note, Rent } from '../providers/provider.ts';

/** Everything that a report shows. Plain data, which goes to another thread as it is. */
export interface ReportContents {
  referenceId: string;
  /** In seconds since the Unix epoch. The second one is the time of the document, too. */
  created: number;
  completed: number;
  /** As people know the service: `Canopy`. */
  providerName: string;
  applicationId: string;
  /** Who ordered the reference, and decides by it. */
  accountName: string;
  /** Null if the person lives in a system of the account's own. */
  applicant: ReportApplicant | null;
  customerId: string | null;
  /** Null if one person applies alone, or the application is kept elsewhere. */
  sharedRent: SharedRent | null;
  /** The application names a guarantor, which the service was told. */
  hasGuarantor: boolean;
  findings: Findings;
  /** What happened until it was complete. */
  timeline: readonly Note[];
  /** Made in the sandbox: every page says so. */
  isTest: boolean;
}

/** A rent that several people pay together. */
interface SharedRent {
  whole: Rent;
  /** In the order of the application. By their ids only: a report tells of one person. */
  shares: readonly { customerId: string; rent: Rent }[];
}

interface ReportApplicant {
  name: string;
  /** YYYY-MM-DD. */
  dateOfBirth: string | null;
  currentAddress: Address | null;
}

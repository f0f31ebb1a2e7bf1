import type { Provider } from '../../core/vocabulary/providers.ts';
import type { Callback, ProviderAccess } from '../../external-services/service.ts';

/*
 * The common interface of all external referencing services. One file adapts one service. It sees the service's HTTP API and nothing of
 * ours.
 */

/** An adapter of one referencing service. Every call is safe to repeat: the reference's id identifies the order. */
export interface ReferencingProvider {
  name: Provider;
  /** Seconds until an order without a callback is read again. */
  lookAgainAfterSeconds: number;
  /**
   * Orders the check, or finds the order that was made for this reference before.
   *
   * @throws {ProviderFault}
   */
  submit(access: ProviderAccess, order: Order): Promise<Progress>;
  /**
   * Reads the progress of the order.
   *
   * @throws {ProviderFault}
   */
  read(access: ProviderAccess, orderId: string): Promise<Progress>;
  /**
   * Looks up the order that was made for a reference. Makes none.
   *
   * @param referenceId as in the order.
   * @returns the service's own id of the order, or null if it has none.
   * @throws {ProviderFault}
   */
  find(access: ProviderAccess, referenceId: string): Promise<string | null>;
  /**
   * Tells the service the present e-mail address of the person. If the service waits for the person, it sends the invitation there. The
   * same address again sends none. Resolves also if the order has ended. Services that cannot do it leave it out.
   *
   * @throws {ProviderFault}
   */
  invite?(access: ProviderAccess, orderId: string, email: string): Promise<void>;
  /**
   * Stops the work on the order. Resolves also if it has ended already.
   *
   * @throws {ProviderFault}
   */
  cancel(access: ProviderAccess, orderId: string): Promise<void>;
  /**
   * Reads the findings of a completed order, for the report. They contain no contact details of referees.
   *
   * @throws {ProviderFault}
   */
  fetchFindings(access: ProviderAccess, orderId: string): Promise<Findings>;
  /**
   * Returns the id of the callback's reference, or null if the service did not sign it recently. The rest of the callback is
   * not trusted; the order is read instead. So callbacks may come twice and in any order. Services without callbacks leave it out.
   */
  readCallback?(callback: Callback): string | null;
}

/** The check to order. */
export interface Order {
  /** The key of the order: the id of the reference, with a number after the first order. The service makes no second order for it. */
  referenceId: string;
  /** Null if the person is kept in a system of the account's own. Then the service asks them itself. */
  applicant: Applicant | null;
  /** The person's share; null if it is not known. */
  rent: Rent | null;
  /** Whether a guarantor covers the rent. */
  hasGuarantor: boolean;
  /** The address for the service's callbacks. */
  callbackUrl: string;
  /** The behavior of a simulated service; null in live mode. */
  scenario: string | null;
}

export interface Applicant {
  name: string;
  email: string | null;
  phone: string | null;
  /** YYYY-MM-DD. */
  dateOfBirth: string | null;
  addresses: readonly Address[];
}

export interface Address {
  line1: string;
  line2: string | null;
  city: string;
  postalCode: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

export interface Rent {
  /** In the smallest unit of the currency. */
  amount: number;
  /** ISO 4217, in lower case. */
  currency: string;
  interval: 'week' | 'month' | 'year';
}

/** The status of an order. */
export type OrderStatus =
  | 'queued'
  | 'invited'
  | 'in_progress'
  | 'awaiting_referee'
  | 'in_review'
  | 'done'
  | 'failed'
  | 'canceled';

export type Verdict = 'accept' | 'consider' | 'high_risk';

/** The progress of an order. */
export interface Progress {
  /** The service's own id of the order. */
  orderId: string;
  status: OrderStatus;
  /** Null until the order is done, so that no early result is shown. */
  outcome: {
    /** The service's own words. */
    words: string;
    verdict: Verdict;
  } | null;
  /** Data that only the first service provides (spec, provider_data). */
  data: ProviderAData | null;
  /** An obstacle for the service that is not our fault, such as an invitation that bounced. */
  problem: Problem | null;
}

/** Shown as `<code>: <message>`. */
export interface Problem {
  /** Stable, in lower case with underscores. */
  code: string;
  /** A sentence that says what to do, without contact details: see `withoutContacts`. */
  message: string;
}

/** The object of the specification. */
export interface ProviderAData {
  affordability: { percentage: number | null; status: string | null };
  credit_score: number | null;
  notes: Note[] | null;
  progress: number | null;
  sanctions_passed: boolean | null;
}

export interface Note {
  /** In seconds since the Unix epoch. */
  created: number;
  message: string;
}

/** The findings about a person, in the words of the report. Checks that a service does not make are null, or missing from the list. */
export interface Findings {
  verdict: Verdict;
  /** The service's own words for the verdict. */
  words: string;
  /** The reasons, a sentence each. */
  reasons: readonly string[];
  affordability: {
    /** `pass`, `refer`, `fail`. */
    status: string | null;
    /** The rent as a share of verified gross income: 40 is the rule of thirty times the monthly rent. */
    percentage: number | null;
    rent: Rent | null;
    /** Gross, a year; in the currency of the rent. */
    annualIncome: { amount: number; currency: string } | null;
    /** False if the service doubts the income, such as after a changed payslip. */
    isIncomeVerified: boolean;
    /** A sentence each. */
    sources: readonly string[];
  } | null;
  credit: {
    /** Null if there is no credit file, which says nothing against the person. */
    score: number | null;
    /** The best score on the service's scale; null if the service does not give it. */
    scoreMax: number | null;
    /** Such as `Electoral roll` and `Registered at this address`. */
    facts: readonly { label: string; value: string }[];
  } | null;
  sanctions: {
    /** Null if it was not settled. */
    passed: boolean | null;
    /** A sentence each. */
    facts: readonly string[];
  } | null;
  /** Checks of identity, employer and former landlord, with their results. They contain no contact details of referees. */
  checks: readonly { name: string; result: 'pass' | 'refer' | 'fail' | 'not_performed'; detail: string | null }[];
  notes: readonly Note[];
  /** The service's name and the contact of its complaints desk, where the person can have findings corrected. */
  dispute: { service: string; contact: string };
}

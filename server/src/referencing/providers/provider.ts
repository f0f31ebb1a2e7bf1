import type { Provider } from '../../core/providers.ts';

/*
 * What every outside referencing service can be asked, whatever its own API looks like. One file translates one service; it sees
 * the service's HTTP API and nothing of ours.
 */

/** A referencing service, as this server speaks to it. Every call is safe to repeat: the reference's id makes it the same order. */
export interface ReferencingProvider {
  name: Provider;
  /** How long to wait before looking again at an order that nothing was heard of, in seconds. */
  lookAgainAfterSeconds: number;
  /**
   * Orders the check, or finds the order that was made for this reference before.
   *
   * @throws {ProviderFault}
   */
  submit(access: ProviderAccess, order: Order): Promise<Progress>;
  /**
   * How the order stands.
   *
   * @throws {ProviderFault}
   */
  read(access: ProviderAccess, orderId: string): Promise<Progress>;
  /**
   * Has nobody work on it any more. Resolves also when it has ended already.
   *
   * @throws {ProviderFault}
   */
  cancel(access: ProviderAccess, orderId: string): Promise<void>;
  /**
   * What was found, of an order that is done: what the report shows. Nothing in it says how to reach a referee.
   *
   * @throws {ProviderFault}
   */
  fetchFindings(access: ProviderAccess, orderId: string): Promise<Findings>;
  /**
   * Whom a callback is about: the id of the reference. Null if it is not signed by the service, or not lately. What it says beyond that is
   * not believed but read, so that callbacks may come twice and in any order. Left out by services that call nobody.
   */
  readCallback?(callback: Callback): string | null;
}

/** Where the service is, and as whom it is asked. */
export interface ProviderAccess {
  client: ProviderClient;
  /** Of the account, by their names. */
  credentials: Readonly<Record<string, string>>;
}

/** Calls one service. */
export interface ProviderClient {
  /**
   * Sends a request and reads its answer as JSON. Nothing is repeated.
   *
   * @param path begins with a slash.
   * @returns the answer's status, which is one of `expected`, and its body; null if that is empty.
   * @throws {ProviderFault} for any other status, for an answer that is no JSON, and if none came in time.
   */
  call(request: ProviderRequest): Promise<{ status: number; body: unknown }>;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
  /** The statuses that are no fault; 200 to 299 if none are named. */
  expected?: readonly number[];
  /** Where in the service's answer its own code and words for a refusal (4xx) are. Without it they are not told. */
  refusalIn?(body: unknown): { code: unknown; message: unknown };
}

/** What is to be checked. */
export interface Order {
  /** Ours. The service knows the order by it, too, and makes none twice. */
  referenceId: string;
  /** Null if the person lives in a system of the account's own: then the service asks them itself. */
  applicant: Applicant | null;
  /** The person's share; null if it is not known. */
  rent: Rent | null;
  /** Whether somebody stands in for the rent. */
  hasGuarantor: boolean;
  /** Where the service tells that something has happened. */
  callbackUrl: string;
  /** What a simulated service shall do; null in live mode. */
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

/** Where an order stands. */
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

/** How an order stands. */
export interface Progress {
  /** The service's own id of it. */
  orderId: string;
  status: OrderStatus;
  /** Null until it is done: nothing is told early. */
  outcome: {
    /** The service's own. */
    words: string;
    verdict: Verdict;
  } | null;
  /** What only the first service tells (spec, provider_data). */
  data: ProviderAData | null;
  /** What keeps the service from going on, and is nobody's fault here: an invitation that bounced. */
  problem: Problem | null;
}

/** OperationDocs as `<code>: <message>`. */
export interface Problem {
  /** Stable, in lower case with underscores. */
  code: string;
  /** A sentence for the person who must act. */
  message: string;
}

/** As the specification has it. */
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

/** What was found about a person, in the words of the report. What a service does not check is null, or not in the list. */
export interface Findings {
  verdict: Verdict;
  /** The service's own words for it. */
  words: string;
  /** Why, a sentence each. */
  reasons: readonly string[];
  affordability: {
    /** `pass`, `refer`, `fail`. */
    status: string | null;
    /** The rent as a share of verified gross income: 40 is the rule of thirty times the monthly rent. */
    percentage: number | null;
    rent: Rent | null;
    /** Gross, a year; in the currency of the rent. */
    annualIncome: { amount: number; currency: string } | null;
    /** False if the service doubts the income, such as after a payslip that was changed. */
    isIncomeVerified: boolean;
    /** A sentence each. */
    sources: readonly string[];
  } | null;
  credit: {
    /** Null: there is no credit file, which says nothing against the person. */
    score: number | null;
    /** The best score there is on the service's scale; null if it does not tell. */
    scoreMax: number | null;
    /** Such as `Electoral roll` and `Registered at this address`. */
    facts: readonly { label: string; value: string }[];
  } | null;
  sanctions: {
    /** Null: it was not settled. */
    passed: boolean | null;
    /** A sentence each. */
    facts: readonly string[];
  } | null;
  /** Identity, employer, former landlord: what was asked, and what came of it. Nothing says how to reach whoever was asked. */
  checks: readonly { name: string; result: 'pass' | 'refer' | 'fail' | 'not_performed'; detail: string | null }[];
  notes: readonly Note[];
  /** Where the person can have it corrected: the service's name, and how its complaints desk is reached. */
  dispute: { service: string; contact: string };
}

/** What came to `POST /provider_callbacks/{provider}/{account}`. */
export interface Callback {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  credentials: Readonly<Record<string, string>>;
  nowSeconds: number;
}

/** A service did not do what it was asked. The message tells what, in words for whoever looks at the reference. */
export class ProviderFault extends Error {
  /** Stable, in lower case with underscores: `timeout`, `unavailable`, `invalid_details`. */
  readonly code: string;
  /** It has too much to do, which is no failure: in so many seconds it can be asked again. Null for any other fault. */
  readonly busyForSeconds: number | null;

  constructor(code: string, message: string, options: { busyForSeconds?: number; cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.busyForSeconds = options.busyForSeconds ?? null;
  }
}

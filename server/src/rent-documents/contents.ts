import type { Letterhead } from '../print/letterhead.ts';
import type { Address } from '../print/words.ts';

/** The data of a document. It is plain data, so that another process can receive it. */
export type DocumentContents = InvoiceContents | StatementContents;

/** What both kinds of documents show. Days are `YYYY-MM-DD`, and amounts are in the smallest unit of `currency`. */
interface Common {
  sender: Sender;
  /** The names of the tenants. One whose name is kept elsewhere has an id instead. */
  recipients: readonly string[];
  /** Null if the home is not recorded. */
  home: Home | null;
  /** The id of the tenancy. */
  tenancy: string;
  /** In lower case, as in the API. */
  currency: string;
  /** Whether it was made in the sandbox. Every page then says so. */
  isTest: boolean;
}

/** The account, as its letterhead has it. Without one, it has a name only. */
export interface Sender extends Letterhead {
  bank: Bank | null;
}

export interface Bank {
  accountName: string;
  bankName: string | null;
  sortCode: string | null;
  accountNumber: string | null;
  iban: string | null;
  bic: string | null;
}

export interface Home {
  /** Its name in the building: `Flat 2`. */
  unit: string;
  address: Address;
}

/** Days, of which both ends are included. */
export interface Span {
  start: string;
  end: string;
}

export interface InvoiceContents extends Common {
  kind: 'invoice';
  id: string;
  /** Null for a draft. */
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  isOverdue: boolean;
  /** When it was made, in seconds since the Unix epoch. It is the time of the document. */
  created: number;
  /** Null for a draft. */
  finalizedOn: string | null;
  dueOn: string;
  /** Null if it is not paid. */
  paidOn: string | null;
  voidReason: string | null;
  period: Span | null;
  lines: readonly { description: string; period: Span | null; amount: number }[];
  total: number;
  amountPaid: number;
  amountCredited: number;
  amountDue: number;
  credits: readonly { on: string; reason: string; amount: number }[];
  /** What settles it so far, the oldest first. The amounts add up to `amountPaid`. */
  payments: readonly { on: string; method: string; amount: number }[];
}

export interface StatementContents extends Common {
  kind: 'statement';
  /** Null if it goes back to the first entry. */
  from: string | null;
  to: string;
  opening: number;
  closing: number;
  entries: readonly StatementRow[];
  /** What is overdue now, and the first day of that. */
  arrears: { amount: number; since: string | null };
}

export interface StatementRow {
  date: string;
  type: string;
  amount: number;
  balance: number;
  /** The first line of its invoice. Null if it has none. */
  description: string | null;
  /** The number of its invoice. Null if it has none. */
  number: string | null;
  /** The method of its payment. Null if it has none. */
  method: string | null;
}

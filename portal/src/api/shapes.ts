import type { PostalAddress } from '@tenure/ui/words';

/* What the API sends to the portal. Money is in the smallest unit of its currency, and days are `YYYY-MM-DD`. */

/** A part of the portal that the agent opens to a person. */
export type Feature = 'details' | 'documents' | 'applications' | 'money' | 'notice' | 'pets';

export interface Access {
  features: Feature[];
  return_url: string | null;
  opened_at: number;
  expires_at: number;
}

export interface Page<T> {
  count: number;
  has_more: boolean;
  data: T[];
}

export interface Money {
  amount: number;
  currency: string;
}

/** An address of a person, with the days there. */
export interface PersonAddress extends PostalAddress {
  from: string | null;
  to: string | null;
}

export interface Home {
  name: string;
  address: PostalAddress | null;
}

/** A check of the person. Its outcome is null until the application is decided. */
export interface Check {
  id: string;
  created: number;
  status: 'pending' | 'processing' | 'complete' | 'canceled';
  outcome: 'accept' | 'consider' | 'high_risk' | null;
}

export interface Agent {
  name: string;
  letterhead_name: string | null;
  email: string | null;
  phone: string | null;
  address: PostalAddress | null;
  logo: { content_type: string; data: string } | null;
  brand_color: string | null;
  /** Where the rent is paid. Left out before a session. */
  bank?: {
    account_name: string;
    sort_code: string | null;
    account_number: string | null;
    iban: string | null;
  } | null;
}

export interface Details {
  email: string | null;
  phone: string | null;
  date_of_birth: string | null;
  addresses: PersonAddress[];
}

export interface Guarantee {
  id: string;
  status: 'proposed' | 'agreed' | 'declined' | 'released';
  limit: Money | null;
  agreed_on: string | null;
  released_on: string | null;
}

/** The person, and all that every page needs. */
export interface Me {
  id: string;
  name: string;
  /** Null if the session lacks the feature. */
  details: Details | null;
  guarantees: Guarantee[];
  references: (Check & { application: string | null })[];
  session: Access & { id: string };
  account: Agent;
  mode: 'sandbox' | 'live';
  time_zone: string;
  today: string;
  now: number;
}

export interface SentFile {
  id: string;
  created: number;
  purpose: string;
  filename: string;
  size: number;
  content_type: string;
}

export interface Asked {
  code: 'phone' | 'date_of_birth' | 'addresses' | 'identity_document' | 'income_evidence' | 'right_to_rent';
  text: string;
  feature: 'details' | 'documents';
}

export interface Application {
  id: string;
  created: number;
  status: 'open' | 'approved' | 'rejected' | 'withdrawn' | 'converted';
  home: Home | null;
  rent: (Money & { interval: string }) | null;
  move_in_date: string | null;
  co_applicants: string[];
  has_guarantor: boolean;
  references: Check[];
  decision: {
    outcome: 'approved' | 'rejected';
    reasons: { code: string; text: string }[];
    automated: boolean;
    decided_at: number;
  } | null;
  review: { status: 'requested' | 'upheld' | 'changed'; requested_at: number; completed_at: number | null } | null;
  /** What the person still has to send. */
  asked: Asked[];
  /** The actions that are possible now. */
  actions: ('withdraw' | 'request_review')[];
  tenancy: string | null;
}

export interface PetRequest {
  number: number;
  description: string;
  requested_on: string;
  answer_by: string;
  status: 'open' | 'information_asked' | 'granted' | 'refused';
  reason: string | null;
}

export interface Tenancy {
  id: string;
  created: number;
  status: 'signed' | 'active' | 'notice' | 'ended' | 'canceled';
  /** Null if the home is kept in another system. */
  home: Home | null;
  type: string;
  start_date: string;
  end_date: string | null;
  signed_on: string | null;
  rent: Money & { interval: 'week' | 'month'; interval_count: number };
  co_tenants: string[];
  has_guarantor: boolean;
  notice: { by: 'tenant' | 'landlord' | 'mutual'; served_on: string; ends_on: string; grounds: string[] } | null;
  /** The earliest last day of a notice that is given today. Null if no rule says, or if no notice can be given. */
  earliest_last_day: string | null;
  /** Requests of this person. */
  pet_requests: PetRequest[];
  /** The debt, or the credit if it is below zero. Null without the feature `money`. */
  balance: number | null;
  arrears: { amount: number; since: string | null } | null;
  deposit: string | null;
  actions: ('give_notice' | 'request_pet')[];
}

export interface LedgerEntry {
  id: string;
  sequence: number;
  date: string;
  type: 'invoice' | 'void' | 'credit' | 'payment' | 'payment_failed' | 'refund';
  amount: number;
  balance: number;
  invoice: string | null;
  payment: string | null;
}

export interface Invoice {
  id: string;
  created: number;
  tenancy: string;
  number: string | null;
  status: 'open' | 'paid' | 'void' | 'uncollectible';
  due_on: string;
  overdue: boolean;
  period: { start: string; end: string } | null;
  lines: { type: string; description: string; amount: number; period: { start: string; end: string } | null }[];
  currency: string;
  total: number;
  amount_paid: number;
  amount_credited: number;
  amount_due: number;
}

export interface Payment {
  id: string;
  created: number;
  tenancy: string | null;
  deposit: string | null;
  amount: number;
  currency: string;
  method: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled' | 'refunded';
  received_on: string | null;
  /** Whether this person paid. Null if the payment names no payer. */
  own: boolean | null;
  reference: string | null;
  amount_refunded: number;
}

export interface Deposit {
  id: string;
  created: number;
  type: 'holding' | 'tenancy';
  status: 'pending' | 'received' | 'protected' | 'releasing' | 'disputed' | 'settled' | 'canceled';
  home: Home | null;
  application: string | null;
  currency: string;
  amount: number;
  amount_received: number;
  amount_applied: number;
  amount_deducted: number;
  amount_returned: number;
  amount_held: number;
  received_on: string | null;
  decide_by: string | null;
  repay_by: string | null;
  protect_by: string | null;
  scheme: string | null;
  scheme_reference: string | null;
  protected_on: string | null;
  information_given_on: string | null;
  deductions: { amount: number; reason: string; description: string | null }[];
  returned_on: string | null;
  own: boolean;
}

import { dayText, listed, money } from '@tenure/ui/words';
import type { PortalError } from './api/client.ts';
import type { Agent, Application, Check, Deposit, Home, Invoice, LedgerEntry, Payment, Tenancy } from './api/shapes.ts';
import type { Tone } from './kit/parts.tsx';

/* The words of the portal. Its readers have no training, and may be worried. */

/** A status in words. */
export interface Status {
  tone: Tone;
  text: string;
}

/** Returns the name that a renter knows the agent by. */
export function agentName({ letterhead_name: letterheadName, name }: Agent): string {
  return letterheadName ?? name;
}

/** Returns what went wrong, and what to do. The messages of the API are for programmers, so that only those about a value are shown. */
export function errorText({ status, code, faults, message }: PortalError, { isWrite = false } = {}): string {
  if (code === 'offline') return 'You seem to be offline. Check your connection, and try again.';
  if (code === 'too_many_attempts')
    return 'There were too many attempts from your network. Wait a quarter of an hour, and try again.';
  if (code === 'origin_forbidden') return 'This address is not safe to use. Ask your agent for the right one.';
  if (status === 429 || code === 'overloaded') return 'We are busy at the moment. Wait a few seconds, and try again.';
  if (status === 403) return 'Your link does not open this part. Ask your agent for a link that does.';
  if (status === 404) return 'We cannot find this. It may have been removed. Ask your agent.';
  if (code === 'status_transition_invalid')
    return 'This is no longer possible, because something has changed. The page shows what is true now.';
  if (status >= 500 || status === 0)
    return `Something went wrong on our side.${isWrite ? ' What you have typed is still here.' : ''} Try again in a minute.`;
  if (status === 401) return 'Your visit has ended. Ask your agent for a new link.';
  return faults.length > 0 || message !== '' ? plain(message) : 'Something is not right. Check what you have typed.';
}

/** Returns a message of the API without the marks of code. */
export function plain(message: string): string {
  return message.replaceAll('`', '');
}

/** Returns the first word of a name. */
export function firstName(name: string): string {
  return name.trim().split(/\s+/)[0] ?? name;
}

/** Returns a home as people call it: "Flat 2, 12 Coppergate". The home can be kept in another system. */
export function homeText(home: Home | null): string {
  if (home === null) return 'Your home';
  return home.address === null ? home.name : `${home.name}, ${home.address.line1}`;
}

/** Returns a rent with its interval: "£950 a month", or "£400 every 2 weeks". */
export function rentText(rent: {
  amount: number;
  currency: string;
  interval: string;
  interval_count?: number;
}): string {
  const count = rent.interval_count ?? 1;
  return `${money(rent)} ${count === 1 ? `a ${rent.interval}` : `every ${count} ${rent.interval}s`}`;
}

/** Returns an amount in a currency. */
export function amountText(amount: number, currency: string): string {
  return money({ amount, currency });
}

/** Returns a day with its name: "Friday 30 April 2027". */
export function longDay(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(Date.parse(day));
}

/** Returns the days of a tenancy. */
export function tenancyDays({ start_date: start, end_date: end }: Tenancy): string {
  return end === null ? `From ${dayText(start)}, with no end date` : `${dayText(start)} to ${dayText(end)}`;
}

/** Returns names as a sentence has them, or null if there are none. */
export function namesText(names: readonly string[]): string | null {
  return names.length === 0 ? null : listed(names);
}

/** Returns the size of a file. */
export function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What a file can be sent as. */
export const purposes: Readonly<Record<string, { name: string; example: string }>> = {
  identity_document: { name: 'Proof of who you are', example: 'A passport, a driving licence or an identity card.' },
  income_evidence: { name: 'Proof of your income', example: 'A payslip or a bank statement.' },
  right_to_rent: { name: 'Proof that you may rent', example: 'A passport, a visa or a share code.' },
  other: { name: 'Other document', example: 'What your agent has asked for.' },
};

/** What a file was sent as, in a list. */
export function purposeText(purpose: string): string {
  return (purposes[purpose] ?? purposes.other!).name;
}

export function applicationStatus({ status, review, asked }: Application): Status {
  switch (status) {
    case 'open':
      if (review?.status === 'changed') return { tone: 'waiting', text: 'Open again after a review' };
      return asked.length > 0
        ? { tone: 'warning', text: 'Waiting for you' }
        : { tone: 'waiting', text: 'Being looked at' };
    case 'approved':
      return asked.length > 0
        ? { tone: 'warning', text: 'Accepted, but something is missing' }
        : { tone: 'good', text: 'Accepted' };
    case 'rejected':
      return review?.status === 'requested'
        ? { tone: 'waiting', text: 'Being reviewed' }
        : { tone: 'bad', text: 'Not accepted' };
    case 'withdrawn':
      return { tone: 'neutral', text: 'Withdrawn' };
    case 'converted':
      return { tone: 'good', text: 'Agreement signed' };
  }
}

/** Returns the applications of which something is asked first, the others in their order. */
export function byUrgency(applications: readonly Application[]): readonly Application[] {
  return applications.toSorted((one, other) => Number(other.asked.length > 0) - Number(one.asked.length > 0));
}

export function checkStatus({ status, outcome }: Check): Status {
  if (outcome === 'accept') return { tone: 'good', text: 'No problems found' };
  if (outcome === 'consider') return { tone: 'warning', text: 'Some points to consider' };
  if (outcome === 'high_risk') return { tone: 'bad', text: 'Problems found' };
  if (status === 'pending') return { tone: 'waiting', text: 'Not started yet' };
  if (status === 'processing') return { tone: 'waiting', text: 'Under way' };
  if (status === 'complete') return { tone: 'good', text: 'Finished' };
  return { tone: 'neutral', text: 'Canceled' };
}

export function tenancyStatus({ status }: Tenancy): Status {
  switch (status) {
    case 'signed':
      return { tone: 'good', text: 'Signed, not begun yet' };
    case 'active':
      return { tone: 'good', text: 'Your home now' };
    case 'notice':
      return { tone: 'warning', text: 'Notice given' };
    case 'ended':
      return { tone: 'neutral', text: 'Ended' };
    case 'canceled':
      return { tone: 'neutral', text: 'Called off' };
  }
}

export function invoiceStatus({ status, overdue, amount_due: due, amount_paid: paid }: Invoice): Status {
  if (status === 'void') return { tone: 'neutral', text: 'Called off' };
  // A bill that was taken off in full was not paid.
  if (due === 0 && paid === 0) return { tone: 'good', text: 'Nothing to pay' };
  if (status === 'paid' || due === 0) return { tone: 'good', text: 'Paid' };
  if (overdue) return { tone: 'bad', text: 'Overdue' };
  return { tone: 'waiting', text: 'To pay' };
}

export function paymentStatus({ status }: Payment): Status {
  switch (status) {
    case 'succeeded':
      return { tone: 'good', text: 'Received' };
    case 'pending':
      return { tone: 'waiting', text: 'On its way' };
    case 'failed':
      return { tone: 'bad', text: 'Failed' };
    case 'canceled':
      return { tone: 'neutral', text: 'Canceled' };
    case 'refunded':
      return { tone: 'neutral', text: 'Paid back' };
  }
}

/** Returns how a payment was made. */
export function methodText(method: string): string {
  const names: Readonly<Record<string, string>> = {
    bank_transfer: 'Bank transfer',
    standing_order: 'Standing order',
    direct_debit: 'Direct Debit',
    card: 'Card',
    cash: 'Cash',
    cheque: 'Cheque',
    deposit: 'From your deposit',
    holding_deposit: 'From your holding deposit',
  };
  return names[method] ?? 'Payment';
}

export function ledgerText({ type }: LedgerEntry): string {
  const names: Readonly<Record<LedgerEntry['type'], string>> = {
    invoice: 'Bill',
    void: 'Bill called off',
    credit: 'Taken off a bill',
    payment: 'Payment received',
    payment_failed: 'Payment failed',
    refund: 'Paid back to you',
  };
  return names[type];
}

export function depositStatus({ status, type, amount_received: received }: Deposit): Status {
  switch (status) {
    case 'pending':
      return { tone: 'waiting', text: received > 0 ? 'Partly paid' : 'Not paid yet' };
    case 'received':
      return { tone: type === 'holding' ? 'good' : 'waiting', text: type === 'holding' ? 'Held' : 'Paid' };
    case 'protected':
      return { tone: 'good', text: 'Protected' };
    case 'releasing':
      return { tone: 'waiting', text: 'Being paid back' };
    case 'disputed':
      return { tone: 'warning', text: 'In dispute' };
    case 'settled':
      return { tone: 'neutral', text: 'Settled' };
    case 'canceled':
      return { tone: 'neutral', text: 'Called off' };
  }
}

/** Returns the name of a scheme that protects deposits, for a sentence: "the Deposit Protection Service". */
export function schemeText(scheme: string): string {
  const [name = ''] = scheme.split('_');
  const names: Readonly<Record<string, string>> = {
    dps: 'the Deposit Protection Service',
    mydeposits: 'mydeposits',
    tds: 'the Tenancy Deposit Scheme',
  };
  return names[name] ?? 'another scheme';
}

/** Returns what a scheme does with the money of a deposit, after its name in a sentence. */
export function schemeDuty(scheme: string): string {
  const duties: Readonly<Record<string, string>> = {
    custodial: ', which holds the money',
    insured: ', which insures the money',
  };
  return duties[scheme.split('_')[1] ?? ''] ?? '';
}

/** Returns why a part of a deposit is kept. */
export function deductionText(reason: string): string {
  const names: Readonly<Record<string, string>> = {
    rent: 'Rent that is owed',
    damage: 'Damage',
    cleaning: 'Cleaning',
    missing_items: 'Missing items',
    bills: 'Bills',
  };
  return names[reason] ?? 'Another reason';
}

/** Returns the party that gave notice, for a sentence. */
export function noticeBy(by: string, agent: string): string {
  if (by === 'tenant') return 'You or a person you rent with';
  return by === 'landlord' ? `The landlord, by ${agent},` : 'Both sides together';
}

/** Says what a notice does. That of a landlord ends no tenancy, and one that has ended may have ended on another day. */
export function noticeEffect({ status, end_date: end, notice }: Tenancy): string | null {
  if (notice === null) return null;
  if (status === 'ended') return `The tenancy ended on ${longDay(end ?? notice.ends_on)}.`;
  if (notice.by === 'landlord') return `The landlord asks you to leave by ${longDay(notice.ends_on)}.`;
  return `The last day is ${longDay(notice.ends_on)}.`;
}

/** What a tenant must know beside the notice of a landlord. */
export const noticeOfLandlord =
  'This notice alone does not end your tenancy. It ends when you leave, or when a court decides.';

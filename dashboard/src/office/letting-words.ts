import type { Deposit, Invoice, Payment, RaisedCheck, Subscription, Tenancy, TenancyRent, Unit } from 'tenure';
import type { Tone } from '@tenure/ui';
import { capital, dayText, listed, money, nameOf, periodText, plain, shortDay } from './words.ts';

/* Where homes, tenancies, bills and deposits stand, in words. */

/** A state in two or three words, for a badge. */
export interface State {
  tone: Tone;
  name: string;
}

/** Returns where a home stands. */
export function homeState({ status, on_market: isOnMarket, archived }: Unit): State {
  if (archived) return { tone: 'neutral', name: 'No longer let' };
  switch (status) {
    case 'occupied':
      return { tone: 'good', name: 'Let' };
    case 'let_agreed':
      return { tone: 'waiting', name: 'Let agreed' };
    case 'reserved':
      return { tone: 'waiting', name: 'Reserved' };
    default:
      return isOnMarket ? { tone: 'warning', name: 'To let' } : { tone: 'warning', name: 'Empty' };
  }
}

const tenancyStates: Readonly<Record<string, State>> = {
  draft: { tone: 'neutral', name: 'Draft' },
  signed: { tone: 'waiting', name: 'Signed' },
  active: { tone: 'good', name: 'Running' },
  notice: { tone: 'warning', name: 'Notice given' },
  ended: { tone: 'neutral', name: 'Ended' },
  canceled: { tone: 'neutral', name: 'Cancelled' },
};

/** Returns where a tenancy stands. */
export function tenancyState({ status }: Tenancy): State {
  return tenancyStates[status] ?? { tone: 'neutral', name: capital(plain(status)) };
}

/** Returns where a bill stands. */
export function billState({ status, overdue, amount_paid: paid }: Invoice): State {
  switch (status) {
    case 'draft':
      return { tone: 'neutral', name: 'Draft' };
    case 'open':
      return overdue ? { tone: 'bad', name: 'Overdue' } : { tone: 'waiting', name: 'To pay' };
    case 'paid':
      // A bill that was taken off in full was not paid.
      return { tone: 'good', name: paid === 0 ? 'Nothing to pay' : 'Paid' };
    case 'void':
      return { tone: 'neutral', name: 'Cancelled' };
    default:
      return { tone: 'bad', name: 'Given up' };
  }
}

const depositStates: Readonly<Record<string, State>> = {
  pending: { tone: 'waiting', name: 'Asked for' },
  received: { tone: 'waiting', name: 'Received' },
  protected: { tone: 'good', name: 'Protected' },
  releasing: { tone: 'waiting', name: 'Being returned' },
  disputed: { tone: 'warning', name: 'Disputed' },
  settled: { tone: 'neutral', name: 'Settled' },
  canceled: { tone: 'neutral', name: 'Cancelled' },
};

/** Returns where a deposit stands. A duty counts first, as long as `checks` shows it. */
export function depositState({ status, checks }: Pick<Deposit, 'status' | 'checks'>): State {
  // The message of a check begins so from seven days before its deadline to the deadline.
  const missed = checks.filter(({ message }) => !message.startsWith('Due soon.'));
  if (missed.length > 0) return { tone: 'bad', name: 'Duty missed' };
  if (checks.length > 0) return { tone: 'warning', name: 'Duty due soon' };
  return depositStates[status] ?? { tone: 'neutral', name: capital(plain(status)) };
}

/** Returns where a payment stands. */
export function paymentState({ status, amount_refunded: refunded }: Payment): State {
  switch (status) {
    case 'pending':
      return { tone: 'waiting', name: 'On its way' };
    case 'succeeded':
      return refunded > 0 ? { tone: 'neutral', name: 'Returned in part' } : { tone: 'good', name: 'Received' };
    case 'failed':
      return { tone: 'bad', name: 'Failed' };
    case 'refunded':
      return { tone: 'neutral', name: 'Returned' };
    default:
      return { tone: 'neutral', name: 'Cancelled' };
  }
}

/** Returns the day on which a payment came, or that it has not. */
export function receivedText({ status, received_on: day }: Payment): string {
  if (day !== null) return dayText(day);
  return status === 'pending' ? 'Not yet' : 'Never';
}

/** The ways in which money comes. */
export const paymentMethods = [
  { id: 'bank_transfer', name: 'Bank transfer' },
  { id: 'standing_order', name: 'Standing order' },
  { id: 'direct_debit', name: 'Direct debit' },
  { id: 'card', name: 'Card' },
  { id: 'cash', name: 'Cash' },
  { id: 'cheque', name: 'Cheque' },
  { id: 'deposit', name: 'From the deposit' },
  { id: 'holding_deposit', name: 'From the holding deposit' },
  { id: 'other', name: 'Another way' },
] as const;

/** Returns the way in which money came. */
export function methodText(method: string): string {
  return paymentMethods.find(({ id }) => id === method)?.name ?? capital(plain(method));
}

const chargeStates: Readonly<Record<string, State>> = {
  scheduled: { tone: 'waiting', name: 'Planned' },
  active: { tone: 'good', name: 'Running' },
  paused: { tone: 'warning', name: 'Paused' },
  ended: { tone: 'neutral', name: 'Ended' },
};

/** Returns where a regular charge stands. */
export function chargeState({ status }: Subscription): State {
  return chargeStates[status] ?? { tone: 'neutral', name: capital(plain(status)) };
}

/** Returns what a regular charge is for. */
export function chargeTitle({ type, description }: Subscription): string {
  return description ?? (type === 'rent' ? 'Rent' : 'Service');
}

/** Returns the phone numbers of the tenants, or null if none is known. */
export function phonesOf({ customers }: Pick<Tenancy, 'customers'>): string | null {
  const phones = customers.flatMap((person) =>
    typeof person === 'object' && 'phone' in person && person.phone !== null ? [person.phone] : [],
  );
  return phones.length === 0 ? null : phones.join(', ');
}

/** Returns the tenants of a tenancy: "Ada and Grace". */
export function tenantsOf({ customers }: Pick<Tenancy, 'customers'>): string {
  return listed(customers.map(nameOf));
}

/** Returns the rent of a tenancy: "£1,295 a month", or "£600 every 4 weeks". */
export function tenancyRentText(rent: TenancyRent): string {
  return rent.interval_count === 1 ? `${money(rent)} a ${rent.interval}` : `${money(rent)} every ${everyText(rent)}`;
}

/** Returns how often rent is due: "month", or "4 weeks". */
export function everyText({
  interval,
  interval_count: count,
}: Pick<TenancyRent, 'interval' | 'interval_count'>): string {
  return count === 1 ? interval : `${count} ${interval}s`;
}

/** Returns the arrears of a tenancy in words, or null if there are none. */
export function arrearsText({ arrears, rent }: Tenancy): string | null {
  if (arrears.amount === 0) return null;
  const owed = money({ amount: arrears.amount, currency: rent.currency });
  return arrears.since === null ? owed : `${owed} since ${shortDay(arrears.since)}`;
}

/** Returns what a bill is for: the period of its rent, or its first line. */
export function billTitle({ period, lines }: Pick<Invoice, 'period' | 'lines'>): string {
  if (period !== null) return periodText(period);
  return lines[0]?.description ?? 'Bill';
}

/** Returns a duty by law in words. The message of the API names records and members, which say nothing to people. */
export function dutyText({ message }: RaisedCheck): string {
  return message
    .replaceAll(/ of [a-z]+_[0-9A-Za-z]{20,}(?:, [a-z]+_[0-9A-Za-z]{20,})*/g, '')
    .replaceAll(/`([^`]+)`/g, (_, code: string) => `the ${plain(code)}`)
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, dayText);
}

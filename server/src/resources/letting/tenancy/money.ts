import { isDeepStrictEqual } from 'node:util';
import type { StoredRecord } from '../../../model/record.ts';
import type { Adapted, RollUpFacts } from '../../../model/traits/sums-up.ts';
import type { RecordChange } from '../../../model/resource.ts';
import { newRecord } from '../../../model/change.ts';
import type { DepositRecord } from '../deposit/fields.ts';
import { chargedUntil, dueOf, isOwed, type InvoiceRecord } from '../invoice/fields.ts';
import { ledgerEntry, type LedgerEntryRecord } from '../ledger-entry.ts';
import { unallocatedOf, type PaymentRecord } from '../payment/fields.ts';
import type { SubscriptionRecord } from '../subscription/fields.ts';
import { chargedMax, type TenancyRecord } from './fields.ts';

/*
 * The money of a tenancy follows from its invoices and payments, in the mutation that changes them. Each change that moves the balance writes
 * an entry of the ledger. So the balance is the sum of the entries, and no decision can forget one.
 */

/** A line of the ledger before it has its number and its balance. */
type Entry = Pick<LedgerEntryRecord, 'date' | 'type' | 'amount'>;

/** Updates the balance, the arrears and the ledger after a write to an invoice. */
export function adaptToInvoice(
  current: TenancyRecord,
  was: StoredRecord | null,
  is: StoredRecord | null,
  facts: RollUpFacts,
): Adapted<TenancyRecord> {
  const [before, after] = [was as InvoiceRecord | null, is as InvoiceRecord | null];
  const { id } = (after ?? before)!;
  const owed = replaced(
    current.owed,
    ({ invoice }) => invoice === id,
    after?.status === 'open'
      ? { invoice: id, due_on: after.due_on, amount: dueOf(after), overdue: after.overdue }
      : null,
  );
  const overdue = owed.filter((open) => open.overdue);
  const arrears = {
    amount: overdue.reduce((sum, { amount }) => sum + amount, 0),
    since: overdue.map(({ due_on: dueOn }) => dueOn).toSorted()[0] ?? null,
  };
  const until = after && isOwed(after) ? chargedUntil(after) : null;
  const charged = replaced(
    current.charged,
    ({ invoice }) => invoice === id,
    until === null ? null : { invoice: id, end: until },
  )
    .toSorted((one, other) => (one.end < other.end ? -1 : one.end > other.end ? 1 : 0))
    .slice(-chargedMax);
  const entries = entriesOfInvoice(before, after).map((entry) => ({ ...entry, invoice: id, payment: null }));
  const isSame = isDeepStrictEqual([owed, charged], [current.owed, current.charged]);
  if (entries.length === 0 && isSame) return { after: current };
  return post({ ...current, owed, arrears, charged }, entries, facts);
}

/** Updates the balance and the ledger after a write to a payment. */
export function adaptToPayment(
  current: TenancyRecord,
  was: StoredRecord | null,
  is: StoredRecord | null,
  facts: RollUpFacts,
): Adapted<TenancyRecord> {
  const [before, after] = [was as PaymentRecord | null, is as PaymentRecord | null];
  const { id } = (after ?? before)!;
  const credit = replaced(
    current.credit,
    ({ payment }) => payment === id,
    after && unallocatedOf(after) > 0 ? { payment: id } : null,
  );
  const entries = entriesOfPayment(before, after).map((entry) => ({ ...entry, invoice: null, payment: id }));
  if (entries.length === 0 && isDeepStrictEqual(credit, current.credit)) return { after: current };
  return post({ ...current, credit }, entries, facts);
}

/** Returns the list with another item in the place of the one that is found, or at its end. Null removes it. */
function replaced<Item>(list: readonly Item[], isOld: (item: Item) => boolean, item: Item | null): Item[] {
  const index = list.findIndex(isOld);
  if (index < 0) return item === null ? [...list] : [...list, item];
  return list.toSpliced(index, 1, ...(item === null ? [] : [item]));
}

/** Updates the list of live subscriptions after a write to one of them. */
export function adaptToSubscription(
  current: TenancyRecord,
  was: StoredRecord | null,
  is: StoredRecord | null,
): Adapted<TenancyRecord> {
  const { id } = (is ?? was)!;
  const after = is as SubscriptionRecord | null;
  const isLive = after !== null && after.status !== 'ended';
  if (isLive === current.subscriptions.includes(id)) return { after: current };
  const others = current.subscriptions.filter((known) => known !== id);
  return { after: { ...current, subscriptions: isLive ? [...others, id] : others } };
}

/** Names the deposit of the tenancy. A canceled one leaves no trace. */
export function adaptToDeposit(
  current: TenancyRecord,
  was: StoredRecord | null,
  is: StoredRecord | null,
): Adapted<TenancyRecord> {
  const { id, status } = (is ?? was) as DepositRecord;
  if (status === 'canceled')
    return current.deposit === id ? { after: { ...current, deposit: null } } : { after: current };
  // A new deposit follows one that is settled.
  return current.deposit === id || was ? { after: current } : { after: { ...current, deposit: id } };
}

/** Returns the events of arrears that begin or end. */
export function verbsOfArrears({ arrears: was }: TenancyRecord, { arrears: is }: TenancyRecord): string[] {
  if (was.amount === 0 && is.amount > 0) return ['arrears_started'];
  return was.amount > 0 && is.amount === 0 ? ['arrears_cleared'] : [];
}

function entriesOfInvoice(before: InvoiceRecord | null, after: InvoiceRecord | null): Entry[] {
  if (!after) return [];
  const date = after.moved_on!;
  const [wasOwed, isOwedNow] = [before !== null && isOwed(before), isOwed(after)];
  const credited = after.amount_credited - (before?.amount_credited ?? 0);
  const entries: Entry[] = [];
  if (!wasOwed && isOwedNow) entries.push({ date, type: 'invoice', amount: after.total });
  if (credited > 0) entries.push({ date, type: 'credit', amount: -credited });
  if (wasOwed && !isOwedNow) entries.push({ date, type: 'void', amount: after.amount_credited - after.total });
  return entries;
}

function entriesOfPayment(before: PaymentRecord | null, after: PaymentRecord | null): Entry[] {
  if (!after) return [];
  const [had, has] = [before !== null && isReceived(before), isReceived(after)];
  const refunded = after.amount_refunded - (before?.amount_refunded ?? 0);
  const entries: Entry[] = [];
  if (!had && has) entries.push({ date: after.received_on!, type: 'payment', amount: -after.amount });
  if (refunded > 0) entries.push({ date: after.moved_on!, type: 'refund', amount: refunded });
  if (had && !has)
    entries.push({ date: after.moved_on!, type: 'payment_failed', amount: after.amount - after.amount_refunded });
  return entries;
}

function isReceived({ status }: PaymentRecord): boolean {
  return status === 'succeeded' || status === 'refunded';
}

/** Adds entries to the ledger, each with the next number and the balance after it. */
function post(
  current: TenancyRecord,
  entries: readonly (Entry & Pick<LedgerEntryRecord, 'invoice' | 'payment'>)[],
  facts: RollUpFacts,
): Adapted<TenancyRecord> {
  let { balance, ledger_sequence: sequence } = current;
  const made = entries.map((entry): RecordChange => {
    balance += entry.amount;
    sequence += 1;
    const after: LedgerEntryRecord = {
      ...newRecord(facts.makeId(ledgerEntry.prefix), current.account_id),
      tenancy: current.id,
      ...entry,
      sequence,
      balance,
    };
    return { resource: ledgerEntry, before: null, after };
  });
  return { after: { ...current, balance, ledger_sequence: sequence }, made };
}

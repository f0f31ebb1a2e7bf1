import type { Mode } from '../core/secrets/api-keys.ts';
import { today } from '../core/calendar.ts';
import { ApiError } from '../core/errors.ts';
import type { Reader } from '../db/reader.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { readEntryTexts, type StatementFacts } from '../db/ledger-statement.ts';
import { isErased } from '../model/change.ts';
import { account, type AccountRecord } from '../resources/account/index.ts';
import { customer } from '../resources/customer.ts';
import { invoice, type InvoiceRecord } from '../resources/letting/invoice/index.ts';
import { payment } from '../resources/letting/payment/index.ts';
import { tenancy as tenancies, type TenancyRecord } from '../resources/letting/tenancy/index.ts';
import type { Home, InvoiceContents, Sender, StatementContents } from './contents.ts';
import type { Logo } from '../print/letterhead.ts';
import { homeAt, senderOf } from './sender-and-home.ts';

/** What documents are read with. */
export interface Reading {
  readRecord: RecordReader;
  reader: Reader;
  mode: Mode;
  /** Of the account. */
  logo: Logo | null;
}

/** How often an invoice is read again if a payment changes it meanwhile. */
const readsMax = 5;

/**
 * Reads the contents of an invoice.
 *
 * @throws {ApiError} `overloaded` if payments change the invoice all the time.
 */
export async function readInvoice(reading: Reading, first: InvoiceRecord): Promise<InvoiceContents> {
  const { readRecord } = reading;
  const { account_id: accountId, id } = first;
  let current = first;
  for (let reads = 0; reads < readsMax; reads++) {
    const payments = await paymentsOf(readRecord, current);
    // Payments and invoice are read one after the other. What is paid must be the sum of what is listed.
    const isSum = payments.reduce((sum, { amount }) => sum + amount, 0) === current.amount_paid;
    if (isSum) return invoiceContents(reading, current, payments);
    current = (await readRecord(invoice, accountId, id)) ?? current;
  }
  throw new ApiError('overloaded', `The invoice ${id} is being changed. Nothing was printed. Try again shortly.`, {
    retryAfterSeconds: 1,
  });
}

async function invoiceContents(
  reading: Reading,
  record: InvoiceRecord,
  payments: InvoiceContents['payments'],
): Promise<InvoiceContents> {
  const { readRecord, mode } = reading;
  const { account_id: accountId, status, total, amount_paid: paid, amount_credited: credited } = record;
  const sender = await readAccount(readRecord, accountId);
  const ofTenancy = await readRecord(tenancies, accountId, record.tenancy);
  const dayOf = (seconds: number): string => today(seconds, sender.time_zone);
  const dayOrNull = (seconds: number | null): string | null => (seconds === null ? null : dayOf(seconds));
  return {
    kind: 'invoice',
    ...(await commonOf(reading, sender, ofTenancy, record.customers)),
    tenancy: record.tenancy,
    currency: record.currency,
    isTest: mode === 'sandbox',
    id: record.id,
    number: record.number,
    status,
    isOverdue: record.overdue,
    created: record.created,
    finalizedOn: dayOrNull(record.finalized_at),
    dueOn: record.due_on,
    paidOn: dayOrNull(record.paid_at),
    voidReason: record.void_reason,
    period: record.period,
    lines: record.lines.map(({ description, period, amount }) => ({ description, period, amount })),
    total,
    amountPaid: paid,
    amountCredited: credited,
    amountDue: status === 'void' ? 0 : total - paid - credited,
    credits: record.credits.map(({ amount, reason, credited_at: at }) => ({ on: dayOf(at), reason, amount })),
    payments,
  };
}

/** Reads what has settled an invoice, the oldest payment first. */
async function paymentsOf(readRecord: RecordReader, record: InvoiceRecord): Promise<InvoiceContents['payments']> {
  const found = await Promise.all(record.paying.map((id) => readRecord(payment, record.account_id, id)));
  return found
    .flatMap((each) => {
      // Only money that came settles an invoice, so it has a day.
      const on = each?.received_on ?? null;
      if (!each || on === null) return [];
      const amount = each.allocations.find((allocation) => allocation.invoice === record.id)?.amount ?? 0;
      return [{ id: each.id, on, method: each.method, amount }];
    })
    .toSorted((one, other) => (one.on === other.on ? byText(one.id, other.id) : byText(one.on, other.on)))
    .map(({ on, method, amount }) => ({ on, method, amount }));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Reads the contents of a statement. */
export async function readStatementDocument(
  reading: Reading,
  tenancy: TenancyRecord,
  { from, to, opening, closing, entries }: StatementFacts,
): Promise<StatementContents> {
  const { readRecord, reader, mode } = reading;
  const { account_id: accountId, id, rent, customers, arrears } = tenancy;
  const sender = await readAccount(readRecord, accountId);
  const texts = await readEntryTexts(reader, { accountId, entries });
  return {
    kind: 'statement',
    ...(await commonOf(reading, sender, tenancy, customers)),
    tenancy: id,
    currency: rent.currency,
    isTest: mode === 'sandbox',
    from,
    to,
    opening,
    closing,
    entries: entries.map(({ date, type, amount, balance, invoice: invoiceId, payment: paymentId }) => ({
      date,
      type,
      amount,
      balance,
      description: type === 'invoice' || type === 'void' ? (texts.descriptions.get(invoiceId ?? '') ?? null) : null,
      number: texts.numbers.get(invoiceId ?? '') ?? null,
      method: texts.methods.get(paymentId ?? '') ?? null,
    })),
    arrears,
  };
}

/** Reads the account whose documents are printed. */
export async function readAccount(readRecord: RecordReader, accountId: string): Promise<AccountRecord> {
  const record = await readRecord(account, accountId, accountId);
  if (!record) throw new Error(`Bug! The account ${accountId} is not there.`);
  return record;
}

async function commonOf(
  { readRecord, logo }: Reading,
  sender: AccountRecord,
  tenancy: TenancyRecord | null,
  customers: readonly string[],
): Promise<{ sender: Sender; recipients: string[]; home: Home | null }> {
  const recipients = await Promise.all(customers.map((id) => nameOf(readRecord, sender.id, id)));
  return {
    sender: senderOf(sender, logo),
    recipients,
    home: tenancy && (await homeAt(readRecord, sender.id, tenancy.unit)),
  };
}

/** Returns the name of a tenant. Another system can have it: then its id stands for it. */
async function nameOf(readRecord: RecordReader, accountId: string, id: string): Promise<string> {
  const person = await readRecord(customer, accountId, id);
  if (!person) return `Customer ${id}`;
  return isErased(person) ? 'Erased person' : person.name;
}

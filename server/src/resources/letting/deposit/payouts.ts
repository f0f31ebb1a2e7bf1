import { invalidParameter } from '../../../core/errors.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { newRecord } from '../../../model/change.ts';
import type { Changes } from '../changes.ts';
import { isSettleable, type InvoiceRecord } from '../invoice/fields.ts';
import { payment } from '../payment/index.ts';
import { oldestFirst, requireLawful, requireRoomForCredit } from '../payment/moves.ts';
import { paymentFromDeposit } from '../payment/of-deposits.ts';
import { unallocatedOf, type PaymentRecord } from '../payment/fields.ts';
import { settle, withAllocations } from '../settlement.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import type { DepositRecord } from './fields.ts';

/** Money of a deposit that pays what tenants owe. */
export interface Payout {
  tenancy: TenancyRecord;
  /** In the smallest unit of the currency. */
  amount: number;
  method: 'deposit' | 'holding_deposit';
  /** The day of the payment. */
  on: string;
  /** The parameter that names the tenancy. */
  param: string;
}

/**
 * Pays a tenancy with money of a deposit: a payment that settles these invoices, the oldest due first. What is left settles the next one.
 *
 * @param invoices those that were read for it.
 * @throws {ApiError} `check_failed`, or `limit_reached` if the tenancy has too many payments that settle nothing yet.
 */
export function payTenancy(
  deposit: DepositRecord,
  { tenancy, amount, method, on, param }: Payout,
  invoices: readonly InvoiceRecord[],
  caller: Caller,
  changes: Changes,
): void {
  requireCurrency(deposit, tenancy.rent.currency, tenancy.id, param);
  requireLawful(tenancy, on, caller, { ofTenancy: param, ofDay: 'returned_on' });
  const own = invoices.filter((invoice) => invoice.tenancy === tenancy.id);
  const open = own.map((invoice) => changes.now(invoice)).filter(isSettleable);
  const made = paymentFromDeposit(
    { tenancy: tenancy.id, amount, method, received_on: on, customer: deposit.payer },
    caller,
  );
  const came: PaymentRecord = {
    ...made,
    ...newRecord(caller.makeId('pay'), deposit.account_id),
    metadata: {},
    currency: deposit.currency,
    succeeded_at: caller.nowSeconds,
    moved_on: caller.today,
  };
  const allocations = oldestFirst(amount, open);
  const after = withAllocations(came, allocations);
  requireRoomForCredit(tenancy, unallocatedOf(after), param);
  for (const allocation of allocations) {
    const invoice = own.find(({ id }) => id === allocation.invoice)!;
    changes.move(invoice, settle(changes.now(invoice), after.id, allocation.amount, true, caller));
  }
  changes.make(payment, { after, verbs: ['succeeded'] });
}

/** @throws {ApiError} `parameter_invalid` if money of a deposit is to go to a record in another currency. */
export function requireCurrency({ id, currency }: DepositRecord, other: string, target: string, param: string): void {
  if (currency === other) return;
  throw invalidParameter(param, `${id} is in ${currency}, and ${target} in ${other}. Choose one in ${currency}.`);
}

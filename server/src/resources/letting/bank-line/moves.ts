import { ApiError, invalidParameter } from '../../../core/errors.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { decideCreate } from '../../../model/change.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus } from '../../../model/status.ts';
import { payment, type PaymentRecord } from '../payment/index.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import type { BankLineRecord } from './fields.ts';

/*
 *  proposed, unmatched ── confirm ──▶ confirmed
 *     │       ▲
 *   ignore  reopen
 *     ▼       │
 *     ignored
 */

export interface ConfirmInput {
  tenancy?: string;
  customer?: string | null;
}

/** `POST /v1/bank_lines/{id}/confirm`: makes the payment, by the rules of any payment, in the mutation that confirms the line. */
export function confirm(
  current: BankLineRecord,
  caller: Caller,
  input: ConfirmInput,
  related: Related,
): Change<BankLineRecord> {
  requireOpen(current, 'confirmed');
  const { id, amount, currency, received_on, reference, account_id: accountId } = current;
  const tenancy = requireTenancy(current, input, related);
  const isProposed = tenancy.id === current.tenancy;
  const customer = input.customer === undefined ? (isProposed ? current.customer : null) : input.customer;
  if (tenancy.rent.currency !== currency)
    throw invalidParameter(
      'tenancy',
      `The line ${id} is in ${currency}, and the rent of ${tenancy.id} is in ${tenancy.rent.currency}. Choose another tenancy, or ignore the line.`,
    );
  const body = { tenancy: tenancy.id, amount, method: 'bank_transfer', received_on, customer, reference };
  const { changes } = decideCreate(payment, caller.makeId(payment.prefix), accountId, body, caller, related);
  const [made, ...others] = changes;
  const paid = { ...(made.after as PaymentRecord), bank_line: id };
  return {
    after: {
      ...current,
      status: 'confirmed',
      tenancy: tenancy.id,
      customer,
      matched_by: isProposed ? current.matched_by : [],
      candidates: [],
      payment: paid.id,
      confirmed_at: caller.nowSeconds,
    },
    verbs: ['confirmed'],
    also: [{ ...made, before: null, after: paid }, ...others],
  };
}

function requireTenancy(current: BankLineRecord, input: ConfirmInput, related: Related): TenancyRecord {
  const tenancy = related.one<TenancyRecord>('tenancy');
  if (tenancy) return tenancy;
  const reason =
    input.tenancy === undefined && current.tenancy === null ? 'is unmatched' : 'names a tenancy that was deleted';
  throw new ApiError('parameter_missing', `The line ${current.id} ${reason}. Send the \`tenancy\` whose money it is.`, {
    param: 'tenancy',
  });
}

/** `POST /v1/bank_lines/{id}/ignore`. */
export function ignore(current: BankLineRecord, { nowSeconds }: Pick<Caller, 'nowSeconds'>): Change<BankLineRecord> {
  requireOpen(current, 'ignored');
  return { after: { ...current, status: 'ignored', ignored_at: nowSeconds }, verbs: ['ignored'] };
}

/** `POST /v1/bank_lines/{id}/reopen`: it waits for a decision again. */
export function reopen(current: BankLineRecord): Change<BankLineRecord> {
  requireStatus(
    current,
    ['ignored'],
    'bank line',
    'Only an ignored line can be reopened. To undo a confirmed one, refund its payment or let it fail.',
  );
  const status = current.tenancy === null ? 'unmatched' : 'proposed';
  return { after: { ...current, status, ignored_at: null }, verbs: ['reopened'] };
}

/** Ends a line that waits for a decision, because nothing tells its money any more. */
export function erased(current: StoredRecord, nowSeconds: number): Pick<Change<StoredRecord>, 'after' | 'verbs'> {
  const line = current as BankLineRecord;
  return isOpen(line) ? ignore(line, { nowSeconds }) : { after: line };
}

function isOpen({ status }: BankLineRecord): boolean {
  return status === 'proposed' || status === 'unmatched';
}

function requireOpen(current: BankLineRecord, move: string): void {
  const advice =
    current.status === 'ignored'
      ? 'Call `reopen` first.'
      : `Its payment is ${current.payment}, and a line makes at most one.`;
  requireStatus(
    current,
    ['proposed', 'unmatched'],
    'bank line',
    `Only a proposed or unmatched line can be ${move}. ${advice}`,
  );
}

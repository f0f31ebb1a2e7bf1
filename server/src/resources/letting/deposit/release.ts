import { addDays } from '../../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus } from '../../../model/status.ts';
import { Changes } from '../changes.ts';
import { dueOf, isOwed, payingMax, type InvoiceRecord } from '../invoice/fields.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { judged } from './deadlines.ts';
import { heldOf, type Deduction, type DeductionInput, type DepositRecord } from './fields.ts';
import { requireHeld, requireType, withPartAdvice } from './held.ts';
import { payTenancy } from './payouts.ts';
import { requireWhileHeld } from './receipts.ts';

/*
 *  pending ── payments reach amount ──▶ received ── protect ──▶ protected ── propose_release ──▶ releasing ── dispute ──▶ disputed
 *     │                                    ╲           ╲  ╲                                        │                      │
 *     └── cancel ──▶ canceled               ╲           ╲  ╲──────────────── release ──────────────┴──────────────────────┴──▶ settled
 *                                            ╲───────────╲── propose_release ──▶ releasing
 *
 * A pending deposit is protected, too, once a part of it has come.
 */

const onlyOfTenancy = 'Only a tenancy deposit can do this. Use `return`, `retain` or `apply` for a holding deposit.';

export interface Protection {
  scheme: NonNullable<DepositRecord['scheme']>;
  scheme_reference: string;
  protected_on: string;
  certificate?: string | null;
}

/** `POST /v1/deposits/{id}/protect`. */
export function protect(
  current: DepositRecord,
  caller: Caller,
  { scheme, scheme_reference: reference, protected_on: protectedOn, certificate }: Protection,
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'tenancy', onlyOfTenancy);
  requireMoney(current, ['received'], 'A scheme protects a tenancy deposit once money of it has come.');
  requireWhileHeld(current, 'protected_on', protectedOn, caller);
  const after: DepositRecord = {
    ...current,
    status: 'protected',
    scheme,
    scheme_reference: reference,
    protected_on: protectedOn,
    certificate: certificate ?? null,
    protected_at: caller.nowSeconds,
  };
  return judged(current, { after, verbs: ['protected'] }, caller, related);
}

/** `POST /v1/deposits/{id}/give_information`. A later call corrects the day. */
export function giveInformation(
  current: DepositRecord,
  caller: Caller,
  { given_on: givenOn, file }: { given_on: string; file?: string | null },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'tenancy', onlyOfTenancy);
  requireMoney(current, ['received', 'protected'], 'The tenants are informed once money of the deposit has come.');
  requireWhileHeld(current, 'given_on', givenOn, caller);
  const after: DepositRecord = {
    ...current,
    information_given_on: givenOn,
    file: file ?? current.file,
    information_given_at: caller.nowSeconds,
  };
  return judged(current, { after, verbs: ['information_given'] }, caller, related);
}

/** @throws {ApiError} `status_transition_invalid` if the deposit is in no such state. A pending one passes once a part of it has come. */
function requireMoney(current: DepositRecord, states: DepositRecord['status'][], advice: string): void {
  if (current.status === 'pending' && current.amount_received > 0) return;
  requireStatus(current, states, 'deposit', advice);
}

/** Days to return a deposit after the sides agree (gov.uk guidance). */
const returnDays = 10;

/** `POST /v1/deposits/{id}/propose_release`. */
export function proposeRelease(
  current: DepositRecord,
  caller: Caller,
  { deductions }: { deductions: DeductionInput[] },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'tenancy', onlyOfTenancy);
  requireStatus(
    current,
    ['received', 'protected'],
    'deposit',
    withPartAdvice(current, 'Only a received or protected deposit can be released.'),
  );
  const proposed = completed(deductions);
  requireDeductions(current, proposed, related);
  const after: DepositRecord = {
    ...current,
    status: 'releasing',
    deductions: proposed,
    return_by: addDays(caller.today, returnDays),
    release_proposed_at: caller.nowSeconds,
  };
  return judged(current, { after, verbs: ['release_proposed'] }, caller, related);
}

/** `POST /v1/deposits/{id}/dispute`. */
export function dispute(
  current: DepositRecord,
  caller: Caller,
  { amount, reference }: { amount: number; reference?: string | null },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'tenancy', onlyOfTenancy);
  requireStatus(current, ['releasing'], 'deposit', 'Only proposed deductions can be disputed: `propose_release`.');
  const proposed = current.deductions.reduce((sum, deduction) => sum + deduction.amount, 0);
  if (amount > proposed)
    throw new ApiError(
      'amount_exceeded',
      proposed === 0
        ? `No deduction of ${current.id} is proposed, so there is nothing to dispute. Call \`release\`.`
        : `The proposed deductions of ${current.id} are ${proposed} in all. Send an \`amount\` of at most ${proposed}.`,
      { param: 'amount' },
    );
  const after: DepositRecord = {
    ...current,
    status: 'disputed',
    dispute: { amount, reference: reference ?? null },
    return_by: null,
    disputed_at: caller.nowSeconds,
  };
  return judged(current, { after, verbs: ['disputed'] }, caller, related);
}

/** `POST /v1/deposits/{id}/release`: the deductions are kept, and the rest is returned. */
export function release(
  current: DepositRecord,
  caller: Caller,
  { deductions, returned_on: returnedOn }: { deductions: DeductionInput[]; returned_on: string },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'tenancy', onlyOfTenancy);
  requireStatus(
    current,
    ['received', 'protected', 'releasing', 'disputed'],
    'deposit',
    withPartAdvice(current, 'Only a tenancy deposit that is held can be released.'),
  );
  requireWhileHeld(current, 'returned_on', returnedOn, caller);
  const final = completed(deductions);
  const deducted = requireDeductions(current, final, related);
  const changes = new Changes(related);
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const invoices = related.all<InvoiceRecord>('deductions.invoice');
  for (const [index, { invoice: id, amount }] of final.entries()) {
    const invoice = invoices.find((candidate) => candidate.id === id);
    if (!invoice) continue;
    requireDue(changes.now(invoice), amount, index);
    const payout = { tenancy, amount, method: 'deposit', on: returnedOn, param: 'deductions' } as const;
    payTenancy(current, payout, [invoice], caller, changes);
  }
  const after: DepositRecord = {
    ...current,
    status: 'settled',
    deductions: final,
    amount_deducted: current.amount_deducted + deducted,
    amount_returned: current.amount_returned + heldOf(current) - deducted,
    returned_on: deducted < heldOf(current) ? returnedOn : null,
    return_by: null,
    settled_on: caller.today,
    released_at: caller.nowSeconds,
  };
  return { ...judged(current, { after, verbs: ['released'] }, caller, related), also: changes.all() };
}

function completed(deductions: readonly DeductionInput[]): Deduction[] {
  return deductions.map(({ amount, reason, description, invoice }) => ({
    amount,
    reason,
    description: description ?? null,
    invoice: invoice ?? null,
  }));
}

/**
 * Requires that deductions are within the deposit, and that their invoices are of its tenancy.
 *
 * @returns their sum.
 * @throws {ApiError} `amount_exceeded` or `parameter_invalid`.
 */
function requireDeductions(current: DepositRecord, deductions: readonly Deduction[], related: Related): number {
  const total = deductions.reduce((sum, { amount }) => sum + amount, 0);
  requireHeld(current, total, 'deductions');
  const invoices = related.all<InvoiceRecord>('deductions.invoice');
  for (const [index, { invoice: id }] of deductions.entries()) {
    const invoice = invoices.find((candidate) => candidate.id === id);
    if (!invoice || invoice.tenancy === current.tenancy) continue;
    throw invalidParameter(
      `deductions[${index}][invoice]`,
      `The invoice ${id} is of ${invoice.tenancy}. A deduction pays an invoice of ${current.tenancy}.`,
    );
  }
  return total;
}

/** @throws {ApiError} `status_transition_invalid` or `amount_exceeded` if an invoice cannot be paid with a deduction. */
function requireDue(invoice: InvoiceRecord, amount: number, index: number): void {
  if (!isOwed(invoice))
    throw new ApiError(
      'status_transition_invalid',
      `The invoice ${invoice.id} is \`${invoice.status}\`, so nothing can pay it. Choose an open one.`,
      { param: `deductions[${index}][invoice]` },
    );
  if (invoice.paying.length >= payingMax)
    throw invalidParameter(
      `deductions[${index}][invoice]`,
      `${payingMax} payments settle parts of the invoice ${invoice.id}, the most that can. Choose another one.`,
    );
  const due = dueOf(invoice);
  if (amount <= due) return;
  throw new ApiError(
    'amount_exceeded',
    `The invoice ${invoice.id} has ${due} to pay. Send at most ${due} for it, and the rest as a deduction without an invoice.`,
    { param: `deductions[${index}][amount]` },
  );
}

import { Type, type Static } from 'typebox';
import type { Day } from '../../../core/calendar.ts';
import type { Json } from '../../../core/json-diff.ts';
import { RaisedChecks } from '../../../law/index.ts';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf, StoredRecord } from '../../../model/record.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

/** An amount that a request moves. */
export const Amount = Type.Integer({
  minimum: 1,
  maximum: amountMax,
  description: 'In the smallest unit of the currency: 21923 is 219.23 pounds.',
});

export const DepositType = named(
  'DepositType',
  '`holding`: it reserves a home for applicants. `tenancy`: it secures the duties of tenants.',
  oneOf('holding', 'tenancy'),
);
export const DepositStatus = named(
  'DepositStatus',
  'The state of a deposit.',
  oneOf('pending', 'received', 'protected', 'releasing', 'disputed', 'settled', 'canceled'),
);
export const Scheme = named(
  'DepositScheme',
  'A scheme that protects tenancy deposits.',
  oneOf(
    'dps_custodial',
    'dps_insured',
    'mydeposits_custodial',
    'mydeposits_insured',
    'tds_custodial',
    'tds_insured',
    'other',
  ),
);
export const RetentionReason = named(
  'RetentionReason',
  'Why a holding deposit is kept (Tenant Fees Act 2019 Sch 2 paras 8-12).',
  oneOf('right_to_rent', 'false_information', 'tenant_withdrew', 'tenant_took_no_steps'),
);
const DeductionReason = named(
  'DeductionReason',
  'What a deduction is for.',
  oneOf('rent', 'damage', 'cleaning', 'missing_items', 'bills', 'other'),
);

/** The most deductions of a deposit, so that a response stays small. */
export const deductionsMax = 50;
/** The most parts of a holding deposit that are applied. */
export const applicationsMax = 50;
/** The most payments that a deposit is received by. It remembers each. */
export const receiptsMax = 100;

const Deduction = named(
  'DepositDeduction',
  'A part of a deposit that the landlord keeps.',
  closedObject({
    amount: described(Amount, 'In the smallest unit of the currency.'),
    reason: described(DeductionReason, 'What it is for.'),
    description: described(nullable(Text), 'The deduction in words. Null if there are none.'),
    invoice: described(nullable(LinkedId), 'The id of the invoice that it pays. Null if it pays none.'),
  }),
);
const DeductionInput = named(
  'DepositDeductionInput',
  'A part of a deposit that the landlord keeps.',
  closedObject({
    amount: Amount,
    reason: described(DeductionReason, 'What it is for.'),
    description: Type.Optional(described(nullable(Text), 'The deduction in words.')),
    invoice: Type.Optional(
      described(nullable(LinkedId), 'The id of an invoice of the tenancy, which the deduction pays on `release`.'),
    ),
  }),
);
export const DeductionInputs = Type.Array(DeductionInput, { maxItems: deductionsMax });
export type Deduction = Static<typeof Deduction>;
export type DeductionInput = Static<typeof DeductionInput>;

const AppliedPart = named(
  'AppliedPart',
  'A part of a holding deposit that was applied.',
  closedObject({
    deposit: described(nullable(LinkedId), 'The id of the deposit that received it. Null for a payment.'),
    tenancy: described(nullable(LinkedId), 'The id of the tenancy that it pays. Null for a deposit.'),
    amount: described(Amount, 'In the smallest unit of the currency.'),
  }),
);

const Retention = named(
  'DepositRetention',
  'Why a holding deposit was kept, in whole or in part.',
  closedObject({
    amount: described(Amount, 'In the smallest unit of the currency.'),
    reason: described(RetentionReason, 'The reason by law.'),
    explanation: described(Text, 'The reason in words, as the applicants got it.'),
  }),
);
const Dispute = named(
  'DepositDispute',
  'A dispute about deductions.',
  closedObject({
    amount: described(Amount, 'The part in dispute, in the smallest unit of the currency.'),
    reference: described(nullable(Text), 'The reference of the scheme. Null if there is none.'),
  }),
);

/** Money that came in: a payment, or a part of a holding deposit. */
export interface Receipt {
  /** The id of the payment, or of the holding deposit. */
  source: string;
  /** The day on which it came. */
  on: Day;
  /** In the smallest unit of the currency. */
  amount: number;
  /** When it was recorded, in seconds since the Unix epoch. */
  at: number;
}

const money = (description: string) =>
  ({
    column: 'bigint',
    schema: Type.Integer({ minimum: 0 }),
    description: `${description}, in the smallest unit of the currency.`,
    initial: 0,
  }) as const;

const day = (description: string) =>
  ({ column: 'date', schema: nullable(CalendarDate), description, initial: null }) as const;

const hiddenDay = { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null } as const;

export const fields = {
  type: {
    column: 'text',
    schema: DepositType,
    description:
      '`holding`: it reserves the home of an application. `tenancy`: it secures the duties of the tenants of a tenancy.',
    input: { on: 'create', required: true },
  },
  application: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the application, for a holding deposit. Its unit must be a record of this account.',
    input: { on: 'create' },
  },
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the tenancy, for a tenancy deposit. A draft will do.',
    input: { on: 'create' },
  },
  unit: { column: 'text', schema: LinkedId, description: 'The id of the home.', initial: '' },
  amount: {
    column: 'bigint',
    schema: Amount,
    description: 'The amount that was agreed, in the smallest unit of the currency.',
    input: { on: 'both', required: true },
  },
  currency: {
    column: 'text',
    schema: Type.String({ pattern: '^[a-z]{3}$', examples: ['gbp'] }),
    description: 'The currency of the rent (ISO 4217), in lower case.',
    initial: '',
  },
  payer: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the person that pays it. Null if it is not known.',
    input: { on: 'create' },
  },
  amount_received: money('The part that has come'),
  amount_applied: money('The part that was applied to another deposit or to rent'),
  amount_deducted: money('The part that the landlord keeps'),
  amount_returned: money('The part that went back'),
  amount_held: {
    column: null,
    schema: Type.Integer({ minimum: 0 }),
    description: 'The part that has come and is still there, in the smallest unit of the currency.',
    derive: (record: StoredRecord): Json => heldOf(record as DepositRecord),
  },
  received_on: day('The day on which its last part came. Null until all of its money has come.'),
  decide_by: day(
    'For a holding deposit: the last day for the decision of the landlord and the applicants. It is 14 days after the receipt, or the day that `extend` has set. Null until it is received.',
  ),
  repay_by: day(
    'The last day to return or apply a holding deposit. It is 6 days after the earliest of three days: the signing, the refusal and `decide_by`.',
  ),
  protect_by: day(
    'The last day to protect a tenancy deposit and to inform the tenants. It is the thirtieth day, and the day of the first money counts as the first. Null until then.',
  ),
  scheme: {
    column: 'text',
    schema: nullable(Scheme),
    description: 'The scheme that protects it. Null until it is protected.',
    initial: null,
  },
  scheme_reference: {
    column: 'text',
    schema: nullable(Text),
    description: 'Its reference in the scheme. Null until it is protected.',
    initial: null,
  },
  protected_on: day('The day on which the scheme protected it. Null until then.'),
  certificate: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the file with the certificate of the scheme. Null if there is none.',
    initial: null,
  },
  information_given_on: day('The day on which the tenants got the prescribed information. Null until then.'),
  file: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the file with the prescribed information. Null if there is none.',
    initial: null,
  },
  applied_to: {
    column: 'json',
    schema: Type.Array(AppliedPart),
    description: 'The parts of a holding deposit that were applied, the oldest first.',
    initial: [],
  },
  deductions: {
    column: 'json',
    schema: Type.Array(Deduction, { maxItems: deductionsMax }),
    description: 'What the landlord keeps of a tenancy deposit: proposed, or final once it is `settled`.',
    initial: [],
  },
  retention: {
    column: 'json',
    schema: nullable(Retention),
    description: 'Why a holding deposit was kept. Null if it was not.',
    initial: null,
  },
  dispute: {
    column: 'json',
    schema: nullable(Dispute),
    description: 'The dispute about its deductions. Null if there is none.',
    initial: null,
  },
  returned_on: day('The day on which money of it last went back. Null if none did.'),
  checks: { column: 'json', schema: RaisedChecks, description: 'The duties by law that are not met.', initial: [] },
  status: {
    column: 'text',
    schema: DepositStatus,
    description:
      '`pending` until all of its money has come, then `received`. A tenancy deposit becomes `protected`, `releasing` once deductions are proposed, and `disputed` if the tenants object. `settled`: nothing is held any more. `canceled`: nothing ever came.',
    initial: 'pending',
  },
  received_at: moment('When all of its money had come', 'Null if it has not.'),
  applied_at: moment('When it was last applied', 'Null if it was not.'),
  retained_at: moment('When it was retained', 'Null if it was not.'),
  returned_at: moment('When `return` was last called', 'Null if it was not.'),
  protected_at: moment('When `protect` was called', 'Null if it was not.'),
  information_given_at: moment('When `give_information` was called', 'Null if it was not.'),
  release_proposed_at: moment('When deductions were proposed', 'Null if they were not.'),
  disputed_at: moment('When it was disputed', 'Null if it was not.'),
  released_at: moment('When `release` was called', 'Null if it was not.'),
  canceled_at: moment('When it was canceled', 'Null if it was not.'),
  /** The money that came. */
  receipts: {
    column: 'json',
    schema: Type.Unsafe<Receipt[]>(Type.Array(Type.Object({}))),
    shown: 'never',
    initial: [],
  },
  /** The day on which the tenancy of the application was signed, and that of its refusal. */
  signed_on: hiddenDay,
  refused_on: hiddenDay,
  retained_on: hiddenDay,
  /** The last day to return it after a proposal. */
  return_by: hiddenDay,
  settled_on: hiddenDay,
  /** The last day on which deadlines were judged. Null if one has changed since. */
  judged_on: hiddenDay,
} satisfies Fields;

export type DepositRecord = RecordOf<typeof fields> & { next_on?: string | null };

/** Returns what is still there of a deposit, in the smallest unit of its currency. */
export function heldOf(
  deposit: Pick<DepositRecord, 'amount_received' | 'amount_applied' | 'amount_deducted' | 'amount_returned'>,
): number {
  const {
    amount_received: received,
    amount_applied: applied,
    amount_deducted: deducted,
    amount_returned: returned,
  } = deposit;
  return received - applied - deducted - returned;
}

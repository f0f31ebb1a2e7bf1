import { Type, type Static } from 'typebox';
import { CalendarDate, GatewayName, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Json } from '../../../core/json-diff.ts';
import type { Fields, RecordOf, StoredRecord } from '../../../model/record.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

const Allocation = named(
  'Allocation',
  'A part of a payment that settles an invoice.',
  closedObject({
    invoice: described(LinkedId, 'The id of the invoice.'),
    amount: Type.Integer({
      minimum: 1,
      maximum: amountMax,
      description: 'In the smallest unit of the currency.',
    }),
  }),
);

/** A payment settles no more invoices, so that one mutation stays small. Two years of weekly rent, paid ahead, are 104 or 105. */
export const allocationsMax = 120;
export const Allocations = Type.Array(Allocation, { maxItems: allocationsMax });

const Failure = named(
  'PaymentFailure',
  'Why a payment failed.',
  closedObject({
    code: described(Text, 'The code of the bank or the gateway.'),
    message: described(nullable(Text), 'The reason in words. Null if none was given.'),
  }),
);

const Refund = named(
  'Refund',
  'A refund of a part of a payment. With a gateway, it is `pending` until the gateway has sent the money.',
  closedObject({
    amount: Type.Integer({ minimum: 1, description: 'In the smallest unit of the currency.' }),
    reason: described(nullable(Text), 'The reason. Null if none was given.'),
    status: described(
      oneOf('pending', 'succeeded', 'failed'),
      '`pending` until the gateway has sent the money. Then it counts in `amount_refunded`. A refund without a gateway succeeds at once.',
    ),
    failure: described(nullable(Failure), 'Why the gateway did not send it. Null if it did not fail.'),
    refunded_at: nullable(
      Type.Integer({ description: 'When it was recorded, in seconds since the Unix epoch. Null until it succeeds.' }),
    ),
  }),
);

/** The most refunds of a payment, so that a response stays small. */
export const refundsMax = 50;

/** The state of a payment with its gateway. It is never shown. */
export interface GatewayOrder {
  /** The gateway's id of the charge. Null until it is known. */
  id: string | null;
  /** Whether the gateway may know the payment. It is set before the first call. */
  begun: boolean;
  /** The time of the next step, in milliseconds. Null if there is none. */
  due_at_ms: number | null;
  /** The number of failed calls in a row. */
  failures: number;
  /** The gateway knows the refunds before this index. */
  refunds_known: number;
}

/** The ways that a request can record. The server’s own payments come out of a deposit. */
const methods = ['bank_transfer', 'standing_order', 'direct_debit', 'card', 'cash', 'cheque', 'other'] as const;
export const Method = named(
  'PaymentMethod',
  'The way in which money came.',
  oneOf(...methods, 'deposit', 'holding_deposit'),
);
export const PaymentStatus = named(
  'PaymentStatus',
  'The state of a payment.',
  oneOf('pending', 'succeeded', 'failed', 'canceled', 'refunded'),
);

export const fields = {
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the tenancy that it is for. Null if it is for a deposit.',
    input: { on: 'create' },
  },
  deposit: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the deposit that it is for. Null if it is for a tenancy.',
    input: { on: 'create' },
  },
  amount: {
    column: 'bigint',
    schema: Type.Integer({
      minimum: 1,
      maximum: amountMax,
      description: 'In the smallest unit of the currency: 95000 is 950.00 pounds.',
    }),
    description: 'The amount, in the smallest unit of the currency.',
    input: { on: 'create', required: true },
  },
  currency: {
    column: 'text',
    schema: Type.String({ pattern: '^[a-z]{3}$', examples: ['gbp'] }),
    description: 'The currency of the rent or of the deposit (ISO 4217), in lower case.',
    initial: '',
  },
  method: {
    column: 'text',
    schema: Method,
    description:
      'The way in which the money came. `deposit` and `holding_deposit` are payments that `release` and `apply` of a deposit make.',
    input: { on: 'create', required: true, schema: oneOf(...methods) },
  },
  status: {
    column: 'text',
    schema: PaymentStatus,
    description:
      '`pending` until the money is sure, then `succeeded`. `failed`: it did not come, or it bounced. `refunded`: all of the money went back.',
    input: {
      on: 'create',
      schema: oneOf('pending', 'succeeded'),
      default: 'succeeded',
    },
  },
  received_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description:
      'The day on which the money came. By default today. A `pending` payment has none: `succeed` sets it, or the gateway does when it has taken the money.',
    input: { on: 'create' },
  },
  provider: {
    column: 'text',
    schema: nullable(GatewayName),
    description:
      'The payment gateway that collects the money. Null if you collect it yourself. By default, the account’s `payment_provider` collects payments of a tenancy with the `method` `direct_debit` or `card`. A body with a `status`, `received_on` or `allocations` has no such default. No gateway collects a deposit: record its money when it has come.',
    input: { on: 'create' },
  },
  customer: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the person that paid. Null if it is not known.',
    input: { on: 'create' },
  },
  reference: {
    column: 'text',
    schema: nullable(Text),
    description: 'The reference that the bank shows. Null if there is none.',
    input: { on: 'both' },
  },
  allocations: {
    column: 'json',
    schema: Allocations,
    description: `The invoices that it settles, at most ${allocationsMax}. By default, the oldest due invoices are settled first.`,
    initial: [],
  },
  amount_allocated: {
    column: 'bigint',
    schema: Type.Integer({ minimum: 0 }),
    description: 'The part that settles invoices, in the smallest unit of the currency.',
    initial: 0,
  },
  amount_unallocated: {
    column: null,
    schema: Type.Integer({ minimum: 0 }),
    description:
      'The part that settles no invoice yet, in the smallest unit of the currency. It settles the next one that is finalized.',
    derive: (record: StoredRecord): Json => unallocatedOf(record as PaymentRecord),
  },
  amount_refunded: {
    column: 'bigint',
    schema: Type.Integer({ minimum: 0 }),
    description: 'The part that went back, in the smallest unit of the currency.',
    initial: 0,
  },
  refunds: {
    column: 'json',
    schema: Type.Array(Refund, { maxItems: refundsMax }),
    description: 'The refunds of the payment, the oldest first. A gateway may still have to send some of them.',
    initial: [],
  },
  failure: {
    column: 'json',
    schema: nullable(Failure),
    description: 'Why it failed. Null if it did not.',
    initial: null,
  },
  bank_line: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the line of a bank statement that it was made from. Null if you recorded it yourself.',
    initial: null,
  },
  succeeded_at: moment('When it succeeded', 'Null if it did not.'),
  failed_at: moment('When it failed', 'Null if it did not.'),
  canceled_at: moment('When it was canceled', 'Null if it was not.'),
  cancel_requested_at: moment(
    'When its gateway was asked to cancel it',
    'Null if it was not. The gateway’s answer counts: the payment is `canceled`, or it succeeds or fails all the same.',
  ),
  refunded_at: moment('When all of the money had gone back', 'Null if it has not.'),
  /** The invoices of the allocations as they are stored. A body with new ones does not hide them. */
  settled_invoices: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  /** The day of its last move, which is that of the entry in the ledger. */
  moved_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
  gateway_order: { column: 'json', schema: nullable(Type.Unsafe<GatewayOrder>({})), shown: 'never', initial: null },
} satisfies Fields;

export type PaymentRecord = RecordOf<typeof fields> & {
  /** Only in a record that was just made: the allocations of the body. */
  wanted?: Allocation[] | null;
};
export type Allocation = Static<typeof Allocation>;

/** Returns what is left of a payment, less what its gateway was asked to send back. */
export function refundableOf({ amount, amount_refunded: refunded, refunds }: PaymentRecord): number {
  const pending = refunds.filter(({ status }) => status === 'pending');
  return amount - refunded - pending.reduce((sum, refund) => sum + refund.amount, 0);
}

/** Returns the part of a payment that settles nothing yet. Only money that came can settle. */
export function unallocatedOf({
  status,
  amount,
  amount_allocated: allocated,
  amount_refunded: refunded,
}: Pick<PaymentRecord, 'status' | 'amount' | 'amount_allocated' | 'amount_refunded'>): number {
  return status === 'succeeded' ? amount - allocated - refunded : 0;
}

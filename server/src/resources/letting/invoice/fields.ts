import { Type, type Static } from 'typebox';
import type { Span } from '../../../core/calendar.ts';
import type { Json } from '../../../core/json-diff.ts';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf, StoredRecord } from '../../../model/record.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

export const lineTypes = [
  'rent',
  'utility',
  'council_tax',
  'tv_licence',
  'communication',
  'late_interest',
  'lost_key',
  'damages',
  'variation',
  'early_termination',
  'other',
] as const;
export const LineType = named('InvoiceLineType', 'What an invoice line is for.', oneOf(...lineTypes));

export const Period = named(
  'InvoicePeriod',
  'The days that an invoice is for. Both ends are included.',
  closedObject({
    start: described(CalendarDate, 'The first day.'),
    end: described(CalendarDate, 'The last day.'),
  }),
);

const lineMembers = {
  type: described(LineType, 'What the line is for. The law permits few payments besides the rent.'),
  description: described(Text, 'The line in words.'),
  amount: Type.Integer({
    minimum: -amountMax,
    maximum: amountMax,
    description: 'In the smallest unit of the currency. It may be negative.',
  }),
};
const Line = named(
  'InvoiceLine',
  'A line of an invoice.',
  closedObject({
    ...lineMembers,
    period: described(nullable(Period), 'The days that the line is for. Null if it is for none.'),
    invoice: described(
      nullable(LinkedId),
      'The id of the invoice that this line is about, such as a late one for which it takes interest.',
    ),
  }),
);
export const LineInput = named(
  'InvoiceLineInput',
  'A line of an invoice.',
  closedObject({
    ...lineMembers,
    period: Type.Optional(described(nullable(Period), 'The days that the line is for.')),
    invoice: Type.Optional(
      described(
        nullable(LinkedId),
        'The id of the invoice that this line is about, such as a late one for which it takes interest.',
      ),
    ),
  }),
);
export type Line = Static<typeof Line>;

const Credit = named(
  'InvoiceCredit',
  'A part of an invoice that is not owed.',
  closedObject({
    amount: Type.Integer({ minimum: 1, description: 'In the smallest unit of the currency.' }),
    reason: described(Text, 'The reason.'),
    credited_at: Type.Integer({ description: 'When it was credited, in seconds since the Unix epoch.' }),
  }),
);

/** The price of a full period, of which an invoice charges some days or all. */
export interface Charge {
  /** In the smallest unit of the currency. */
  amount: number;
  full: Span;
}

/** The most credits of an invoice, so that a response stays small. */
export const creditsMax = 50;

/** The most payments that settle parts of an invoice. A credit of the invoice reads all of them. */
export const payingMax = 500;

export const InvoiceStatus = named(
  'InvoiceStatus',
  'The state of an invoice.',
  oneOf('draft', 'open', 'paid', 'void', 'uncollectible'),
);

const money = (description: string, initial: number) =>
  ({
    column: 'bigint',
    schema: Type.Integer({ minimum: 0 }),
    description: `${description}, in the smallest unit of the currency.`,
    initial,
  }) as const;

export const fields = {
  tenancy: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of the tenancy that owes it.',
    input: { on: 'create', required: true },
  },
  lines: {
    column: 'json',
    schema: Type.Array(Line, { minItems: 1, maxItems: 50 }),
    description: 'The lines. They add up to `total`.',
    input: {
      on: 'both',
      required: true,
      schema: Type.Array(LineInput, { minItems: 1, maxItems: 50 }),
      check: (lines: Static<typeof LineInput>[]) =>
        lines.map((line) => ({ ...line, period: line.period ?? null, invoice: line.invoice ?? null })),
    },
  },
  due_on: {
    column: 'date',
    schema: CalendarDate,
    description: 'The last day on which it can be paid in time.',
    input: { on: 'both', required: true },
  },
  subscription: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the subscription that made it. Null if a request made it.',
    initial: null,
  },
  period: {
    column: 'json',
    schema: nullable(Period),
    description: 'The period of its subscription. Null if it has none.',
    initial: null,
  },
  customers: {
    column: 'text[]',
    schema: Type.Array(LinkedId),
    description: 'The ids of the tenants, who owe it jointly.',
    initial: [],
  },
  number: {
    column: 'text',
    schema: nullable(Type.String()),
    description: 'Its number: `INV-000001`. The numbers of an account have no gap. Null for a draft.',
    initial: null,
  },
  currency: {
    column: 'text',
    schema: Type.String({ pattern: '^[a-z]{3}$', examples: ['gbp'] }),
    description: 'The currency of the rent (ISO 4217), in lower case.',
    initial: '',
  },
  total: money('The sum of the lines', 0),
  amount_paid: money('The part that payments have settled', 0),
  amount_credited: money('The part that is not owed any more', 0),
  amount_due: {
    column: null,
    schema: Type.Integer({ minimum: 0 }),
    description: 'What is still to pay, in the smallest unit of the currency.',
    derive: (record: StoredRecord): Json => dueOf(record as InvoiceRecord),
  },
  credits: {
    column: 'json',
    // The end of the tenancy can add one more.
    schema: Type.Array(Credit, { maxItems: creditsMax + 1 }),
    description: 'The parts that are not owed any more, the oldest first.',
    initial: [],
  },
  overdue: {
    column: 'boolean',
    schema: Type.Boolean(),
    description: 'Whether it is open, and `due_on` is past.',
    initial: false,
  },
  void_reason: {
    column: 'text',
    schema: nullable(Text),
    description: 'Why it is void. Null if it is not.',
    initial: null,
  },
  status: {
    column: 'text',
    schema: InvoiceStatus,
    description:
      '`draft`, then `open`: it is owed. `paid` once nothing is due. `void`: it was a mistake. `uncollectible`: it is still owed, and counts as no arrears.',
    initial: 'draft',
  },
  finalized_at: moment('When it was finalized', 'Null for a draft.'),
  paid_at: moment('When it was paid', 'Null if it is not.'),
  voided_at: moment('When it became void', 'Null if it is not.'),
  marked_uncollectible_at: moment('When it became uncollectible', 'Null if it did not.'),
  /** The payments that settle parts of it. */
  paying: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  /** The first day of `period`. The database lets a subscription invoice it once. */
  period_start: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
  /** The charge of the full period that its subscription split, so that a part can be credited to the penny. */
  charge: {
    column: 'json',
    schema: Type.Unsafe<Charge | null>(nullable(Type.Object({}))),
    shown: 'never',
    initial: null,
  },
  /** The day of its last move, which is that of the entry in the ledger. */
  moved_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
} satisfies Fields;

export type InvoiceRecord = RecordOf<typeof fields> & {
  /** Only in a record that was just made: whether it is owed at once. */
  is_final?: boolean;
  /** Only in a record that is just finalized: the first part of its number. */
  number_prefix?: string;
};

/** Returns what is still to pay. A void invoice is not owed. */
export function dueOf({
  status,
  total,
  amount_paid: paid,
  amount_credited: credited,
}: Pick<InvoiceRecord, 'status' | 'total' | 'amount_paid' | 'amount_credited'>): number {
  return status === 'void' ? 0 : total - paid - credited;
}

/**
 * Returns the last day that the invoice charges rent for, or its subscription’s service. Null if it charges for no days. Rent that a request
 * invoices has its days in the lines.
 */
export function chargedUntil({ subscription, period, lines }: InvoiceRecord): string | null {
  if (subscription !== null) return period?.end ?? null;
  return (
    rentLines({ lines })
      .map(({ period: { end } }) => end)
      .toSorted()
      .at(-1) ?? null
  );
}

/** Returns the lines of rent with their days. */
export function rentLines({ lines }: Pick<InvoiceRecord, 'lines'>): (Line & { period: Span })[] {
  return lines.flatMap((line) => (line.type === 'rent' && line.period ? [{ ...line, period: line.period }] : []));
}

/** Returns whether the invoice counts in the balance: the tenants owe it, or have paid it. */
export function isOwed({ status }: Pick<InvoiceRecord, 'status'>): boolean {
  return status === 'open' || status === 'paid' || status === 'uncollectible';
}

/** Returns whether money can still settle the invoice. */
export function isSettleable({ status }: Pick<InvoiceRecord, 'status'>): boolean {
  return status === 'open' || status === 'uncollectible';
}

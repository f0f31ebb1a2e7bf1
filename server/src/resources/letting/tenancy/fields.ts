import { Type, type Static } from 'typebox';
import { RaisedChecks, tenancyTypes, type Jurisdiction as JurisdictionName } from '../../../law/index.ts';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf } from '../../../model/record.ts';
import { amountMax, CurrencyInput } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';
import { Jurisdiction } from '../building.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

export const TenancyType = named(
  'TenancyType',
  'The kind of a tenancy. The law of each is different.',
  oneOf(...tenancyTypes),
);
export const TenancyStatus = named(
  'TenancyStatus',
  'The state of a tenancy.',
  oneOf('draft', 'signed', 'active', 'notice', 'ended', 'canceled'),
);

const rentMembers = {
  amount: Type.Integer({
    minimum: 1,
    maximum: amountMax,
    description: 'In the smallest unit of the currency: 95000 is 950.00 pounds.',
  }),
  currency: Type.String({
    pattern: '^[a-z]{3}$',
    examples: ['gbp'],
    description: 'The currency (ISO 4217) in lower case: `gbp`.',
  }),
  interval: Type.Unsafe<'week' | 'month'>({
    ...oneOf('week', 'month'),
    description: 'The unit of the rent period.',
  }),
};
const count = { minimum: 1, maximum: 12, description: 'The number of weeks or months in a rent period.' };
const TenancyRent = named(
  'TenancyRent',
  'The rent of a tenancy.',
  closedObject({ ...rentMembers, interval_count: Type.Integer(count) }),
);
const TenancyRentInput = named(
  'TenancyRentInput',
  'The rent of a tenancy.',
  closedObject({
    ...rentMembers,
    currency: CurrencyInput,
    interval_count: Type.Optional(Type.Integer({ ...count, description: `${count.description} The default is 1.` })),
  }),
);

export const NoticeBy = oneOf('tenant', 'landlord', 'mutual');
export const Grounds = Type.Array(Type.String({ pattern: '^[1-9][0-9]?[A-Z]{0,2}$', examples: ['8'] }), {
  maxItems: 50,
  uniqueItems: true,
});

const Notice = named(
  'TenancyNotice',
  'A notice to end a tenancy.',
  closedObject({
    by: described(NoticeBy, 'The side that gave it, or `mutual` for an agreement to end.'),
    served_on: described(CalendarDate, 'The day on which it was served.'),
    ends_on: described(CalendarDate, 'The day on which the tenancy ends by it. A court may have to decide.'),
    grounds: described(Grounds, 'A landlord’s grounds, from Schedule 2 to the Housing Act 1988.'),
    agreed_in_writing: Type.Boolean({ description: 'Whether both sides agreed to a shorter notice in writing.' }),
  }),
);

/** The reasons for an end that a request can have. */
export const sentEndReasons = ['surrender', 'possession_order', 'abandonment', 'death', 'other'] as const;

export const EndReason = oneOf('notice', 'expiry', ...sentEndReasons);

/** A tenancy has no more requests, so that a response stays small. */
export const petRequestsMax = 50;

const PetRequest = named(
  'PetRequest',
  'A tenant’s request to keep a pet.',
  closedObject({
    number: Type.Integer({ minimum: 1, description: 'Its number in the tenancy: 1, 2, …' }),
    customer: described(LinkedId, 'The tenant that asks.'),
    description: described(Text, 'The pet, in the words of the tenant.'),
    requested_on: described(CalendarDate, 'The day of the request.'),
    answer_by: described(CalendarDate, 'The last day for the landlord’s answer (Housing Act 1988, s16A).'),
    status: described(
      oneOf('open', 'information_asked', 'granted', 'refused'),
      '`open` until the landlord answers. `information_asked`: the landlord waits for information from the tenant.',
    ),
    reason: described(nullable(Text), 'The reason of the answer. A refusal has one.'),
  }),
);
export type PetRequest = Static<typeof PetRequest>;

/** An open invoice, as its tenancy knows it. */
export interface Owed {
  invoice: string;
  due_on: string;
  /** In the smallest unit of the currency. */
  amount: number;
  overdue: boolean;
}

/** The most open invoices of a tenancy, because a payment reads all of them. A payment that fails can open more of them again. */
export const owedMax = 500;

/** The most payments of a tenancy that can settle more, because a new invoice reads all of them. */
export const creditMax = 500;

/** A payment that can settle more. */
export interface Credit {
  payment: string;
}

/** The most subscriptions of a tenancy that have not ended. */
export const subscriptionsMax = 100;

/** An invoice of a subscription, and the last day that it charges. */
export interface Charged {
  invoice: string;
  end: string;
}

/** The newest invoices that a tenancy remembers for its end. */
export const chargedMax = 150;

const Arrears = named(
  'Arrears',
  'What is due of invoices that are overdue.',
  closedObject({
    amount: Type.Integer({ minimum: 0, description: 'In the smallest unit of the currency of the rent.' }),
    since: described(nullable(CalendarDate), 'The first day of the arrears. Null if there are none.'),
  }),
);

export const fields = {
  unit: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of the home.',
    input: { on: 'create', required: true },
  },
  customers: {
    column: 'text[]',
    schema: Type.Array(LinkedId, { minItems: 1, maxItems: 20, uniqueItems: true }),
    description: 'The ids of the tenants, who are jointly liable. The first is the lead tenant.',
    input: { on: 'create', required: true },
  },
  start_date: {
    column: 'date',
    schema: CalendarDate,
    description: 'The first day.',
    input: { on: 'both', required: true },
  },
  end_date: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The last day. Null while it is unknown, which is until a notice.',
    input: { on: 'both' },
  },
  rent: {
    column: 'json',
    schema: TenancyRent,
    description: 'The rent.',
    input: {
      on: 'both',
      required: true,
      schema: TenancyRentInput,
      check: (rent: Static<typeof TenancyRentInput>) => ({ ...rent, interval_count: rent.interval_count ?? 1 }),
    },
  },
  type: {
    column: 'text',
    schema: TenancyType,
    description: 'The kind of tenancy. An assured one is the usual let of a home to a person.',
    input: { on: 'create', default: 'assured' },
  },
  application: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the application that led to it. Null if there was none.',
    input: { on: 'create' },
  },
  replaces: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the tenancy before it, of other tenants of the same home. Null if there is none.',
    input: { on: 'create' },
  },
  agreement: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the file with the signed agreement. Null if there is none.',
    input: { on: 'both' },
  },
  statement_given_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description:
      'The day on which the tenants got the written statement of terms (Housing Act 1988, s16D). Null if they did not.',
    input: { on: 'both' },
  },
  rent_increased_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description:
      'The day on which the rent last rose by a notice or a tribunal. Send it for a tenancy that began in another system. Null if the rent never rose.',
    input: { on: 'both' },
  },
  guarantors: {
    column: 'text[]',
    schema: Type.Array(LinkedId),
    description: 'The ids of the guarantors that have agreed.',
    initial: [],
  },
  deposit: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of its deposit. Null if there is none.',
    initial: null,
  },
  jurisdiction: {
    column: 'text',
    schema: Type.Unsafe<JurisdictionName | null>(nullable(Jurisdiction)),
    description: 'The law that applies, from the building. Null means that of the account, `rules.ruleset`.',
    initial: null,
  },
  notice: {
    column: 'json',
    schema: nullable(Notice),
    description: 'The notice that was given. Null if there is none, or if it was withdrawn.',
    initial: null,
  },
  end_reason: {
    column: 'text',
    schema: nullable(EndReason),
    description: 'How it ended. Null until it has ended.',
    initial: null,
  },
  cancel_reason: {
    column: 'text',
    schema: nullable(Text),
    description: 'Why it was canceled. Null if it was not, or if no reason was given.',
    initial: null,
  },
  balance: {
    column: 'bigint',
    schema: Type.Integer(),
    description: 'What the tenants owe, in the smallest unit of the currency of the rent. Below 0, they have credit.',
    initial: 0,
  },
  arrears: {
    column: 'json',
    schema: Arrears,
    description: 'The unpaid amount of all overdue invoices, for rent or anything else.',
    initial: { amount: 0, since: null },
  },
  pet_requests: {
    column: 'json',
    schema: Type.Array(PetRequest, { maxItems: petRequestsMax }),
    description: 'The tenants’ requests to keep a pet, the oldest first.',
    initial: [],
  },
  signed_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The day on which the agreement was signed. Null until then.',
    initial: null,
  },
  checks: { column: 'json', schema: RaisedChecks, description: 'The duties by law that are not met.', initial: [] },
  status: {
    column: 'text',
    schema: TenancyStatus,
    description:
      '`draft`, then `signed`: it holds the home. `active` from its first day. `notice`: a notice was given. `ended` after its last day. `canceled`: it never began.',
    initial: 'draft',
  },
  signed_at: moment('When `sign` was called', 'Null until then.'),
  activated_at: moment('When it became `active`', 'Null until then.'),
  notice_given_at: moment('When its notice was recorded', 'Null if there is none.'),
  ended_at: moment('When it became `ended`', 'Null until then.'),
  canceled_at: moment('When it was canceled', 'Null if it was not.'),
  /** The end before the notice, which a withdrawal restores. */
  agreed_end_date: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
  /** The day of the first increase since it was recorded here. Later ones keep the month of the first. */
  first_rent_increase_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
  /** The number of the last entry in its ledger. */
  ledger_sequence: { column: 'integer', schema: Type.Integer(), shown: 'never', initial: 0 },
  /** Its open invoices. */
  owed: { column: 'json', schema: Type.Unsafe<Owed[]>(Type.Array(Type.Object({}))), shown: 'never', initial: [] },
  /** Its payments that have settled less than they can. */
  credit: { column: 'json', schema: Type.Unsafe<Credit[]>(Type.Array(Type.Object({}))), shown: 'never', initial: [] },
  /** Its subscriptions that have not ended. */
  subscriptions: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  /** Its newest invoices of subscriptions, without void ones. */
  charged: { column: 'json', schema: Type.Unsafe<Charged[]>(Type.Array(Type.Object({}))), shown: 'never', initial: [] },
  /** The tenants without a recorded right to rent, while the tenancy holds its unit. */
  unrecorded_tenants: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  /** The last day on which deadlines were judged. */
  judged_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
} satisfies Fields;

export type TenancyRecord = RecordOf<typeof fields> & { next_on?: string | null };

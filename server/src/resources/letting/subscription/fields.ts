import { Type, type Static } from 'typebox';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf } from '../../../model/record.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';
import { LineType } from '../invoice/fields.ts';

const Description = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

export const SubscriptionType = named('SubscriptionType', 'What a subscription charges.', oneOf('rent', 'service'));
export const SubscriptionStatus = named(
  'SubscriptionStatus',
  'The state of a subscription.',
  oneOf('scheduled', 'active', 'paused', 'ended'),
);
export const Basis = named(
  'RentChangeBasis',
  'The legal basis of a new rent.',
  oneOf('section_13', 'tribunal', 'agreement', 'correction'),
);

/** The lines that a service can have. Which of them the law permits is a check. */
const serviceLines = ['utility', 'council_tax', 'tv_licence', 'communication', 'other'] as const;

export const Amount = Type.Integer({
  minimum: 1,
  maximum: amountMax,
  description: 'The price of a full period, in the smallest unit of the currency.',
});

const ScheduledChange = named(
  'ScheduledChange',
  'An amount that will be charged from a later period on.',
  closedObject({
    amount: Type.Integer({ minimum: 1, description: 'In the smallest unit of the currency.' }),
    effective_on: described(CalendarDate, 'The first day of the first period with this amount.'),
    basis: described(Basis, 'The legal basis.'),
    served_on: described(
      nullable(CalendarDate),
      'The day on which the notice of the new amount was served. Null if there was no notice.',
    ),
  }),
);

export const fields = {
  tenancy: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of the tenancy whose tenants are charged.',
    input: { on: 'create', required: true },
  },
  type: {
    column: 'text',
    schema: SubscriptionType,
    description:
      '`rent`, of which a tenancy has one for each day, or a `service` beside it. A rent with an `end_date` can have a successor that starts later.',
    input: { on: 'create', default: 'rent' },
  },
  line_type: {
    column: 'text',
    schema: LineType,
    description:
      'The type of the lines of its invoices. For a rent, it is `rent`. For a service, it is `other` by default.',
    input: { on: 'create', schema: oneOf(...serviceLines) },
  },
  description: {
    column: 'text',
    schema: nullable(Description),
    description: 'The first words of its invoices. By default `Rent` or `Service`.',
    input: { on: 'both' },
  },
  amount: {
    column: 'bigint',
    schema: Amount,
    description:
      'The price of a full period. The default is the amount of the tenancy’s `rent`. A service has no default.',
    input: { on: 'create' },
  },
  currency: {
    column: 'text',
    schema: Type.String({ pattern: '^[a-z]{3}$', examples: ['gbp'] }),
    description: 'The currency of the rent (ISO 4217), in lower case.',
    initial: '',
  },
  interval: {
    column: 'text',
    schema: oneOf('week', 'month'),
    description: 'The unit of its periods. The default is the unit of the rent.',
    input: { on: 'create' },
  },
  interval_count: {
    column: 'integer',
    schema: Type.Integer({ minimum: 1, maximum: 12 }),
    description: 'The number of weeks or months in a period. The default is the number of the rent.',
    input: { on: 'create' },
  },
  start_date: {
    column: 'date',
    schema: CalendarDate,
    description:
      'The first day that is charged. The default is the first day of the tenancy. Tenure invoices past periods at once.',
    input: { on: 'create' },
  },
  end_date: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The last day that is charged. Null if the subscription lasts until the tenancy ends.',
    input: { on: 'create' },
  },
  anchor_day: {
    column: 'integer',
    schema: Type.Integer({ minimum: 1, maximum: 31 }),
    description:
      'The day on which periods begin. In a month it is 1 to 31, and in a week 1 (Monday) to 7 (Sunday). A shorter month has its last day instead. The default is the day of `start_date`.',
    input: { on: 'create' },
  },
  due_after: {
    column: 'integer',
    schema: Type.Integer({ minimum: 0, maximum: 27 }),
    description: 'The number of days from the first day of a period until its invoice is due.',
    input: { on: 'create', default: 0 },
  },
  invoice_before: {
    column: 'integer',
    schema: Type.Integer({ minimum: 0, maximum: 28 }),
    description: 'The number of days from the invoice until it is due. No period is invoiced before the signature.',
    input: { on: 'create', default: 7 },
  },
  scheduled_change: {
    column: 'json',
    schema: nullable(ScheduledChange),
    description: 'The amount of later periods. Null if it stays.',
    initial: null,
  },
  resume_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The day on which a paused one goes on. Null if it is not paused, or waits for `resume`.',
    initial: null,
  },
  next_period_start: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The first day of the next period that is not invoiced. Null if there is none.',
    initial: null,
  },
  next_invoice_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description:
      'The day on which Tenure makes the invoice of that period. Null if there is none, or while it is paused.',
    initial: null,
  },
  status: {
    column: 'text',
    schema: SubscriptionStatus,
    description:
      '`scheduled` until its first day, then `active`. `paused`: Tenure skips periods that begin during the pause. `ended` after its last day.',
    initial: 'scheduled',
  },
  activated_at: moment('When it became `active`', 'Null until then.'),
  paused_at: moment('When it was paused', 'Null if it is not.'),
  ended_at: moment('When it became `ended`', 'Null until then.'),
} satisfies Fields;

export type SubscriptionRecord = RecordOf<typeof fields>;
export type ScheduledChange = Static<typeof ScheduledChange>;

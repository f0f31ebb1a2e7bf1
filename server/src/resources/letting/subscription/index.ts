import { Type } from 'typebox';
import { CalendarDate, LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { actionFrom, defineResource, exactly } from '../../../model/resource.ts';
import { described, nullable } from '../../../model/schemas/make.ts';
import { constrained } from '../../../model/traits/constrained.ts';
import { daybreak } from '../../../model/traits/daybreak.ts';
import { recordInUse } from '../../../model/traits/in-use.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { cancelChange, changeAmount } from './amount.ts';
import { completed, invoicedAtOnce } from './creation.ts';
import { Amount, Basis, fields, SubscriptionStatus, SubscriptionType, type SubscriptionRecord } from './fields.ts';
import { atDawn, cancel, nextOn, pause, resume } from './moves.ts';
import { readsOfRun } from './run.ts';

export type { SubscriptionRecord } from './fields.ts';

const ofFields = {
  create: createFromFields<SubscriptionRecord>(fields, {
    description:
      'Charges a signed tenancy in periods: one invoice for each, finalized by itself. What you leave out is as in the tenancy’s `rent`. A first and a last period can be parts, and cost their share of the days. Periods whose day has come are invoiced at once.',
    example: { tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4', invoice_before: 7 },
    refusals: ['check_failed', 'limit_reached', 'record_in_use'],
  }),
  update: updateFromFields<SubscriptionRecord>(fields, {
    description: 'You can update `description` and `metadata`. Use `change_amount` for another amount.',
    example: { description: 'Rent of Flat 2' },
  }),
};

/** The rent of one tenancy, or a service beside it, charged in periods. */
export const subscription = defineResource<SubscriptionRecord>(
  {
    object: 'subscription',
    prefix: 'sub',
    path: 'subscriptions',
    table: 'subscriptions',
    docs: {
      description:
        'Charges one tenancy in periods of weeks or months. It makes one finalized invoice for each period, some days before that is due. It ends with the tenancy.',
      example: {
        record: {
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          type: 'rent',
          line_type: 'rent',
          description: null,
          amount: 95_000,
          currency: 'gbp',
          interval: 'month',
          interval_count: 1,
          start_date: '2027-02-01',
          end_date: null,
          anchor_day: 1,
          due_after: 0,
          invoice_before: 7,
          scheduled_change: null,
          resume_on: null,
          next_period_start: '2027-03-01',
          next_invoice_on: '2027-02-22',
          status: 'active',
          activated_at: 1_801_440_000,
          paused_at: null,
          ended_at: null,
          metadata: {},
        },
        before: { status: 'scheduled', activated_at: null },
        after: {
          change_scheduled: {
            scheduled_change: {
              amount: 99_000,
              effective_on: '2028-03-01',
              basis: 'section_13',
              served_on: '2027-12-15',
            },
          },
          amount_changed: { amount: 99_000 },
          paused: { status: 'paused', next_invoice_on: null, paused_at: 1_801_526_400 },
          ended: {
            status: 'ended',
            end_date: '2027-02-28',
            next_period_start: null,
            next_invoice_on: null,
            ended_at: 1_803_859_200,
          },
        },
      },
    },
    metadata: true,
    fields,
    links: { tenancy: 'tenancies' },
    verbs: {
      activated: 'Its first day has begun.',
      change_scheduled: 'Its amount will change on a later day.',
      change_canceled: 'Its amount will not change.',
      amount_changed: 'It charges another amount now, and the rent of the tenancy follows.',
      paused: 'Periods that begin from now on are skipped.',
      resumed: 'It charges again.',
      ended: 'Its last day, or that of the tenancy, is past.',
    },
    counted: ['status'],
    filters: exactly({ tenancy: LinkedId, status: SubscriptionStatus, type: SubscriptionType }),
    create: {
      ...ofFields.create,
      reads: [...readsOfRun, 'tenancy.subscriptions', 'tenancy.charged.invoice'],
      decide: (input, caller, related) => completed(ofFields.create.decide(input, caller, related), caller, related),
      besides: invoicedAtOnce,
    },
    update: ofFields.update,
    actions: {
      change_amount: actionFrom(
        {
          amount: described(Amount, 'The new price of a full period, in the smallest unit of the currency.'),
          effective_on: described(CalendarDate, 'The first day of a period that is not invoiced yet.'),
          basis: described(
            Basis,
            'The legal basis. An assured tenancy can only get more rent by `section_13` or `tribunal`.',
          ),
          served_on: Type.Optional(
            described(nullable(CalendarDate), 'The day on which the notice was served. `section_13` needs it.'),
          ),
        },
        changeAmount,
        {
          summary: 'Schedule another amount',
          description:
            'Charges another amount from the first day of a later period on. On that day the `rent` of the tenancy follows. Earlier periods without an invoice get one on that day, with the old amount.',
          example: { amount: 99_000, effective_on: '2028-03-01', basis: 'section_13', served_on: '2027-12-15' },
          refusals: ['status_transition_invalid', 'check_failed'],
          reads: [...readsOfRun],
        },
      ),
      cancel_change: {
        summary: 'Cancel a scheduled change',
        description: 'Leaves the amount as it is. It is too late once a period with the new amount is invoiced.',
        refusals: ['status_transition_invalid'],
        decide: cancelChange,
      },
      pause: actionFrom(
        {
          resume_on: Type.Optional(
            described(
              nullable(CalendarDate),
              'The day on which the pause ends. By default, the pause lasts until you call `resume`.',
            ),
          ),
        },
        pause,
        {
          summary: 'Pause a subscription',
          description:
            'Skips the periods that begin from now on, for good. A period that has begun is still invoiced, at once.',
          example: { resume_on: '2027-05-01' },
          refusals: ['status_transition_invalid'],
          reads: [...readsOfRun],
        },
      ),
      resume: {
        summary: 'Resume a subscription',
        description: 'Charges again, from the next period on that begins today or later.',
        refusals: ['status_transition_invalid'],
        reads: [...readsOfRun],
        decide: (current, caller, input, _, related) => resume(current, caller, input, related),
      },
      cancel: actionFrom(
        {
          end_date: Type.Optional(
            described(nullable(CalendarDate), 'The last day that is charged. By default the last that is invoiced.'),
          ),
        },
        cancel,
        {
          summary: 'Cancel a subscription',
          sensitive: true,
          description:
            'Charges no days after `end_date`. It ends when that day is past. A scheduled change of a later day is canceled.',
          example: { end_date: '2027-06-30' },
          refusals: ['status_transition_invalid'],
        },
      ),
    },
  },
  linksHere(['tenancy']),
  daybreak({ reads: readsOfRun, nextOn, decide: atDawn }),
  constrained({
    names: ['subscriptions_one_rent'],
    refusal: () =>
      recordInUse(
        'Another request created a subscription of the rent at this moment. Use `change_amount` for another rent, or cancel that one first.',
        'tenancy',
      ),
  }),
);

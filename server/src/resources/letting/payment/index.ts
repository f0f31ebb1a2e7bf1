import { Type } from 'typebox';
import { invalidParameter } from '../../../core/errors.ts';
import { LinkedId } from '../../../model/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { amountMax } from '../../../model/rent.ts';
import { actionFrom, dayBounds, defineResource, exactly } from '../../../model/resource.ts';
import { closedObject, described, nullable } from '../../../model/schemas.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { Allocations, fields, Method, PaymentStatus, type Allocation, type PaymentRecord } from './fields.ts';
import { allocate, cancel, fail, readsOfSettling, received, refund, succeed, succeeded } from './moves.ts';

export type { PaymentRecord } from './fields.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

const ofFields = {
  create: createFromFields<PaymentRecord>(fields, {
    description:
      'Records money that came, or with `status: pending` money that is on its way. It settles the invoices in `allocations`, or else the oldest due ones. What is left settles the next invoice that is finalized.',
    example: { tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4', amount: 95_000, method: 'standing_order' },
    refusals: ['amount_exceeded', 'check_failed', 'limit_reached', 'status_transition_invalid'],
  }),
  update: updateFromFields<PaymentRecord>(fields, { example: { reference: 'FLAT 2 FEB' } }),
};

/** Money of the tenants of one tenancy. */
export const payment = defineResource<PaymentRecord>(
  {
    object: 'payment',
    prefix: 'pay',
    path: 'payments',
    table: 'payments',
    docs: {
      description:
        'Money of the tenants of one tenancy. It settles invoices, the oldest due ones first. Tenure records payments, and does not move money.',
      example: {
        record: {
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          amount: 95_000,
          currency: 'gbp',
          method: 'standing_order',
          status: 'succeeded',
          received_on: '2027-02-01',
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          reference: 'FLAT 2 FEB',
          allocations: [{ invoice: 'in_0VbZq9aK00mT3cUuP8sXw4', amount: 95_000 }],
          amount_allocated: 95_000,
          amount_unallocated: 0,
          amount_refunded: 0,
          refunds: [],
          failure: null,
          succeeded_at: 1_801_440_000,
          failed_at: null,
          canceled_at: null,
          refunded_at: null,
          metadata: {},
        },
        before: { reference: null },
        after: {
          failed: {
            status: 'failed',
            allocations: [],
            amount_allocated: 0,
            failure: { code: 'insufficient_funds', message: null },
            succeeded_at: null,
            failed_at: 1_801_526_400,
          },
          canceled: {
            status: 'canceled',
            allocations: [],
            amount_allocated: 0,
            succeeded_at: null,
            canceled_at: 1_801_526_400,
          },
          refunded: {
            status: 'refunded',
            allocations: [],
            amount_allocated: 0,
            amount_refunded: 95_000,
            refunds: [{ amount: 95_000, reason: 'Paid twice.', refunded_at: 1_801_526_400 }],
            refunded_at: 1_801_526_400,
          },
        },
      },
    },
    metadata: true,
    fields,
    links: { tenancy: 'tenancies', customer: 'customers', 'allocations.invoice': 'invoices' },
    hiddenLinks: { settled_invoices: 'invoices' },
    verbs: {
      succeeded: 'Its money came.',
      failed: 'It did not come, or it bounced.',
      canceled: 'It was canceled before its money came.',
      allocated: 'It settles other invoices now.',
      refunded: 'Money of it went back.',
    },
    counted: ['status'],
    filters: {
      ...exactly({ tenancy: LinkedId, customer: LinkedId, status: PaymentStatus, method: Method }),
      ...dayBounds('received_on'),
    },
    create: {
      ...ofFields.create,
      body: closedObject({
        ...ofFields.create.body.properties,
        allocations: Type.Optional(
          described(nullable(Allocations), 'The invoices that it settles. By default, the oldest due ones.'),
        ),
      }),
      reads: [...readsOfSettling, 'allocations.invoice'],
      decide(input, caller, related) {
        const made = received(ofFields.create.decide(input, caller, related), caller, related);
        const allocations = (input as { allocations?: Allocation[] | null }).allocations ?? null;
        if (allocations && made.status === 'pending')
          throw invalidParameter(
            'allocations',
            'A pending payment settles nothing yet. Call `allocate` after it has succeeded.',
          );
        return { ...made, wanted: allocations };
      },
      besides(made, caller, related) {
        return made.status === 'succeeded' ? succeeded(made, made.wanted ?? null, caller, related) : {};
      },
    },
    update: ofFields.update,
    actions: {
      succeed: {
        summary: 'Record that a payment succeeded',
        description: 'The money of a pending payment came. It settles the oldest due invoices.',
        refusals: ['status_transition_invalid', 'check_failed', 'limit_reached'],
        reads: [...readsOfSettling],
        decide: (current, caller, input, _, related) => succeed(current, caller, input, related),
      },
      fail: actionFrom(
        {
          code: described(Text, 'The code of the bank or the gateway.'),
          message: Type.Optional(described(nullable(Text), 'The reason in words.')),
        },
        fail,
        {
          summary: 'Record that a payment failed',
          description: 'The money did not come, or it bounced. The invoices that it settled are open again.',
          example: { code: 'insufficient_funds' },
          refusals: ['status_transition_invalid'],
          reads: ['settled_invoices'],
        },
      ),
      cancel: {
        summary: 'Cancel a payment',
        description: 'Ends a pending payment whose money will not come.',
        refusals: ['status_transition_invalid'],
        decide: cancel,
      },
      allocate: actionFrom(
        { allocations: described(Allocations, 'All invoices that it settles from now on.') },
        allocate,
        {
          summary: 'Allocate a payment',
          description: 'Replaces the invoices that the payment settles.',
          example: { allocations: [{ invoice: 'in_0VbZq9aK00mT3cUuP8sXw4', amount: 95_000 }] },
          refusals: ['status_transition_invalid', 'amount_exceeded'],
          reads: ['allocations.invoice', 'settled_invoices'],
        },
      ),
      refund: actionFrom(
        {
          amount: Type.Integer({
            minimum: 1,
            maximum: amountMax,
            description: 'In the smallest unit of the currency.',
          }),
          reason: Type.Optional(described(nullable(Text), 'The reason.')),
        },
        refund,
        {
          summary: 'Record a refund',
          description:
            'Money of the payment went back. First what settles no invoice is used, then the newest allocations.',
          example: { amount: 95_000, reason: 'Paid twice.' },
          refusals: ['status_transition_invalid', 'amount_exceeded'],
          reads: ['settled_invoices'],
        },
      ),
    },
  },
  linksHere(['tenancy', 'allocations.invoice']),
);

import { Type } from 'typebox';
import { failureCodePattern } from '../../../core/vocabulary/charge-script.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json-diff.ts';
import { placeGroups } from '../../../core/limits/job-places.ts';
import { CalendarDate, LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { actionFrom, dayBounds, defineResource, exactly } from '../../../model/resource.ts';
import { closedObject, described, nullable } from '../../../model/schemas/make.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { emptied, personalTexts } from '../../../model/traits/personal-texts.ts';
import { scheduled } from '../../../model/traits/scheduled.ts';
import { searchable, type NamedRecord } from '../../../model/traits/searchable.ts';
import { testControls } from '../../../model/traits/test-controls.ts';
import { Allocations, fields, Method, PaymentStatus, type Allocation, type PaymentRecord } from './fields.ts';
import { cancel, collected, defaultGatewayOf, nextStepOf, refund, requireChargeScript, wake } from './collection.ts';
import { allocate, fail, readsOfSettling, received, succeed, succeeded } from './moves.ts';
import { readsOfReceipt, requireOnePurpose } from './of-deposits.ts';
import { readsOfFreeing } from '../settlement.ts';

export type { PaymentRecord } from './fields.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

const ofFields = {
  create: createFromFields<PaymentRecord>(fields, {
    description:
      'Records money that came, or with `status: pending` money that is on its way. It is for a `tenancy` or for a `deposit`. With a `provider`, a payment gateway collects the money of a tenancy. The payment is `pending` until the gateway has taken the money. A payment of a tenancy settles the invoices in `allocations`, or else the oldest due ones. What is left settles the next invoice that is finalized.',
    // A gateway takes money from a person.
    sensitive: ['provider'],
    isSensitiveByDefault: (input, account) => defaultGatewayOf(input, account) !== null,
    example: { tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4', amount: 95_000, method: 'standing_order' },
    refusals: ['amount_exceeded', 'check_failed', 'limit_reached', 'parameters_exclusive', 'status_transition_invalid'],
  }),
  update: updateFromFields<PaymentRecord>(fields, { example: { reference: 'FLAT 2 FEB' } }),
};

/** Money of the tenants of one tenancy, or of one deposit. */
export const payment = defineResource<PaymentRecord>(
  {
    object: 'payment',
    prefix: 'pay',
    path: 'payments',
    table: 'payments',
    docs: {
      description:
        'Money of the tenants of one tenancy, or of one deposit. That of a tenancy settles invoices, the oldest due ones first. Tenure records money that you collect yourself, or has a payment gateway collect it (`provider`).',
      example: {
        record: {
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          deposit: null,
          amount: 95_000,
          currency: 'gbp',
          method: 'standing_order',
          status: 'succeeded',
          received_on: '2027-02-01',
          provider: null,
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          reference: 'FLAT 2 FEB',
          allocations: [{ invoice: 'in_0VbZq9aK00mT3cUuP8sXw4', amount: 95_000 }],
          amount_allocated: 95_000,
          amount_unallocated: 0,
          amount_refunded: 0,
          refunds: [],
          failure: null,
          bank_line: null,
          succeeded_at: 1_801_440_000,
          failed_at: null,
          canceled_at: null,
          cancel_requested_at: null,
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
            refunds: [
              {
                amount: 95_000,
                reason: 'Paid twice.',
                status: 'succeeded',
                failure: null,
                refunded_at: 1_801_526_400,
              },
            ],
            refunded_at: 1_801_526_400,
          },
        },
      },
    },
    metadata: true,
    fields,
    links: {
      tenancy: 'tenancies',
      deposit: 'deposits',
      customer: 'customers',
      'allocations.invoice': 'invoices',
      bank_line: 'bank_lines',
    },
    hiddenLinks: { settled_invoices: 'invoices' },
    verbs: {
      succeeded: 'Its money came. It follows `payment.created` at once if the money had come by then.',
      failed: 'It did not come, or it bounced.',
      canceled: 'It was canceled before its money came.',
      allocated: 'It settles other invoices now.',
      refunded: 'A part or all of the money went back to the payer.',
    },
    counted: ['status'],
    filters: {
      ...exactly({ tenancy: LinkedId, deposit: LinkedId, customer: LinkedId, status: PaymentStatus, method: Method }),
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
      reads: [...readsOfSettling, ...readsOfReceipt, 'allocations.invoice'],
      decide(input, caller, related) {
        const given = ofFields.create.decide(input, caller, related);
        requireOnePurpose(given);
        const made = received(collected(given, input as JsonObject, caller, related), caller, related);
        const allocations = (input as { allocations?: Allocation[] | null }).allocations ?? null;
        if (allocations && made.deposit !== null)
          throw new ApiError(
            'parameters_exclusive',
            'Money of a `deposit` settles no invoice. Leave `allocations` out.',
            {
              param: 'allocations',
            },
          );
        if (allocations && made.status === 'pending')
          throw invalidParameter(
            'allocations',
            'A pending payment settles nothing yet. Call `allocate` after it has succeeded.',
          );
        return { ...made, wanted: allocations };
      },
      besides(made, caller, related) {
        if (made.status !== 'succeeded') return {};
        return { ...succeeded(made, made.wanted ?? null, caller, related), verbs: ['succeeded'] };
      },
    },
    update: {
      ...ofFields.update,
      decide(current, input, caller, related) {
        requireChargeScript(current.provider, input as JsonObject);
        return ofFields.update.decide(current, input, caller, related);
      },
    },
    actions: {
      succeed: actionFrom(
        {
          received_on: Type.Optional(
            described(
              nullable(CalendarDate),
              'The day on which the money came: today or earlier. The default is today.',
            ),
          ),
        },
        succeed,
        {
          summary: 'Record that a payment succeeded',
          description:
            'The money of a pending payment came. It settles the oldest due invoices, or enters its deposit. A gateway moves its own payments.',
          example: { received_on: '2027-02-03' },
          refusals: ['status_transition_invalid', 'check_failed', 'limit_reached', 'amount_exceeded'],
          reads: [...readsOfSettling, ...readsOfReceipt],
        },
      ),
      fail: actionFrom(
        {
          code: described(Text, 'The code of the bank or the gateway.'),
          message: Type.Optional(described(nullable(Text), 'The reason in words.')),
        },
        fail,
        {
          summary: 'Record that a payment failed',
          description:
            'The money did not come, or it bounced. The invoices of this payment are open again. If the tenancy has unallocated money, it settles the invoices with the earliest due dates. A gateway moves its own payments.',
          example: { code: 'insufficient_funds' },
          refusals: ['status_transition_invalid', 'amount_exceeded'],
          reads: [...readsOfFreeing, 'deposit'],
        },
      ),
      cancel: {
        summary: 'Cancel a payment',
        sensitive: true,
        description:
          'Ends a pending payment whose money will not come. If a gateway collects the payment, Tenure asks the gateway to cancel it. Until the gateway has canceled it or has taken the money, the payment stays `pending`, with `cancel_requested_at`.',
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
          sensitive: true,
          summary: 'Record a refund',
          description:
            'Money of the payment went back. First what settles no invoice is used, then the newest allocations. Other money of the tenancy that is free then settles the oldest due invoices. If a gateway collected the payment, Tenure asks the gateway to send the money. The refund counts after the gateway has sent it.',
          example: { amount: 95_000, reason: 'Paid twice.' },
          refusals: ['status_transition_invalid', 'amount_exceeded'],
          reads: [...readsOfFreeing],
        },
      ),
    },
  },
  linksHere(['tenancy', 'deposit', 'allocations.invoice']),
  personalTexts({
    links: ['customer', 'tenancy', 'deposit'],
    person: 'customer',
    copiedFrom: 'bank_line',
    texts: {
      reference: () => null,
      refunds: (refunds) => emptied(refunds, { reason: null, failure: withoutMessage }),
      failure: withoutMessage,
    },
    inputs: { reference: null, reason: null, message: null },
  }),
  scheduled({
    job: 'collect_payment',
    column: 'gateway_order',
    statuses: ['pending', 'succeeded', 'failed', 'refunded'],
    groups: ({ provider, account_id: accountId }: PaymentRecord) => placeGroups(provider ?? '', accountId),
    dueAtMs: ({ gateway_order: order }: PaymentRecord) => order?.due_at_ms ?? null,
    wake: (current: PaymentRecord, nowMs) => (nextStepOf(current) === null ? null : wake(current, nowMs)),
  }),
  searchable({
    members: ['reference', 'metadata'],
    reads: ['customer'],
    title: ({ reference }: PaymentRecord) => reference ?? 'Payment',
    subtitle: ({ status, received_on: on }: PaymentRecord, related) =>
      [related.one<NamedRecord>('customer')?.name, on === null ? status : `${status}, received ${on}`]
        .filter(Boolean)
        .join(', '),
  }),
  testControls({
    succeed: {
      summary: 'Have the gateway take the money',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated gateway takes the money of a pending payment at once, and sends the money of pending refunds. You can call this right after you create the payment. The response shows the effect.',
    },
    fail: {
      summary: 'Have the gateway fail',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated gateway cannot collect a pending payment, or takes back one that succeeded: it bounces. You can call this right after you create the payment. The response shows the effect.',
      body: closedObject({
        code: Type.Optional(
          Type.String({
            pattern: failureCodePattern,
            examples: ['insufficient_funds'],
            description: 'The code of the failure. The default is `declined`, or `bounced` after it succeeded.',
          }),
        ),
      }),
      example: { code: 'insufficient_funds' },
    },
  }),
);

function withoutMessage(failure: Json): Json {
  return emptied(failure, { message: null });
}

import { Type } from 'typebox';
import { ApiError } from '../../../core/errors.ts';
import { Flag, LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { actionFrom, dayBounds, defineResource, exactly } from '../../../model/resource.ts';
import { described } from '../../../model/schemas/make.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import { constrained } from '../../../model/traits/constrained.ts';
import { copiesLinks } from '../../../model/traits/copies-links.ts';
import { daybreak } from '../../../model/traits/daybreak.ts';
import { inUse } from '../../../model/traits/in-use.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { numbered } from '../../../model/traits/numbered.ts';
import { namesOf, searchable, type NamedRecord } from '../../../model/traits/searchable.ts';
import { fields, InvoiceStatus, type InvoiceRecord } from './fields.ts';
import {
  atDawn,
  credit,
  drafted,
  finalize,
  finalizedNow,
  markUncollectible,
  overdueOn,
  readsOfCredit,
  readsOfFinalization,
  totalOf,
  voidInvoice,
} from './moves.ts';

export type { InvoiceRecord } from './fields.ts';

const Reason = Type.String({ minLength: 1, maxLength: 500 });
const numberDigits = 6;

const ofFields = {
  create: createFromFields<InvoiceRecord>(fields, {
    description:
      'Creates a draft, which is not owed. With `finalize`, it is owed at once. Money that settles nothing yet then settles it.',
    example: {
      tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
      lines: [{ type: 'rent', description: 'Rent, February 2027', amount: 95_000 }],
      due_on: '2027-02-01',
      finalize: true,
    },
    refusals: ['check_failed', 'limit_reached', 'status_transition_invalid'],
  }),
  update: updateFromFields<InvoiceRecord>(fields, {
    description: 'Only a draft can change its lines and its due date. Afterwards, you can update its `metadata`.',
    example: { due_on: '2027-02-08' },
    refusals: ['status_transition_invalid'],
  }),
};

/** A demand for money of the tenants of one tenancy. */
export const invoice = defineResource<InvoiceRecord>(
  {
    object: 'invoice',
    prefix: 'in',
    path: 'invoices',
    table: 'invoices',
    docs: {
      description:
        'A demand for money of the tenants of one tenancy. A draft is not owed. `finalize` gives it a number, and adds it to the balance of the tenancy. Payments settle it.',
      example: {
        record: {
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          lines: [
            {
              type: 'rent',
              description: 'Rent, February 2027',
              amount: 95_000,
              period: { start: '2027-02-01', end: '2027-02-28' },
              invoice: null,
            },
          ],
          due_on: '2027-02-01',
          subscription: null,
          period: null,
          customers: ['cus_0VbZq9aK00mT3cUuP8sXw4'],
          number: 'INV-000001',
          currency: 'gbp',
          total: 95_000,
          amount_paid: 0,
          amount_credited: 0,
          amount_due: 95_000,
          credits: [],
          overdue: false,
          void_reason: null,
          status: 'open',
          finalized_at: 1_800_835_200,
          paid_at: null,
          voided_at: null,
          marked_uncollectible_at: null,
          metadata: {},
        },
        before: { status: 'draft', number: null, finalized_at: null },
        after: {
          paid: { status: 'paid', amount_paid: 95_000, amount_due: 0, paid_at: 1_801_440_000 },
          overdue: { overdue: true },
          voided: { status: 'void', amount_due: 0, void_reason: 'Sent twice.', voided_at: 1_801_440_000 },
          marked_uncollectible: { status: 'uncollectible', marked_uncollectible_at: 1_801_440_000 },
          credited: {
            amount_credited: 5_000,
            amount_due: 90_000,
            credits: [{ amount: 5_000, reason: 'The heating failed.', credited_at: 1_801_440_000 }],
          },
        },
      },
    },
    metadata: true,
    fields,
    links: {
      tenancy: 'tenancies',
      subscription: 'subscriptions',
      customers: 'customers',
      'lines.invoice': 'invoices',
    },
    hiddenLinks: { paying: 'payments' },
    verbs: {
      finalized: 'It is owed now.',
      paid: 'Nothing is due any more.',
      reopened: 'Something is due again: a payment failed, went back, or settles another invoice.',
      credited: 'The tenants no longer owe a part of it.',
      voided: 'It was a mistake, and is not owed.',
      marked_uncollectible: 'It is still owed, and counts as no arrears.',
      overdue: 'It is open, and its due date is past.',
    },
    counted: ['status'],
    filters: {
      customer: {
        column: 'customers',
        match: 'contains',
        schema: described(LinkedId, 'Only invoices of this tenant.'),
      },
      ...exactly({
        tenancy: LinkedId,
        subscription: LinkedId,
        status: InvoiceStatus,
        number: described(Type.String({ minLength: 1, maxLength: 100 }), 'Only the invoice with this number.'),
        overdue: described(Flag, 'Only overdue invoices, or only the others.'),
      }),
      ...dayBounds('due_on'),
    },
    create: {
      ...ofFields.create,
      body: Type.Object(
        {
          ...ofFields.create.body.properties,
          finalize: Type.Optional(
            Type.Unsafe<boolean | null>({
              type: ['boolean', 'null'],
              description: 'Whether it is owed at once. The default is false: a draft.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      reads: [...readsOfFinalization],
      decide: (input, caller, related) => {
        const made = drafted(ofFields.create.decide(input, caller, related), related);
        return { ...made, is_final: (input as { finalize?: boolean | null }).finalize === true };
      },
      besides: (made, caller, related) => (made.is_final === true ? finalizedNow(made, caller, related) : {}),
    },
    update: {
      ...ofFields.update,
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        const term = ['lines', 'due_on'].find((name) => name in input);
        if (term === undefined) return { after };
        if (current.status !== 'draft')
          throw wrongStatus(
            current,
            'invoice',
            `Only a draft can change its \`${term}\`. Use \`credit\` or \`void\`, and make a new one.`,
          );
        return { after: { ...after, total: totalOf(after.lines) } };
      },
    },
    actions: {
      finalize: {
        summary: 'Finalize an invoice',
        description: 'Gives the draft its number. From now on, the tenants owe it.',
        refusals: ['status_transition_invalid', 'check_failed', 'limit_reached'],
        reads: [...readsOfFinalization],
        decide: (current, caller, input, _, related) => finalize(current, caller, input, related),
      },
      credit: actionFrom(
        {
          amount: Type.Integer({
            minimum: 1,
            maximum: amountMax,
            description:
              'In the smallest unit of the currency. What payments settled beyond the rest becomes free, and settles the oldest due invoices.',
          }),
          reason: described(Reason, 'The reason.'),
        },
        credit,
        {
          summary: 'Credit an invoice',
          description: 'Takes back a part of the invoice. It stays in the ledger with the credit beside it.',
          example: { amount: 5_000, reason: 'The heating failed.' },
          refusals: ['status_transition_invalid', 'amount_exceeded'],
          reads: [...readsOfCredit],
        },
      ),
      void: actionFrom({ reason: described(Reason, 'The reason.') }, voidInvoice, {
        summary: 'Void an invoice',
        description: 'Takes back an invoice that was a mistake. It keeps its number, so that the numbers have no gap.',
        example: { reason: 'Sent twice.' },
        refusals: ['status_transition_invalid'],
      }),
      mark_uncollectible: {
        summary: 'Mark an invoice as uncollectible',
        description: 'The tenants still owe it, but it counts as no arrears. A payment can still settle it.',
        refusals: ['status_transition_invalid'],
        decide: markUncollectible,
      },
    },
    delete: 'removes',
  },
  linksHere(['tenancy', 'lines.invoice']),
  copiesLinks(['customers']),
  inUse({
    refusal: 'status_transition_invalid',
    check: (record: InvoiceRecord) =>
      requireStatus(record, ['draft'], 'invoice', 'Only a draft can be deleted. Use `void` or `credit`.'),
  }),
  searchable({
    members: ['number', 'metadata'],
    foundBy: ['tenancy'],
    reads: ['customers'],
    title: ({ number }: InvoiceRecord) => number ?? 'Draft invoice',
    subtitle: ({ status, due_on: due }: InvoiceRecord, related) =>
      [namesOf(related.all<NamedRecord>('customers')), `${status}, due ${due}`].filter(Boolean).join(', '),
  }),
  daybreak({ nextOn: overdueOn, decide: atDawn }),
  numbered({
    isDue: ({ status, number }: InvoiceRecord) => number === null && status !== 'draft',
    withNumber: (record: InvoiceRecord, number) => ({
      ...record,
      number: `${record.number_prefix}-${String(number).padStart(numberDigits, '0')}`,
    }),
  }),
  constrained({
    // Two requests make the first invoice at the same moment. The second one is decided again, with the counter of the first.
    names: ['counters_pkey', 'invoices_number'],
    refusal: () =>
      new ApiError(
        'overloaded',
        'Another request made the first invoice of the account at this moment. Send it again.',
      ),
  }),
);

import { Type } from 'typebox';
import { ApiError } from '../../../core/errors.ts';
import { LinkedId } from '../../../model/schemas/fields.ts';
import { actionFrom, dayBounds, defineResource, exactly } from '../../../model/resource.ts';
import { described, nullable } from '../../../model/schemas/make.ts';
import { constrained } from '../../../model/traits/constrained.ts';
import { copiesLinks } from '../../../model/traits/copies-links.ts';
import { erasable } from '../../../model/traits/erasable.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { madeInBulk } from '../../../model/traits/made-in-bulk.ts';
import { searchable } from '../../../model/traits/searchable.ts';
import { readsOfSettling } from '../payment/moves.ts';
import { BankLineStatus, fields, type BankLineRecord } from './fields.ts';
import { confirm, erased, ignore, reopen } from './moves.ts';

/** A line of money that came in, of a bank statement. It becomes at most one payment. */
export const bankLine = defineResource<BankLineRecord>(
  {
    object: 'bank_line',
    prefix: 'bln',
    path: 'bank_lines',
    table: 'bank_lines',
    docs: {
      description:
        'A line of money that came in, from a bank statement. The same money in two files is one line, and a line becomes at most one payment. `POST /v1/payments/import` makes lines without an event for each: `payment_import.created` announces them.',
      example: {
        record: {
          import: 'pim_0VbZq9aK00mT3cUuP8sXw4',
          line: 2,
          received_on: '2027-02-01',
          amount: 95_000,
          currency: 'gbp',
          reference: 'INV-000012',
          payer_name: 'MR G BYRON',
          status: 'proposed',
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          customer: null,
          matched_by: ['reference', 'amount'],
          candidates: [],
          payment: null,
          confirmed_at: null,
          ignored_at: null,
        },
        before: { status: 'unmatched', tenancy: null, matched_by: [] },
        after: {
          confirmed: { status: 'confirmed', payment: 'pay_0VbZq9aK00mT3cUuP8sXw4', confirmed_at: 1_801_526_400 },
          ignored: { status: 'ignored', ignored_at: 1_801_526_400 },
        },
      },
    },
    fields,
    links: {
      import: 'payment_imports',
      tenancy: 'tenancies',
      customer: 'customers',
      'candidates.tenancy': 'tenancies',
      payment: 'payments',
    },
    verbs: {
      confirmed: 'It became a payment, which has its own `payment.created` and `payment.succeeded`.',
      ignored: 'It is no payment of a tenant.',
      reopened: 'It was ignored, and waits for a decision again.',
    },
    counted: ['status'],
    filters: {
      ...exactly({ import: LinkedId, status: BankLineStatus, tenancy: LinkedId, customer: LinkedId }),
      ...dayBounds('received_on'),
    },
    actions: {
      confirm: actionFrom(
        {
          tenancy: Type.Optional(
            described(LinkedId, 'The id of the tenancy whose money it is. By default the proposed one.'),
          ),
          customer: Type.Optional(
            described(
              nullable(LinkedId),
              'The id of the person that paid. The default is the `customer` of the proposal, if the proposal is for this tenancy.',
            ),
          ),
        },
        confirm,
        {
          summary: 'Confirm a bank line',
          description:
            'Makes a payment from the line: a `bank_transfer` with the day, amount and reference of the line. It settles the invoices with the earliest due dates. One transaction makes the payment and confirms the line, so a line becomes at most one payment.',
          example: { tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4' },
          permissions: ['bank_lines.write', 'payments.write'],
          refusals: ['status_transition_invalid', 'check_failed', 'limit_reached'],
          reads: readsOfSettling,
        },
      ),
      ignore: {
        summary: 'Ignore a bank line',
        description: 'Records that the money is no payment of a tenant, such as interest.',
        refusals: ['status_transition_invalid'],
        decide: ignore,
      },
      reopen: {
        summary: 'Reopen a bank line',
        description: 'The line was ignored, and waits for a decision again.',
        refusals: ['status_transition_invalid'],
        decide: reopen,
      },
    },
  },
  madeInBulk({ announcedBy: 'import' }),
  searchable({
    members: ['payer_name', 'reference'],
    title: ({ payer_name: payer, reference }: BankLineRecord) => payer ?? reference ?? 'Bank line',
    subtitle: ({ payer_name: payer, reference, status, received_on: on }: BankLineRecord) =>
      [payer && reference, `${status}, received ${on}`].filter(Boolean).join(', '),
  }),
  linksHere(['tenancy']),
  // The body’s tenancy is checked before the decision, and its customer with the payment.
  copiesLinks(['import', 'tenancy', 'customer', 'candidates.tenancy', 'payment']),
  erasable({ link: 'customer', files: [], decide: erased }),
  constrained({
    names: ['bank_lines_fingerprint', 'payments_bank_line'],
    refusal: () =>
      new ApiError(
        'status_transition_invalid',
        'Another request made the same lines or payments at this moment. Nothing was made twice. Send the request again.',
      ),
  }),
);

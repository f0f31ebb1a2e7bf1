import { Type } from 'typebox';
import type { Json } from '../../../core/json-diff.ts';
import { CalendarDate, LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { actionFrom, dayBounds, defineResource, exactly } from '../../../model/resource.ts';
import { closedObject, described, nullable } from '../../../model/schemas/make.ts';
import { daybreak } from '../../../model/traits/daybreak.ts';
import { personalFiles } from '../../../model/traits/personal-files.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { emptied, personalTexts } from '../../../model/traits/personal-texts.ts';
import { namesOf, searchable, type NamedRecord } from '../../../model/traits/searchable.ts';
import { sumsUp } from '../../../model/traits/sums-up.ts';
import { homeOf } from '../home-names.ts';
import { raisedAtOnce } from '../warnings.ts';
import { agreed, readsOfCreation, withAmount } from './creation.ts';
import { atDawn, nextOn, readsOfLaw } from './deadlines.ts';
import {
  Amount,
  applicationsMax,
  DeductionInputs,
  DepositStatus,
  DepositType,
  fields,
  RetentionReason,
  Scheme,
  type DepositRecord,
} from './fields.ts';
import { apply, cancel, extend, giveBack, readsOfApplying, retain } from './holding.ts';
import { adaptToPayment, verbsOfReceipt } from './receipts.ts';
import { dispute, giveInformation, proposeRelease, protect, release } from './release.ts';
import { adaptToApplication, adaptToTenancy, findByApplication, findByTenancy } from './repayment.ts';

export type { DepositRecord } from './fields.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });
const Reference = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });

/** A consent that a request must state. */
function consent(description: string) {
  return Type.Unsafe<true>({ type: 'boolean', enum: [true], description });
}

const ofFields = {
  create: createFromFields<DepositRecord>(fields, {
    description:
      'Records a deposit that was agreed. A holding deposit is of an `application`, and a tenancy deposit of a `tenancy`. Then record the money that comes for it: create payments with its id in `deposit`.',
    example: { type: 'tenancy', tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4', amount: 109_615 },
    refusals: ['check_failed', 'limit_reached', 'parameters_exclusive', 'record_in_use', 'status_transition_invalid'],
  }),
  update: updateFromFields<DepositRecord>(fields, {
    description: 'You can update the `amount` of a pending deposit. Afterwards, you can update its `metadata`.',
    example: { amount: 100_000 },
    refusals: ['amount_exceeded', 'check_failed', 'status_transition_invalid'],
  }),
};

/** Money that a landlord holds for a home: of applicants, or of tenants. */
export const deposit = defineResource<DepositRecord>(
  {
    object: 'deposit',
    prefix: 'dep',
    path: 'deposits',
    table: 'deposits',
    docs: {
      description:
        'Money that a landlord holds. A `holding` deposit reserves the home of an application, and goes back, is applied or is retained. A `tenancy` deposit secures the duties of the tenants, is protected by a scheme, and is released after the end. `amount_received` is always the sum of `amount_held`, `amount_applied`, `amount_deducted` and `amount_returned`.',
      example: {
        record: {
          type: 'tenancy',
          application: null,
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          unit: 'unit_0VbZq9aK00mT3cUuP8sXw4',
          amount: 109_615,
          currency: 'gbp',
          payer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          amount_received: 109_615,
          amount_applied: 0,
          amount_deducted: 0,
          amount_returned: 0,
          amount_held: 109_615,
          received_on: '2027-01-10',
          decide_by: null,
          repay_by: null,
          protect_by: '2027-02-08',
          scheme: null,
          scheme_reference: null,
          protected_on: null,
          certificate: null,
          information_given_on: null,
          file: null,
          applied_to: [],
          deductions: [],
          retention: null,
          dispute: null,
          returned_on: null,
          checks: [],
          status: 'received',
          received_at: 1_799_582_400,
          applied_at: null,
          retained_at: null,
          returned_at: null,
          protected_at: null,
          information_given_at: null,
          release_proposed_at: null,
          disputed_at: null,
          released_at: null,
          canceled_at: null,
          metadata: {},
        },
        before: {
          amount_received: 0,
          amount_held: 0,
          received_on: null,
          protect_by: null,
          status: 'pending',
          received_at: null,
        },
        after: {
          protected: {
            status: 'protected',
            scheme: 'dps_custodial',
            scheme_reference: 'D1',
            protected_on: '2027-01-10',
            protected_at: 1_799_582_400,
          },
          information_given: { information_given_on: '2027-01-10', information_given_at: 1_799_582_400 },
          release_proposed: {
            status: 'releasing',
            deductions: [{ amount: 4_500, reason: 'cleaning', description: null, invoice: null }],
            release_proposed_at: 1_809_129_600,
          },
          disputed: {
            status: 'disputed',
            dispute: { amount: 4_500, reference: null },
            disputed_at: 1_809_129_600,
          },
          released: {
            status: 'settled',
            deductions: [{ amount: 4_500, reason: 'cleaning', description: null, invoice: null }],
            amount_deducted: 4_500,
            amount_returned: 105_115,
            amount_held: 0,
            returned_on: '2027-05-01',
            released_at: 1_809_129_600,
          },
        },
      },
    },
    metadata: true,
    fields,
    links: {
      application: 'applications',
      tenancy: 'tenancies',
      unit: 'units',
      payer: 'customers',
      certificate: 'files',
      file: 'files',
      'applied_to.deposit': 'deposits',
      'applied_to.tenancy': 'tenancies',
      'deductions.invoice': 'invoices',
    },
    // The targets in the body of `apply`.
    hiddenLinks: { 'to.deposit': 'deposits', 'to.tenancy': 'tenancies' },
    verbs: {
      received: 'All of its money has come.',
      applied: 'Its money went to another deposit, or paid what the tenants owe.',
      retained: 'The landlord keeps money of a holding deposit.',
      returned: 'Money of a holding deposit went back.',
      protected: 'A scheme protects it.',
      information_given: 'The tenants got the prescribed information.',
      release_proposed: 'The landlord proposed what to deduct.',
      disputed: 'The tenants object to the deductions.',
      released: 'It was released: the deductions are kept, and the rest went back.',
      canceled: 'It was canceled before any money came.',
      check_raised: 'A duty by law is not met, or is due soon: see `checks`.',
    },
    counted: ['status'],
    filters: {
      ...exactly({
        type: DepositType,
        status: DepositStatus,
        application: LinkedId,
        tenancy: LinkedId,
        unit: LinkedId,
      }),
      customer: {
        column: 'payer',
        match: 'exact',
        schema: described(LinkedId, 'Only deposits that this person pays.'),
      },
      ...dayBounds('protect_by'),
      ...dayBounds('decide_by'),
    },
    create: {
      ...ofFields.create,
      reads: [...readsOfCreation],
      decide: (input, caller, related) => agreed(ofFields.create.decide(input, caller, related), caller, related),
      besides: raisedAtOnce,
    },
    update: {
      ...ofFields.update,
      reads: [...readsOfCreation],
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        return withAmount(current, after, caller, related);
      },
    },
    actions: {
      extend: actionFrom(
        {
          decide_by: described(
            CalendarDate,
            'The new last day for the decision of both sides. It is later than the present one.',
          ),
          agreed_in_writing: consent('Must be true: both sides have agreed in writing.'),
        },
        extend,
        {
          summary: 'Extend the time to decide',
          description: 'Records a later `decide_by` of a received holding deposit. `repay_by` follows.',
          example: { decide_by: '2027-01-25', agreed_in_writing: true },
          refusals: ['status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      apply: actionFrom(
        {
          to: Type.Array(
            closedObject({
              deposit: Type.Optional(
                described(
                  nullable(LinkedId),
                  'The id of a pending tenancy deposit. Its tenancy is signed, and is of the application of the holding deposit.',
                ),
              ),
              tenancy: Type.Optional(
                described(
                  nullable(LinkedId),
                  'The id of a tenancy of the application. Its oldest due invoices are paid first.',
                ),
              ),
              amount: Amount,
            }),
            { minItems: 1, maxItems: applicationsMax, description: 'The parts: each with a deposit or a tenancy.' },
          ),
          payer_consents: consent('Must be true: the payer consents.'),
        },
        apply,
        {
          summary: 'Apply a holding deposit',
          description:
            'Moves money of a received holding deposit to a tenancy deposit, which receives it on the day of the signing. Or pays what tenants owe, by a payment with the method `holding_deposit`. The tenancy names the application, or is of the same home and one of the applicants. Once nothing is held, it is `settled`.',
          example: { to: [{ deposit: 'dep_0VbZq9aK00mT3cUuP8sXw4', amount: 21_923 }], payer_consents: true },
          refusals: [
            'amount_exceeded',
            'check_failed',
            'limit_reached',
            'parameters_exclusive',
            'resource_missing',
            'status_transition_invalid',
          ],
          reads: [...readsOfApplying, ...readsOfLaw],
        },
      ),
      retain: actionFrom(
        {
          amount: Amount,
          reason: described(RetentionReason, 'The reason by law.'),
          explanation: described(Text, 'The reason in words, as the applicants get it.'),
        },
        retain,
        {
          summary: 'Retain a holding deposit',
          description:
            'Records that the landlord keeps money of a received holding deposit, once. Return or apply the rest. Once a tenancy of the application is signed, nothing can be retained.',
          example: { amount: 21_923, reason: 'tenant_withdrew', explanation: 'The applicants took another home.' },
          refusals: ['amount_exceeded', 'check_failed', 'status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      return: actionFrom(
        {
          amount: Type.Optional(described(nullable(Amount), 'The part that goes back. By default, all that is held.')),
          returned_on: described(
            CalendarDate,
            'The day on which the money went back: today or earlier, and not before money of the deposit came.',
          ),
        },
        giveBack,
        {
          summary: 'Return a holding deposit',
          description: 'Records that money of a holding deposit went back. Once nothing is held, it is `settled`.',
          example: { returned_on: '2027-01-18' },
          refusals: ['amount_exceeded', 'status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      protect: actionFrom(
        {
          scheme: described(Scheme, 'The scheme that protects it.'),
          scheme_reference: described(Reference, 'The reference of the deposit in the scheme.'),
          protected_on: described(
            CalendarDate,
            'The day of the protection: today or earlier, and not before money of the deposit came.',
          ),
          certificate: Type.Optional(
            described(nullable(LinkedId), 'The id of the file with the certificate of the scheme.'),
          ),
        },
        protect,
        {
          summary: 'Record the protection of a deposit',
          description:
            'Records that a scheme protects a tenancy deposit. Some of the money must have come, but a part may be missing. The last day for the protection is `protect_by`.',
          example: { scheme: 'dps_custodial', scheme_reference: 'D1', protected_on: '2027-01-10' },
          refusals: ['status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      give_information: actionFrom(
        {
          given_on: described(
            CalendarDate,
            'The day on which the tenants got it: today or earlier, and not before money of the deposit came.',
          ),
          file: Type.Optional(described(nullable(LinkedId), 'The id of the file with the prescribed information.')),
        },
        giveInformation,
        {
          summary: 'Record the prescribed information',
          description:
            'The tenants got the information about their deposit that the law prescribes. The last day for it is `protect_by`.',
          example: { given_on: '2027-01-10' },
          refusals: ['status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      propose_release: actionFrom(
        { deductions: described(DeductionInputs, 'What the landlord wants to keep. Empty for nothing.') },
        proposeRelease,
        {
          summary: 'Propose the release of a deposit',
          description: 'Records what the landlord wants to keep. Without a dispute, the rest is due within 10 days.',
          example: { deductions: [{ amount: 4_500, reason: 'cleaning' }] },
          refusals: ['amount_exceeded', 'status_transition_invalid'],
          reads: ['deductions.invoice', ...readsOfLaw],
        },
      ),
      dispute: actionFrom(
        {
          amount: described(
            Amount,
            'The part of the proposed deductions in dispute, in the smallest unit of the currency.',
          ),
          reference: Type.Optional(described(nullable(Reference), 'The reference of the dispute in the scheme.')),
        },
        dispute,
        {
          summary: 'Record a dispute about deductions',
          description: 'The tenants object to proposed deductions. The scheme decides. Then call `release`.',
          example: { amount: 4_500, reference: 'DISP-17' },
          refusals: ['amount_exceeded', 'status_transition_invalid'],
          reads: [...readsOfLaw],
        },
      ),
      release: actionFrom(
        {
          deductions: described(DeductionInputs, 'What the landlord keeps in the end. Empty for nothing.'),
          returned_on: described(
            CalendarDate,
            'The day on which the rest went back: today or earlier, and not before money of the deposit came.',
          ),
        },
        release,
        {
          summary: 'Release a deposit',
          description:
            'Ends a tenancy deposit. The landlord keeps the deductions, and the rest goes back. A deduction with an `invoice` pays it, by a payment with the method `deposit`.',
          example: { deductions: [{ amount: 4_500, reason: 'cleaning' }], returned_on: '2027-05-01' },
          refusals: ['amount_exceeded', 'check_failed', 'limit_reached', 'status_transition_invalid'],
          reads: ['deductions.invoice', ...readsOfLaw],
        },
      ),
      cancel: {
        summary: 'Cancel a deposit',
        sensitive: true,
        description: 'Ends a pending deposit that has received nothing.',
        refusals: ['status_transition_invalid'],
        decide: cancel,
      },
    },
  },
  linksHere(['application', 'tenancy', 'deductions.invoice', 'to.deposit', 'to.tenancy']),
  searchable({
    members: ['scheme_reference', 'dispute.reference', 'metadata'],
    foundBy: ['tenancy', 'application'],
    reads: ['tenancy.customers', 'application.customers', 'unit.building'],
    title: ({ type }: DepositRecord, related) => {
      const names = namesOf(
        related.all<NamedRecord>(type === 'holding' ? 'application.customers' : 'tenancy.customers'),
      );
      const kind = type === 'holding' ? 'Holding deposit' : 'Tenancy deposit';
      return names === null ? kind : `${kind} of ${names}`;
    },
    subtitle: ({ status, scheme_reference: reference }: DepositRecord, related) =>
      [homeOf(related, 'unit'), status, reference].filter(Boolean).join(', '),
  }),
  sumsUp([
    { of: 'payments', link: 'deposit', adapt: adaptToPayment, verbs: verbsOfReceipt, cascades: true },
    { of: 'applications', link: 'id', find: findByApplication, adapt: adaptToApplication },
    { of: 'tenancies', link: 'id', find: findByTenancy, adapt: adaptToTenancy },
  ]),
  daybreak({ reads: readsOfLaw, nextOn, decide: atDawn }),
  personalFiles({ links: ['certificate', 'file'], persons: 'customers', through: 'tenancy' }),
  personalTexts({
    links: ['payer', 'tenancy', 'application'],
    texts: {
      deductions: withoutDescriptions,
      retention: (value) => emptied(value, { explanation: '[erased]' }),
      dispute: (value) => emptied(value, { reference: null }),
    },
    inputs: { deductions: withoutDescriptions, explanation: '[erased]', reference: null },
  }),
);

function withoutDescriptions(deductions: Json): Json {
  return emptied(deductions, { description: null });
}

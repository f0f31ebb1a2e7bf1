import { Type } from 'typebox';
import { ApiError } from '../../../core/errors.ts';
import { CalendarDate, Flag, LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import { actionFrom, dayBounds, defineResource, exactly, type Change } from '../../../model/resource.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { described, nullable, oneOf } from '../../../model/schemas/make.ts';
import { constrained } from '../../../model/traits/constrained.ts';
import { personalFiles } from '../../../model/traits/personal-files.ts';
import { daybreak } from '../../../model/traits/daybreak.ts';
import { linksHere } from '../../../model/traits/links-here.ts';
import { personalTexts } from '../../../model/traits/personal-texts.ts';
import { namesOf, searchable, type NamedRecord } from '../../../model/traits/searchable.ts';
import { sumsUp } from '../../../model/traits/sums-up.ts';
import { addressMembers, homeOf } from '../home-names.ts';
import { atDawn, nextOn } from './dawn.ts';
import { draft, readsOfDraft, readsOfUpdate, update } from './draft.ts';
import {
  fields,
  Grounds,
  NoticeBy,
  petRequestsMax,
  sentEndReasons,
  TenancyStatus,
  TenancyType,
  type TenancyRecord,
} from './fields.ts';
import { cancel, end, readsOfSigning, sign } from './moves.ts';
import { giveNotice, withdrawNotice } from './notice.ts';
import { readsOfLastRent } from './last-rent.ts';
import { adaptToDeposit, adaptToInvoice, adaptToPayment, adaptToSubscription, verbsOfArrears } from './money.ts';
import { answerPet, requestPet, withoutPetsOf } from './pets.ts';
import { adaptToTenant, findByTenant } from './standing-checks.ts';
import { raisedAtOnce } from '../warnings.ts';

export type { TenancyRecord } from './fields.ts';

const Reason = Type.String({ minLength: 1, maxLength: 500, format: 'single-line' });
const Description = Type.String({ minLength: 1, maxLength: 500 });
const Agreed = Type.Unsafe<true>({
  type: 'boolean',
  enum: [true],
  description: 'Must be true: both sides have agreed in writing.',
});

/** In SQL: an invoice of a tenancy is overdue. The index `tenancies_in_arrears` has the same condition. */
const isInArrears = "(arrears::jsonb ->> 'amount') <> '0'";

const ofFields = {
  create: createFromFields<TenancyRecord>(fields, {
    description:
      'Creates a draft, which holds nothing. The unit, the application and the earlier tenancy must be records of this account.',
    example: {
      unit: 'unit_0VbZq9aK00mT3cUuP8sXw4',
      application: 'app_0VbZq9aK00mT3cUuP8sXw4',
      customers: ['cus_0VbZq9aK00mT3cUuP8sXw4'],
      start_date: '2027-02-01',
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      statement_given_on: '2027-01-09',
    },
    refusals: ['check_failed'],
  }),
  update: updateFromFields<TenancyRecord>(fields, {
    description: 'After the draft, you can only update `agreement`, `statement_given_on` and `metadata`.',
    example: { statement_given_on: '2027-01-09' },
    refusals: ['check_failed', 'status_transition_invalid'],
  }),
};

/** The let of a home to its tenants, from the draft to the end. */
export const tenancy = defineResource<TenancyRecord>(
  {
    object: 'tenancy',
    prefix: 'ten',
    path: 'tenancies',
    table: 'tenancies',
    docs: {
      description:
        'The let of a home to its tenants. A draft holds nothing. From `sign` on, it holds its unit from `start_date` to `end_date`, both included. It starts and ends by itself when the day comes, in the time zone of the account.',
      example: {
        record: {
          unit: 'unit_0VbZq9aK00mT3cUuP8sXw4',
          customers: ['cus_0VbZq9aK00mT3cUuP8sXw4'],
          start_date: '2027-02-01',
          end_date: null,
          rent: { amount: 95_000, currency: 'gbp', interval: 'month', interval_count: 1 },
          type: 'assured',
          application: 'app_0VbZq9aK00mT3cUuP8sXw4',
          replaces: null,
          agreement: null,
          statement_given_on: '2027-01-09',
          rent_increased_on: null,
          guarantors: [],
          deposit: null,
          jurisdiction: null,
          notice: null,
          end_reason: null,
          cancel_reason: null,
          balance: 0,
          arrears: { amount: 0, since: null },
          pet_requests: [],
          signed_on: '2027-01-10',
          checks: [],
          status: 'signed',
          signed_at: 1_799_582_400,
          activated_at: null,
          notice_given_at: null,
          ended_at: null,
          canceled_at: null,
          metadata: {},
        },
        before: { status: 'draft', signed_on: null, signed_at: null },
        after: { activated: { status: 'active', activated_at: 1_801_440_000 } },
      },
    },
    metadata: true,
    fields,
    links: {
      unit: 'units',
      customers: 'customers',
      application: 'applications',
      replaces: 'tenancies',
      agreement: 'files',
      guarantors: 'guarantors',
      deposit: 'deposits',
      'pet_requests.customer': 'customers',
    },
    hiddenLinks: {
      'owed.invoice': 'invoices',
      'credit.payment': 'payments',
      'charged.invoice': 'invoices',
      subscriptions: 'subscriptions',
    },
    filters: {
      ...exactly({ unit: LinkedId, application: LinkedId, status: TenancyStatus, type: TenancyType }),
      customer: {
        column: 'customers',
        match: 'contains',
        schema: described(LinkedId, 'Only tenancies of this person.'),
      },
      in_arrears: {
        column: 'arrears',
        match: 'condition',
        conditions: { true: isInArrears, false: `not ${isInArrears}` },
        schema: described(Flag, 'Only tenancies with invoices that are overdue, or only the others.'),
      },
      ...dayBounds('start_date'),
      ...dayBounds('end_date'),
    },
    counted: ['status', 'type'],
    verbs: {
      signed: 'Its agreement was signed, so it holds its unit.',
      activated: 'Its first day has begun.',
      notice_given: 'A notice to end it was given.',
      notice_withdrawn: 'The notice was withdrawn, so it goes on.',
      ended: 'It has ended.',
      canceled: 'It was canceled before it began.',
      pet_requested: 'A tenant asked to keep a pet, or sent information about it.',
      pet_answered: 'A request to keep a pet was answered.',
      arrears_started: 'An invoice is overdue, of rent or of anything else.',
      arrears_cleared: 'No invoice is overdue any more.',
      check_raised: 'A duty by law is not met, or is due soon: see `checks`.',
    },
    create: {
      ...ofFields.create,
      reads: readsOfDraft,
      decide: (input, caller, related) => draft(ofFields.create.decide(input, caller, related), caller, related),
      besides: raisedAtOnce,
    },
    update: {
      ...ofFields.update,
      reads: readsOfUpdate,
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        return update(current, after, input, caller, related);
      },
    },
    actions: {
      sign: actionFrom(
        {
          signed_on: described(CalendarDate, 'The day of the last signature: today or earlier.'),
          agreement: Type.Optional(described(nullable(LinkedId), 'The id of the file with the signed agreement.')),
        },
        sign,
        {
          summary: 'Sign a tenancy',
          description:
            'Makes a draft a signed tenancy. It holds its unit from now on, and converts its application. The law of the day of signing applies: an `error` refuses, and a `warn` stands in `checks`.',
          example: { signed_on: '2027-01-10' },
          refusals: ['status_transition_invalid', 'unit_occupied', 'check_failed'],
          reads: readsOfSigning,
        },
      ),
      give_notice: actionFrom(
        {
          by: described(NoticeBy, 'The side that gives it. One of joint tenants is enough.'),
          served_on: described(CalendarDate, 'The day on which it was served: today or earlier.'),
          ends_on: described(CalendarDate, 'The day on which the tenancy ends by it.'),
          grounds: Type.Optional(
            described(nullable(Grounds), 'A landlord’s grounds, from Schedule 2 to the Housing Act 1988.'),
          ),
          agreed_in_writing: Type.Optional(
            nullable(Type.Boolean({ description: 'Whether both sides agreed to a shorter notice in writing.' })),
          ),
        },
        giveNotice,
        {
          summary: 'Record a notice',
          description:
            'Records a notice of the tenants, of the landlord, or an agreement to end. After a notice of the tenants or an agreement, the tenancy ends on `ends_on`. A notice of the tenants cannot end it later than the `end_date` that was agreed. An agreement (`mutual`) can. A landlord’s notice alone does not end it. Call `end` when the tenants have left, or when a court has decided.',
          example: { by: 'tenant', served_on: '2027-02-01', ends_on: '2027-04-30' },
          refusals: ['status_transition_invalid', 'unit_occupied', 'check_failed'],
          reads: ['unit', 'subscriptions', 'deposit'],
        },
      ),
      withdraw_notice: actionFrom({ agreed_in_writing: Agreed }, withdrawNotice, {
        summary: 'Withdraw a notice',
        description:
          'If the unit is still free, the tenancy continues as before the notice. Both sides must have agreed in writing.',
        example: { agreed_in_writing: true },
        refusals: ['status_transition_invalid', 'unit_occupied'],
        reads: ['unit', 'customers', 'subscriptions'],
      }),
      end: actionFrom(
        {
          ended_on: described(CalendarDate, 'The last day: today or earlier.'),
          reason: described(oneOf(...sentEndReasons), 'How it ended. An end by a notice needs no call.'),
        },
        end,
        {
          summary: 'End a tenancy',
          description:
            'Ends an active tenancy, or one in notice, on this day. Its unit is free from the next day on. Its subscriptions end. Rent for later days is credited, and unpaid invoices of later periods become void. The same holds for rent that you invoiced yourself, if its lines have a `period`.',
          example: { ended_on: '2027-04-30', reason: 'surrender' },
          refusals: ['status_transition_invalid'],
          reads: readsOfLastRent,
        },
      ),
      cancel: actionFrom(
        { reason: Type.Optional(described(nullable(Reason), 'Why it is canceled, in a sentence.')) },
        cancel,
        {
          sensitive: true,
          summary: 'Cancel a tenancy',
          description:
            'Cancels a draft, or a signed tenancy that has not begun. Its application can be let again. A tenancy whose deposit is held cannot be canceled. A pending deposit is canceled with it.',
          example: { reason: 'The landlord sells.' },
          refusals: ['status_transition_invalid', 'record_in_use'],
          reads: ['application', 'application.guarantors', 'deposit', ...readsOfLastRent],
        },
      ),
      request_pet: actionFrom(
        {
          customer: described(LinkedId, 'The tenant that asks.'),
          description: described(Description, 'The pet, or the information that the landlord asked for.'),
          number: Type.Optional(
            nullable(
              Type.Integer({
                minimum: 1,
                maximum: petRequestsMax,
                description: 'Only for information: the number of the earlier request.',
              }),
            ),
          ),
        },
        requestPet,
        {
          summary: 'Record a request for a pet',
          description:
            'Records that a tenant asks to keep a pet. The landlord has 28 days to answer. If the landlord asks for information, the landlord has at least 7 days after the tenant has sent it.',
          example: { customer: 'cus_0VbZq9aK00mT3cUuP8sXw4', description: 'A small dog.' },
          refusals: ['status_transition_invalid'],
        },
      ),
      answer_pet: actionFrom(
        {
          number: Type.Integer({ minimum: 1, maximum: petRequestsMax, description: 'The number of the request.' }),
          answer: described(oneOf('granted', 'refused', 'information_asked'), 'The landlord’s answer.'),
          reason: Type.Optional(described(nullable(Description), 'The reason. A refusal needs one.')),
        },
        answerPet,
        {
          summary: 'Answer a request for a pet',
          description: 'Records the landlord’s answer, or that the landlord asks for information.',
          example: { number: 1, answer: 'granted' },
          refusals: ['status_transition_invalid'],
        },
      ),
    },
  },
  linksHere(['unit', 'application', 'replaces']),
  searchable({
    members: ['metadata'],
    linked: { customers: ['name', 'email', 'phone'], unit: ['name'], 'unit.building': addressMembers },
    title: (_, related) => namesOf(related.all<NamedRecord>('customers')) ?? 'Tenancy',
    subtitle: ({ status, start_date: start }: TenancyRecord, related) =>
      [homeOf(related, 'unit'), `${status}, from ${start}`].filter(Boolean).join(', '),
  }),
  sumsUp([
    { of: 'guarantors', link: 'tenancy', adapt: adaptToGuarantor },
    { of: 'invoices', link: 'tenancy', adapt: adaptToInvoice, verbs: verbsOfArrears },
    { of: 'payments', link: 'tenancy', adapt: adaptToPayment },
    { of: 'subscriptions', link: 'tenancy', adapt: adaptToSubscription },
    { of: 'deposits', link: 'tenancy', adapt: adaptToDeposit },
    { of: 'customers', link: 'id', find: findByTenant, adapt: adaptToTenant },
  ]),
  daybreak({ reads: readsOfLastRent, nextOn, decide: atDawn }),
  personalFiles({ links: ['agreement'], persons: 'customers' }),
  personalTexts({
    links: ['customers'],
    texts: { pet_requests: withoutPetsOf, cancel_reason: () => null },
    // An end has a word of the API as its reason. A cancellation and an answer about a pet have a text.
    inputs: {
      description: '[erased]',
      reason: (reason) => (sentEndReasons.some((word) => word === reason) ? reason : '[erased]'),
    },
  }),
  constrained({
    names: ['tenancies_no_double_let'],
    refusal: () =>
      new ApiError(
        'unit_occupied',
        'Another tenancy came to hold the unit on some of these days at the same moment. List the tenancies of the unit, and choose other days.',
        { param: 'unit' },
      ),
  }),
);

type GuarantorOfTenancy = StoredRecord & { status: string };

/** Updates the list of agreed guarantors after a write to one of them. */
function adaptToGuarantor(
  current: TenancyRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<TenancyRecord> {
  const { id } = (after ?? before)!;
  const isAgreed = (after as GuarantorOfTenancy | null)?.status === 'agreed';
  if (isAgreed === current.guarantors.includes(id)) return { after: current };
  const others = current.guarantors.filter((known) => known !== id);
  return { after: { ...current, guarantors: isAgreed ? [...others, id] : others } };
}

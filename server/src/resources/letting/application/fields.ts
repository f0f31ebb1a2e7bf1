import { Type, type Static } from 'typebox';
import type { Json } from '../../../core/json-diff.ts';
import { RaisedChecks } from '../../../law/index.ts';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf, StoredRecord } from '../../../model/record.ts';
import { Rent, RentInput } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';
import { GuarantorsKnown } from './guarantors.ts';
import { ReferenceCounts, ReferencesRollUp, rollUpOf } from './references.ts';

/**
 * Each reason for a rejection, in a plain sentence. None is about children, benefits or a protected ground: the law forbids such reasons
 * (Renters’ Rights Act 2025, s33-34).
 */
export const reasonSentences = {
  affordability: 'The rent is more than the income can carry.',
  credit_history: 'The credit history has defaults, judgments or arrears.',
  landlord_reference: 'An earlier landlord does not recommend the tenancy.',
  employment_reference: 'The employer does not confirm the employment or the income.',
  identity_unverified: 'The identity could not be verified.',
  right_to_rent: 'The right to rent was not shown.',
  information_false: 'Information in the application is false.',
  reference_incomplete: 'Information that the reference needs is missing.',
  sanctions: 'A person is on a list of sanctions.',
  other_applicant: 'The home is let to other applicants.',
  unit_withdrawn: 'The home is no longer to let.',
  other: 'Another reason, which the agent tells on request.',
} as const;
export type ReasonName = keyof typeof reasonSentences;

const reasonNames = Object.keys(reasonSentences) as ReasonName[];
const Reason = named(
  'RejectionReason',
  `The reason of a rejection. ${reasonNames.map((name) => `\`${name}\`: ${reasonSentences[name]}`).join(' ')}`,
  oneOf(...reasonNames),
);

/** The reasons in a body. */
export const Reasons = Type.Array(Reason, { minItems: 1, maxItems: 10, uniqueItems: true });

/** A note for the team, or words of the applicants. */
export const Note = Type.String({ minLength: 1, maxLength: 500 });
const Seconds = Type.Integer({ description: 'In seconds since the Unix epoch.' });

const Decision = named(
  'ApplicationDecision',
  'The decision on an application.',
  closedObject({
    outcome: described(oneOf('approved', 'rejected'), 'The decision.'),
    reasons: Type.Array(Reason, { description: 'The reasons of a rejection. Empty for an approval.' }),
    note: described(nullable(Note), 'A note. Null if there is none.'),
    automated: Type.Boolean({
      description: 'Whether no person took part: an agent’s key or a workflow decided, and no person had approved it.',
    }),
    decided_at: described(Seconds, 'When it was decided, in seconds since the Unix epoch.'),
  }),
);

const Review = named(
  'ApplicationReview',
  'The review of a rejection by a person.',
  closedObject({
    status: described(
      oneOf('requested', 'upheld', 'changed'),
      '`requested` until a person has reviewed the rejection. `changed`: the application is open again.',
    ),
    message: described(nullable(Note), 'What the applicants said. Null if they said nothing.'),
    note: described(nullable(Note), 'The grounds of the result. Null before.'),
    requested_at: described(Seconds, 'When the applicants asked for it, in seconds since the Unix epoch.'),
    completed_at: described(nullable(Type.Integer()), 'When it ended, in seconds since the Unix epoch. Null before.'),
  }),
);

export const Status = oneOf('open', 'approved', 'rejected', 'withdrawn', 'converted');

const Customers = Type.Array(LinkedId, { maxItems: 50, uniqueItems: true });

export const fields = {
  customers: {
    column: 'text[]',
    schema: Customers,
    description: 'The ids of the persons that apply together: customers of this API, or of your own system.',
    input: { on: 'both', default: [] },
  },
  unit: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the home: a unit of this API, or of your own system. Null if you sent none.',
    input: { on: 'both' },
  },
  rent: {
    column: 'json',
    schema: nullable(Rent),
    description: 'The rent. Null if it is not known.',
    input: { on: 'both', schema: RentInput },
  },
  move_in_date: {
    column: 'text',
    schema: nullable(CalendarDate),
    description: 'The day on which the applicants want to move in. Null if it is not known.',
    input: { on: 'both' },
  },
  reference_counts: { column: 'json', schema: ReferenceCounts, shown: 'never', initial: {} },
  references: {
    column: null,
    description: 'The state of the references that name this application.',
    schema: ReferencesRollUp,
    derive: (record: StoredRecord & { reference_counts: Static<typeof ReferenceCounts> }): Json =>
      rollUpOf(record.reference_counts),
  },
  status: {
    column: 'text',
    schema: Status,
    description:
      '`open` until a decision. `approved` and `rejected` are decisions. `withdrawn`: the applicants gave up. `converted`: its tenancy was signed.',
    initial: 'open',
  },
  decision: {
    column: 'json',
    schema: nullable(Decision),
    description: 'The decision. Null while there is none.',
    initial: null,
  },
  review: {
    column: 'json',
    schema: nullable(Review),
    description: 'The review of a rejection by a person. Null if the applicants did not ask for one.',
    initial: null,
  },
  guarantors: {
    column: 'text[]',
    schema: Type.Array(LinkedId),
    description: 'The ids of its guarantors, the oldest first.',
    initial: [],
  },
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the signed tenancy that it led to. Null if there is none.',
    initial: null,
  },
  checks: { column: 'json', schema: RaisedChecks, description: 'The duties by law that are not met.', initial: [] },
  approved_at: moment('When it was approved', 'Null if it was not.'),
  rejected_at: moment('When it was rejected', 'Null if it was not.'),
  withdrawn_at: moment('When it was withdrawn', 'Null if it was not.'),
  converted_at: moment('When its tenancy was signed', 'Null if none was.'),
  /** Its holding deposits. */
  holding_deposits: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
  /** The day on which it was rejected or withdrawn, from which its holding deposits are due. */
  refused_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never', initial: null },
  guarantors_known: { column: 'json', schema: GuarantorsKnown, shown: 'never', initial: [] },
} satisfies Fields;

export type ApplicationRecord = RecordOf<typeof fields>;
export type Decision = Static<typeof Decision>;

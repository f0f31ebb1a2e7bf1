import { Type } from 'typebox';
import { judge, mergeWarnings, refuseFailed, type Judgement } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { LinkedId } from '../../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../../model/inputs.ts';
import type { Related } from '../../../model/related.ts';
import { actionFrom, defineResource, exactly } from '../../../model/resource.ts';
import { described, nullable, oneOf } from '../../../model/schemas/make.ts';
import { inUse, recordInUse } from '../../../model/traits/in-use.ts';
import { emptied, personalTexts } from '../../../model/traits/personal-texts.ts';
import { namesOf, searchable, type NamedRecord } from '../../../model/traits/searchable.ts';
import { sumsUp } from '../../../model/traits/sums-up.ts';
import type { BuildingRecord } from '../building.ts';
import type { UnitRecord } from '../unit.ts';
import { raisedAtOnce, withWarnings } from '../warnings.ts';
import { addressMembers, homeOf } from '../home-names.ts';
import { adaptToDeposit } from './deposits.ts';
import { approve, reject, requestReview, review, withdraw } from './decisions.ts';
import { fields, Note, Reasons, Status, type ApplicationRecord } from './fields.ts';
import { adaptToGuarantor, requireGuarantorsFit } from './guarantors.ts';
import { countReference } from './references.ts';
import { adaptToTenancy } from './tenancies.ts';

export type { ApplicationRecord } from './fields.ts';

const ofFields = {
  create: createFromFields<ApplicationRecord>(fields, {
    example: {
      customers: ['cus_0VbZq9aK00mT3cUuP8sXw4'],
      unit: 'flat_12',
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      move_in_date: '2027-01-31',
    },
    refusals: ['check_failed'],
  }),
  update: updateFromFields<ApplicationRecord>(fields, {
    example: { move_in_date: '2027-02-15' },
    refusals: ['check_failed'],
  }),
};

/** An application of one or more persons to rent a home together. Each person has a reference, and the application sums them up. */
export const application = defineResource<ApplicationRecord>(
  {
    object: 'application',
    prefix: 'app',
    path: 'applications',
    table: 'applications',
    docs: {
      description:
        'An application of one or more persons to rent a home together. Create a reference for each person. `references` sums them up, and changes at the same moment as they do.',
      example: {
        record: {
          customers: ['cus_0VbZq9aK00mT3cUuP8sXw4', 'cus_0VbZq9aK01pR7dWqN2tLy8'],
          unit: 'flat_12',
          rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
          move_in_date: '2027-01-31',
          references: {
            total: 2,
            by_status: { pending: 1, processing: 0, complete: 1, canceled: 0 },
            by_outcome: { accept: 1, consider: 0, high_risk: 0 },
            result: null,
          },
          status: 'open',
          decision: null,
          review: null,
          guarantors: [],
          tenancy: null,
          checks: [],
          approved_at: null,
          rejected_at: null,
          withdrawn_at: null,
          converted_at: null,
          metadata: { branch: 'york' },
        },
        before: {
          references: {
            total: 0,
            by_status: { pending: 0, processing: 0, complete: 0, canceled: 0 },
            by_outcome: { accept: 0, consider: 0, high_risk: 0 },
            result: null,
          },
        },
      },
    },
    metadata: true,
    fields,
    links: { customers: 'customers', unit: 'units', guarantors: 'guarantors', tenancy: 'tenancies' },
    hiddenLinks: { holding_deposits: 'deposits' },
    verbs: {
      approved: 'It was approved.',
      rejected: 'It was rejected.',
      withdrawn: 'The applicants gave up.',
      review_requested: 'The applicants asked for a review of its rejection.',
      reviewed: 'A person reviewed its rejection.',
      converted: 'Its tenancy was signed.',
      reopened: 'Its tenancy was canceled, so it can be let again.',
      check_raised: 'A duty by law is not met, or is due soon: see `checks`.',
    },
    counted: ['status'],
    filters: {
      customer: {
        column: 'customers',
        match: 'contains',
        schema: described(LinkedId, 'Only applications of this person.'),
      },
      ...exactly({ unit: LinkedId, status: Status, tenancy: LinkedId }),
    },
    create: {
      ...ofFields.create,
      reads: ['unit', 'unit.building'],
      decide(input, caller, related) {
        const made = ofFields.create.decide(input, caller, related);
        const judgement = judgeBid(made, caller, related);
        return { ...made, checks: mergeWarnings([], judgement, caller.nowSeconds).checks };
      },
      besides: raisedAtOnce,
    },
    update: {
      ...ofFields.update,
      reads: ['unit', 'unit.building'],
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        requireGuarantorsFit(after);
        if (!('rent' in input) && !('unit' in input)) return { after };
        return withWarnings(current, { after }, [judgeBid(after, caller, related)], caller.nowSeconds);
      },
    },
    actions: {
      approve: actionFrom(
        { note: Type.Optional(described(nullable(Note), 'A note on the decision. The applicants do not see it.')) },
        approve,
        {
          summary: 'Approve an application',
          description: 'Records the decision to let to these applicants. Then draft and sign a tenancy.',
          example: { note: 'Good references.' },
          refusals: ['status_transition_invalid'],
        },
      ),
      reject: actionFrom(
        {
          reasons: described(Reasons, 'The reasons, the most important first.'),
          note: Type.Optional(described(nullable(Note), 'A note on the decision. The applicants do not see it.')),
        },
        reject,
        {
          summary: 'Reject an application',
          description:
            'Records the decision not to let to these applicants, with its reasons. The applicants can ask for a review by a person.',
          example: { reasons: ['affordability'] },
          refusals: ['status_transition_invalid'],
        },
      ),
      withdraw: {
        summary: 'Withdraw an application',
        description: 'Records that the applicants gave up.',
        refusals: ['status_transition_invalid'],
        decide: withdraw,
      },
      request_review: actionFrom(
        { message: Type.Optional(described(nullable(Note), 'What the applicants say about the decision.')) },
        requestReview,
        {
          summary: 'Ask for a review of a rejection',
          description:
            'Records that the applicants want a person to review the rejection (UK GDPR, Articles 22A to 22D). A rejection can be reviewed once.',
          example: { message: 'My new contract began in May.' },
          refusals: ['status_transition_invalid'],
        },
      ),
      review: actionFrom(
        {
          result: described(
            oneOf('upheld', 'changed'),
            '`upheld`: the application stays rejected. `changed`: it is open again.',
          ),
          note: described(Note, 'The grounds of the result.'),
        },
        review,
        {
          summary: 'Review a rejection',
          description: 'Records the result of a review. A person must review, so an agent’s key is refused.',
          example: { result: 'upheld', note: 'The income does not carry the rent.' },
          refusals: ['status_transition_invalid'],
          refusesAgents:
            'An agent cannot review a rejection: a person has to (UK GDPR, Articles 22A to 22D). Ask a person to do it, in the dashboard or with a secret key.',
        },
      ),
    },
    delete: 'removes',
  },
  searchable({
    members: ['metadata'],
    linked: { customers: ['name', 'email', 'phone'], unit: ['name'], 'unit.building': addressMembers },
    title: (_, related) => namesOf(related.all<NamedRecord>('customers')) ?? 'Application',
    subtitle: ({ status }: ApplicationRecord, related) => [status, homeOf(related, 'unit')].filter(Boolean).join(', '),
  }),
  sumsUp([
    { of: 'references', link: 'application', adapt: countReference },
    { of: 'guarantors', link: 'application', adapt: adaptToGuarantor },
    { of: 'tenancies', link: 'application', adapt: adaptToTenancy },
    // Its applicants follow.
    { of: 'deposits', link: 'application', adapt: adaptToDeposit, cascades: true },
  ]),
  personalTexts({
    links: ['customers'],
    texts: {
      decision: (value) => emptied(value, { note: null }),
      review: (value) => emptied(value, { message: null, note: null }),
    },
    inputs: { note: '[erased]', message: '[erased]' },
  }),
  inUse({
    check({ id, tenancy, guarantors, holding_deposits: deposits }: ApplicationRecord) {
      const holder = tenancy ?? guarantors[0] ?? deposits[0];
      if (holder === undefined) return;
      throw recordInUse(`${holder} names the application ${id}, so it cannot be deleted.`);
    },
  }),
);

/**
 * Judges the rent that the applicants offer.
 *
 * @throws {ApiError} `check_failed` for `rent_bid`.
 */
function judgeBid({ rent }: Pick<ApplicationRecord, 'rent'>, caller: Caller, related: Related): Judgement {
  const lowestAsked = related.one<UnitRecord>('unit')?.lowest_asked ?? null;
  const jurisdiction = related.one<BuildingRecord>('unit.building')?.jurisdiction ?? null;
  const facts = { jurisdiction, type: 'assured', rent, lowestAsked } as const;
  const judgement = judge(caller.account.rules, 'offer_rent', caller.today, facts);
  refuseFailed(judgement);
  return judgement;
}

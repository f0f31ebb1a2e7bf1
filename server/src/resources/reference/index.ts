import { Type } from 'typebox';
import { placeGroups } from '../../core/limits/job-places.ts';
import { LinkedId } from '../../model/schemas/fields.ts';
import { createFrom, defineResource, exactly, updateFrom } from '../../model/resource.ts';
import { closedObject, described, nullable } from '../../model/schemas/make.ts';
import { copiesLinks } from '../../model/traits/copies-links.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { judgesLinks, ofFileType } from '../../model/traits/judges-links.ts';
import { searchable, type NamedRecord } from '../../model/traits/searchable.ts';
import { scheduled } from '../../model/traits/scheduled.ts';
import { sumsUp, type Adapted, type RollUpFacts } from '../../model/traits/sums-up.ts';
import type { StoredRecord } from '../../model/record.ts';
import { testControls } from '../../model/traits/test-controls.ts';
import {
  AutomaticReference,
  AutomaticReferenceInput,
  Decision,
  Outcome,
  Reason,
  ReferenceType,
  Status,
  withoutFindings,
  withoutReason,
} from './shape.ts';
import { earlierReportsMax, withoutWaiting } from './report.ts';
import { decideAutomaticReference, requestInvitation, withoutLateWords } from './order.ts';
import type { ReferenceRecord } from './record.ts';
import { dueAtMs, serviceOfJob, wake } from './schedule.ts';
import { requirePlayableScript } from './simulation.ts';
import { cancel, endForErasure, retry, update } from './transitions.ts';

/** A check of a person as a tenant: the heart of the product (spec, reference). */
export const reference = defineResource<ReferenceRecord>(
  {
    object: 'reference',
    prefix: 'ref',
    path: 'references',
    table: 'tenant_references',
    docs: {
      description:
        'A check of a person as a tenant. It belongs to an application. It is `pending` until work begins, and ends with an `outcome` (`complete`) or without one (`canceled`). A referencing provider makes the check if `automatic_reference` is enabled. Otherwise you make it, and set its status and outcome.',
      example: {
        record: {
          application: 'app_1042',
          automatic_reference: null,
          completed_at: 1795407600,
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          outcome: 'accept',
          decision: {
            outcome: 'accept',
            reason: 'The employer and the former landlord speak well of her.',
            decided_by: {
              type: 'user',
              id: 'usr_0VbZq9aK02kD5rTwYn8Gf3',
              name: 'ada@northern-homes.example',
              role: 'operator',
            },
            decided_at: 1795407600,
          },
          reference_pdf: 'file_7731',
          earlier_reports: [],
          status: 'complete',
          type: 'customer',
          metadata: { branch: 'york' },
        },
        before: { completed_at: null, outcome: null, decision: null, reference_pdf: null, status: 'pending' },
        after: {
          canceled: { completed_at: null, outcome: null, decision: null, reference_pdf: null, status: 'canceled' },
        },
      },
    },
    metadata: true,
    fields: {
      application: {
        column: 'text',
        schema: nullable(LinkedId),
        description: 'The id of its application: of this API, or of your own system.',
      },
      automatic_reference: {
        column: 'json',
        schema: nullable(AutomaticReference),
        description: 'The check by a referencing provider. Null if it is off-platform: then you make the check.',
        erased: withoutFindings,
      },
      provider_order: {
        column: 'json',
        schema: nullable(Type.Object({})),
        shown: 'never',
        erased: withoutLateWords,
      },
      earlier_orders: { column: 'json', schema: nullable(Type.Object({})), shown: 'never' },
      completed_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description:
          'When it became `complete`, in seconds since the Unix epoch. Null before. A corrected `outcome` does not change it.',
      },
      customer: {
        column: 'text',
        schema: nullable(LinkedId),
        description: 'The id of its person: a customer of this API, or of your own system. Null if you sent none.',
      },
      outcome: {
        column: 'text',
        schema: nullable(Outcome),
        description: 'The verdict, from good to bad: `accept`, `consider`, `high_risk`. Null until there is one.',
      },
      decision: {
        column: 'json',
        schema: nullable(Decision),
        description:
          'The decision of a person or a key: its `outcome`, the party behind it, the time and the reason. Null if only a service has set an outcome, or if there is none. A later decision replaces it.',
        erased: withoutReason,
      },
      reference_pdf: {
        column: 'text',
        schema: nullable(LinkedId),
        description:
          'The id of the file with the report. Null if there is none. A decision makes a new report within seconds, unless you attached a file of your own. The id stays when the file is deleted.',
      },
      earlier_reports: {
        column: 'text[]',
        schema: Type.Array(LinkedId, { maxItems: earlierReportsMax }),
        description: `The ids of the files that \`reference_pdf\` named before, the oldest first. It keeps the last ${earlierReportsMax}.`,
      },
      report_order: {
        column: 'json',
        schema: nullable(Type.Object({})),
        shown: 'never',
        erased: withoutWaiting,
      },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`pending`: work has not begun. `processing`: the check is in progress. `complete`: it has an `outcome`. `canceled`: it ended without one.',
      },
      type: { column: 'text', schema: ReferenceType, description: 'The kind of its person: always a customer.' },
    },
    verbs: { completed: 'It has its outcome, and is `complete`.', canceled: 'It was canceled.' },
    links: { application: 'applications', customer: 'customers', reference_pdf: 'files', earlier_reports: 'files' },
    filters: exactly({
      application: LinkedId,
      customer: LinkedId,
      status: Status,
      outcome: Outcome,
      type: ReferenceType,
    }),
    counted: ['status', 'outcome', 'type'],
    create: createFrom(
      {
        application: LinkedId,
        customer: Type.Optional(nullable(LinkedId)),
        type: Type.Optional(nullable(ReferenceType)),
        automatic_reference: Type.Optional(nullable(AutomaticReferenceInput)),
      },
      (input, caller) => {
        const automatic = decideAutomaticReference(input.automatic_reference ?? null, caller);
        requirePlayableScript(automatic.automatic_reference, input, caller);
        return {
          application: input.application,
          ...automatic,
          earlier_orders: null,
          completed_at: null,
          customer: input.customer ?? null,
          outcome: null,
          decision: null,
          reference_pdf: null,
          earlier_reports: [],
          report_order: null,
          status: 'pending',
          type: input.type ?? 'customer',
        };
      },
      {
        description:
          'Creates a `pending` reference. With `automatic_reference`, a provider makes the check. Without it, you make the check and update the reference.',
        sensitive: ['automatic_reference'],
        example: {
          application: 'app_1042',
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          metadata: { branch: 'york' },
        },
      },
    ),
    update: updateFrom(
      {
        outcome: Type.Optional(
          described(Outcome, 'The verdict, from good to bad. You can correct it, but not remove it.'),
        ),
        reason: Type.Optional(
          described(
            Reason,
            'Why you set this `outcome`, for the report and for `decision`. It can only be sent with an `outcome`.',
          ),
        ),
        reference_pdf: Type.Optional(
          described(LinkedId, 'The id of the file with the report. You can replace it, but not remove it.'),
        ),
        automatic_reference: Type.Optional(
          described(
            AutomaticReferenceInput,
            'Moves a pending or processing reference to another service, or to a check by hand if `enabled` is false. Tenure tells the former service to stop. Its later reports change nothing. A request that names the present service changes nothing.',
          ),
        ),
        status: Type.Optional(
          Type.Unsafe<'processing'>({
            type: 'string',
            enum: ['processing'],
            description: 'Send `processing` when you begin. Only for off-platform references.',
          }),
        ),
      },
      (current, input, caller) => {
        const decided = update(current, input, caller);
        requirePlayableScript(decided.after.automatic_reference, input, caller);
        return decided;
      },
      {
        description:
          'An `outcome` ends a pending or processing reference: it becomes `complete`. On a complete reference, it corrects the verdict. Send `status: processing` when you begin an off-platform reference. If you send both, the outcome is stored and the reference does not end. An outcome is a decision: `decision` keeps it with its `reason`, and a complete reference gets a new report within seconds. The earlier report moves to `earlier_reports`. No report is made if you send a `reference_pdf` with the outcome, or have attached one. Send `automatic_reference` to move the check to another service, or to make it by hand. On a canceled reference you can only change `metadata`. The whole body is applied, or nothing.',
        example: { outcome: 'accept', reason: 'The employer speaks well of her.', reference_pdf: 'file_7731' },
        sensitive: ['outcome', 'automatic_reference'],
        refusals: ['status_transition_invalid', 'parameters_exclusive'],
      },
    ),
    actions: {
      cancel: {
        summary: 'Cancel a reference',
        sensitive: true,
        description:
          'Ends a pending or processing reference without an outcome. Later reports of a provider do not change it.',
        refusals: ['status_transition_invalid'],
        decide: cancel,
      },
      retry: {
        summary: 'Retry a check',
        description:
          'Asks the service anew within seconds, also if the server has given up after ten failures. Use it when you have removed the cause that `last_error` names. Repeated requests do not reach the service more often than every five seconds.',
        refusals: ['status_transition_invalid'],
        decide: retry,
      },
    },
  },
  scheduled({
    job: 'carry_on_reference',
    column: 'provider_order',
    statuses: ['pending', 'processing'],
    groups: (record: ReferenceRecord) => placeGroups(serviceOfJob(record), record.account_id),
    further: [
      { column: 'report_order', statuses: ['complete'] },
      { column: 'earlier_orders', statuses: ['pending', 'processing', 'complete', 'canceled'] },
    ],
    dueAtMs,
    wake,
  }),
  searchable({
    members: ['metadata'],
    foundBy: ['customer', 'application'],
    title: (_, related) => related.one<NamedRecord>('customer')?.name ?? 'Reference',
    subtitle: ({ status, outcome }: ReferenceRecord) => [status, outcome].filter(Boolean).join(', '),
  }),
  sumsUp([{ of: 'customers', link: 'id', find: findByCustomer, adapt: adaptToCustomer }]),
  erasable({ link: 'customer', files: ['reference_pdf', 'earlier_reports'], decide: endForErasure }),
  judgesLinks({
    reference_pdf: ofFileType(
      ['application/pdf'],
      'The report of a reference is a PDF, and this file is a picture. Send the id of a PDF, or save the picture as a PDF first.',
    ),
  }),
  copiesLinks(['earlier_reports']),
  testControls({
    advance: {
      summary: 'Have the service take its next step',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service of the reference takes its next step at once. You can call this right after you create the reference. The response shows the effect.',
    },
    complete: {
      summary: 'Have the service finish',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service finishes at once, with its planned outcome or with this one. You can call this right after you create the reference. The response is the `complete` reference with its report.',
      body: closedObject({
        outcome: Type.Optional(described(Outcome, 'The outcome. The default is the planned one.')),
      }),
      example: { outcome: 'consider' },
    },
    fail: {
      summary: 'Have the service fail',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service responds with an error from now on, until you call `advance` or `complete`. `last_error` begins with the code. With the default, the service responds with status 500, so `last_error` begins with `unavailable`.',
      body: closedObject({
        code: Type.Optional(
          Type.String({
            pattern: '^[a-z][a-z0-9_]{0,39}$',
            examples: ['provider_error'],
            description:
              'The code of the error. The default is `provider_error`, a response with status 500. `provider_timeout` is no response, so `last_error` begins with `timeout`. `provider_garbage` is invalid JSON, so it begins with `response_invalid`.',
          }),
        ),
      }),
      example: { code: 'provider_error' },
    },
    note: {
      summary: 'Have the service write a note',
      refusals: ['status_transition_invalid'],
      description: 'The simulated service adds this note. Only `provider_a` shows notes during a check.',
      body: closedObject({
        message: Type.String({ minLength: 1, maxLength: 500, description: 'The text of the note.' }),
      }),
      example: { message: 'The employer has confirmed the salary.' },
    },
  }),
);

type CustomerOfReference = StoredRecord & { email: string | null; checks: string[] };

/** Finds the open checks of a person. */
async function findByCustomer(person: StoredRecord): Promise<readonly string[]> {
  return (person as CustomerOfReference).checks;
}

/** Has the service told of the person's new e-mail address. */
function adaptToCustomer(
  current: ReferenceRecord,
  before: CustomerOfReference | null,
  after: CustomerOfReference | null,
  { nowMs }: RollUpFacts,
): Adapted<ReferenceRecord> {
  const isNew = before !== null && after !== null && after.email !== null && after.email !== before.email;
  return { after: isNew ? requestInvitation(current, nowMs) : current };
}

import { Type } from 'typebox';
import { LinkedId } from '../../model/fields.ts';
import { createFrom, defineResource, exactly, updateFrom } from '../../model/resource.ts';
import { closedObject, described, nullable } from '../../model/schemas.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { scheduled } from '../../model/traits/scheduled.ts';
import { testControls } from '../../model/traits/test-controls.ts';
import {
  AutomaticReference,
  AutomaticReferenceInput,
  Outcome,
  ReferenceType,
  Status,
  withoutFindings,
} from './shape.ts';
import { decideAutomaticReference, withoutLateWords } from './order.ts';
import type { ReferenceRecord } from './record.ts';
import { requirePlayableScript } from './simulation.ts';
import { cancel, endForErasure, update } from './transitions.ts';

/** A check on a person who wants to rent: the heart of the product (spec, reference). */
export const reference = defineResource<ReferenceRecord>(
  {
    object: 'reference',
    prefix: 'ref',
    path: 'references',
    table: 'tenant_references',
    docs: {
      description:
        'A check on a person who wants to rent. It is made for an application, is `pending` until somebody begins with it, and ends with an `outcome` (`complete`) or without one (`canceled`). A referencing provider carries it out if `automatic_reference` is enabled; otherwise you do, and say here how it went.',
      example: {
        record: {
          application: 'app_1042',
          automatic_reference: null,
          completed_at: 1795407600,
          customer: 'cus_0VbZq9aK00mT3cUuP8sXw4',
          outcome: 'accept',
          reference_pdf: 'file_7731',
          status: 'complete',
          type: 'customer',
          metadata: { branch: 'york' },
        },
        before: { completed_at: null, outcome: null, reference_pdf: null, status: 'pending' },
        after: { canceled: { completed_at: null, outcome: null, reference_pdf: null, status: 'canceled' } },
      },
    },
    metadata: true,
    fields: {
      application: {
        column: 'text',
        schema: nullable(LinkedId),
        description: 'The id of the application that it belongs to: one of this API, or of your own system.',
      },
      automatic_reference: {
        column: 'json',
        schema: nullable(AutomaticReference),
        description: 'How a referencing provider carries it out. Null if it is handled off-platform, by you.',
        erased: withoutFindings,
      },
      provider_order: {
        column: 'json',
        schema: nullable(Type.Object({})),
        shown: 'never',
        erased: withoutLateWords,
      },
      completed_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description:
          'When it became `complete`, in seconds since the Unix epoch; null before. A corrected `outcome` does not change it.',
      },
      customer: {
        column: 'text',
        schema: nullable(LinkedId),
        description:
          'The id of the person it is about: a customer of this API, or of your own system. Null if none was named.',
      },
      outcome: {
        column: 'text',
        schema: nullable(Outcome),
        description: 'The verdict, from good to bad: `accept`, `consider`, `high_risk`. Null until there is one.',
      },
      reference_pdf: {
        column: 'text',
        schema: nullable(LinkedId),
        description:
          'The id of the file with the finished report; null if there is none. It stays when that file is deleted.',
      },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`pending`: nobody has begun. `processing`: it is being carried out. `complete`: it has an `outcome`. `canceled`: it was ended without one.',
      },
      type: { column: 'text', schema: ReferenceType, description: 'Whom it is about: always a customer.' },
    },
    verbs: { completed: 'It has its outcome, and is `complete`.', canceled: 'It was canceled.' },
    links: { application: 'applications', customer: 'customers', reference_pdf: 'files' },
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
          completed_at: null,
          customer: input.customer ?? null,
          outcome: null,
          reference_pdf: null,
          status: 'pending',
          type: input.type ?? 'customer',
        };
      },
      {
        description:
          'Makes a `pending` reference. With `automatic_reference` a provider is asked; without it, you carry the check out and update the reference.',
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
          described(Outcome, 'The verdict, from good to bad. It cannot be taken back, only corrected.'),
        ),
        reference_pdf: Type.Optional(
          described(
            LinkedId,
            'The id of the file with the report. Another one takes its place; it cannot be taken away.',
          ),
        ),
        status: Type.Optional(
          Type.Unsafe<'processing'>({
            type: 'string',
            enum: ['processing'],
            description: '`processing`, to say that you have begun. For references that no provider carries out.',
          }),
        ),
      },
      (current, input, caller) => {
        requirePlayableScript(current.automatic_reference, input, caller);
        return update(current, input, caller);
      },
      {
        description:
          'An `outcome` ends a pending or processing reference: it becomes `complete`. On a complete one it corrects the verdict. `status: processing` says that an off-platform reference has begun; sent together, the outcome is only noted. A canceled reference takes `metadata` only. Everything in the body happens, or nothing does.',
        example: { outcome: 'accept', reference_pdf: 'file_7731' },
        refusals: ['status_transition_invalid'],
      },
    ),
    actions: {
      cancel: {
        summary: 'Cancel a reference',
        description:
          'Ends a pending or processing reference without an outcome. What a provider reports afterwards changes nothing any more.',
        refusals: ['status_transition_invalid'],
        decide: cancel,
      },
    },
  },
  scheduled({
    job: 'carry_on_reference',
    lane: ({ automatic_reference: automatic }: ReferenceRecord) => automatic?.provider ?? '',
    dueAtMs: ({ provider_order: order }: ReferenceRecord) => order?.due_at_ms ?? null,
  }),
  erasable({ link: 'customer', files: ['reference_pdf'], decide: endForErasure }),
  testControls({
    advance: {
      summary: 'Have the service take its next step',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service that carries the reference out does at once what it would do next. It can be called right after the reference is created. The answer shows the effect.',
    },
    complete: {
      summary: 'Have the service finish',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service finishes at once, with the outcome that the reference was headed for, or with this one. It can be called right after the reference is created. The answer is the `complete` reference with its report.',
      body: closedObject({
        outcome: Type.Optional(described(Outcome, 'How it ends. Left out: as it would have ended.')),
      }),
      example: { outcome: 'consider' },
    },
    fail: {
      summary: 'Have the service fail',
      refusals: ['status_transition_invalid'],
      description:
        'The simulated service answers with an error from now on, until it is told to `advance` or `complete`. What is told in `last_error` begins with the code.',
      body: closedObject({
        code: Type.Optional(
          Type.String({
            pattern: '^[a-z][a-z0-9_]{0,39}$',
            examples: ['provider_error'],
            description: 'Left out: `provider_error`.',
          }),
        ),
      }),
      example: { code: 'provider_error' },
    },
    note: {
      summary: 'Have the service write a note',
      refusals: ['status_transition_invalid'],
      description: 'The people of the simulated service write this note. Only `provider_a` shows notes along the way.',
      body: closedObject({
        message: Type.String({ minLength: 1, maxLength: 500, description: 'What they write.' }),
      }),
      example: { message: 'The employer has confirmed the salary.' },
    },
  }),
);

import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../../core/ids.ts';
import { createFrom, defineResource, exactly, nullable, updateFrom } from '../../core/resource.ts';
import {
  AutomaticReference,
  AutomaticReferenceInput,
  Outcome,
  ReferenceType,
  Status,
  decideAutomaticReference,
  withoutFindings,
} from './shape.ts';
import { cancel, endForErasure, update, type ReferenceRecord } from './transitions.ts';

/** The id of a record that may live in the account's own system, so it is taken as it is. */
const LinkedId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });

/** A check on a person who wants to rent: the heart of the product (spec, reference). */
export const reference = defineResource<ReferenceRecord>({
  object: 'reference',
  prefix: 'ref',
  path: 'references',
  table: 'tenant_references',
  metadata: true,
  fields: {
    application: { column: 'text', schema: nullable(LinkedId) },
    automatic_reference: { column: 'json', schema: nullable(AutomaticReference), erased: withoutFindings },
    completed_at: { column: 'bigint', schema: nullable(Type.Integer()) },
    customer: { column: 'text', schema: nullable(LinkedId) },
    outcome: { column: 'text', schema: nullable(Outcome) },
    reference_pdf: { column: 'text', schema: nullable(LinkedId) },
    status: { column: 'text', schema: Status },
    type: { column: 'text', schema: ReferenceType },
  },
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
    (input, caller) => ({
      application: input.application,
      automatic_reference: decideAutomaticReference(input.automatic_reference ?? null, caller),
      completed_at: null,
      customer: input.customer ?? null,
      outcome: null,
      reference_pdf: null,
      status: 'pending',
      type: input.type ?? 'customer',
    }),
  ),
  update: updateFrom(
    {
      outcome: Type.Optional(Outcome),
      reference_pdf: Type.Optional(LinkedId),
      status: Type.Optional(Type.Unsafe<'processing'>({ type: 'string', enum: ['processing'] })),
    },
    update,
  ),
  actions: { cancel: { decide: cancel } },
  erasure: { link: 'customer', files: ['reference_pdf'], decide: endForErasure },
});

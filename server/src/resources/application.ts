import { Type, type Static } from 'typebox';
import type { Json } from '../core/json-diff.ts';
import { CalendarDate, LinkedId } from '../model/fields.ts';
import { createFromFields, updateFromFields } from '../model/inputs.ts';
import type { Fields, RecordOf, StoredRecord } from '../model/record.ts';
import { defineResource, exactly } from '../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas.ts';
import { sumsUp } from '../model/traits/sums-up.ts';

const Customers = Type.Array(LinkedId, { maxItems: 50, uniqueItems: true });

const rentMembers = {
  amount: Type.Integer({
    minimum: 0,
    maximum: 9_999_999_999,
    description: 'In the smallest unit of the currency: 95000 is 950.00 pounds.',
  }),
  currency: Type.String({
    pattern: '^[a-z]{3}$',
    examples: ['gbp'],
    description: 'The currency (ISO 4217) in lower case: `gbp`.',
  }),
  interval: Type.Unsafe<'week' | 'month' | 'year'>({
    ...named('Interval', 'An interval of payments.', oneOf('week', 'month', 'year')),
    description: 'The interval at which the amount is due.',
  }),
};
const Rent = named('Rent', 'The rent of a home.', closedObject(rentMembers));
/** Only input must have a known currency: stored records may be older than this rule. */
const RentInput = named(
  'RentInput',
  'The rent of a home.',
  closedObject({
    ...rentMembers,
    currency: Type.Unsafe<string>({ ...rentMembers.currency, format: 'currency' }),
  }),
);

/** Those of a reference. A test compares them. */
const statuses = ['pending', 'processing', 'complete', 'canceled'] as const;
/** Those of a reference, from good to bad. */
const outcomes = ['accept', 'consider', 'high_risk'] as const;
const Outcome = named('Outcome', 'The verdict of a check, from good to bad.', oneOf(...outcomes));

const countOf = (name: string) =>
  Type.Integer({ minimum: 0, description: `The number of references with \`${name}\`.` });

/** The state of an application's references. */
const ReferencesRollUp = named(
  'ApplicationReferences',
  'The state of the references of an application.',
  closedObject({
    total: Type.Integer({ minimum: 0, description: 'The number of references that name this application.' }),
    by_status: Type.Object(Object.fromEntries(statuses.map((status) => [status, countOf(status)])), {
      additionalProperties: false,
      description: 'The number of references with each status. Their sum is `total`.',
    }),
    by_outcome: Type.Object(Object.fromEntries(outcomes.map((outcome) => [outcome, countOf(outcome)])), {
      additionalProperties: false,
      description: 'The number of complete references with each outcome.',
    }),
    result: Type.Unsafe<(typeof outcomes)[number] | null>({
      ...nullable(Outcome),
      description:
        'The worst outcome of the complete references, as soon as none is pending or processing. Null until then, and if none is complete.',
    }),
  }),
);

/** The number of references by status, and by outcome if they are complete. `ReferencesRollUp` follows from it. */
const ReferenceCounts = Type.Unsafe<Record<string, number>>(Type.Object({}));

type Counted = { reference_counts: Static<typeof ReferenceCounts> };

const fields = {
  customers: {
    column: 'text[]',
    schema: Customers,
    description: 'The ids of the persons that apply together: customers of this API, or of your own system.',
    input: { on: 'both', default: [] },
  },
  unit: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The home, as an id of your own system. Null if you sent none.',
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
    derive: (record: StoredRecord & Counted): Json => rollUpOf(record.reference_counts),
  },
} satisfies Fields;

export type ApplicationRecord = RecordOf<typeof fields>;

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
    links: { customers: 'customers', unit: 'units' },
    filters: {
      customer: {
        column: 'customers',
        match: 'contains',
        schema: described(LinkedId, 'Only applications of this person.'),
      },
      ...exactly({ unit: LinkedId }),
    },
    create: createFromFields(fields, {
      example: {
        customers: ['cus_0VbZq9aK00mT3cUuP8sXw4'],
        unit: 'flat_12',
        rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
        move_in_date: '2027-01-31',
      },
    }),
    update: updateFromFields(fields, { example: { move_in_date: '2027-02-15' } }),
    delete: 'removes',
  },
  sumsUp({ of: 'references', link: 'application', adapt: countReference }),
);

type CountedReference = StoredRecord & { status: string; outcome: string | null };

/** Updates the counts after one reference was added, removed or changed. */
function countReference(
  current: ApplicationRecord,
  before: CountedReference | null,
  after: CountedReference | null,
): ApplicationRecord {
  const [was, is] = [countedAs(before), countedAs(after)];
  if (was === is) return current;
  const counts = { ...current.reference_counts };
  if (was !== null) counts[was] = (counts[was] ?? 0) - 1;
  if (is !== null) counts[is] = (counts[is] ?? 0) + 1;
  return { ...current, reference_counts: counts };
}

/** Returns the outcome of a complete reference, or else its status: an earlier outcome can still change. */
function countedAs(reference: CountedReference | null): string | null {
  if (!reference) return null;
  const { status, outcome } = reference;
  return status === 'complete' ? outcome : status;
}

function rollUpOf(counts: Static<typeof ReferenceCounts>): Json {
  const of = (name: string): number => counts[name] ?? 0;
  const complete = outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const byStatus: Record<(typeof statuses)[number], number> = {
    pending: of('pending'),
    processing: of('processing'),
    complete,
    canceled: of('canceled'),
  };
  const isOpen = byStatus.pending + byStatus.processing > 0;
  return {
    total: statuses.reduce((sum, status) => sum + byStatus[status], 0),
    by_status: byStatus,
    by_outcome: Object.fromEntries(outcomes.map((outcome) => [outcome, of(outcome)])),
    result: isOpen ? null : (outcomes.findLast((outcome) => of(outcome) > 0) ?? null),
  };
}

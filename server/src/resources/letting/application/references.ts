import { Type, type Static } from 'typebox';
import type { Json } from '../../../core/json-diff.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import { closedObject, named, nullable, oneOf } from '../../../model/schemas/make.ts';

/** Those of a reference. A test compares them. */
const statuses = ['pending', 'processing', 'complete', 'canceled'] as const;
/** Those of a reference, from good to bad. */
const outcomes = ['accept', 'consider', 'high_risk'] as const;
const Outcome = named('Outcome', 'The verdict of a check, from good to bad.', oneOf(...outcomes));

const countOf = (name: string) =>
  Type.Integer({ minimum: 0, description: `The number of references with \`${name}\`.` });

/** The state of an application's references. */
export const ReferencesRollUp = named(
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
export const ReferenceCounts = Type.Unsafe<Record<string, number>>(Type.Object({}));

type CountedReference = StoredRecord & { status: string; outcome: string | null };

/** Updates the counts after one reference was added, removed or changed. */
export function countReference<Summing extends StoredRecord & { reference_counts: Record<string, number> }>(
  current: Summing,
  before: CountedReference | null,
  after: CountedReference | null,
): Change<Summing> {
  const [was, is] = [countedAs(before), countedAs(after)];
  if (was === is) return { after: current };
  const counts = { ...current.reference_counts };
  if (was !== null) counts[was] = (counts[was] ?? 0) - 1;
  if (is !== null) counts[is] = (counts[is] ?? 0) + 1;
  return { after: { ...current, reference_counts: counts } };
}

/** Returns the outcome of a complete reference, or else its status: an earlier outcome can still change. */
function countedAs(reference: CountedReference | null): string | null {
  if (!reference) return null;
  const { status, outcome } = reference;
  return status === 'complete' ? outcome : status;
}

/** Returns the member `references` of an application. */
export function rollUpOf(counts: Static<typeof ReferenceCounts>): Json {
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

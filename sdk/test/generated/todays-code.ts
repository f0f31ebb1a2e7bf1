import type {
  Error,
  ErrorCode,
  Event,
  EventType,
  newestVersion,
  Outcome,
  Reference,
  ResourcesOf,
} from '../../src/generated/versions.ts';

/*
 * Code of a client, written for the types of this release. The test `later-release.test.ts` compiles it against the types of a later release. That
 * release has more members, values, codes and types of events.
 */

type Resources = ResourcesOf[typeof newestVersion];

/** Texts for verdicts. A later release may have further verdicts. */
const verdicts: Partial<Record<Outcome, string>> = { accept: 'Welcome', consider: 'Ask for a guarantor' };

const retried = new Set<ErrorCode>(['rate_limit', 'unavailable']);
const handled = new Set<EventType>(['reference.completed', 'customer.deleted']);

export async function createReference(tenure: Resources, application: string): Promise<string> {
  const reference = await tenure.references.create({ application, metadata: { branch: 'york' } });
  return summaryOf(reference);
}

export async function countReferences(tenure: Resources): Promise<number> {
  const { count, data } = await tenure.references.list({ created: { gte: 1 }, outcome: 'accept', limit: 1 });
  const [first] = data;
  if (first) summaryOf(first);
  return count;
}

export async function openReferences(tenure: Resources): Promise<Reference[]> {
  const open: Reference[] = [];
  for await (const reference of tenure.references.list({ status: 'processing' })) open.push(reference);
  return open;
}

export function summaryOf(reference: Reference): string {
  const { outcome, status, application } = reference;
  const verdict = outcome === null ? undefined : verdicts[outcome as Outcome];
  switch (status) {
    case 'complete':
      return verdict ?? `Unknown verdict ${outcome}`;
    case 'canceled':
      return 'Canceled';
    default:
      return typeof application === 'string' ? application : (application?.id ?? status);
  }
}

export function handleEvent(event: Event): string {
  if (!handled.has(event.type)) return 'ignored';
  switch (event.type) {
    case 'reference.completed':
      return summaryOf(event.data.object);
    case 'customer.deleted':
      return event.data.object.id;
    default:
      return `ignored ${event.id}`;
  }
}

export function isRetried({ error }: Error): boolean {
  return error.code === 'overloaded' || retried.has(error.code as ErrorCode);
}

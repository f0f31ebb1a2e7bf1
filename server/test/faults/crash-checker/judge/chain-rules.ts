import { sameJson, previousValues, textOf } from '../json.ts';
import { beforeOf, type Case } from './case.ts';
import { previousOf, snapshotOf, statesOf, verbOf, type Chain, type Change } from './chains.ts';
import type { Report } from './evidence.ts';
import { isPossible } from './model.ts';

/**
 * Judges the events of each record. They must be complete, without repeats, and lead step by step from its creation to its present state.
 */
export function judgeChains(opened: Case, report: Report): void {
  judgeEventList(opened, report);
  for (const chain of opened.chains.values()) {
    judgeBeginning(chain, report);
    for (const change of chain.changes) {
      judgeForm(change, report);
      judgeLink(change, report);
    }
    judgeEnd(chain, report);
  }
}

/** Judges the list: no event twice, and every event unchanged since it was first seen. */
function judgeEventList({ observation, earlier }: Case, report: Report): void {
  const present = new Map<string, (typeof observation.events.items)[number]>();
  for (const event of observation.events.items) {
    const id = textOf(event, 'id');
    if (present.has(id)) report('duplicated_event', recordOf(event), `The event ${id} is listed more than once.`);
    present.set(id, event);
  }
  for (const event of earlier?.events.items ?? []) {
    const id = textOf(event, 'id');
    const now = present.get(id);
    if (!now) report('lost_event', recordOf(event), `The event ${id} was listed earlier, but not now.`);
    else if (!sameJson(now, event)) report('changed_event', recordOf(event), `The event ${id} has changed.`);
  }
}

function judgeBeginning({ recordId, changes }: Chain, report: Report): void {
  const creations = changes.filter(({ events }) => verbOf(events[0]!) === 'created');
  if (creations.length === 0) report('lost_event', recordId, `${recordId} has no event of its creation.`);
  else if (creations[0] !== changes[0]) report('broken_chain', recordId, `${recordId} has events before its creation.`);
  if (creations.length > 1)
    report('duplicated_event', recordId, `${recordId} has ${creations.length} events of its creation.`);
}

/** Judges the events of one change: `created` alone, or `updated` and the specific one that belongs to it. */
function judgeForm(change: Change, report: Report): void {
  const { chain, after, events } = change;
  const about = `The request ${change.requestId} on ${chain.recordId}`;
  const [main, ...specific] = events.map((event) => verbOf(event));
  if (main !== 'created' && main !== 'updated') {
    report('lost_event', chain.recordId, `${about} has the event ${main}, but no ${chain.object}.updated before it.`);
    return;
  }
  const expected = main === 'updated' ? specificVerb(beforeOf(change)?.status, after.status) : null;
  if (expected !== null && !specific.includes(expected)) {
    report('lost_event', chain.recordId, `${about} has no event ${chain.object}.${expected}.`);
  }
  const verbs = [main, ...specific];
  if (verbs.length > new Set(verbs).size) {
    report('duplicated_event', chain.recordId, `${about} has the events ${verbs.join(', ')}.`);
  } else if (specific.some((verb) => verb !== expected)) {
    report('unasked_event', chain.recordId, `${about} has the events ${verbs.join(', ')}.`);
  }
  if (events.some((event) => verbOf(event) !== 'updated' && previousOf(event) !== null)) {
    report('changed_event', chain.recordId, `${about}: only an updated event may have previous attributes.`);
  }
}

function specificVerb(statusBefore: unknown, statusAfter: unknown): string | null {
  if (statusBefore === statusAfter) return null;
  if (statusAfter === 'complete') return 'completed';
  return statusAfter === 'canceled' ? 'canceled' : null;
}

/** Expects an `updated` event's previous attributes to be exactly the difference from the state before. */
function judgeLink(change: Change, report: Report): void {
  const { chain, index, after, requestId } = change;
  if (verbOf(change.events[0]!) !== 'updated') return;
  const before = beforeOf(change);
  const about = `The update of ${chain.recordId} by ${requestId}`;
  if (!before || !sameJson(previousValues(before, after), previousOf(change.events[0]!))) {
    report('broken_chain', chain.recordId, `${about} does not show exactly what changed.`);
    return;
  }
  if (sameJson(before, after)) report('unasked_event', chain.recordId, `${about} has an event, but changed nothing.`);
  if (chain.object === 'reference' && !isPossible(before, after)) {
    report(
      'impossible_transition',
      chain.recordId,
      `${about} led from ${textOf(before, 'status')} to ${textOf(after, 'status')}.`,
    );
  }
  const last = chain.changes[index - 1];
  if (!last) return;
  if (last.requestId === requestId && requestId !== null) {
    report('duplicated_event', chain.recordId, `${about} has several updated events.`);
  } else if (!sameJson(last.after, before)) {
    const difference = JSON.stringify(previousValues(last.after, before));
    report('broken_chain', chain.recordId, `${about} does not start where the event before it ended: ${difference}.`);
  }
}

/** Expects the last event to show the record as it is. */
function judgeEnd(chain: Chain, report: Report): void {
  const { recordId, record } = chain;
  const states = statesOf(chain);
  const last = states.at(-1);
  if (!record || !last || sameJson(record, last)) return;
  const difference = JSON.stringify(previousValues(last, record));
  // If an older state matches, the record itself fell back. Otherwise events are missing.
  if (states.some((state) => sameJson(state, record))) {
    report('lost_update', recordId, `${recordId} is in an earlier state again; its last event had ${difference}.`);
  } else {
    report('broken_chain', recordId, `${recordId} is not what its last event shows, which had ${difference}.`);
  }
}

function recordOf(event: Parameters<typeof snapshotOf>[0]): string {
  return textOf(snapshotOf(event), 'id');
}

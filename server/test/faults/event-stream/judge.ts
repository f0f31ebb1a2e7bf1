import { isObject, textOf, type JsonObject } from '../crash-checker/json.ts';
import type { FaultViolation } from '../runs/fault-run.ts';

/** Reports at most this many faults of one kind for one follower. More would say the same. */
const toldMax = 5;

/**
 * Compares what followers got with each other and with the list of events. Each event must come once, all in one order. The events of a
 * record must come in the order of its changes. Each change of a reference writes another `step` into its metadata, which shows that order.
 * @param listed all events, in any order.
 * @param received by each follower, in the order of arrival.
 */
export function judgeStreams(
  listed: readonly JsonObject[],
  received: readonly (readonly JsonObject[])[],
): FaultViolation[] {
  const violations: FaultViolation[] = [];
  const idsListed = new Set(listed.map((event) => textOf(event, 'id')));
  const order = (received[0] ?? []).map((event) => textOf(event, 'id'));
  received.forEach((events, number) => {
    const about = `follower ${number}`;
    const report = (rule: string, ids: readonly string[], what: string): void => {
      for (const id of ids.slice(0, toldMax)) violations.push({ rule, about, message: `${id} ${what}` });
    };
    const ids = events.map((event) => textOf(event, 'id'));
    const seen = new Set<string>();
    const repeated = ids.filter((id) => seen.size === seen.add(id).size);
    report(
      'event_missed',
      [...idsListed].filter((id) => !seen.has(id)),
      'is in the list, but was not received.',
    );
    report('event_repeated', repeated, 'was received more than once.');
    report(
      'event_unknown',
      [...seen].filter((id) => !idsListed.has(id)),
      'was received, but is not in the list.',
    );
    const firstOther = ids.findIndex((id, index) => id !== order[index]);
    if (firstOther !== -1)
      report(
        'other_order',
        [ids[firstOther]!],
        `was received as number ${firstOther}; the other followers have it later or not at all.`,
      );
    report('changes_out_of_order', idsOutOfOrder(events), 'does not begin at the end of the change before it.');
  });
  return violations;
}

function idsOutOfOrder(events: readonly JsonObject[]): string[] {
  const steps = new Map<string, string>();
  const wrong: string[] = [];
  for (const event of events) {
    const data = isObject(event.data) ? event.data : {};
    const id = textOf(data, 'object', 'id');
    const step = textOf(data, 'object', 'metadata', 'step');
    if (event.type === 'reference.created') steps.set(id, step);
    if (event.type !== 'reference.updated') continue;
    if (textOf(data, 'previous_attributes', 'metadata', 'step') !== steps.get(id)) wrong.push(textOf(event, 'id'));
    steps.set(id, step);
  }
  return wrong;
}

import { isObject, type Json, type JsonObject } from '../json.ts';
import { beforeOf } from './case.ts';
import { buildChains, type Chain, type Change } from './chains.ts';
import type { Observation } from '../observe.ts';

/**
 * Each record's changes in the order that they tell themselves: each begins where the one before it ended. Ids do not tell it
 * here, for those of two processes agree only as well as their clocks. Needs records that are in no state twice.
 */
export function linkChains(observation: Observation): Map<string, Chain> {
  const chains = buildChains(observation);
  for (const chain of chains.values()) {
    chain.changes = inOrder(withoutSplits(chain.changes));
    chain.changes.forEach((change, index) => {
      change.index = index;
    });
  }
  return chains;
}

/** One request's events can have those of another process between them. */
function withoutSplits(changes: readonly Change[]): Change[] {
  const whole = new Map<string, Change>();
  for (const change of changes) {
    const id = `${change.requestId} ${textOfState(change.after)}`;
    const begun = whole.get(id);
    if (begun) begun.events.push(...change.events);
    else whole.set(id, change);
  }
  return [...whole.values()];
}

/** Where nothing follows, or two changes begin at one state, those that are left over come last, for the rules to find. */
function inOrder(changes: readonly Change[]): Change[] {
  const left = new Set(changes);
  const ordered: Change[] = [];
  const byBefore = new Map<string, Change>();
  for (const change of [...changes].reverse()) byBefore.set(textOfState(beforeOf(change)), change);
  let next = byBefore.get(textOfState(null));
  while (next && left.delete(next)) {
    ordered.push(next);
    next = byBefore.get(textOfState(next.after));
  }
  return [...ordered, ...left];
}

/** The same text for the same state, whatever the order of members. */
function textOfState(state: JsonObject | null): string {
  return JSON.stringify(state, withSortedMembers);
}

function withSortedMembers(_name: string, value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

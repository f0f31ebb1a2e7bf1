import { isObject, type Json, type JsonObject } from '../json.ts';
import { beforeOf } from './case.ts';
import { buildChains, type Chain, type Change } from './chains.ts';
import type { Observation } from '../observe.ts';

/**
 * Orders each record's changes by their states: each begins where the one before it ended. Ids of two processes agree only as well as their
 * clocks, so they do not show the order. Needs records that are in no state twice.
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

/** Joins the events of one request, even with events of another process between them. */
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

/** Puts changes last if nothing leads to them, or if two begin at one state. The rules then report them. */
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

/** Returns the same text for the same state, in any order of members. */
function textOfState(state: JsonObject | null): string {
  return JSON.stringify(state, withSortedMembers);
}

function withSortedMembers(_name: string, value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

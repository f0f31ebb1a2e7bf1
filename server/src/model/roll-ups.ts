import type { Resource } from './resource.ts';
import { sumsUp, type RollUp } from './traits/sums-up.ts';

/** The roll-ups of each kind, by the list of kinds. */
const knownRollUps = new WeakMap<readonly Resource[], Map<string, [Resource, RollUp][]>>();

/** Returns the roll-ups of records of a kind, each with the kind that sums them up. */
export function rollUpsOf(resources: readonly Resource[], { path }: Resource): readonly [Resource, RollUp][] {
  let known = knownRollUps.get(resources);
  if (!known) knownRollUps.set(resources, (known = new Map()));
  let found = known.get(path);
  if (!found) {
    found = resources.flatMap((resource) => {
      const rollUps = (sumsUp.of(resource) ?? []).filter(({ of }) => of === path);
      return rollUps.map((rollUp): [Resource, RollUp] => [resource, rollUp]);
    });
    known.set(path, found);
  }
  return found;
}

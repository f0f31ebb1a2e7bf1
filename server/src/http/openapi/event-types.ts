import type { Resource } from '../../model/resource.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { importsFile } from '../../model/traits/imports-file.ts';
import { sealsPersons } from '../../model/traits/seals-persons.ts';
import { sumsUp } from '../../model/traits/sums-up.ts';
import { displayName } from '../route.ts';

export interface EventType {
  /** `<resource>.<verb>`. */
  type: string;
  /** A sentence about what has happened. */
  description: string;
}

/** Returns the event types of a kind of record. Kinds that only the committer makes have none, and those made in bulk have no `created`. */
export function eventTypesOf(resource: Resource): EventType[] {
  const { object, create, update, actions, delete: deletion, verbs = {} } = resource;
  const one = displayName(object);
  const changes = update ?? actions ?? sumsUp.of(resource) ?? (typeof deletion === 'object' ? deletion : undefined);
  const usual: Record<string, string | false> = {
    created:
      (create !== undefined || importsFile.has(resource) || sealsPersons.has(resource)) && `The ${one} was created.`,
    updated:
      changes !== undefined &&
      `The ${one} has changed. \`previous_attributes\` has the earlier values of the changed members.`,
    deleted:
      (deletion === 'removes' && `The ${one} was deleted. The event has its last state.`) ||
      (deletion === 'erases' && `The ${one} was erased. The event has the id, and no personal data.`) ||
      (erasable.has(resource) && `Its person was erased. The event has the record without personal data.`),
  };
  return Object.entries({ ...usual, ...verbs }).flatMap(([verb, description]) =>
    description === false ? [] : [{ type: `${object}.${verb}`, description }],
  );
}

import type { Resource } from '../../model/resource.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { displayName } from '../route.ts';

export interface EventType {
  /** `<resource>.<verb>`. */
  type: string;
  /** What has happened. */
  description: string;
}

/** The types of event that records of this kind have; none for those that only the committer makes. */
export function eventTypesOf(resource: Resource): EventType[] {
  const { object, create, update, actions, delete: deletion, verbs = {} } = resource;
  const one = displayName(object);
  const changes = update ?? actions ?? (typeof deletion === 'object' ? deletion : undefined);
  const usual: Record<string, string | false> = {
    created: create !== undefined && `The ${one} was made.`,
    updated:
      changes !== undefined &&
      `Something of the ${one} has changed: \`previous_attributes\` has the changed members as they were.`,
    deleted:
      (deletion === 'removes' && `The ${one} was deleted; the event has it as it last was.`) ||
      (deletion === 'erases' && `The ${one} was erased; the event has the id, and nothing of the person.`) ||
      (erasable.has(resource) && `The person it is about was erased; the event has what is left of it.`),
  };
  return Object.entries({ ...usual, ...verbs }).flatMap(([verb, description]) =>
    description === false ? [] : [{ type: `${object}.${verb}`, description }],
  );
}

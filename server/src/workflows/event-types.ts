import { isPrefixMatch } from '../model/event-names.ts';

/** Returns the types of events that a name stands for: itself, or all of a kind. */
export function awaitedTypes(name: string, known: readonly string[]): string[] {
  return known.filter((type) => isPrefixMatch(type, name));
}

import type { Resource } from './resource.ts';

/** Remembers what a function makes for each kind of record, such as the text of a statement. It must depend on the definition alone. */
export function oncePerKind<Made>(make: (resource: Resource) => Made): (resource: Resource) => Made {
  const made = new WeakMap<Resource, { value: Made }>();
  return (resource) => {
    let known = made.get(resource);
    if (!known) {
      known = { value: make(resource) };
      made.set(resource, known);
    }
    return known.value;
  };
}

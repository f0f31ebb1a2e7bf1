/** The search parameters of a list: its filters and its cursor. All are texts, so that URLs can be read and typed. */
export type ListSearch<Filter extends string> = Partial<Record<Filter | Cursor, string>>;

export type Cursor = (typeof cursors)[number];

export const cursors = ['starting_after', 'ending_before'] as const;

/** Returns what a route of a list takes from its URL. It ignores unknown parameters and empty ones. */
export function listSearch<Filter extends string>(...filters: Filter[]): (search: object) => ListSearch<Filter> {
  return (search) => pick(search, [...filters, ...cursors]);
}

/** Returns the members of an object that are texts and not empty. */
export function pick<Name extends string>(search: object, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = (search as Record<string, unknown>)[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  return found;
}

/** Reads the search of a URL. Unlike the router's own form, each value is a text. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes the search of a URL. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** A section of a guide, or an error, as the search finds it. */
export interface SearchEntry {
  /** The address relative to `/docs/`. */
  url: string;
  page: string;
  heading: string;
  text: string;
}

/** Returns the entries with all words, the best first. The words are in lower case. */
export function find(entries: readonly SearchEntry[], words: readonly string[]): SearchEntry[];

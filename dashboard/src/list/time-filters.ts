import type { Filter } from './filter-field.tsx';

/** The names of the two filters by time in a URL. The API has them as the bounds of `created`. */
export type TimeFilter = 'since' | 'until';

/** The filters of a list by the time at which its records were made. */
export const timeFilters: readonly Filter<TimeFilter>[] = [
  { name: 'since', label: 'From', minute: 'start' },
  { name: 'until', label: 'Until', minute: 'end' },
];

/** Returns the parameters of the API, with the bounds of the time in their form. */
export function withCreated<Search extends Partial<Record<TimeFilter, string>>>({
  since,
  until,
  ...others
}: Search): Omit<Search, TimeFilter> & { created?: { gte?: number; lte?: number } } {
  if (since === undefined && until === undefined) return others;
  // The API refuses what is no number. A URL may have any text.
  const created = {
    ...(since !== undefined && { gte: since as unknown as number }),
    ...(until !== undefined && { lte: until as unknown as number }),
  };
  return { ...others, created };
}

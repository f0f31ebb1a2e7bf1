import type { Api } from './api.ts';
import { textOf, type Json, type JsonObject } from './json.ts';
import type { Endpoint } from './webhooks.ts';

/** What the API shows when no request is running. */
export interface Observation {
  references: ObservedList;
  customers: ObservedList;
  events: ObservedList;
  /** One list for each of the checker's endpoints, with the deliveries of events since a certain second. */
  deliveries: ObservedList[];
}

export interface ObservedList {
  path: string;
  /** Newest first, all pages. */
  items: JsonObject[];
  /** The counts on the pages. A correct list has one value. */
  counts: number[];
  /** The same of filtered lists. */
  filteredCounts: { field: string; value: string; count: number }[];
  /** Set if the record is not there that the list is below. */
  isOfLost?: true;
}

/** Bounds a list that never ends, so that the checker fails and does not run for ever. */
const pagesMax = 20_000;

/** The filters whose counts are stored when records are written. Each must agree with the records themselves. */
const countedFilters = {
  references: [
    ...['pending', 'processing', 'complete', 'canceled'].map((value) => ({ field: 'status', value })),
    ...['accept', 'consider', 'high_risk'].map((value) => ({ field: 'outcome', value })),
  ],
  customers: [],
  events: [
    'reference.created',
    'reference.updated',
    'reference.completed',
    'reference.canceled',
    'customer.created',
  ].map((value) => ({ field: 'type', value })),
};

/** Reads everything back, page by page as a client would. Reads deliveries only as far back as requested. */
export async function observe(
  api: Api,
  endpoints: readonly Endpoint[],
  deliveriesSinceSeconds: number,
): Promise<Observation> {
  const [references, customers, events, deliveries] = await Promise.all([
    readList(api, '/v1/references', countedFilters.references),
    readList(api, '/v1/customers', countedFilters.customers),
    readList(api, '/v1/events', countedFilters.events),
    readDeliveries(api, endpoints, deliveriesSinceSeconds),
  ]);
  return { references, customers, events, deliveries };
}

/** Reads the deliveries to these endpoints, of events since that second. */
export function readDeliveries(
  api: Api,
  endpoints: readonly Endpoint[],
  sinceSeconds: number,
): Promise<ObservedList[]> {
  const since = `&created[gte]=${sinceSeconds}`;
  return Promise.all(
    endpoints.map(async ({ id }): Promise<ObservedList> => {
      const path = `/v1/webhook_endpoints/${id}`;
      const endpoint = await api.send({ method: 'GET', path, body: null, key: null });
      const isLost = endpoint.kind === 'answered' && endpoint.status === 404;
      if (isLost) return { path, items: [], counts: [0], filteredCounts: [], isOfLost: true };
      return readList(api, `${path}/deliveries`, [], since);
    }),
  );
}

/**
 * Reads a list from newest to oldest, page by page as a client would. Yields each page with its count of all items.
 * @param query more parameters, each with its `&`.
 */
export async function* readPages(
  api: Api,
  path: string,
  query = '',
): AsyncGenerator<{ items: JsonObject[]; count: number }> {
  let cursor = '';
  for (let page = 1; ; page++) {
    if (page > pagesMax) throw new Error(`${path} has more than ${pagesMax} pages.`);
    const list = await api.read(`${path}?limit=50${query}${cursor}`);
    const items = list.data as JsonObject[];
    yield { items, count: numberOf(list.count) };
    if (list.has_more !== true || items.length === 0) return;
    cursor = `&starting_after=${textOf(items.at(-1), 'id')}`;
  }
}

async function readList(
  api: Api,
  path: string,
  filters: { field: string; value: string }[],
  query = '',
): Promise<ObservedList> {
  const items: JsonObject[] = [];
  const counts = new Set<number>();
  for await (const page of readPages(api, path, query)) {
    counts.add(page.count);
    items.push(...page.items);
  }
  const filteredCounts: ObservedList['filteredCounts'] = [];
  for (const { field, value } of filters) {
    const { count } = await api.read(`${path}?limit=1&${field}=${value}`);
    filteredCounts.push({ field, value, count: numberOf(count) });
  }
  return { path, items, counts: [...counts], filteredCounts };
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : NaN;
}

import type { Params } from './encoding.ts';
import { TenurePromise, type ApiResponse } from './transport.ts';

/** A page of a list. */
export interface List<T> {
  object: 'list';
  has_more: boolean;
  data: T[];
}

/** The most records of a page. */
const pageMax = 50;

/**
 * The promise of a page that is also all records of the list: `for await (const reference of tenure.references.list())`. Each page is one
 * request, sent when the loop reaches it. New records neither hide nor repeat older ones.
 */
export class ListPromise<T, Page extends List<T> = List<T>> extends TenurePromise<Page> implements AsyncIterable<T> {
  readonly #params: Params;
  readonly #fetchPage: (params: Params) => Promise<ApiResponse<Page>>;

  /** @param fetchPage sends the request for one page. */
  constructor(params: Params, fetchPage: (params: Params) => Promise<ApiResponse<Page>>) {
    let first: Promise<ApiResponse<Page>> | undefined;
    super(() => (first ??= fetchPage(params)));
    this.#params = params;
    this.#fetchPage = fetchPage;
  }

  /** Returns the first page, as `await` does. */
  page(): Promise<Page> {
    return this.then((page) => page);
  }

  /** Iterates over the pages. */
  pages(): AsyncGenerator<Page, void> {
    return this.#pagesBy(this.#params);
  }

  /** Iterates over the records of all pages. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.#recordsBy(this.#params);
  }

  /** Returns the first records, at most `limit`. The limit is required, because a list can be longer than the memory. */
  async toArray({ limit }: { limit: number }): Promise<T[]> {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new TypeError('`toArray` needs a `limit`: a whole number from 1.');
    const records: T[] = [];
    for await (const record of this.#recordsBy({ limit: Math.min(limit, pageMax), ...this.#params })) {
      records.push(record);
      if (records.length >= limit) break;
    }
    return records;
  }

  async *#recordsBy(params: Params): AsyncGenerator<T, void> {
    for await (const page of this.#pagesBy(params)) yield* page.data;
  }

  async *#pagesBy(params: Params): AsyncGenerator<Page, void> {
    if (params.ending_before !== undefined) {
      throw new TypeError('A loop goes by `starting_after`. With `ending_before`, `await` each page.');
    }
    for (let next = params; ;) {
      const { data: page } = await this.#fetchPage(next);
      yield page;
      const last = page.data.at(-1) as { id?: unknown } | undefined;
      if (!page.has_more || last === undefined) return;
      // The same page again and again would never end.
      if (last.id === next.starting_after) throw new TypeError('The server repeats a page of this list.');
      // The first page alone skips records.
      next = { ...params, offset: undefined, starting_after: last.id };
    }
  }
}

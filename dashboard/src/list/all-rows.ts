import type { RequestOptions, Tenure } from 'tenure';
import { ask } from '../api/ask.ts';

/** The largest page that the API gives. */
const pageSize = 50;

/** Milliseconds from one page to the next. A session may send 20 requests a second, and the page itself sends some. */
const pauseMs = 100;

/** Loads a page of a list that begins after a record. */
export type LoadPage<Row> = (
  tenure: Tenure,
  cursor: { starting_after?: string; limit: number },
  options: RequestOptions,
) => PromiseLike<{ data: Row[]; count: number; has_more: boolean }>;

/**
 * Reads the records of a list page by page, the newest first, and each once.
 *
 * @param max reads no more records than this.
 * @param onProgress is told how many records are read, and how many there are.
 * @returns the records, and how many the list has.
 * @throws the error of the API, or the reason of the signal.
 */
export async function readAllRows<Row extends { id: string }>(
  tenure: Tenure,
  load: LoadPage<Row>,
  max: number,
  signal: AbortSignal,
  onProgress: (done: number, count: number) => void,
): Promise<{ rows: Row[]; count: number }> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    const cursor = { limit: Math.min(pageSize, max - rows.length), ...(last && { starting_after: last.id }) };
    const page = await ask(() => load(tenure, cursor, { signal }));
    rows.push(...page.data);
    onProgress(rows.length, page.count);
    if (!page.has_more || page.data.length === 0 || rows.length >= max) return { rows, count: page.count };
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    signal.throwIfAborted();
  }
}

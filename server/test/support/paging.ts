import { expect } from 'vitest';
import type { Api, ApiResponse } from './server.ts';

/** Returns all records of a list, newest first, page by page. */
export async function allOf(
  api: Api,
  path: string,
  query: Record<string, string> = {},
): Promise<ApiResponse['body'][]> {
  const records: ApiResponse['body'][] = [];
  for (;;) {
    const cursor: Record<string, string> = records.length > 0 ? { starting_after: records.at(-1).id } : {};
    const { status, body, text } = await api.get(
      `${path}?${new URLSearchParams({ limit: '50', ...query, ...cursor }).toString()}`,
    );
    expect(status, text).toBe(200);
    records.push(...body.data);
    if (!body.has_more) return records;
  }
}

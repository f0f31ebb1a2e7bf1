import type { RequestOptions, Tenure } from 'tenure';
import type { EventPatterns } from '../event-patterns.ts';

type Client = Pick<Tenure, 'events'>;

/** The position before all events of the account. */
export const beginning = 'beginning';

/** Returns the position before the first event since then, in seconds since the Unix epoch. */
export async function startSince(client: Client, since: number, options: RequestOptions): Promise<string> {
  const page = await client.events.list({ limit: 1, created: { lt: since } }, options);
  return page.data[0]?.id ?? beginning;
}

/** Events that are counted at most. */
export const countMax = 1_000;

/** Counts the events after a position, up to `countMax`. Returns null if the position is no longer stored. */
export async function countAfter(
  client: Client,
  after: string,
  patterns: EventPatterns,
  options: RequestOptions,
): Promise<number | null> {
  let count = 0;
  try {
    const filter =
      after === beginning ? {} : { created: { gte: (await client.events.retrieve(after, {}, options)).created } };
    for await (const event of client.events.list({ limit: 50, ...filter }, options)) {
      // Ids sort by time.
      if (after !== beginning && event.id <= after) break;
      if (patterns.has(event)) count++;
      if (count >= countMax) break;
    }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null;
    throw error;
  }
  return count;
}

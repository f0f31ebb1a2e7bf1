import { describe, expect, test } from 'vitest';
import { allOf } from '../../support/paging.ts';
import { inParallel } from '../../support/routes.ts';
import { rounds } from '../../support/rounds.ts';
import { serverForTest, type Api, type ApiResponse } from '../../support/server.ts';
import { addAccount } from '../../support/tenants.ts';

type Item = ApiResponse['body'];

describe('paging during writes', () => {
  const records = rounds(1_000, 3_000);

  test('returns every older record exactly once in both directions when records are added meanwhile', async () => {
    const running = await serverForTest();
    const tenant = await addAccount(running);
    const write = (): Promise<ApiResponse> => tenant.api.post('/v1/references', { application: 'app_1' });
    const there: string[] = [];
    for (let index = 0; index < 40; index++) there.unshift((await write()).body.id);

    const writers = { running: true };
    const written = (async () => {
      const answers: ApiResponse[] = [];
      while (writers.running) answers.push(...(await Promise.all([write(), write()])));
      return answers;
    })();
    const older = await allOf(tenant.api, '/v1/references', { limit: '3', starting_after: there[0]! });
    const newer = await pagesBefore(tenant.api, there.at(-1)!);
    writers.running = false;
    const added = (await written).map(({ body }) => body.id);

    expect(added.length).toBeGreaterThan(1);
    expect(idsOf(older)).toEqual(there.slice(1));
    expect(new Set(newer).size).toBe(newer.length);
    expect(newer.filter((id) => there.includes(id))).toEqual(there.slice(0, -1).toReversed());
    expect((await tenant.api.get('/v1/references')).body.count).toBe(there.length + added.length);
  });

  test(`returns each of ${records} older records exactly once with a true count when many writers add more`, async () => {
    const running = await serverForTest();
    const { api: own } = await addAccount(running);
    const there: string[] = [];
    await inParallel(Array.from({ length: records }), 64, async () => {
      const { body, status, text } = await own.post('/v1/references', { application: 'app_1' });
      expect(status, text).toBe(200);
      there.push(body.id);
    });
    there.sort().reverse();

    let [answered, sent] = [there.length, there.length];
    const writers = { running: true };
    const writing = inParallel([1, 2, 3, 4], 4, async () => {
      while (writers.running) {
        sent++;
        await own.post('/v1/references', { application: 'app_1' });
        answered++;
      }
    });
    const page = async (query: string): Promise<Item> => {
      const least = answered;
      const { body } = await own.get(`/v1/references?limit=50&${query}`);
      expect(body.count).toBeGreaterThanOrEqual(least);
      expect(body.count).toBeLessThanOrEqual(sent);
      return body;
    };
    const down = await pagesOf(page, 'starting_after', null);
    const up = await pagesOf(page, 'ending_before', down.at(-1)!);
    writers.running = false;
    await writing;

    const old = new Set(there);
    expect(down.filter((id) => old.has(id))).toEqual(there);
    expect(down).toHaveLength(new Set(down).size);
    // Paging up begins after the oldest record.
    expect(up.filter((id) => old.has(id))).toEqual(there.slice(0, -1).toReversed());
    expect(up).toHaveLength(new Set(up).size);
    expect((await own.get('/v1/references')).body.count).toBe(answered);
  });
});

/** Returns the ids of all records newer than one, page by page, in the order of the pages. */
async function pagesBefore(by: Api, id: string): Promise<string[]> {
  const met: string[] = [];
  for (let page = 0; page < 200; page++) {
    const { body } = await by.get(`/v1/references?limit=7&ending_before=${met.at(-1) ?? id}`);
    met.push(...idsOf(body.data).reverse());
    if (!body.has_more) return met;
  }
  throw new Error('The writers are faster than the pages.');
}

/** Returns ids page by page, in the order of the pages. Ends with the last page or the last old record. */
async function pagesOf(
  page: (query: string) => Promise<Item>,
  cursor: 'starting_after' | 'ending_before',
  from: string | null,
): Promise<string[]> {
  const met: string[] = [];
  for (let pages = 0; pages < 400; pages++) {
    const at = met.at(-1) ?? from;
    const { data, has_more } = await page(at === null ? '' : `${cursor}=${at}`);
    met.push(...(cursor === 'ending_before' ? idsOf(data).reverse() : idsOf(data)));
    if (!has_more) return met;
  }
  throw new Error('The writers are faster than the pages.');
}

function idsOf(items: Item[]): string[] {
  return items.map(({ id }) => id);
}

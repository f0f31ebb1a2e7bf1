import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { Tenure } from '../src/index.ts';
import { scripted } from './scripted.ts';

describe('against a server', () => {
  let server: TestServer;
  let tenure: Tenure;
  const requests: string[] = [];
  beforeAll(async () => {
    server = await startTestServer();
    tenure = new Tenure({ apiKey: server.secretKey, baseUrl: server.url, onRequest: ({ url }) => requests.push(url) });
    for (let made = 0; made < 300; made += 20) {
      await Promise.all(Array.from({ length: 20 }, () => server.api.post('/v1/references', { application: 'app_1' })));
    }
  });
  afterAll(() => server.stop());

  /** Returns the ids of all references, as the API lists them now. */
  async function listedIds(): Promise<string[]> {
    const ids: string[] = [];
    for (let after = ''; ; after = `&starting_after=${ids.at(-1)}`) {
      const { body } = await server.api.get(`/v1/references?limit=50${after}`);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) return ids;
    }
  }

  test('gives each of 300 records once, in order, when others are inserted between the pages of 7', async () => {
    const before = await listedIds();
    expect(before).toHaveLength(300);
    requests.length = 0;
    const ids: string[] = [];
    for await (const { id } of tenure.references.list({ limit: 7 })) {
      if (ids.length % 7 === 6) await server.api.post('/v1/references', { application: 'app_1' });
      ids.push(id);
    }
    expect(ids).toEqual(before);
    expect(requests).toHaveLength(Math.ceil(300 / 7));
  });

  test('asks for no page that the loop does not reach', async () => {
    requests.length = 0;
    const list = tenure.references.list({ limit: 7 });
    expect(requests).toHaveLength(0);
    let seen = 0;
    for await (const reference of list) {
      expect(reference.object).toBe('reference');
      expect(requests).toHaveLength(Math.ceil(++seen / 7));
      if (seen === 15) break;
    }
    expect(requests).toHaveLength(3);
  });

  test('gives one page when it is awaited, however often', async () => {
    requests.length = 0;
    const list = tenure.references.list({ limit: 7 });
    const page = await list;
    expect(await list.page()).toBe(page);
    expect((await list.withResponse()).data).toBe(page);
    expect(page).toMatchObject({ object: 'list', has_more: true });
    expect(page.data).toHaveLength(7);
    expect(requests).toHaveLength(1);
  });

  test('gives pages, and the first records as an array', async () => {
    const ids = await listedIds();
    const sizes: number[] = [];
    for await (const { data } of tenure.references.list({ limit: 50, status: 'pending' }).pages())
      sizes.push(data.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(ids.length);
    requests.length = 0;
    const records = await tenure.references.list().toArray({ limit: 75 });
    expect(records.map(({ id }) => id)).toEqual(ids.slice(0, 75));
    expect(requests).toHaveLength(2);
    expect(await tenure.references.list({ offset: ids.length - 3, limit: 2 }).toArray({ limit: 10 })).toHaveLength(3);
    expect(await tenure.references.list({ application: 'app_none' }).toArray({ limit: 10 })).toEqual([]);
  });

  test('lists what is below a record', async () => {
    const [event] = await tenure.events.list().toArray({ limit: 1 });
    expect(await tenure.events.listDeliveries(event!.id)).toMatchObject({ object: 'list', data: [] });
  });
});

test('stops at a failing page, after the records before it', async () => {
  const { tenure } = scripted([
    { body: { object: 'list', has_more: true, data: [{ id: 'ref_1' }] } },
    { status: 404, body: '' },
  ]);
  const ids: string[] = [];
  const looping = async (): Promise<void> => {
    for await (const { id } of tenure.references.list()) ids.push(id);
  };
  await expect(looping()).rejects.toMatchObject({ status: 404 });
  expect(ids).toEqual(['ref_1']);
});

test('ends with an error when a server repeats a page', async () => {
  const page = { object: 'list', has_more: true, data: [{ id: 'ref_1' }] };
  const { tenure, sent } = scripted([{ body: page }]);
  await expect(tenure.references.list().toArray({ limit: 10 })).rejects.toThrow('repeats a page');
  expect(sent).toHaveLength(2);
});

test('requires a limit for an array, and no loop goes backwards', async () => {
  const { tenure, sent } = scripted([{}]);
  for (const limit of [undefined, 0, -1, 1.5, Number.POSITIVE_INFINITY]) {
    await expect(tenure.references.list().toArray({ limit: limit as number })).rejects.toBeInstanceOf(TypeError);
  }
  await expect(tenure.references.list({ ending_before: 'ref_1' }).toArray({ limit: 1 })).rejects.toBeInstanceOf(
    TypeError,
  );
  expect(sent).toEqual([]);
});

test('sends nothing and fails nothing when a list is not used', async () => {
  const { sent, tenure } = scripted([{ status: 500 }]);
  void tenure.references.list();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(sent).toEqual([]);
});

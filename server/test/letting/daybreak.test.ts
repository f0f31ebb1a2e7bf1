import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../src/db/pools.ts';
import { breakDays } from '../../src/maintenance/daybreak.ts';
import { apiClient, good, startTestServer, type TestServer } from '../support/server.ts';
import { allPermissions } from '../support/permissions.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { advance, Agency, dawn, dawnMsMax, expectCode, lettingClock, startDay, startLetting } from './agency.ts';

const company = { type: 'company' };

describe('days', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startLetting();
  });

  afterAll(() => server.stop());

  test('starts and ends tenancies in the order of their days when the clock leaps over them', async () => {
    const agency = await Agency.on(server);
    const { id } = await agency.unit();
    const days = [
      ['2027-01-10', '2027-01-15'],
      ['2027-01-16', '2027-01-20'],
      ['2027-01-31', '2027-02-02'],
    ];
    // The order of their creation is not the order of their days.
    const lets = new Map<string, string>();
    for (const [start_date, end_date] of days.toReversed())
      lets.set((await agency.signed(id, { ...company, start_date, end_date })).id, start_date!);
    await advance(server, 40);
    expect(await dawn(server)).toBe(0);
    const { body } = await good(agency.api.get('/v1/events?limit=50'));
    const moves = (body.data as { type: string; data: { object: { id: string } } }[])
      .filter(({ type }) => /^tenancy\.(activated|ended)$|^unit\.(occupied|available|let_agreed)$/.test(type))
      .map(({ type, data }) => `${type} ${lets.get(data.object.id) ?? ''}`.trim())
      .toReversed();
    expect(moves).toEqual([
      'unit.let_agreed',
      'tenancy.activated 2027-01-10',
      'unit.occupied',
      // Both on one day, in the order of their ids.
      'tenancy.activated 2027-01-16',
      'tenancy.ended 2027-01-10',
      'tenancy.ended 2027-01-16',
      'unit.let_agreed',
      'tenancy.activated 2027-01-31',
      'unit.occupied',
      'tenancy.ended 2027-01-31',
      'unit.available',
    ]);
    const ended = await agency.get('tenancies', [...lets.keys()][0]!);
    expect(ended).toMatchObject({
      status: 'ended',
      end_reason: 'expiry',
      activated_at: expect.any(Number),
      ended_at: expect.any(Number),
    });
    expect(await agency.get('units', id)).toMatchObject({
      tenancy: null,
      next_tenancy: null,
      available_on: '2027-02-03',
    });
  });

  test('adds no event of the unit when one tenancy follows another on the same day', async () => {
    const agency = await Agency.on(server);
    const { id } = await agency.unit();
    const { now } = (await good(agency.api.get('/v1/test_helpers/clock'))).body;
    const day = (days: number) => new Date((now + days * 86_400) * 1000).toISOString().slice(0, 10);
    await agency.signed(id, { ...company, start_date: day(1), end_date: day(2) });
    await agency.signed(id, { ...company, start_date: day(3) });
    await advance(server, 4);
    const verbs = (await agency.historyOf(id)).filter((type) => type !== 'unit.updated');
    expect(verbs).toEqual(['unit.created', 'unit.let_agreed', 'unit.occupied']);
  });

  test('occupies a home on the first day when a notice came before it, and not earlier', async () => {
    const agency = await Agency.on(server);
    const { id } = await agency.unit();
    const { now } = (await good(agency.api.get('/v1/test_helpers/clock'))).body;
    const day = (days: number) => new Date((now + days * 86_400) * 1000).toISOString().slice(0, 10);
    const first = await agency.signed(id, { ...company, start_date: day(1), end_date: day(2) });
    const second = await agency.signed(id, { ...company, start_date: day(5) });
    await advance(server, 2);
    await agency.move('tenancies', second.id, 'give_notice', { by: 'mutual', served_on: day(2), ends_on: day(9) });
    expect(await agency.get('units', id)).toMatchObject({ tenancy: first.id, next_tenancy: second.id });
    await advance(server, 1);
    expect(await agency.get('units', id)).toMatchObject({
      status: 'let_agreed',
      tenancy: null,
      next_tenancy: second.id,
      available_on: day(10),
    });
    await advance(server, 2);
    expect(await agency.get('units', id)).toMatchObject({
      status: 'occupied',
      tenancy: second.id,
      next_tenancy: null,
    });
    const verbs = (await agency.historyOf(id)).filter((type) => type !== 'unit.updated');
    expect(verbs).toEqual(['unit.created', 'unit.let_agreed', 'unit.occupied', 'unit.let_agreed', 'unit.occupied']);
  });

  test('ends a tenancy by its notice, and reports a pet request a week before its last day', async () => {
    const agency = await Agency.on(server);
    const now = new Date((await good(agency.api.get('/v1/test_helpers/clock'))).body.now * 1000);
    const day = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const { id } = await agency.draft((await agency.unit()).id, { start_date: day(0) });
    await agency.move('tenancies', id, 'sign', { signed_on: day(0) });
    await agency.move('tenancies', id, 'give_notice', { by: 'mutual', served_on: day(0), ends_on: day(30) });
    await agency.move('tenancies', id, 'request_pet', { customer: 'tenant_1', description: 'A cat.' });
    const raised = async () => {
      const { checks } = await agency.get('tenancies', id);
      return checks.filter((check: { id: string }) => check.id === 'pet_answer').length;
    };
    const raisedEvents = async () =>
      (await agency.historyOf(id)).filter((type) => type === 'tenancy.check_raised').length;
    const before = await raisedEvents();
    await advance(server, 20);
    expect([await raised(), (await raisedEvents()) - before]).toEqual([0, 0]);
    await advance(server, 1);
    expect([await raised(), (await raisedEvents()) - before]).toEqual([1, 1]);
    await advance(server, 8);
    expect([await raised(), (await raisedEvents()) - before]).toEqual([1, 2]);
    await agency.move('tenancies', id, 'answer_pet', { number: 1, answer: 'granted' });
    expect(await raised()).toBe(0);
    expect(await agency.get('tenancies', id)).toMatchObject({ status: 'notice', activated_at: expect.any(Number) });
    await advance(server, 2);
    expect(await agency.get('tenancies', id)).toMatchObject({
      status: 'ended',
      end_reason: 'notice',
      end_date: day(30),
    });
  });

  test('changes records of several accounts at once when their day begins', async () => {
    const agencies = await Promise.all(Array.from({ length: 8 }, () => Agency.on(server)));
    const { now } = (await good(server.api.get('/v1/test_helpers/clock'))).body;
    const start_date = new Date((now + 86_400) * 1000).toISOString().slice(0, 10);
    const lets = await Promise.all(
      agencies.map(async (agency) => agency.signed((await agency.unit()).id, { ...company, start_date })),
    );
    let atOnce = 0;
    let most = 0;
    // On a busy machine, one could end before another has begun.
    const allBegun = Promise.withResolvers<void>();
    const { committer } = server.context;
    const watched = {
      commitAsSystem: async (change: Parameters<typeof committer.commitAsSystem>[0]) => {
        most = Math.max(most, ++atOnce);
        if (most === 8) allBegun.resolve();
        await allBegun.promise;
        await committer.commitAsSystem(change).finally(() => atOnce--);
      },
    };
    const clock = { nowMs: () => server.context.clock.nowMs() + 86_400_000 };
    const context = { ...server.context, committer: watched as typeof committer, clock };
    expect(await breakDays(context, AbortSignal.timeout(dawnMsMax))).toBeGreaterThanOrEqual(lets.length);
    for (const [index, { id }] of lets.entries())
      expect((await agencies[index]!.get('tenancies', id)).status).toBe('active');
    expect(most).toBe(8);
  });

  test('gives each account a turn when another account has changes of many earlier days', async () => {
    const [busy, quiet] = [await Agency.on(server), await Agency.on(server)];
    const { now } = (await good(server.api.get('/v1/test_helpers/clock'))).body;
    const day = (days: number) => new Date((now + days * 86_400) * 1000).toISOString().slice(0, 10);
    const daysOfBusy = [1, 2, 3, 4, 5, 6];
    for (const days of daysOfBusy)
      await busy.signed((await busy.unit()).id, { ...company, start_date: day(days), end_date: day(days) });
    await quiet.signed((await quiet.unit()).id, { ...company, start_date: day(6) });
    const turns: string[] = [];
    const { committer } = server.context;
    const watched = {
      commitAsSystem: async (change: Parameters<typeof committer.commitAsSystem>[0]) => {
        turns.push(change.accountId);
        await committer.commitAsSystem(change);
      },
    };
    const clock = { nowMs: () => server.context.clock.nowMs() + 6 * 86_400_000 };
    await breakDays(
      { ...server.context, committer: watched as typeof committer, clock },
      AbortSignal.timeout(dawnMsMax),
    );
    expect(turns.filter((accountId) => accountId === busy.accountId).length).toBeGreaterThanOrEqual(daysOfBusy.length);
    // Their order within a round does not matter.
    const earlier = turns.slice(0, turns.indexOf(quiet.accountId));
    expect(earlier.filter((accountId) => accountId === busy.accountId).length).toBeLessThanOrEqual(1);
  });

  test('reads each account a bounded number of times when a tree has thousands with changes', async () => {
    const waiting = new Set(Array.from({ length: 4_000 }, (_, index) => `acct_${index}`));
    let rows = 0;
    const reader = {
      query: async ({ name = '' }: { name?: string }) => {
        if (name === 'read_time_zones') return [{ time_zone: 'UTC' }];
        if (name.startsWith('due_ids')) return [{ id: 'ten_1' }];
        if (name !== 'due_days_tenancies') return [];
        rows += waiting.size;
        return [...waiting].map((account_id) => ({ account_id, day: startDay }));
      },
    };
    const committer = {
      commitAsSystem: async (change: { accountId: string }) => void waiting.delete(change.accountId),
    };
    const accounts = { get: async () => ({ rootId: 'acct_0', rules: {}, timeZone: 'UTC', invoicePrefix: 'A' }) };
    await breakDays(
      { ...server.context, reader, committer, accounts } as unknown as Parameters<typeof breakDays>[0],
      AbortSignal.timeout(dawnMsMax),
    );
    expect(waiting.size).toBe(0);
    expect(rows).toBeLessThan(64 * 4_000);
  });

  test('changes many pages of a small tree when a large tree has thousands of accounts to change', async () => {
    const large = new Set(Array.from({ length: 4_000 }, (_, index) => `acct_${index}`));
    let pagesLeft = 100;
    const reader = {
      query: async ({ name = '', values = [] }: { name?: string; values?: unknown[] }) => {
        if (name === 'read_time_zones') return [{ time_zone: 'UTC' }];
        if (name.startsWith('due_ids')) return recordIds(values[1] !== 'small' ? 1 : pagesLeft > 1 ? 100 : pagesLeft);
        if (name !== 'due_days_tenancies') return [];
        return [...(pagesLeft > 0 ? ['small'] : []), ...large].map((account_id) => ({ account_id, day: startDay }));
      },
    };
    let ofLarge = 0;
    const committer = {
      commitAsSystem: async ({ accountId }: { accountId: string }) => {
        if (accountId === 'small') pagesLeft--;
        else large.delete(accountId);
        if (pagesLeft > 0 && accountId !== 'small') ofLarge++;
      },
    };
    const accounts = {
      get: async (id: string) => ({
        rootId: id === 'small' ? id : 'acct_0',
        rules: {},
        timeZone: 'UTC',
        invoicePrefix: 'A',
      }),
    };
    await breakDays(
      { ...server.context, reader, committer, accounts } as unknown as Parameters<typeof breakDays>[0],
      AbortSignal.timeout(dawnMsMax),
    );
    expect([pagesLeft, large.size]).toEqual([0, 0]);
    // A round has eight accounts of the large tree, and a page of the small one.
    expect(ofLarge).toBeLessThanOrEqual(8 * 100);
  });

  test('looks few times for what is due when one account has thousands of records', async () => {
    let pagesLeft = 100;
    let looks = 0;
    const reader = {
      query: async ({ name = '' }: { name?: string }) => {
        if (name === 'read_time_zones') return [{ time_zone: 'UTC' }];
        if (name.startsWith('due_ids')) return recordIds(pagesLeft > 1 ? 100 : 1);
        if (name !== 'due_days_tenancies') return [];
        looks++;
        return pagesLeft > 0 ? [{ account_id: 'acct_1', day: startDay }] : [];
      },
    };
    const committer = { commitAsSystem: async () => void pagesLeft-- };
    const accounts = { get: async () => ({ rootId: 'acct_1', rules: {}, timeZone: 'UTC', invoicePrefix: 'A' }) };
    await breakDays(
      { ...server.context, reader, committer, accounts } as unknown as Parameters<typeof breakDays>[0],
      AbortSignal.timeout(dawnMsMax),
    );
    expect(pagesLeft).toBe(0);
    // One for 32 pages, and one that finds no more.
    expect(looks).toBe(5);
  });

  test('ends after all changes under way when the database is away for one of them', async () => {
    const agencies = await Promise.all(Array.from({ length: 2 }, () => Agency.on(server)));
    const { now } = (await good(server.api.get('/v1/test_helpers/clock'))).body;
    const start_date = new Date((now + 86_400) * 1000).toISOString().slice(0, 10);
    for (const agency of agencies) await agency.signed((await agency.unit()).id, { ...company, start_date });
    let [begun, ended] = [0, 0];
    const { committer } = server.context;
    const faulty = {
      commitAsSystem: async (change: Parameters<typeof committer.commitAsSystem>[0]) => {
        if (begun++ === 0) throw new UnavailableError(false, new Error('On purpose.'));
        await committer.commitAsSystem(change);
        ended++;
      },
    };
    const clock = { nowMs: () => server.context.clock.nowMs() + 86_400_000 };
    const context = { ...server.context, committer: faulty as typeof committer, clock };
    await expect(breakDays(context, AbortSignal.timeout(dawnMsMax))).rejects.toThrow(UnavailableError);
    expect(begun).toBeGreaterThan(1);
    expect(ended).toBe(begun - 1);
  });

  test('changes all other records of a page when one cannot be read', async () => {
    const agency = await Agency.on(server);
    const { now } = (await good(agency.api.get('/v1/test_helpers/clock'))).body;
    const day = new Date((now + 5 * 86_400) * 1000).toISOString().slice(0, 10);
    const ids: string[] = [];
    for (let number = 0; number < 3; number++) {
      const { id } = await agency.draft((await agency.unit()).id, { start_date: day });
      await agency.move('tenancies', id, 'sign', { signed_on: startDay });
      ids.push(id);
    }
    const { readers } = server.context.database;
    await readers.query(`update tenancies set pet_requests = 'no JSON' where id = $1`, [ids[1]]);
    await advance(server, 5);
    const { rows } = await readers.query<{ status: string }>(
      'select status from tenancies where id = any($1) order by id',
      [ids],
    );
    expect(rows.map(({ status }) => status)).toEqual(['active', 'signed', 'active']);
    await readers.query(`update tenancies set pet_requests = '[]' where id = $1`, [ids[1]]);
    expect(await dawn(server)).toBe(1);
  });
});

test('finds nothing to do when the first start has yet to make its account', async () => {
  const server = await startLetting();
  await server.context.database.readers.query('delete from accounts');
  expect(await dawn(server)).toBe(0);
  await server.stop();
});

describe('time zones', () => {
  test('begins a day at its midnight in the zone of each account', async () => {
    // It is 11:30 in London on 31 January, and 00:30 in Auckland on 1 February.
    const beganMs = Date.now();
    const startMs = Date.parse('2027-01-31T11:30:00Z');
    const server = await startTestServer({ overrides: { clock: { nowMs: () => startMs + Date.now() - beganMs } } });
    try {
      const [london, auckland] = [await Agency.on(server), await Agency.on(server)];
      await good(auckland.api.post('/v1/account', { time_zone: 'Pacific/Auckland' }));
      const lets: { id: string }[] = [];
      for (const agency of [london, auckland])
        lets.push(await agency.signed((await agency.unit()).id, { start_date: '2027-02-01' }));
      const unsigned = await london.draft((await london.unit()).id);
      const sign = { signed_on: '2027-02-01' };
      expectCode(await london.api.post(`/v1/tenancies/${unsigned.id}/sign`, sign), 'parameter_invalid');
      const other = await auckland.draft((await auckland.unit()).id, { start_date: '2027-03-01' });
      await auckland.move('tenancies', other.id, 'sign', sign);
      const statuses = async () => [
        (await london.get('tenancies', lets[0]!.id)).status,
        (await auckland.get('tenancies', lets[1]!.id)).status,
      ];
      expect(await dawn(server)).toBe(1);
      expect(await statuses()).toEqual(['signed', 'active']);
      await advance(server, 0.5);
      expect(await statuses()).toEqual(['signed', 'active']);
      await advance(server, 0.05);
      expect(await statuses()).toEqual(['active', 'active']);
    } finally {
      await server.stop();
    }
  });
});

describe('several workers', () => {
  test('continue with half of a page when another process has changed its records twice', async () => {
    const first = await startLetting();
    const second = await startTestServer({
      connection: first.connection,
      secretKey: first.secretKey,
      overrides: { clock: lettingClock() },
    });
    try {
      const { accountId } = await addAccount(first);
      const { api, key } = await addKey(first, accountId, { permissions: allPermissions });
      const agency = new Agency(accountId, api);
      const { building } = await agency.unit();
      const ids: string[] = [];
      for (let number = 0; number < 8; number++) {
        const { id } = await agency.unit({ building });
        ids.push((await agency.signed(id, { ...company, start_date: startDay })).id);
      }
      const rival = apiClient(second.url, key);
      // How many tenancies each decision reads. The rival changes the first one of the earliest decisions after it was read.
      const sizes: number[] = [];
      let lossesLeft = 4;
      const { accounts, readRecord } = first.context;
      const changed = await breakDays(
        {
          ...first.context,
          accounts: {
            get(id) {
              sizes.push(0);
              return accounts.get(id);
            },
          },
          async readRecord(resource, owner, id) {
            const record = await readRecord(resource, owner, id);
            if (resource.path !== 'tenancies') return record;
            const isFirst = ++sizes[sizes.length - 1]! === 1;
            if (isFirst && lossesLeft-- > 0)
              await good(rival.post(`/v1/tenancies/${id}`, { metadata: { round: String(lossesLeft) } }));
            return record;
          },
        },
        AbortSignal.timeout(dawnMsMax),
      );
      // No decision of its own asks for the tree of the account.
      expect([changed, sizes.filter((size) => size > 0)]).toEqual([8, [8, 8, 4, 2, 1, 7]]);
      for (const id of ids) {
        const history = await agency.historyOf(id);
        expect(history.filter((type) => type === 'tenancy.activated')).toHaveLength(1);
      }
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  test('make each move once when they run at the same time, also while requests change the records', async () => {
    const first = await startLetting();
    const second = await startTestServer({
      connection: first.connection,
      secretKey: first.secretKey,
      overrides: { clock: lettingClock() },
    });
    try {
      const agency = await Agency.on(first);
      const unit = await agency.unit();
      const ids = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const { id } = await agency.draft((await agency.unit({ building: unit.building })).id, {
            start_date: startDay,
          });
          return (await agency.move('tenancies', id, 'sign', { signed_on: startDay })).id;
        }),
      );
      const updates = ids.map((id, number) =>
        good(agency.api.post(`/v1/tenancies/${id}`, { metadata: { number: String(number) } })),
      );
      const counts = await Promise.all([
        dawn(first),
        dawn(second),
        dawn(first),
        ...updates.map(async (u) => void (await u)),
      ]);
      expect((counts[0] ?? 0) + (counts[1] ?? 0) + (counts[2] ?? 0)).toBe(40);
      const { rows } = await first.context.database.readers.query<{ times: number }>(
        `select count(*)::int as times from events where type = 'tenancy.activated' group by object_id`,
      );
      expect(rows.map(({ times }) => times)).toEqual(ids.map(() => 1));
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});

function recordIds(count: number): { id: string }[] {
  return Array.from({ length: count }, () => ({ id: 'ten_1' }));
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultRules } from '../../../src/core/vocabulary/law-rules.ts';
import { rulesets } from '../../../src/law/index.ts';
import { TestClock } from '../../support/clock.ts';
import { expectRefusal, invalid, refusals, unknown } from '../../support/refusals.ts';
import { apiClient, good, startTestServer, type Api, type TestServer } from '../../support/server.ts';
import { addAccount, addKey, type Tenant } from '../../support/tenants.ts';
import { versions } from '../../support/versions.ts';

let server: TestServer;
const clock = new TestClock();

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
});
afterAll(() => server.stop());

async function newTenant(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: ['accounts.read', 'accounts.write', 'events.read'] });
}

async function idsOn(api: Api, path: string): Promise<string[]> {
  const { body } = await good(api.get(path));
  return body.checks.map(({ id }: { id: string }) => id);
}

describe('a ruleset', () => {
  test('has the checks in force on the day that is asked for', async () => {
    const all = rulesets.england.map(({ id }) => id);
    expect(await idsOn(server.api, '/v1/rulesets/england?on=2026-05-01')).toEqual(all);
    const protection = ['deposit_protection', 'deposit_information', 'deposit_return'];
    const caps = ['holding_cap', 'holding_single', 'holding_deadline', 'holding_retention', 'deposit_cap'];
    const fees = ['permitted_payment', 'late_interest', ...caps];
    expect(await idsOn(server.api, '/v1/rulesets/england?on=2026-04-30')).toEqual([
      'right_to_rent',
      ...fees,
      ...protection,
    ]);
    expect(await idsOn(server.api, '/v1/rulesets/england?on=2019-05-31')).toEqual(['right_to_rent', ...protection]);
    expect(await idsOn(server.api, '/v1/rulesets/england?on=2016-01-31')).toEqual(protection);
    expect(await idsOn(server.api, '/v1/rulesets/england?on=2012-04-05')).toEqual([]);
  });

  test('shows each check with its source and days', async () => {
    const { body } = await good(server.api.get('/v1/rulesets/england?on=2027-01-04'));
    expect(body).toMatchObject({ object: 'ruleset', id: 'england', on: '2027-01-04' });
    expect(body.checks[0]).toEqual({
      id: 'rent_stated',
      severity: 'error',
      applies_to: ['assured'],
      source: 'Renters’ Rights Act 2025 s56(2)',
      from: '2026-05-01',
      to: null,
      description: 'A unit on the market states its rent.',
    });
  });

  test('has the checks of today in the time zone of the account when no day is sent', async () => {
    const { api } = await newTenant();
    // 10:30 in London is the next day in Kiribati, and the day before in Niue.
    clock.advanceSeconds((86_400 + 10.5 * 3600 - (Math.floor(clock.nowMs() / 1000) % 86_400)) % 86_400);
    const utcDay = new Date(clock.nowMs()).toISOString().slice(0, 10);
    const days: string[] = [];
    for (const time_zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Niue']) {
      await good(api.post('/v1/account', { time_zone }));
      days.push((await good(api.get('/v1/rulesets/england'))).body.on);
    }
    const around = (shift: number) => new Date(clock.nowMs() + shift * 86_400_000).toISOString().slice(0, 10);
    expect(days).toEqual([utcDay, around(1), around(-1)]);
  });

  test('shows the law, and not what the account has made of it', async () => {
    const { api } = await newTenant();
    await good(api.post('/v1/account', { rules: { ruleset: 'none', checks: { rent_bid: 'off' } } }));
    const { body } = await good(api.get('/v1/rulesets/england?on=2027-01-04'));
    expect(body.checks.find(({ id }: { id: string }) => id === 'rent_bid').severity).toBe('error');
  });

  test('has no checks when its id is none', async () => {
    const { body } = await good(server.api.get('/v1/rulesets/none?on=2027-01-04'));
    expect(body).toEqual({ object: 'ruleset', id: 'none', on: '2027-01-04', checks: [] });
  });

  test('is readable with any key', async () => {
    const { accountId } = await addAccount(server);
    const { api } = await addKey(server, accountId, { permissions: [] });
    expect((await api.get('/v1/rulesets/england')).status).toBe(200);
    expectRefusal(await apiClient(server.url, '').get('/v1/rulesets/england'), refusals.keyMissing);
  });

  test.each(['wales', 'England', 'constructor', 'toString'])('is missing when its id is %s', async (id) => {
    expectRefusal(await server.api.get(`/v1/rulesets/${id}`), { ...refusals.idUnknown, says: 'england, none' });
  });

  test.each(['2027-02-29', 'today', '', '2027-1-1'])('refuses the day %j', async (on) => {
    expectRefusal(await server.api.get(`/v1/rulesets/england?on=${on}`), invalid('on'));
  });
});

describe('the rules of an account', () => {
  test('are those of England in London when nothing else is sent', async () => {
    const { api } = await newTenant();
    const { body } = await good(api.get('/v1/account'));
    expect([body.time_zone, body.rules]).toEqual(['Europe/London', defaultRules]);
    const child = await good(api.post('/v1/accounts', { name: 'A branch' }));
    expect([child.body.time_zone, child.body.rules]).toEqual(['Europe/London', defaultRules]);
  });

  test('are set when a connected account is created', async () => {
    const { api } = await newTenant();
    const sent = { name: 'A branch', time_zone: 'Europe/Dublin', rules: { checks: { pet_answer: 'off' } } };
    expect((await good(api.post('/v1/accounts', sent))).body).toMatchObject({
      time_zone: 'Europe/Dublin',
      rules: { ruleset: 'england', checks: { pet_answer: 'off' } },
    });
  });

  test('change only where they are sent, and null returns a check to its own severity', async () => {
    const { api } = await newTenant();
    const rulesAfter = async (rules: object) => (await good(api.post('/v1/account', { rules }))).body.rules;
    await rulesAfter({ checks: { rent_bid: 'warn', pet_answer: 'off' } });
    expect(await rulesAfter({ ruleset: 'none' })).toEqual({
      ruleset: 'none',
      checks: { rent_bid: 'warn', pet_answer: 'off' },
    });
    expect(await rulesAfter({ ruleset: 'england', checks: { rent_bid: null, right_to_rent: 'error' } })).toEqual({
      ruleset: 'england',
      checks: { pet_answer: 'off', right_to_rent: 'error' },
    });
  });

  test('leave an event that shows what they were', async () => {
    const { api } = await newTenant();
    const rules = { checks: { rent_bid: 'off' } };
    await good(api.post('/v1/account', { rules }));
    // The same rules again are no change.
    await good(api.post('/v1/account', { rules }));
    const { body: events } = await good(api.get('/v1/events?type=account.updated'));
    expect(events.data.map(({ data }: { data: object }) => data)).toEqual([
      {
        object: expect.objectContaining({ rules: { ruleset: 'england', checks: { rent_bid: 'off' } } }),
        previous_attributes: { rules: { checks: { rent_bid: null } } },
      },
    ]);
  });

  test.each([
    [{ rules: { checks: { rent_bit: 'off' } } }, { ...unknown('rules[checks][rent_bit]'), says: 'rent_bid' }],
    [{ rules: { checks: { rent_bid: 'never' } } }, invalid('rules[checks][rent_bid]')],
    [{ rules: { checks: { constructor: 'off' } } }, unknown('rules[checks][constructor]')],
    [{ rules: { ruleset: 'wales' } }, invalid('rules[ruleset]')],
    [{ rules: { rule: 'none' } }, unknown('rules[rule]')],
    [{ rules: null }, invalid('rules')],
    [{ time_zone: 'Europe/Londn' }, { ...invalid('time_zone'), says: 'Europe/London' }],
    [{ time_zone: '+01:00' }, invalid('time_zone')],
    [{ time_zone: '' }, invalid('time_zone')],
    [{ time_zone: null }, invalid('time_zone')],
  ])('refuse %j', async (body, refusal) => {
    const { api } = await newTenant();
    expectRefusal(await api.post('/v1/account', body), refusal);
  });

  test('change with the permission of accounts only', async () => {
    const { accountId } = await addAccount(server);
    const { api } = await addKey(server, accountId, { permissions: ['accounts.read'] });
    expectRefusal(await api.post('/v1/account', { rules: { ruleset: 'none' } }), refusals.permission);
  });

  test.each(versions)('are alike in version %s', async (version) => {
    const { api } = await newTenant();
    const { body } = await good(
      api.post('/v1/account', { time_zone: 'UTC', rules: { ruleset: 'none' } }, { 'service-version': version }),
    );
    expect([body.time_zone, body.rules]).toEqual(['UTC', { ruleset: 'none', checks: {} }]);
  });
});

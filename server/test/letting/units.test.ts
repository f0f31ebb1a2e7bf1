import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, type TestServer } from '../support/server.ts';
import { Agency, expectCode, rent, startDay, startLetting } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

describe('buildings', () => {
  test('deletes a building only when it has no units', async () => {
    const building = await agency.building();
    expect(building).toMatchObject({ jurisdiction: null, archived: false, address: { line2: null } });
    const [first, second] = [
      await agency.unit({ building: building.id }),
      await agency.unit({ building: building.id }),
    ];
    const path = `/v1/buildings/${building.id}`;
    const refused = await agency.api.delete(path);
    expectCode(refused, 'record_in_use');
    expect(refused.body.error.message).toContain('2 units');
    await good(agency.api.delete(`/v1/units/${first.id}`));
    expect((await agency.api.delete(path)).body.error.message).toContain('1 unit,');
    await good(agency.api.delete(`/v1/units/${second.id}`));
    await good(agency.api.delete(path));
    expectCode(await agency.api.post('/v1/units', { building: building.id, name: 'Flat 3' }), 'resource_missing', {
      param: 'building',
    });
  });

  test('refuses a country that is none', async () => {
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'QX' };
    expectCode(await agency.api.post('/v1/buildings', { name: 'Coppergate', address }), 'parameter_invalid', {
      param: 'address[country]',
    });
  });
});

describe('units', () => {
  test('requires a building of this account when a unit is created', async () => {
    const other = await (await Agency.on(server)).building();
    for (const building of [other.id, 'cus_0VbZq9aK00mT3cUuP8sXw4', 'house_7'])
      expectCode(await agency.api.post('/v1/units', { building, name: 'Flat 2' }), 'resource_missing', {
        param: 'building',
      });
    const { id } = await agency.unit();
    expectCode(await agency.api.post(`/v1/units/${id}`, { building: other.id }), 'parameter_unknown', {
      param: 'building',
    });
  });

  test.each([
    [{ bedrooms: 51 }, 'bedrooms'],
    [{ bedrooms: -1 }, 'bedrooms'],
    [{ max_occupants: 0 }, 'max_occupants'],
    [{ max_occupants: 101 }, 'max_occupants'],
    [{ type: 'castle' }, 'type'],
    [{ name: '' }, 'name'],
    [{ rent: { ...rent, amount: -1 } }, 'rent[amount]'],
    [{ rent: { ...rent, amount: 10_000_000_000 } }, 'rent[amount]'],
    [{ rent: { ...rent, currency: 'xyz' } }, 'rent[currency]'],
    [{ rent: { ...rent, interval: 'day' } }, 'rent[interval]'],
  ])('refuses %j when a unit is created', async (more, param) => {
    const { id: building } = await agency.building();
    const made = await agency.api.post('/v1/units', { name: 'Flat 2', ...more, building });
    expectCode(made, 'parameter_invalid', { param });
  });

  test('follows its tenancies when they are signed, ended and canceled', async () => {
    const { id } = await agency.unit();
    const path = `/v1/units/${id}`;
    const first = await agency.draft(id, { type: 'company', start_date: '2027-01-01', end_date: '2027-06-30' });
    expect(await agency.get('units', id)).toMatchObject({ status: 'available', tenancy: null, available_on: null });
    await agency.move('tenancies', first.id, 'sign', { signed_on: startDay });
    expect(await agency.get('units', id)).toMatchObject({
      status: 'let_agreed',
      tenancy: null,
      next_tenancy: first.id,
      available_on: '2027-07-01',
    });
    const second = await agency.signed(id, { start_date: '2027-08-01' });
    expect(await agency.get('units', id)).toMatchObject({ next_tenancy: first.id, available_on: null });
    expectCode(await agency.api.post(path, { archived: true }), 'record_in_use', { param: 'archived' });
    expectCode(await agency.api.delete(path), 'record_in_use');
    await agency.move('tenancies', first.id, 'cancel');
    expect(await agency.get('units', id)).toMatchObject({ status: 'let_agreed', next_tenancy: second.id });
    await agency.move('tenancies', second.id, 'cancel');
    expect(await agency.get('units', id)).toMatchObject({
      status: 'available',
      next_tenancy: null,
      available_on: null,
    });
    expect(await agency.historyOf(id)).toEqual([
      'unit.created',
      'unit.updated',
      'unit.let_agreed',
      'unit.updated',
      'unit.updated',
      'unit.updated',
      'unit.available',
    ]);
    await good(agency.api.post(path, { archived: true }));
    // It was never let.
    await good(agency.api.delete(path));
  });

  test('refuses tenancies when the unit is archived', async () => {
    const { id } = await agency.unit();
    const drafted = await agency.draft(id);
    await good(agency.api.post(`/v1/units/${id}`, { archived: true }));
    const body = { unit: id, customers: ['tenant_1'], start_date: '2027-02-01', rent };
    expectCode(await agency.api.post('/v1/tenancies', body), 'parameter_invalid', { param: 'unit' });
    const sign = `/v1/tenancies/${drafted.id}/sign`;
    expectCode(await agency.api.post(sign, { signed_on: startDay }), 'parameter_invalid', { param: 'unit' });
    await good(agency.api.post(`/v1/units/${id}`, { archived: false }));
    await good(agency.api.post(sign, { signed_on: startDay }));
  });

  test('takes the unit off the market when it is archived, and refuses to put it back', async () => {
    const { id } = await agency.unit({ on_market: true, rent });
    expect((await good(agency.api.post(`/v1/units/${id}`, { archived: true }))).body).toMatchObject({
      archived: true,
      on_market: false,
    });
    const refused = { param: 'on_market' };
    expectCode(await agency.api.post(`/v1/units/${id}`, { on_market: true }), 'parameters_exclusive', refused);
    const { building } = await agency.get('units', id);
    const made = { building, name: 'Flat 9', rent, on_market: true, archived: true };
    expectCode(await agency.api.post('/v1/units', made), 'parameters_exclusive', refused);
    const back = { archived: false, on_market: true };
    expect((await good(agency.api.post(`/v1/units/${id}`, back))).body).toMatchObject(back);
  });

  test('refuses to sign when the unit was deleted', async () => {
    const { id } = await agency.unit();
    const drafted = await agency.draft(id);
    await good(agency.api.delete(`/v1/units/${id}`));
    const signed = await agency.api.post(`/v1/tenancies/${drafted.id}/sign`, { signed_on: startDay });
    expectCode(signed, 'resource_missing', { param: 'unit' });
    await good(agency.api.post(`/v1/tenancies/${drafted.id}`, { start_date: '2027-03-01' }));
    await agency.move('tenancies', drafted.id, 'cancel');
  });

  test('lists by each filter', async () => {
    const own = await Agency.on(server);
    const { id } = await own.unit({ type: 'studio', on_market: true, rent });
    const other = await own.unit({ type: 'room', archived: true });
    const { building } = await own.get('units', id);
    const idsOf = async (query: string) =>
      (await good(own.api.get(`/v1/units?${query}`))).body.data.map((unit: { id: string }) => unit.id);
    expect(await idsOf(`building=${building}`)).toEqual([id]);
    expect(await idsOf('type=studio')).toEqual([id]);
    expect(await idsOf('on_market=true')).toEqual([id]);
    expect(await idsOf('archived=true')).toEqual([other.id]);
    expect(await idsOf('status=let_agreed')).toEqual([]);
    await own.signed(id);
    expect(await idsOf('status=let_agreed')).toEqual([id]);
    expect((await good(own.api.get(`/v1/units/${id}?expand=building,next_tenancy`))).body).toMatchObject({
      building: { id: building },
      next_tenancy: { status: 'signed' },
    });
  });
});

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Agency, expectCode, rent, startDay, startLetting, type Made } from './agency.ts';
import { good, type TestServer } from '../support/server.ts';

/* The day on which a tenant's notice can end. The tenancies begin on the 15th. */

let server: TestServer;
let agency: Agency;
let tenancy: Made;

beforeAll(async () => {
  server = await startLetting();
  return () => server.stop();
});

beforeEach(async () => {
  agency = await Agency.on(server);
  tenancy = await signed();
});

async function signed(more: object = {}): Promise<Made> {
  return agency.signed((await agency.unit()).id, { start_date: '2027-01-15', ...more });
}

function subscribe(more: object = {}): Promise<Made> {
  return agency.make('subscriptions', { tenancy: tenancy.id, anchor_day: 1, ...more });
}

/** Returns the warning about a tenant's notice that ends on this day, or null if it has none. */
async function warningOf(endsOn: string, more: object = {}): Promise<string | null> {
  const body = { by: 'tenant', served_on: startDay, ends_on: endsOn, ...more };
  const { checks } = await agency.move('tenancies', tenancy.id, 'give_notice', body);
  return checks.find(({ id }: Made) => id === 'tenant_notice')?.message ?? null;
}

test('a landlord’s notice on ground 1A waits for the first year of the tenancy', async () => {
  const path = `/v1/tenancies/${tenancy.id}/give_notice`;
  const body = { by: 'landlord', served_on: startDay, grounds: ['8', '1A'] };
  const early = await agency.api.post(path, { ...body, ends_on: '2028-01-13' });
  expectCode(early, 'check_failed', { check: 'landlord_notice', param: 'ends_on' });
  expect(early.body.error.message).toContain('2028-01-14 or later');
  await good(agency.api.post(path, { ...body, ends_on: '2028-01-14' }));
});

describe('a tenant’s notice', () => {
  test('is refused when it ends after the agreed last day', async () => {
    tenancy = await signed({ type: 'licence', end_date: '2027-07-14' });
    const path = `/v1/tenancies/${tenancy.id}/give_notice`;
    const body = { by: 'tenant', served_on: startDay };
    for (const more of [{}, { agreed_in_writing: true }]) {
      const late = await agency.api.post(path, { ...body, ...more, ends_on: '2027-07-15' });
      expectCode(late, 'parameter_invalid', { param: 'ends_on' });
      expect(late.body.error.message).toContain('2027-07-14');
    }
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ status: 'signed', end_date: '2027-07-14' });
    expect((await good(agency.api.post(path, { ...body, ends_on: '2027-07-14' }))).body.end_date).toBe('2027-07-14');
  });

  test('is refused after a landlord’s notice, too, when it ends after the agreed last day', async () => {
    tenancy = await signed({ type: 'licence', end_date: '2027-07-14' });
    await agency.move('tenancies', tenancy.id, 'give_notice', {
      by: 'landlord',
      served_on: startDay,
      ends_on: '2027-05-31',
    });
    const path = `/v1/tenancies/${tenancy.id}/give_notice`;
    const late = await agency.api.post(path, { by: 'tenant', served_on: startDay, ends_on: '2027-07-15' });
    expectCode(late, 'parameter_invalid', { param: 'ends_on' });
  });

  test('leaves room for an agreement when both sides agree on a later day', async () => {
    tenancy = await signed({ type: 'licence', end_date: '2027-07-14' });
    const body = { by: 'mutual', served_on: startDay, ends_on: '2027-08-14' };
    expect((await agency.move('tenancies', tenancy.id, 'give_notice', body)).end_date).toBe('2027-08-14');
  });

  test('ends with a period of the rent subscription when the rent has one', async () => {
    await subscribe();
    expect(await warningOf('2027-03-31')).toBeNull();
  });

  test('ends on the rent day, too, and on no day around these two', async () => {
    await subscribe();
    expect(await warningOf('2027-04-01')).toBeNull();
    for (const day of ['2027-03-30', '2027-04-02']) {
      tenancy = await signed();
      await subscribe();
      expect(await warningOf(day)).toContain('ends with a rent period or on the next rent day');
    }
  });

  test('gets the end of a period of the rent subscription as advice when it ends on another day', async () => {
    await subscribe();
    // The last day of a month that counts from the 15th.
    expect(await warningOf('2027-03-14')).toContain('The next such day is 2027-03-31.');
  });

  test('ends with a period that counts from the first day when no rent subscription is live', async () => {
    await subscribe({ type: 'service', amount: 1_000, line_type: 'utility' });
    const { id } = await subscribe({ start_date: '2027-02-01' });
    expect(await agency.move('subscriptions', id, 'cancel')).toMatchObject({ status: 'ended' });
    expect(await warningOf('2027-03-14')).toBeNull();
  });

  test('ends with a period of the rent subscription when that begins later', async () => {
    await subscribe({ start_date: '2027-04-10' });
    expect(await warningOf('2027-02-28', { agreed_in_writing: true })).toBeNull();
  });

  test('ends with a week of the rent subscription when the rent is paid by the week', async () => {
    // The first day is a Friday, and the weeks of the rent begin on Mondays.
    tenancy = await signed({ rent: { ...rent, interval: 'week', interval_count: 2 } });
    await subscribe();
    expect(await warningOf('2027-03-11')).toContain('The next such day is 2027-03-14.');
  });
});

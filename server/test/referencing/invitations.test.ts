import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { good, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { eventsOf, quickly, refer, referenceNow, untilReference } from './scenario.ts';
import { giveCredentials, startVendor, type TestVendor } from './vendor.ts';

/* A person's e-mail address changes while a service checks the person. */

describe('simulated services', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer(quickly);
    api = server.api;
  });

  afterAll(() => server.stop());

  const bounced = { automatic_reference: { last_error: expect.stringMatching(/^invite_bounced: /) } };

  async function personChecked(how: Parameters<typeof refer>[1]): Promise<{ person: string; id: string }> {
    const { id: person } = (await good(api.post('/v1/customers', { name: 'Ada Lovelace', email: 'ada@old.example' })))
      .body;
    return { person, id: (await refer(api, { customer: person, ...how })).id };
  }

  const changeEmail = (person: string, email: string) => good(api.post(`/v1/customers/${person}`, { email }));

  test.each(['provider_a', 'provider_c'])(
    'send the invitation again, and complete the check, when the address of a person is corrected at %s',
    async (provider) => {
      const { person, id } = await personChecked({ provider, simulate: 'invite_bounced' });
      const stuck = await untilReference(api, id, bounced);
      expect(stuck.automatic_reference.last_error).toContain(
        'Correct the e-mail address of the person. The service then sends the invitation there.',
      );
      await changeEmail(person, 'ada@new.example');
      await untilReference(api, id, { automatic_reference: { last_error: null } });
      await untilReference(api, id, { status: 'complete', outcome: 'accept' });
      const cleared = (await eventsOf(api, id)).filter(
        ({ data }) => data.previous_attributes?.automatic_reference?.last_error,
      );
      expect(cleared).toMatchObject([{ type: 'reference.updated', request: { actor: { type: 'system' } } }]);
    },
  );

  test('send one invitation to each address when the same address is written again', async () => {
    const { person, id } = await personChecked({ simulate: 'invite_bounced' });
    await untilReference(api, id, bounced);
    await changeEmail(person, 'ada@new.example');
    await changeEmail(person, 'ada@new.example');
    await good(api.post(`/v1/customers/${person}`, { phone: '+44 1904 555 0123' }));
    const { automatic_reference: automatic } = await untilReference(api, id, { status: 'complete' });
    const again = automatic.provider_data.provider_a.notes.filter(({ message }: { message: string }) =>
      message.includes('invited again'),
    );
    expect(again).toHaveLength(1);
  });

  test('say what else to do when a service cannot send an invitation to another address', async () => {
    const { person, id } = await personChecked({ provider: 'provider_d', simulate: 'invite_bounced' });
    const stuck = await untilReference(api, id, bounced);
    expect(stuck.automatic_reference.last_error).toContain(
      'This service sends no invitation to another address. Choose another service, or make the check by hand.',
    );
    await changeEmail(person, 'ada@new.example');
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 60 }));
    await untilReference(api, id, bounced);
    await good(
      api.post(`/v1/references/${id}`, { automatic_reference: { provider: 'provider_b' }, metadata: { simulate: '' } }),
    );
    await untilReference(api, id, { status: 'complete', automatic_reference: { provider: 'provider_b' } });
  });
});

describe("the test's own service", () => {
  let vendor: TestVendor;
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    vendor = await startVendor();
    server = await startTestServer({
      ...quickly,
      settings: { ...quickly.settings, TENURE_PROVIDER_A_URL: vendor.url },
    });
    api = server.api;
    await giveCredentials(api);
  });

  beforeEach(() => {
    vendor.release();
    vendor.stage = 'IN_PROGRESS';
    vendor.answers.length = 0;
  });

  afterAll(async () => {
    await server.stop();
    await vendor.stop();
  });

  async function newPerson(): Promise<string> {
    return (await good(api.post('/v1/customers', { name: 'Ada Lovelace', email: 'first@example.org' }))).body.id;
  }

  const changeEmail = (person: string, email: string | null) => good(api.post(`/v1/customers/${person}`, { email }));

  async function untilTold(id: string, emails: (string | null)[]): Promise<void> {
    await expect.poll(() => vendor.emails.get(id), { interval: 20 }).toEqual(emails);
  }

  test('is told of the new address of every open check, and of no other', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const open = await Promise.all([refer(api, { customer: person }), refer(api, { customer: person })]);
    const ended = await refer(api, { customer: person });
    const ofOther = await refer(api, { customer: other });
    const byHand = await refer(api, { customer: person });
    for (const { id } of [...open, ended, ofOther, byHand]) await untilReference(api, id, { status: 'processing' });
    await good(api.post(`/v1/references/${ended.id}/cancel`));
    await good(api.post(`/v1/references/${byHand.id}`, { automatic_reference: { enabled: false } }));
    await changeEmail(person, 'second@example.org');
    for (const { id } of open) await untilTold(id, ['first@example.org', 'second@example.org']);
    await changeEmail(person, null);
    await changeEmail(person, 'third@example.org');
    for (const { id } of open) await untilTold(id, ['first@example.org', 'second@example.org', 'third@example.org']);
    for (const { id } of [ended, ofOther, byHand]) expect(vendor.emails.get(id)).toEqual(['first@example.org']);
  });

  test('is told right after the order when the address changes while the order is being made', async () => {
    const person = await newPerson();
    vendor.hold('order');
    const { id } = await refer(api, { customer: person });
    await expect.poll(() => vendor.held, { interval: 10 }).toBe(1);
    await changeEmail(person, 'second@example.org');
    vendor.release();
    await untilTold(id, ['first@example.org', 'second@example.org']);
  });

  test('is told the last address when another change comes during the call', async () => {
    const person = await newPerson();
    const { id } = await refer(api, { customer: person });
    await untilReference(api, id, { status: 'processing' });
    vendor.hold('applicant-email');
    await changeEmail(person, 'second@example.org');
    await expect.poll(() => vendor.held, { interval: 10 }).toBe(1);
    await changeEmail(person, 'third@example.org');
    vendor.release();
    await untilTold(id, ['first@example.org', 'second@example.org', 'third@example.org']);
  });

  test('is told again, and the reference shows why not yet, when the service fails', async () => {
    const person = await newPerson();
    const { id } = await refer(api, { customer: person });
    await untilReference(api, id, { status: 'processing' });
    vendor.answers.push({ kind: 'applicant-email', status: 500 });
    await changeEmail(person, 'second@example.org');
    const failed = await untilReference(api, id, {
      automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
    });
    expect(failed.automatic_reference.last_error).toContain('The server asks the service again by itself.');
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 10 }));
    await untilTold(id, ['first@example.org', 'second@example.org']);
    await untilReference(api, id, { automatic_reference: { last_error: null } });
    expect((await referenceNow(api, id)).status).toBe('processing');
  });

  test('gets the order with the new address, and no second call, when the address changes before the order', async () => {
    const person = await newPerson();
    vendor.answers.push({ kind: 'order', status: 422 });
    const { id } = await refer(api, { customer: person });
    await untilReference(api, id, { automatic_reference: { last_error: expect.stringMatching(/^refused: /) } });
    await changeEmail(person, 'second@example.org');
    await expect
      .poll(
        async () =>
          good(api.post('/v1/test_helpers/clock/advance', { seconds: 5 })).then(() => vendor.emails.get(id)?.[0]),
        { interval: 200 },
      )
      .toBe('second@example.org');
    // The first attempt may have made an order with the former address. So the service is told, which changes nothing.
    await expect.poll(() => new Set(vendor.emails.get(id))).toEqual(new Set(['second@example.org']));
  });
});

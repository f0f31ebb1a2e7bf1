import { afterAll, beforeAll, test } from 'vitest';
import { Agency } from '../letting/agency.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { expectInvalid, Renter } from './renter.ts';

let server: TestServer;
/** A second process of the same deployment. It caches sessions as long as in production. */
let second: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startTestServer({ realFreshness: true });
  second = await startTestServer({ realFreshness: true, connection: server.connection });
  agency = await Agency.on(server);
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

test.each([
  ['a key ends it', (renter: Renter) => agency.api.post(`/v1/portal_sessions/${renter.sessionId}/end`)],
  ['the person ends it', (renter: Renter) => renter.post('end')],
  [
    'the address of its link is corrected',
    (renter: Renter) => agency.api.post(`/v1/customers/${renter.customerId}`, { email: 'grace@example.com' }),
  ],
  ['the person is erased', (renter: Renter) => agency.api.delete(`/v1/customers/${renter.customerId}`)],
])('has ended a session in each process with the response when %s', async (_, act) => {
  const person = await agency.make('customers', { name: 'Grace Hopper', email: 'wrong@example.com' });
  const renter = await Renter.of(agency, server, person.id, { send_email: true });
  const processes = [renter, renter.at(second)];
  for (const one of processes) await good(one.get('me'));
  await good(act(renter));
  for (const one of processes) expectInvalid(await one.get('me'));
});

test('responds at once when an address changes to which no link was sent', async () => {
  const person = await agency.make('customers', { name: 'Grace Hopper', email: 'wrong@example.com' });
  const renter = await Renter.of(agency, server, person.id);
  await good(renter.get('me'));
  await good(agency.api.post(`/v1/customers/${person.id}`, { email: 'grace@example.com' }));
  await good(renter.get('me'));
});

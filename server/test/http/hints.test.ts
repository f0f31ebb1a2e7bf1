import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal, invalid, refusals, unknown, type Refusal } from '../support/refusals.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/* Error messages name the true fault and what to do. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test.each(['', 'x', 'ada@', '@example.org'])(
  'says that %j is not an e-mail address when it is sent as one',
  async (email) => {
    const answer = await server.api.post('/v1/customers', { name: 'Ada', email });
    expectRefusal(answer, { ...invalid('email'), says: 'must be an e-mail address' });
  },
);

test('says what a filter accepts when it gets another value', async () => {
  const answer = await server.api.get('/v1/customers?email=x');
  expectRefusal(answer, { ...invalid('email'), says: 'up to 255 characters such as ada@example.org' });
});

test('says that a country is not a code when its pattern does not match', async () => {
  const address = { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1', country: 'gb' };
  const answer = await server.api.post('/v1/customers', { name: 'Ada', addresses: [address] });
  expectRefusal(answer, { ...invalid('addresses[0][country]'), says: 'ISO 3166-1' });
});

const nowhere = 'There is no path `/v1/nope`. See `/docs` for all paths.';

test.each<[string, string, Refusal]>([
  ['no path below /v1 is like it', '/v1/nope', { ...refusals.routeUnknown, says: nowhere }],
  [
    'the path is outside of /v1',
    '/nope',
    { ...refusals.routeUnknown, says: 'Every path of the API starts with `/v1/`.' },
  ],
  ['the path is misspelt', '/v1/referenses', { ...refusals.routeUnknown, says: 'Did you mean `/v1/references`?' }],
  [
    'a stream is resumed after a reference',
    '/v1/events/stream?after=ref_1',
    { ...invalid('after'), says: 'the id of an event,' },
  ],
  [
    'a list is asked for an unknown link',
    '/v1/references?expand=data.custmer',
    { ...invalid('expand'), says: '`data.customer`' },
  ],
  [
    'a record is asked for an unknown link',
    '/v1/references/ref_1?expand=custmer',
    { ...invalid('expand'), says: '`customer`' },
  ],
  [
    'a list is asked for an unknown link of a linked record',
    '/v1/references?expand=data.application.custmers',
    { ...invalid('expand'), says: '`data.application.customers`' },
  ],
])('names the accepted values when %s', async (_name, path, refusal) => {
  expectRefusal(await server.api.get(path), refusal);
});

test.each([
  [{ postcode: 'LS1' }, 'addresses[0][postcode]', 'addresses[0][postal_code]'],
  [{ line1: '1 High Street', city: 'Leeds', postcode: 'LS1', country: 'GB' }, 'addresses[0][postcode]', 'postal_code'],
  [{ citty: 'Leeds' }, 'addresses[0][citty]', 'addresses[0][city]'],
])('names the misspelt member when others are missing: %j', async (address, param, meant) => {
  const answer = await server.api.post('/v1/customers', { name: 'Ada', addresses: [address] });
  expectRefusal(answer, { ...unknown(param), says: meant });
  expect(answer.body.error.message).toContain('Did you mean');
});

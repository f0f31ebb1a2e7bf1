import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  ({ api } = await addAccount(server));
});

afterAll(() => server.stop());

const address = { line1: '4 Stonegate', city: 'York', postal_code: 'YO1 8AS', country: 'GB' };
const bank = { account_name: 'Client Account', sort_code: '20-00-00', account_number: '5577 9911' };
const letterhead = { name: 'Northern Homes Ltd', address, bank };

function update(sent: unknown): Promise<ApiResponse> {
  return api.post('/v1/account', { letterhead: sent });
}

test('stores numbers in one form, with null for what was left out', async () => {
  const { body } = await good(
    update({ ...letterhead, bank: { ...bank, iban: 'gb33 bukb 2020 1555 5555 55', bic: 'bukbgb22' } }),
  );
  const stored = {
    name: 'Northern Homes Ltd',
    address: { ...address, line2: null },
    email: null,
    phone: null,
    registration: null,
    bank: {
      account_name: 'Client Account',
      bank_name: null,
      sort_code: '200000',
      account_number: '55779911',
      iban: 'GB33BUKB20201555555555',
      bic: 'BUKBGB22',
    },
    logo: null,
    brand_color: null,
  };
  expect(body.letterhead).toEqual(stored);
  expect((await good(api.get('/v1/account'))).body.letterhead).toEqual(stored);
});

test('replaces the letterhead as a whole, keeps it when it is left out, and removes it with null', async () => {
  await good(update(letterhead));
  const { body: other } = await good(update({ name: 'Ouse', address }));
  expect(other.letterhead).toMatchObject({ name: 'Ouse', bank: null });
  expect((await good(api.post('/v1/account', { name: 'Agency' }))).body.letterhead).toEqual(other.letterhead);
  expect((await good(update(null))).body.letterhead).toBeNull();
});

test('comes with a new connected account', async () => {
  const { body } = await good(server.api.post('/v1/accounts', { name: 'Ouse', letterhead }));
  expect(body.letterhead).toMatchObject({ name: 'Northern Homes Ltd', bank: { sort_code: '200000' } });
});

test.each<[string, string, unknown]>([
  ['a name that is missing', 'name', { address }],
  ['an address that is missing', 'address', { name: 'Ouse' }],
  ['a name of two lines', 'name', { ...letterhead, name: 'Northern\nHomes' }],
  ['a name of 501 characters', 'name', { ...letterhead, name: 'x'.repeat(501) }],
  ['an unknown country', 'address][country', { ...letterhead, address: { ...address, country: 'UK' } }],
  ['an unknown member', 'fax', { ...letterhead, fax: '1' }],
  ['an e-mail address without a dot', 'email', { ...letterhead, email: 'rent@northern' }],
  ['a sort code of five digits', 'bank][sort_code', { ...letterhead, bank: { ...bank, sort_code: '20-00-0' } }],
  [
    'an account number of seven digits',
    'bank][account_number',
    { ...letterhead, bank: { ...bank, account_number: '5577991' } },
  ],
  [
    'an account number with a slash',
    'bank][account_number',
    { ...letterhead, bank: { ...bank, account_number: '55/79911' } },
  ],
  ['a wrong digit of an IBAN', 'bank][iban', { ...letterhead, bank: { ...bank, iban: 'GB33BUKB20201555555556' } }],
  ['an IBAN that is a digit short', 'bank][iban', { ...letterhead, bank: { ...bank, iban: 'GB33BUKB2020155555555' } }],
  ['two changed places of an IBAN', 'bank][iban', { ...letterhead, bank: { ...bank, iban: 'GB33BUKB20205155555555' } }],
  ['a short BIC', 'bank][bic', { ...letterhead, bank: { ...bank, bic: 'BUKBGB2' } }],
  ['a bank account without a number', 'bank', { ...letterhead, bank: { account_name: 'Client Account' } }],
  ['no name of the bank account', 'bank][account_name', { ...letterhead, bank: { account_number: '1' } }],
])('refuses %s, and changes nothing', async (_, param, sent) => {
  const before = (await good(api.get('/v1/account'))).body;
  const refused = await update(sent);
  expect([refused.status, refused.body.error.param], refused.text).toEqual([400, `letterhead[${param}]`]);
  expect((await good(api.get('/v1/account'))).body).toEqual(before);
});

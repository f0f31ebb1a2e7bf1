import { formOf } from '../../../server/test/support/files.ts';
import { good, type TestServer } from '../../../server/test/support/server.ts';

/** A person with something on every page of the portal. */
export interface Renter {
  customer: string;
  application: string;
  tenancy: string;
  deposit: string;
}

const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };

type Make = (path: string, body: object) => Promise<string>;

function makerOf({ api }: TestServer): Make {
  return async (path, body) => (await good(api.post(path, body))).body.id;
}

let counter = 0;

/** Makes a home. */
export async function makeHome(server: TestServer): Promise<string> {
  const make = makerOf(server);
  const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
  const building = await make('/v1/buildings', { name: 'Coppergate', address });
  return make('/v1/units', { building, name: `Flat ${++counter}`, rent });
}

/** Makes an application of a person with George Byron. */
export async function makeApplication(server: TestServer, customer: string): Promise<string> {
  const make = makerOf(server);
  const george = await make('/v1/customers', { name: 'George Byron' });
  const unit = await makeHome(server);
  return make('/v1/applications', { customers: [customer, george], unit, rent, move_in_date: '2027-01-31' });
}

/** Lets a home to a person and Mary Shelley. The first bill is not paid. */
export async function makeTenancy(server: TestServer, customer: string, start = '2026-06-01'): Promise<string> {
  const make = makerOf(server);
  const mary = await make('/v1/customers', { name: 'Mary Shelley' });
  const unit = await makeHome(server);
  const terms = { unit, customers: [customer, mary], start_date: start, rent };
  const tenancy = await make('/v1/tenancies', terms);
  await good(server.api.post(`/v1/tenancies/${tenancy}/sign`, { signed_on: '2026-05-01' }));
  return tenancy;
}

/** Makes a person whose pages are all full. */
export async function makeRenter(server: TestServer): Promise<Renter> {
  const { api } = server;
  const make = makerOf(server);
  const customer = await make('/v1/customers', {
    name: 'Ada Lovelace',
    email: `ada.${++counter}@example.com`,
    addresses: [{ line1: '1 Old Street', city: 'Leeds', postal_code: 'LS1 1AA', country: 'GB', from: '2019-02-01' }],
  });
  const application = await makeApplication(server, customer);
  await make('/v1/references', { application, customer, automatic_reference: null });
  const refused = await makeApplication(server, customer);
  await good(api.post(`/v1/applications/${refused}/reject`, { reasons: ['affordability', 'landlord_reference'] }));
  // A guarantor of another person's application.
  const other = await makeApplication(server, await make('/v1/customers', { name: 'Percy Shelley' }));
  await make('/v1/guarantors', { application: other, customer, limit: { amount: 500_000, currency: 'gbp' } });
  const tenancy = await makeTenancy(server, customer);
  const deposit = await make('/v1/deposits', { type: 'tenancy', tenancy, amount: 109_615, payer: customer });
  await make('/v1/payments', { deposit, amount: 109_615, method: 'bank_transfer', received_on: '2026-05-02' });
  const certificate = { scheme: 'dps_custodial', scheme_reference: 'D1', protected_on: '2026-05-03' };
  await good(api.post(`/v1/deposits/${deposit}/protect`, certificate));
  await good(api.post(`/v1/deposits/${deposit}/give_information`, { given_on: '2026-05-04' }));
  const deductions = [{ amount: 4_500, reason: 'cleaning', description: 'The oven was left dirty.' }];
  await good(api.post(`/v1/deposits/${deposit}/propose_release`, { deductions }));
  for (const [description, day] of [
    ['Rent of June', '2026-06-01'],
    ['Rent of July', '2026-07-01'],
  ]) {
    const lines = [{ type: 'rent', description, amount: 95_000 }];
    await make('/v1/invoices', { tenancy, lines, due_on: day, finalize: true });
  }
  const came = { method: 'standing_order', received_on: '2026-06-01', reference: 'RENT 2', customer };
  await make('/v1/payments', { tenancy, amount: 95_000, ...came });
  const asking = { customer, description: 'One cat, five years old.' };
  await good(api.post(`/v1/tenancies/${tenancy}/request_pet`, asking));
  const question = { number: 1, answer: 'information_asked', reason: 'Is the cat neutered?' };
  await good(api.post(`/v1/tenancies/${tenancy}/answer_pet`, question));
  await sendFile(server, customer);
  return { customer, application, tenancy, deposit };
}

/** Gives the account a letterhead, so that the pages name the agent. */
export async function nameAgent({ api }: TestServer): Promise<void> {
  const letterhead = {
    name: 'Ouse Lettings',
    address: { line1: '1 Bridge Street', city: 'York', postal_code: 'YO1 6DD', country: 'GB' },
    email: 'hello@ouse.example',
    phone: '01904 555 0123',
  };
  await good(api.post('/v1/account', { letterhead }));
}

/** Sends a file as the person does. */
async function sendFile({ api, url }: TestServer, customer: string): Promise<void> {
  const { body: session } = await good(api.post('/v1/portal_sessions', { customer }));
  const token = new URL(session.url).hash.slice(1);
  const headers = { 'content-type': 'application/json' };
  const opened = await fetch(`${url}/v1/portal/open`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const { session_token: bearer } = (await opened.json()) as { session_token: string };
  const sent = await fetch(`${url}/v1/portal/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: formOf({ purpose: 'identity_document' }, undefined, 'passport.pdf'),
  });
  if (!sent.ok) throw new Error(await sent.text());
}

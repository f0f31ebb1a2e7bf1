import { formOf } from '../../../server/test/support/files.ts';
import { good, type TestServer } from '../../../server/test/support/server.ts';

/** An office with one flat, its applicants, and their application. */
export interface Office {
  unit: string;
  ada: string;
  grace: string;
  application: string;
}

let counter = 0;

/** Makes people of their own for a test, so that tests of one server do not meet. */
export async function makeOffice({ api }: TestServer): Promise<Office> {
  const make = async (path: string, body: object): Promise<string> => (await good(api.post(path, body))).body.id;
  const number = ++counter;
  const address = { line1: '84 Micklegate', city: 'York', postal_code: 'YO1 6LF', country: 'GB' };
  const building = await make('/v1/buildings', { name: 'Micklegate House', address });
  const rent = { amount: 129_500, currency: 'gbp', interval: 'month' };
  const unit = await make('/v1/units', { building, name: `Flat ${number}`, rent });
  const person = (name: string): Promise<string> =>
    make('/v1/customers', {
      name: `${name}${number}`,
      email: `${name.toLowerCase().replace(' ', '.')}.${number}@example.org`,
      date_of_birth: '1990-12-10',
    });
  const [ada, grace] = [await person('Ada Lovelace'), await person('Grace Hopper')];
  const application = await make('/v1/applications', {
    customers: [ada, grace],
    unit,
    rent,
    move_in_date: '2027-01-31',
  });
  return { unit, ada, grace, application };
}

/** Orders a check by a simulated service that plays a script. */
export async function orderCheck(
  { api }: TestServer,
  { application, ada }: Office,
  script = 'accept',
  provider: string | null = 'provider_a',
): Promise<string> {
  const order = {
    application,
    customer: ada,
    ...(provider !== null && { automatic_reference: { provider }, metadata: { simulate: script } }),
  };
  return (await good(api.post('/v1/references', order))).body.id;
}

/** Lets the simulated service act. */
export async function play({ api }: TestServer, check: string, helper: string, body: object = {}): Promise<void> {
  await good(api.post(`/v1/test_helpers/references/${check}/${helper}`, body));
}

/** A let home whose tenant owes rent. Its deposit is not protected. */
export interface Let {
  building: string;
  home: string;
  tenancy: string;
  bill: string;
  deposit: string;
}

/** Lets a home to one tenant. The first bill is not paid. */
export async function makeLet({ api }: TestServer): Promise<Let> {
  const make = async (path: string, body: object): Promise<string> => (await good(api.post(path, body))).body.id;
  const number = ++counter;
  const address = { line1: '22 Fishergate', city: 'York', postal_code: 'YO10 4AB', country: 'GB' };
  const building = await make('/v1/buildings', { name: 'Fishergate Court', address });
  const rent = { amount: 98_500, currency: 'gbp', interval: 'month' };
  const home = await make('/v1/units', { building, name: `Flat ${number}`, rent });
  const tenant = await make('/v1/customers', { name: `Marek Nowak${number}`, phone: '01904 555 0123' });
  const terms = { unit: home, customers: [tenant], start_date: '2026-06-01', rent };
  const tenancy = await make('/v1/tenancies', terms);
  await good(api.post(`/v1/tenancies/${tenancy}/sign`, { signed_on: '2026-05-01' }));
  const deposit = await make('/v1/deposits', { type: 'tenancy', tenancy, amount: 113_600 });
  const lines = [{ type: 'rent', description: 'Rent of June', amount: 98_500 }];
  const bill = await make('/v1/invoices', { tenancy, lines, due_on: '2026-06-01', finalize: true });
  return { building, home, tenancy, bill, deposit };
}

/** An office whose pages all have something to show. */
export interface FullOffice extends Office, Let {
  guarantor: string;
  byHand: string;
  finished: string;
  refused: string;
  file: string;
  payment: string;
  charge: string;
}

/** Makes an office with a guarantor, two checks, a report and a refusal. */
export async function makeFullOffice(server: TestServer): Promise<FullOffice> {
  const { api } = server;
  const office = await makeOffice(server);
  const make = async (path: string, body: object): Promise<string> => (await good(api.post(path, body))).body.id;
  const frank = await make('/v1/customers', { name: 'Frank Raman', email: 'frank@example.org' });
  const guarantor = await make('/v1/guarantors', { application: office.application, customer: frank });
  const byHand = await orderCheck(server, office, 'accept', null);
  const upload = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}` },
    body: formOf(),
  });
  const { id: file } = (await upload.json()) as { id: string };
  const finished = await orderCheck(server, { ...office, ada: office.grace }, 'accept', null);
  await good(api.post(`/v1/references/${finished}`, { outcome: 'accept', reference_pdf: file }));
  const { application: refused } = await makeOffice(server);
  await good(api.post(`/v1/applications/${refused}/reject`, { reasons: ['affordability'], note: 'Half of it.' }));
  await good(api.post(`/v1/applications/${refused}/request_review`, { message: 'We earn more now.' }));
  const home = await makeLet(server);
  const { tenancy } = home;
  const came = { method: 'standing_order', received_on: '2026-06-20', reference: 'RENT 5' };
  const payment = await make('/v1/payments', { tenancy, amount: 10_000, ...came });
  const charge = await make('/v1/subscriptions', { tenancy, start_date: '2036-06-01' });
  return { ...office, ...home, guarantor, byHand, finished, refused, file, payment, charge };
}

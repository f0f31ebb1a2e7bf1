import { errorMessage } from '../core/errors.ts';
import { readConfig } from '../server/config.ts';
import { makeAnotherKey } from '../server/first-account.ts';
import { withContext } from './with-context.ts';
import { readArguments } from './arguments.ts';

const help = `npm run seed

Fills a running sandbox with the records of a letting agency: customers, applications, references in every state, a file and a webhook
endpoint. A second run within 24 hours of its clock makes nothing twice.
`;

type Body = Record<string, unknown>;

/** Sends a POST, and returns the response. `name` becomes its idempotency key. */
type Post = (name: string, path: string, body: Body | FormData) => Promise<Body & { id: string }>;

/** `npm run seed`: makes the records with a key of its own, and revokes that. */
async function main(): Promise<void> {
  readArguments(help);
  const config = readConfig(process.env);
  if (config.mode !== 'sandbox') throw new Error('Only a sandbox is filled: TENURE_MODE is live.');
  const url = `http://${config.host}:${config.port}`;
  await fetch(`${url}/healthz`).catch(() => {
    throw new Error(`No server answers at ${url}. Start one with \`npm start\`, with the same settings.`);
  });
  const key = await withContext(makeAnotherKey);
  try {
    await fillAgency(postTo(url, key));
  } finally {
    await revoke(url, key);
  }
  process.stdout.write(
    `The agency is there. List its references: curl ${url}/v1/references -H "Authorization: Bearer sk_test_…"\n`,
  );
}

/** Makes what an agency has after its first weeks. */
async function fillAgency(post: Post): Promise<void> {
  const customer = async (index: number, firstName: string, lastName: string): Promise<string> => {
    const name = `${firstName} ${lastName}`;
    const email = `${firstName.toLowerCase()}@example.org`;
    const phone = `+44 1904 555 01${20 + index}`;
    const addresses = [{ line1: `${12 + index} Coppergate`, city: 'York', postal_code: 'YO1 9NR', country: 'GB' }];
    const body = { name, email, phone, date_of_birth: `19${80 + index}-12-10`, addresses };
    return (await post(`customer ${index}`, '/v1/customers', body)).id;
  };
  const ada = await customer(0, 'Ada', 'Lovelace');
  const grace = await customer(1, 'Grace', 'Hopper');
  const mary = await customer(2, 'Mary', 'Somerville');
  const alan = await customer(3, 'Alan', 'Turing');
  const emmy = await customer(4, 'Emmy', 'Noether');
  const george = await customer(5, 'George', 'Boole');

  const application = async (unit: string, people: string[], pounds: number, moveIn: string): Promise<string> => {
    const rent = { amount: pounds * 100, currency: 'gbp', interval: 'month' };
    const body = { customers: people, unit, rent, move_in_date: moveIn };
    return (await post(`application ${unit}`, '/v1/applications', body)).id;
  };
  const flat12 = await application('flat_12', [ada, grace], 1_250, '2027-01-31');
  const house3 = await application('house_3', [mary, alan], 1_800, '2027-02-15');
  const studio7 = await application('studio_7', [emmy], 795, '2027-03-01');
  const flat4 = await application('flat_4', [george], 950, '2027-01-15');

  await fillReferences(post, { flat12, house3, studio7, flat4, ada, grace, mary, alan, emmy, george });

  // Disabled, so that nothing is sent to a stranger.
  await post('endpoint', '/v1/webhook_endpoints', {
    url: 'https://example.org/tenure/webhooks',
    description: 'Letting back office',
    enabled_events: ['reference.*', 'application.updated'],
    status: 'disabled',
  });
}

type Ids = Record<
  'flat12' | 'house3' | 'studio7' | 'flat4' | 'ada' | 'grace' | 'mary' | 'alan' | 'emmy' | 'george',
  string
>;

/** Makes a reference in each state: carried out by the agency, or by a simulated referencing service. */
async function fillReferences(post: Post, ids: Ids): Promise<void> {
  const byHand = async (name: string, application: string, customer: string): Promise<string> =>
    (await post(`reference ${name}`, '/v1/references', { application, customer })).id;
  const automatic = async (
    name: string,
    [application, customer]: [string, string],
    provider: string,
    simulate: string,
  ): Promise<string> => {
    const body = { application, customer, automatic_reference: { provider }, metadata: { simulate } };
    return (await post(`reference ${name}`, '/v1/references', body)).id;
  };
  const helper = (id: string, action: string, body: Body = {}): Promise<Body> =>
    post(`${action} ${id}`, `/v1/test_helpers/references/${id}/${action}`, body);

  await byHand('pending', ids.flat12, ids.grace);
  const processing = await byHand('processing', ids.flat4, ids.george);
  await post('begin', `/v1/references/${processing}`, { status: 'processing' });
  const canceled = await byHand('canceled', ids.studio7, ids.emmy);
  await post('cancel', `/v1/references/${canceled}/cancel`, {});
  const form = new FormData();
  form.append('purpose', 'reference_report');
  form.append('file', new Blob([emptyPdf], { type: 'application/pdf' }), 'reference-by-hand.pdf');
  const { id: report } = await post('report', '/v1/files', form);
  const complete = await byHand('complete', ids.house3, ids.alan);
  await post('finish', `/v1/references/${complete}`, { outcome: 'accept', reference_pdf: report });

  await helper(await automatic('accepted', [ids.flat12, ids.ada], 'provider_a', 'accept'), 'complete');
  await helper(await automatic('considered', [ids.house3, ids.mary], 'provider_c', 'low_income'), 'complete');
  await helper(await automatic('at risk', [ids.studio7, ids.emmy], 'provider_d', 'ccj'), 'complete');
  await helper(await automatic('failing', [ids.flat4, ids.george], 'provider_a', 'accept'), 'fail');
  await automatic('ordered', [ids.flat4, ids.george], 'provider_c', 'referee_silent');
}

function postTo(url: string, key: string): Post {
  return async (name, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': `seed ${name}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const created = (await response.json()) as Body & { id: string; error?: { message: string } };
    if (!response.ok) throw new Error(`POST ${path} was refused with ${response.status}: ${created.error?.message}`);
    return created;
  };
}

async function revoke(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/api_keys?limit=50`, { headers });
  const { data } = (await response.json()) as { data: { id: string; last_four: string; status: string }[] };
  const own = data.find(({ last_four: end, status }) => status === 'active' && key.endsWith(end));
  if (own) await fetch(`${url}/v1/api_keys/${own.id}`, { method: 'DELETE', headers });
}

/** ISO 32000-1, 7.5: one empty page. */
const emptyPdf = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj
trailer << /Root 1 0 R >>
%%EOF
`;

// A PostgreSQL that was started for it is stopped at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});

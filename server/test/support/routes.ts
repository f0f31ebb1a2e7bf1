import { vi } from 'vitest';
import type { HttpContext } from '../../src/http/context.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import type { Resource } from '../../src/model/resource.ts';
import { linksHere } from '../../src/model/traits/links-here.ts';
import { resources } from '../../src/resources/index.ts';
import { importForm, statementOf } from './bank.ts';
import { formOf } from './files.ts';
import { good, type ApiResponse } from './server.ts';
import { latestVersion } from './versions.ts';
import { waitMs } from './wait.ts';

/** Bank details need a number besides what their schema requires, and any body can get bank details. */
const letterhead = {
  name: 'Agency',
  address: { line1: '4 Stonegate', city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
  bank: { account_name: 'Agency', sort_code: '20-00-00', account_number: '55779911', iban: 'GB33BUKB20201555555555' },
};

/**
 * A valid body for each route that refuses an empty one. The keys come from `nameOf`. Some links must name records of the account:
 * `withLinksHere` gives a body such ids.
 */
export const bodies: Record<string, object> = {
  'POST /v1/references': { application: 'app_1' },
  'POST /v1/applications': { customers: ['cus_1'] },
  'POST /v1/customers': { name: 'Ada' },
  'POST /v1/buildings': {
    name: 'Coppergate',
    address: { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' },
  },
  'POST /v1/units': { building: 'bld_1', name: 'Flat 2' },
  'POST /v1/guarantors': { application: 'app_1', customer: 'cus_2' },
  // No test of today reaches its first day.
  'POST /v1/tenancies': {
    unit: 'unit_1',
    customers: ['cus_1'],
    start_date: '2090-02-01',
    rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
    // No law forbids that a company pays before it signs.
    type: 'company',
  },
  'POST /v1/invoices': {
    tenancy: 'ten_1',
    lines: [{ type: 'utility', description: 'Water', amount: 4_000 }],
    due_on: '2090-02-01',
  },
  'POST /v1/deposits': { type: 'tenancy', tenancy: 'ten_1', amount: 4_000 },
  'POST /v1/subscriptions': { tenancy: 'ten_1', type: 'service', amount: 4_000 },
  'POST /v1/payments': { tenancy: 'ten_1', amount: 4_000, method: 'cash', status: 'pending' },
  'POST /v1/payments/import': importForm(statementOf([{ date: '2026-01-10', amount: '3.20', reference: 'Interest' }])),
  'POST /v1/files': formOf(),
  'POST /v1/portal_sessions': { customer: 'cus_1' },
  'POST /v1/workflows': {
    name: 'Later',
    trigger: { type: 'customer.created' },
    steps: [{ id: 'later', action: 'wait', seconds: 60 }],
    permissions: [],
  },
  'POST /v1/workflows/:id/test': { event: 'evt_0VbZr1fe01cR5gYkZs3Me7' },
  'POST /v1/webhook_endpoints': { url: 'https://hooks.example.com/' },
  'POST /v1/accounts': { name: 'Agency', letterhead },
  'POST /v1/account': { letterhead },
  'POST /v1/api_keys': { type: 'restricted', permissions: ['api_keys.read'] },
  'POST /v1/applications/:id/reject': { reasons: ['affordability'] },
  'POST /v1/applications/:id/review': { result: 'upheld', note: 'The income does not carry the rent.' },
  'POST /v1/guarantors/:id/agree': { agreed_on: '2026-01-10' },
  'POST /v1/guarantors/:id/release': { released_on: '2026-01-10' },
  'POST /v1/tenancies/:id/sign': { signed_on: '2026-01-10' },
  'POST /v1/tenancies/:id/give_notice': { by: 'tenant', served_on: '2026-01-10', ends_on: '2090-04-30' },
  'POST /v1/tenancies/:id/withdraw_notice': { agreed_in_writing: true },
  'POST /v1/tenancies/:id/end': { ended_on: '2026-01-10', reason: 'surrender' },
  'POST /v1/tenancies/:id/request_pet': { customer: 'cus_1', description: 'A small dog.' },
  'POST /v1/tenancies/:id/answer_pet': { number: 1, answer: 'granted' },
  'POST /v1/invoices/:id/credit': { amount: 1, reason: 'The heating failed.' },
  'POST /v1/invoices/:id/void': { reason: 'Sent twice.' },
  'POST /v1/subscriptions/:id/change_amount': { amount: 3_900, effective_on: '2090-02-01', basis: 'agreement' },
  'POST /v1/deposits/:id/extend': { decide_by: '2090-01-18', agreed_in_writing: true },
  'POST /v1/deposits/:id/apply': { to: [{ amount: 1 }], payer_consents: true },
  'POST /v1/deposits/:id/retain': { amount: 1, reason: 'tenant_withdrew', explanation: 'They took another home.' },
  'POST /v1/deposits/:id/return': { returned_on: '2026-01-10' },
  'POST /v1/deposits/:id/protect': { scheme: 'other', scheme_reference: 'D1', protected_on: '2026-01-10' },
  'POST /v1/deposits/:id/give_information': { given_on: '2026-01-10' },
  'POST /v1/deposits/:id/propose_release': { deductions: [{ amount: 1, reason: 'cleaning' }] },
  'POST /v1/deposits/:id/dispute': { amount: 1 },
  'POST /v1/deposits/:id/release': { deductions: [{ amount: 1, reason: 'cleaning' }], returned_on: '2026-01-10' },
  'POST /v1/payments/:id/fail': { code: 'insufficient_funds' },
  'POST /v1/payments/:id/allocate': { allocations: [] },
  'POST /v1/payments/:id/refund': { amount: 1 },
  'POST /v1/retention_holds/:id/reveal': { reason: 'The auditors ask for it.' },
  'POST /v1/webhook_endpoints/:id/recover': { since: Math.floor(Date.now() / 1000) - 60 },
  'POST /v1/events/:id/resend': { webhook_endpoint: 'we_1' },
  'POST /v1/test_helpers/clock/advance': { seconds: 1 },
  'POST /v1/test_helpers/references/:id/note': { message: 'Ask again on Monday.' },
  'POST /v1/account/api_version': { api_version: latestVersion },
};

/** The permissions that a route needs besides its own. The keys come from `nameOf`. */
export const alsoNeeded: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/customers/:id/erasure': ['tenancies.read', 'deposits.read', 'guarantors.read'],
  'GET /v1/events/:id/deliveries': ['webhook_endpoints.read'],
  'POST /v1/events/:id/resend': ['events.read'],
  'POST /v1/references/:id/erase': ['files.write'],
  'DELETE /v1/customers/:id': ['references.write', 'files.write', 'bank_lines.write'],
  'POST /v1/bank_lines/:id/confirm': ['payments.write'],
  'POST /v1/files/:id/links': ['file_contents.read'],
  'POST /v1/webhook_endpoints': ['events.read'],
  'POST /v1/workflows': ['events.read'],
  'POST /v1/workflows/:id/activate': ['events.read'],
  'POST /v1/workflows/:id/test': ['events.read'],
  'GET /v1/account/api_version/preview': ['logs.read', 'events.read'],
};

/** The query of each route that needs one. The keys come from `nameOf`. */
export const neededQueries: Readonly<Record<string, string>> = {
  'GET /v1/search': '?query=ada',
  'GET /v1/retention_holds/:id/contents': '?file=file_1',
};

/** The error codes of valid requests that find nothing to do. Their status is 400. The keys come from `nameOf`. */
export const toldNo: Readonly<Record<string, string>> = {
  'POST /v1/events/:id/resend': 'resource_missing',
  // Only the agent that made it can.
  'POST /v1/approval_requests/:id/cancel': 'status_transition_invalid',
  'POST /v1/account/api_version': 'parameter_invalid',
  'POST /v1/account/api_version/rollback': 'status_transition_invalid',
  // The record is new: nothing was rejected, agreed or signed yet.
  'POST /v1/applications/:id/request_review': 'status_transition_invalid',
  'POST /v1/applications/:id/review': 'status_transition_invalid',
  'POST /v1/guarantors/:id/release': 'status_transition_invalid',
  'POST /v1/tenancies/:id/give_notice': 'status_transition_invalid',
  'POST /v1/tenancies/:id/withdraw_notice': 'status_transition_invalid',
  'POST /v1/tenancies/:id/end': 'status_transition_invalid',
  'POST /v1/tenancies/:id/request_pet': 'status_transition_invalid',
  'POST /v1/tenancies/:id/answer_pet': 'status_transition_invalid',
  'POST /v1/invoices/:id/credit': 'status_transition_invalid',
  'POST /v1/invoices/:id/void': 'status_transition_invalid',
  'POST /v1/invoices/:id/mark_uncollectible': 'status_transition_invalid',
  // No money of it has come, and it is of a tenancy.
  'POST /v1/deposits/:id/extend': 'status_transition_invalid',
  'POST /v1/deposits/:id/apply': 'status_transition_invalid',
  'POST /v1/deposits/:id/retain': 'status_transition_invalid',
  'POST /v1/deposits/:id/return': 'status_transition_invalid',
  'POST /v1/deposits/:id/protect': 'status_transition_invalid',
  'POST /v1/deposits/:id/give_information': 'status_transition_invalid',
  'POST /v1/deposits/:id/propose_release': 'status_transition_invalid',
  'POST /v1/deposits/:id/dispute': 'status_transition_invalid',
  'POST /v1/deposits/:id/release': 'status_transition_invalid',
  'POST /v1/subscriptions/:id/cancel_change': 'status_transition_invalid',
  // Its first day has not come.
  'POST /v1/subscriptions/:id/pause': 'status_transition_invalid',
  'POST /v1/subscriptions/:id/resume': 'status_transition_invalid',
  'POST /v1/payments/:id/allocate': 'status_transition_invalid',
  'POST /v1/payments/:id/refund': 'status_transition_invalid',
  'POST /v1/bank_lines/:id/reopen': 'status_transition_invalid',
  'POST /v1/workflows/:id/pause': 'status_transition_invalid',
  'POST /v1/workflows/:id/archive': 'status_transition_invalid',
  'POST /v1/workflows/:id/test': 'resource_missing',
  // The run has not failed.
  'POST /v1/workflow_runs/:id/retry': 'status_transition_invalid',
  // No reveal of the hold came before.
  'GET /v1/retention_holds/:id/contents': 'status_transition_invalid',
  // No service runs a check for these references.
  'POST /v1/references/:id/retry': 'status_transition_invalid',
  'POST /v1/test_helpers/payments/:id/succeed': 'status_transition_invalid',
  'POST /v1/test_helpers/payments/:id/fail': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/advance': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/complete': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/fail': 'status_transition_invalid',
  'POST /v1/test_helpers/references/:id/note': 'status_transition_invalid',
};

/** The actions before an action that a new record refuses. The keys come from `nameOf`. */
export const stepsBefore: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/applications/:id/request_review': ['reject'],
  'POST /v1/applications/:id/review': ['reject', 'request_review'],
  'POST /v1/guarantors/:id/release': ['agree'],
  'POST /v1/tenancies/:id/give_notice': ['sign'],
  'POST /v1/tenancies/:id/withdraw_notice': ['sign', 'give_notice'],
  'POST /v1/tenancies/:id/end': ['sign', 'give_notice'],
  'POST /v1/tenancies/:id/request_pet': ['sign'],
  'POST /v1/tenancies/:id/answer_pet': ['sign', 'request_pet'],
  'POST /v1/invoices/:id/credit': ['finalize'],
  'POST /v1/invoices/:id/void': ['finalize'],
  'POST /v1/invoices/:id/mark_uncollectible': ['finalize'],
  'POST /v1/subscriptions/:id/cancel_change': ['change_amount'],
  'POST /v1/subscriptions/:id/resume': ['pause'],
  'POST /v1/deposits/:id/dispute': ['propose_release'],
  'POST /v1/payments/:id/allocate': ['succeed'],
  'POST /v1/payments/:id/refund': ['succeed'],
  'POST /v1/bank_lines/:id/reopen': ['ignore'],
  'POST /v1/workflows/:id/pause': ['activate'],
  'POST /v1/workflows/:id/archive': ['activate'],
};

/** Actions that a record allows only once. A request with one needs a new record. */
export const oneTimeActions: ReadonlySet<string> = new Set([
  'activate',
  'agree',
  'approve',
  'archive',
  'cancel',
  'change_amount',
  'confirm',
  'decline',
  'erase',
  'fail',
  'finalize',
  'ignore',
  'mark_uncollectible',
  'reject',
  'roll',
  'sign',
  'succeed',
  'void',
  'withdraw',
]);

/** The actions on a linked record before a new one can name it. The keys come from `nameOf`. */
const stepsOfLinked: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/subscriptions': ['sign'],
};

/**
 * Returns a valid body that makes a record. Links that must name records of the account get the ids of such records.
 *
 * @param kind the path of the kind. Undefined is returned if no request makes it, or if an empty body does.
 * @param idOf returns the id of a record of the kind with this path.
 * @param post acts on such a record.
 */
export async function bodyToMake(
  kind: string,
  idOf: (kind: string) => Promise<string>,
  post: Post,
): Promise<object | undefined> {
  const resource = resources.find(({ path }) => path === kind);
  const body = bodies[`POST /v1/${kind}`];
  return resource && body && withLinksHere(resource, body, idOf, post);
}

type Post = (path: string, body: object, headers?: Record<string, string>) => Promise<ApiResponse>;
type Get = (path: string) => Promise<ApiResponse>;

/** Makes a record of a kind that no creation makes. Returns its id, or null for any other kind. */
export async function madeOtherwise(
  kind: string,
  idOf: (kind: string) => Promise<string>,
  api: { post: Post; get: Get; delete: Get },
): Promise<string | null> {
  if (kind === 'workflow_runs') return startedRun(idOf, api);
  if (kind === 'retention_holds') return heldRecord(idOf, api);
  if (kind === 'approval_requests') return approvalRequest(api);
  return importedRecord(kind, idOf, api);
}

/** Lets an agent send a sensitive request, and returns the id of the approval request that it gets. */
async function approvalRequest({ post }: { post: Post }): Promise<string> {
  const key = { type: 'agent', name: 'Letting assistant', permissions: ['references.write'] };
  const { body: agent } = await good(post('/v1/api_keys', key));
  const body = { application: 'app_1', customer: 'cus_1', automatic_reference: { provider: 'provider_a' } };
  const held = await post('/v1/references', body, { authorization: `Bearer ${agent.secret}` });
  return held.body.error.approval_request;
}

/** Starts a run of a workflow, and returns its id. The server takes no step of it, unless it does the work of a worker. */
async function startedRun(
  idOf: (kind: string) => Promise<string>,
  { post, get }: { post: Post; get: Get },
): Promise<string> {
  const workflow = await idOf('workflows');
  await good(post(`/v1/workflows/${workflow}/activate`, {}));
  await good(post('/v1/customers', bodies['POST /v1/customers']!));
  return vi.waitFor(
    async () => {
      const { data } = (await good(get(`/v1/workflow_runs?workflow=${workflow}`))).body;
      if (data.length === 0) throw new Error('The event has started no run.');
      return data[0].id;
    },
    { timeout: waitMs, interval: 50 },
  );
}

/** Erases a customer with a ledger, and returns the id of the hold that keeps the name for the accounts. */
async function heldRecord(
  idOf: (kind: string) => Promise<string>,
  { post, get, delete: remove }: { post: Post; get: Get; delete: Get },
): Promise<string> {
  const customer = await idOf('customers');
  const draft = { ...bodies['POST /v1/tenancies'], unit: await idOf('units'), customers: [customer] };
  const { body: tenancy } = await good(post('/v1/tenancies', draft));
  const paid = { tenancy: tenancy.id, amount: 1, method: 'cash', received_on: '2026-01-10' };
  const { body: payment } = await good(post('/v1/payments', paid));
  await good(post(`/v1/payments/${payment.id}/refund`, { amount: 1 }));
  await good(remove(`/v1/customers/${customer}`));
  return (await good(get(`/v1/retention_holds?customer=${customer}`))).body.data[0].id;
}

/**
 * Makes a record of a kind without a creation of its own, and returns its id. These are links to files, and imports of bank statements with
 * their lines. The line is proposed for a signed tenancy. Returns null for any other kind.
 */
async function importedRecord(
  kind: string,
  idOf: (kind: string) => Promise<string>,
  { post, get }: { post: Post; get: Get },
): Promise<string | null> {
  if (kind === 'file_links') return (await good(post(`/v1/files/${await idOf('files')}/links`, {}))).body.id;
  if (kind !== 'payment_imports' && kind !== 'bank_lines') return null;
  const tenancy = await idOf('tenancies');
  await good(post(`/v1/tenancies/${tenancy}/sign`, bodies['POST /v1/tenancies/:id/sign']!));
  const file = importForm(statementOf([{ date: '2026-01-10', reference: tenancy }]));
  const { body } = await good(post('/v1/payments/import', file));
  if (kind === 'payment_imports') return body.id;
  return (await good(get(`/v1/bank_lines?import=${body.id}`))).body.data[0].id;
}

/** Returns the body of a creation with real records in the links that must name some. */
export async function withLinksHere<Body extends object>(
  resource: Resource,
  body: Body,
  idOf: (kind: string) => Promise<string>,
  post: Post,
): Promise<Body> {
  const links = linksHereOf(resource, body);
  if (links.length === 0) return body;
  const ids = await Promise.all(
    links.map(async ([name, kind]) => {
      const id = await idOf(kind);
      for (const step of stepsOfLinked[`POST /v1/${resource.path}`] ?? [])
        await good(post(`/v1/${kind}/${id}/${step}`, bodies[`POST /v1/${kind}/:id/${step}`] ?? {}));
      return [name, id] as const;
    }),
  );
  return { ...body, ...Object.fromEntries(ids) };
}

/** Returns the links of a body that must name records of the account. Each comes with the path of its kind. */
function linksHereOf(resource: Resource, body: object): [name: string, kind: string][] {
  const sent = new Map(Object.entries(body));
  return (linksHere.of(resource) ?? [])
    .filter((name) => typeof sent.get(name) === 'string')
    .map((name) => [name, resource.links![name]!]);
}

/** Records the money of a new deposit, if the route acts on one that was received. */
export async function receiveDeposit({ path }: Pick<Route, 'path'>, id: string, post: Post): Promise<void> {
  if (!/\/deposits\/:id\/(?!cancel$)\w+$/.test(path)) return;
  const { amount } = bodies['POST /v1/deposits'] as { amount: number };
  await good(post('/v1/payments', { deposit: id, amount, method: 'cash', received_on: '2026-01-10' }));
}

/** Returns the operations that an API key can use: all but those of persons. */
export function routesOfKeys(context: HttpContext): Route[] {
  return routesOf(context).filter(({ isForPersons }) => !isForPersons);
}

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

export function hasId({ path }: Pick<Route, 'path'>): boolean {
  return path.includes(':id');
}

/** Whether its body is a form with a file. */
export function takesForm(route: Route): boolean {
  return 'upload' in route && route.upload !== null;
}

/** Returns the path of the kind of record that a route is for. */
export function kindOf({ path }: Pick<Route, 'path'>): string {
  const segments = path.split('/');
  return segments[hasId({ path }) ? segments.indexOf(':id') - 1 : 2]!;
}

/** Works on this many at once. Throws the first failure. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < items.length) await work(items[next++]!);
  });
  await Promise.all(workers);
}

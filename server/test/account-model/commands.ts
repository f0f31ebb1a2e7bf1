import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isObject, textOf, type JsonObject } from '../faults/crash-checker/json.ts';
import { standing, type Account } from './account.ts';

/** The model that fast-check passes on. It is empty, because the account holds the model. */
type Nothing = Record<string, never>;

type Command = fc.AsyncCommand<Nothing, Account>;

const metadata = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('', 'x', 'y'), { maxKeys: 2 });
const outcome = fc.constantFrom('accept', 'consider', 'high_risk');
const which = fc.nat(9);
const isKeyed = fc.boolean();

/** A command that is played with random choices. A command that sends one route has its name. */
interface Playable {
  name: string;
  commands: fc.Arbitrary<Command>;
}

/** Everything that can be done to an account. A command that is listed more often is run more often. */
const everything: Playable[] = [
  command('POST /v1/references', fc.record({ which, customer: fc.option(which), metadata, isKeyed }), makeReference),
  command('POST /v1/references', fc.record({ which, customer: fc.option(which), metadata, isKeyed }), makeReference),
  command(
    'POST /v1/references/:id',
    fc.record({
      which,
      isKeyed,
      body: fc.record(
        { outcome, status: fc.constant('processing'), reference_pdf: fc.constantFrom('file_1', 'file_2'), metadata },
        { requiredKeys: [] },
      ),
    }),
    updateReference,
  ),
  command(
    'POST /v1/references/:id',
    fc.record({
      which,
      isKeyed,
      body: fc.record({ outcome, status: fc.constant('processing') }, { requiredKeys: [] }),
    }),
    updateReference,
  ),
  command('POST /v1/references/:id/cancel', fc.record({ which, isKeyed }), cancelReference),
  command('POST /v1/customers', fc.record({ metadata, isKeyed }), makeCustomer),
  command(
    'POST /v1/customers/:id',
    fc.record({ which, phone: fc.constantFrom('1', '2', null), isKeyed }),
    updateCustomer,
  ),
  command('DELETE /v1/customers/:id', fc.record({ which }), deleteCustomer),
  command('POST /v1/applications', fc.record({ unit: fc.constantFrom('unit_1', null), isKeyed }), makeApplication),
  command('DELETE /v1/applications/:id', fc.record({ which }), deleteApplication),
  command(
    'POST /v1/webhook_endpoints',
    fc.record({ name: fc.constantFrom('*', 'reference.*', 'customer.*'), isKeyed }),
    makeEndpoint,
  ),
  command(
    'POST /v1/webhook_endpoints/:id',
    fc.record({ which, status: fc.constantFrom('enabled', 'disabled'), isKeyed }),
    updateEndpoint,
  ),
  command('DELETE /v1/webhook_endpoints/:id', fc.record({ which }), deleteEndpoint),
  command('repeat', fc.record({ which }), repeat),
  command('misuse a key', fc.record({ which }), misuse),
  command(
    'retrieve',
    fc.record({ which, kind: fc.constantFrom('references', 'customers', 'applications', 'webhook_endpoints') }),
    retrieve,
  ),
  command(
    'list references',
    fc.record({
      which,
      filter: fc.constantFrom('application', 'customer', 'status', 'outcome', null),
      limit: fc.integer({ min: 1, max: 50 }),
      offset: fc.nat(3),
    }),
    listReferences,
  ),
  command(
    'list others',
    fc.record({ kind: fc.constantFrom('customers', 'applications', 'webhook_endpoints') }),
    listOthers,
  ),
  command('look at the events', fc.constant({}), (account) => account.expectEvents()),
  command('look at the deliveries', fc.constant({}), (account) => account.expectDeliveries()),
];

/** The names of all commands, and with them the routes that the model plays. */
export const playedRoutes: ReadonlySet<string> = new Set(everything.map(({ name }) => name));

/** Routes that write records of the model's kinds, and that no command sends, each with its reason. */
export const routesNotPlayed: ReadonlySet<string> = new Set([
  // It erases what the deletion of a customer erases. Tests of erasure compare the two.
  'POST /v1/references/:id/erase',
  // An update of an application sets single members, as that of a customer does.
  'POST /v1/applications/:id',
  // Tests of lettings walk through the states of an application.
  'POST /v1/applications/:id/approve',
  'POST /v1/applications/:id/reject',
  'POST /v1/applications/:id/withdraw',
  'POST /v1/applications/:id/request_review',
  'POST /v1/applications/:id/review',
  // It asks a service, and the server of this model has none.
  'POST /v1/references/:id/retry',
  // They make secrets and deliveries, and the server of this model delivers nothing.
  'POST /v1/webhook_endpoints/:id/roll_secret',
  'POST /v1/webhook_endpoints/:id/ping',
  'POST /v1/webhook_endpoints/:id/recover',
]);

/** Generates up to this many commands in sequence. */
export function anyCommands(maxCommands: number): fc.Arbitrary<Iterable<Command>> {
  return fc.commands(
    everything.map(({ commands }) => commands),
    { maxCommands, size: 'max' },
  );
}

function command<Choice>(
  name: string,
  choices: fc.Arbitrary<Choice>,
  run: (account: Account, choice: Choice) => Promise<void>,
): Playable {
  const commands = choices.map((choice) => ({
    check: () => true,
    run: (_: Nothing, account: Account) => run(account, choice),
    toString: () => `${name} ${JSON.stringify(choice)}`,
  }));
  return { name, commands };
}

async function makeReference(
  account: Account,
  choice: { which: number; customer: number | null; metadata: JsonObject; isKeyed: boolean },
): Promise<void> {
  const application = pick(account.records.applications, choice.which) ?? 'app_elsewhere';
  const customer = choice.customer === null ? null : pick(account.records.customers, choice.customer);
  const body = { application, metadata: choice.metadata, ...(customer !== null && { customer }) };
  const answer = await account.mutate('/v1/references', body, choice.isKeyed);
  account.made('references', answer, {
    type: 'customer',
    application,
    customer,
    automatic_reference: null,
    status: 'pending',
    outcome: null,
    completed_at: null,
    decision: null,
    reference_pdf: null,
    earlier_reports: [],
    metadata: merged({}, choice.metadata),
  });
}

async function updateReference(
  account: Account,
  choice: { which: number; isKeyed: boolean; body: JsonObject },
): Promise<void> {
  const id = pick(account.records.references, choice.which);
  if (id === null) return;
  const before = account.records.references.get(id)!;
  const { body } = choice;
  const answer = await account.mutate(`/v1/references/${id}`, body, choice.isKeyed);
  const { status } = before;
  const isMoreThanMetadata = Object.keys(body).some((name) => name !== 'metadata');
  const isForbidden =
    before.deleted === true ||
    (status === 'canceled' && isMoreThanMetadata) ||
    (status === 'complete' && body.status !== undefined);
  if (isForbidden) return expectForbidden(answer.status, answer.body);
  const completes = body.outcome !== undefined && body.status === undefined && status !== 'complete';
  if (completes) assert.equal(typeof answer.body.completed_at, 'number');
  const isRepeated = status === 'complete' && isObject(before.decision) && before.decision.outcome === body.outcome;
  const decides = body.outcome !== undefined && !isRepeated;
  if (decides) assert.equal(textOf(answer.body, 'decision', 'outcome'), body.outcome);
  const after: JsonObject = {
    ...before,
    ...replacedReport(before, body.reference_pdf),
    ...(decides && { decision: answer.body.decision }),
    status: completes ? 'complete' : (body.status ?? status ?? null),
    outcome: body.outcome ?? before.outcome ?? null,
    completed_at: completes ? answer.body.completed_at! : before.completed_at!,
    metadata: merged(before.metadata, body.metadata),
  };
  account.changed('references', answer, after, completes ? 'completed' : undefined);
}

/** The report that a file replaces stays in the list. */
function replacedReport(before: JsonObject, pdf: JsonObject[string] | undefined): JsonObject {
  const { reference_pdf: replaced = null, earlier_reports: earlier } = before;
  if (pdf === undefined || pdf === replaced) return {};
  const others = (earlier as string[]).filter((id) => id !== pdf && id !== replaced);
  return { reference_pdf: pdf, earlier_reports: replaced === null ? others : [...others, replaced] };
}

async function cancelReference(account: Account, choice: { which: number; isKeyed: boolean }): Promise<void> {
  const id = pick(account.records.references, choice.which);
  if (id === null) return;
  const before = account.records.references.get(id)!;
  const answer = await account.mutate(`/v1/references/${id}/cancel`, {}, choice.isKeyed);
  if (before.status === 'complete' || before.status === 'canceled') return expectForbidden(answer.status, answer.body);
  account.changed('references', answer, { ...before, status: 'canceled' }, 'canceled');
}

async function makeCustomer(account: Account, choice: { metadata: JsonObject; isKeyed: boolean }): Promise<void> {
  const body = { name: 'Ada', metadata: choice.metadata };
  const answer = await account.mutate('/v1/customers', body, choice.isKeyed);
  const empty = { email: null, phone: null, date_of_birth: null, addresses: [], right_to_rent: null };
  account.made('customers', answer, { name: 'Ada', ...empty, metadata: merged({}, choice.metadata) });
}

async function updateCustomer(
  account: Account,
  choice: { which: number; phone: string | null; isKeyed: boolean },
): Promise<void> {
  const id = pick(account.records.customers, choice.which);
  const goneId = pick(account.gone.customers, choice.which);
  if (id === null && goneId === null) return;
  const answer = await account.mutate(`/v1/customers/${id ?? goneId}`, { phone: choice.phone }, choice.isKeyed);
  if (id === null) return assert.equal(answer.status, 404);
  account.changed('customers', answer, { ...account.records.customers.get(id)!, phone: choice.phone });
}

async function deleteCustomer(account: Account, choice: { which: number }): Promise<void> {
  const id = pick(account.records.customers, choice.which);
  if (id === null) return;
  const { status, body } = await account.send('DELETE', `/v1/customers/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { id, object: 'customer', deleted: true });
  await account.erased(id);
}

async function makeApplication(account: Account, choice: { unit: string | null; isKeyed: boolean }): Promise<void> {
  const answer = await account.mutate('/v1/applications', { unit: choice.unit }, choice.isKeyed);
  const empty = { customers: [], rent: null, move_in_date: null, metadata: {} };
  const undecided = {
    status: 'open',
    decision: null,
    review: null,
    guarantors: [],
    tenancy: null,
    checks: [],
    approved_at: null,
    rejected_at: null,
    withdrawn_at: null,
    converted_at: null,
  };
  account.made('applications', answer, { ...empty, ...undecided, unit: choice.unit, references: standing([]) });
}

async function deleteApplication(account: Account, choice: { which: number }): Promise<void> {
  const id = pick(account.records.applications, choice.which);
  if (id === null) return;
  const { status, body } = await account.send('DELETE', `/v1/applications/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { id, object: 'application', deleted: true });
  account.removed('applications', id);
}

async function makeEndpoint(account: Account, choice: { name: string; isKeyed: boolean }): Promise<void> {
  const body = { url: 'http://127.0.0.1:9/hook', enabled_events: [choice.name] };
  const answer = await account.mutate('/v1/webhook_endpoints', body, choice.isKeyed);
  assert.match(textOf(answer.body, 'signing_secret'), /^whsec_/);
  const { api_version: apiVersion } = answer.body;
  const plain = { description: null, connected: false, status: 'enabled', disabled_reason: null, metadata: {} };
  account.made('webhook_endpoints', answer, { ...body, ...plain, api_version: apiVersion! });
}

async function updateEndpoint(
  account: Account,
  choice: { which: number; status: string; isKeyed: boolean },
): Promise<void> {
  const id = pick(account.records.webhook_endpoints, choice.which);
  if (id === null) return;
  const answer = await account.mutate(`/v1/webhook_endpoints/${id}`, { status: choice.status }, choice.isKeyed);
  const before = account.records.webhook_endpoints.get(id)!;
  // The secret is shown only when an endpoint is created or retrieved, or its secret rolled.
  const { signing_secret: secret } = before;
  if (answer.body.signing_secret === undefined) answer.body.signing_secret = secret!;
  account.changed('webhook_endpoints', answer, { ...before, status: choice.status });
}

async function deleteEndpoint(account: Account, choice: { which: number }): Promise<void> {
  const id = pick(account.records.webhook_endpoints, choice.which);
  if (id === null) return;
  const { status } = await account.send('DELETE', `/v1/webhook_endpoints/${id}`);
  assert.equal(status, 200);
  account.removed('webhook_endpoints', id);
}

/** Repeats a request with its key: the response is the same, and nothing changes. */
async function repeat(account: Account, choice: { which: number }): Promise<void> {
  const earlier = account.keyed[choice.which % account.keyed.length];
  if (!earlier) return;
  const again = await account.send('POST', earlier.path, earlier.body, earlier.key);
  assert.equal(again.status, earlier.answer.status);
  assert.equal(again.replayed, true);
  if (!account.isErasedIn(earlier.answer)) assert.equal(again.text, earlier.answer.text);
}

async function misuse(account: Account, choice: { which: number }): Promise<void> {
  const earlier = account.keyed[choice.which % account.keyed.length];
  if (!earlier) return;
  const { status, body } = await account.send('POST', '/v1/customers', { name: 'Somebody else' }, earlier.key);
  assert.equal(status, 400);
  assert.equal(codeOf(body), 'idempotency_key_reused');
}

async function retrieve(
  account: Account,
  { which: index, kind }: { which: number; kind: keyof Account['records'] },
): Promise<void> {
  const id = pick(account.records[kind], index);
  if (id !== null) {
    const { status, body } = await account.send('GET', `/v1/${kind}/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(body, account.records[kind].get(id));
  }
  const goneId = pick(account.gone[kind], index);
  if (goneId === null) return;
  const { status, body } = await account.send('GET', `/v1/${kind}/${goneId}`);
  assert.equal(status, kind === 'customers' ? 200 : 404);
  if (kind === 'customers') assert.deepEqual(body, { id: goneId, object: 'customer', deleted: true });
}

async function listReferences(
  account: Account,
  choice: { which: number; filter: string | null; limit: number; offset: number },
): Promise<void> {
  const { filter, limit, offset } = choice;
  const newestFirst = [...account.records.references.values()].reverse();
  const value = filter === null ? null : newestFirst[choice.which % newestFirst.length]?.[filter];
  const query = typeof value === 'string' ? `&${filter}=${value}` : '';
  const all = query === '' ? newestFirst : newestFirst.filter((reference) => reference[filter!] === value);
  const { status, body } = await account.send('GET', `/v1/references?limit=${limit}&offset=${offset}${query}`);
  assert.equal(status, 200);
  const data = all.slice(offset, offset + limit);
  assert.deepEqual(body, { object: 'list', count: all.length, has_more: all.length > offset + limit, data });
}

async function listOthers(account: Account, { kind }: { kind: keyof Account['records'] }): Promise<void> {
  const { body } = await account.send('GET', `/v1/${kind}?limit=50`);
  const all = [...account.records[kind].values()].reverse().map(({ signing_secret: _secret, ...shown }) => shown);
  assert.deepEqual(body, { object: 'list', count: all.length, has_more: false, data: all });
}

function expectForbidden(status: number, body: JsonObject): void {
  assert.equal(status, 400);
  assert.equal(codeOf(body), 'status_transition_invalid');
}

function codeOf({ error }: JsonObject): unknown {
  return isObject(error) ? error.code : undefined;
}

/** Picks one of the existing ids, or null if there are none. */
function pick(ids: { keys(): Iterable<string> }, index: number): string | null {
  const all = [...ids.keys()];
  return all[index % all.length] ?? null;
}

/** Merges metadata. An empty text removes a pair. */
function merged(before: JsonObject[string] | undefined, input: JsonObject[string] | undefined): JsonObject {
  const pairs = Object.entries({ ...(isObject(before) && before), ...(isObject(input) && input) });
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

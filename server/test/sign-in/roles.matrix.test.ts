import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Agent, request } from 'undici';
import { newMasterKey } from '../../src/server/config.ts';
import { roles, type Role } from '../../src/model/callers/roles.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { textOf } from '../support/answer-text.ts';
import { Browser, signedIn, type SignedIn } from '../support/browser.ts';
import { encodedForm } from '../support/files.ts';
import { expectRefusal, refusals, type Refusal } from '../support/refusals.ts';
import { officeKinds } from '../support/permissions.ts';
import {
  alsoNeeded,
  bodies,
  bodyToMake,
  hasId,
  madeOtherwise,
  inParallel,
  kindOf,
  nameOf,
  neededQueries,
  oneTimeActions,
  toldNo,
} from '../support/routes.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';

/*
 * Every route, with every role, without a session, and with a key beside a cookie. Each is tried on records of the own account, a connected
 * one and a foreign one. A model of a few lines predicts each response: the table of roles, and each record's account.
 */

type Account = 'own' | 'connected' | 'foreign';
type Party = Role | 'visitor' | 'key with cookie';

interface Probe {
  route: Route;
  party: Party;
  /** The account of `Service-Context`. Not sent for the own account. */
  context: Account;
  /** The account of the record in the path. Null if the path has none. */
  owner: Account | null;
}

const accounts: Account[] = ['own', 'connected', 'foreign'];
const parties: Party[] = [...roles, 'visitor', 'key with cookie'];

/** The table of roles. Each role has the permissions of its line, and reads what it writes. */
const readsAll = [...officeKinds, 'retention_holds', 'payment_imports', 'events', 'accounts'].map(
  (kind) => `${kind}.read`,
);
const writesOffice = [...officeKinds.map((kind) => `${kind}.write`), 'file_contents.read'];
const develops = ['logs.read', 'webhook_endpoints.write', 'workflows.write', 'api_keys.write'];
const table: Record<Role, readonly string[]> = {
  viewer: readsAll,
  operator: [...readsAll, ...writesOffice],
  // A sandbox lets developers change accounts, and make keys that reveal holds.
  developer: [
    ...readsAll,
    ...writesOffice,
    ...develops,
    'retention_holds.write',
    'accounts.write',
    'users.read',
    'invitations.read',
    'approval_requests.write',
  ],
  admin: [
    ...readsAll,
    ...writesOffice,
    ...develops,
    'retention_holds.write',
    'accounts.write',
    'users.write',
    'invitations.write',
    'approval_requests.write',
  ],
  owner: [
    ...readsAll,
    ...writesOffice,
    ...develops,
    'retention_holds.write',
    'accounts.write',
    'users.write',
    'invitations.write',
    'approval_requests.write',
  ],
};

const moreBodies: Record<string, object> = { 'POST /v1/invitations': { email: 'new@example.com', role: 'viewer' } };

/** Permissions that no key can have. */
const ofPersons = /^(users|invitations)\.|^approval_requests\.write$/;

/** Routes that refuse a connected account in the context. */
const forOwnAccount = new Set(['POST /v1/accounts', 'POST /v1/invitations']);

let server: TestServer;
let routes: Route[];
let agent: Agent;
let accountIds: Record<Account, string>;
/** Several of each role take turns, because a session may send only so many requests a second. */
let people: Record<Role, SignedIn[]>;
/** An owner of each account. It makes the records. */
let makers: Record<Account, SignedIn>;
const targets = new Map<string, Record<Account, string>>();
let addresses = 0;

beforeAll(async () => {
  server = await startTestServer({
    settings: { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() },
  });
  agent = new Agent({ connections: 16 });
  // An id with a description of its own is a word, and no record of an account.
  routes = routesOf(server.context).filter(({ idDescription }) => idDescription === undefined);
  accountIds = {
    own: await firstAccountId(server),
    connected: (await good(server.api.post('/v1/accounts', { name: 'Connected' }))).body.id,
    foreign: (await addAccount(server)).accountId,
  };
  // Act for the connected account once, so that it is pinned to a version.
  await good(server.api.post('/v1/customers', { name: 'Ada' }, { 'service-context': accountIds.connected }));
  makers = await peopleOf(accounts, (account) => signedIn(server, 'owner', { accountId: accountIds[account] }));
  people = await peopleOf(roles, (role) => Promise.all(Array.from({ length: 8 }, () => signedIn(server, role))));
  for (const kind of new Set(routes.filter(hasId).map(kindOf)))
    targets.set(kind, {
      own: await make(kind, 'own'),
      connected: await make(kind, 'connected'),
      foreign: await make(kind, 'foreign'),
    });
});
afterAll(async () => {
  await agent.close();
  await server.stop();
});

describe('the matrix of roles', () => {
  test('knows the permission of every route', () => {
    const known = new Set(Object.values(table).flat().flatMap(withReading));
    const unknown = routes.map(({ permission }) => permission).filter((one) => one !== null && !known.has(one));
    expect(unknown, 'Add the kind to `officeKinds` in server/test/support/permissions.ts, or to `table` here.').toEqual(
      [],
    );
  });

  /** The texts of refusals, by what was asked. */
  const texts = new Map<string, Set<string>>();

  // A test for each party, because a busy machine takes longer for all of them than a test may.
  test.each(parties)('refuses each forbidden request without a trace, with one text, by: %s', async (party) => {
    const refused = probes().filter((probe) => probe.party === party && expectedOf(probe) !== 'accepted');
    const before = await everythingThereIs();
    await inParallel(refused, 8, async (probe) => {
      const id = probe.owner === null ? '' : targets.get(kindOf(probe.route))![probe.owner];
      const expected = expectedOf(probe) as Refusal;
      const answer = await ask(probe, id);
      inProbe(probe, () => expectRefusal(answer, expected));
      if (expected !== refusals.idUnknown) return;
      const unknownId = server.context.ids.make(id.split('_')[0] as 'ref');
      const unknown = await ask(probe, unknownId);
      inProbe(probe, () => expect(masked(answer, id)).toBe(masked(unknown, unknownId)));
      // Only a refused change links its log.
      const kind = `${kindOf(probe.route)} ${probe.route.method === 'GET' ? 'read' : 'changed'}`;
      texts.set(kind, (texts.get(kind) ?? new Set()).add(masked(answer, id)));
    });
    expect(await everythingThereIs()).toEqual(before);
    for (const [kind, seen] of texts) expect([kind, seen.size]).toEqual([kind, 1]);
    expect(refused.length).toBeGreaterThan(300);
    process.stdout.write(`${party}: ${refused.length} requests refused, as they must be\n`);
  });

  test('accepts each allowed request', async () => {
    const accepted = probes().filter((probe) => expectedOf(probe) === 'accepted');
    await inParallel(accepted, 8, async (probe) => {
      const { route, owner } = probe;
      const kind = owner === null ? null : kindOf(route);
      const usesUp = route.method === 'DELETE' || oneTimeActions.has(route.path.split('/').at(-1)!);
      const id = kind === null ? '' : usesUp ? await make(kind, owner!) : targets.get(kind)![owner!];
      const isCreation = route.method === 'POST' && route.path === `/v1/${kindOf(route)}`;
      const acted = probe.context;
      const body = isCreation
        ? await bodyToMake(kindOf(route), (linked) => make(linked, acted), postAs(acted))
        : undefined;
      const answer = await ask(probe, id, body);
      inProbe(probe, () => {
        if (toldNo[nameOf(route)] === undefined) return expect(answer.status, answer.text).toBe(200);
        expect([answer.status, answer.body.error.code]).toEqual([400, toldNo[nameOf(route)]]);
      });
    });
    expect(accepted.length).toBeGreaterThan(300);
    process.stdout.write(`roles: ${accepted.length} requests accepted, as they must be\n`);
  });
});

async function peopleOf<Name extends string, People>(
  names: readonly Name[],
  signIn: (name: Name) => Promise<People>,
): Promise<Record<Name, People>> {
  const made = await Promise.all(names.map(async (name) => [name, await signIn(name)]));
  return Object.fromEntries(made) as Record<Name, People>;
}

function probes(): Probe[] {
  return routes.flatMap((route) =>
    parties.flatMap((party) =>
      accounts.flatMap((context): Probe[] =>
        hasId(route)
          ? accounts.map((owner) => ({ route, party, context, owner }))
          : [{ route, party, context, owner: null }],
      ),
    ),
  );
}

/** Returns what the model predicts. */
function expectedOf({ route, party, context, owner }: Probe): 'accepted' | Refusal {
  if (party === 'visitor') return { status: 401, type: 'authentication_error', code: 'session_expired' };
  if (context === 'foreign') return refusals.accountUnknown;
  const needed = [route.permission, ...(alsoNeeded[nameOf(route)] ?? [])].filter((one) => one !== null);
  const lacking = needed.find((one) => !held(party).includes(one));
  if (lacking !== undefined) {
    const isForPersons = ofPersons.test(lacking) && party === 'key with cookie';
    return isForPersons
      ? { status: 403, type: 'permission_error', code: 'person_required' }
      : { ...refusals.permission, says: `\`${lacking}\`` };
  }
  if (context === 'connected' && forOwnAccount.has(nameOf(route))) return refusals.accountMalformed;
  // Only owners handle owners, and the users here are owners.
  if (party === 'admin' && owner === context && kindOf(route) === 'users' && route.method !== 'GET')
    return refusals.permission;
  return owner !== null && owner !== context ? refusals.idUnknown : 'accepted';
}

function held(party: Exclude<Party, 'visitor'>): string[] {
  if (party !== 'key with cookie') return table[party].flatMap(withReading);
  return table.owner.flatMap(withReading).filter((one) => !ofPersons.test(one));
}

function withReading(permission: string): string[] {
  return [permission, permission.replace(/\.write$/, '.read')];
}

/** Returns the sending of a POST by the maker of an account. */
function postAs(account: Account) {
  return (path: string, body: object, headers?: Record<string, string>): Promise<ApiResponse> =>
    send(makers[account].browser, 'POST', path, body, headers);
}

/** Makes a record of a kind in an account, and returns its id. */
async function make(kind: string, account: Account): Promise<string> {
  if (kind === 'users') return (await signedIn(server, 'owner', { accountId: accountIds[account] })).id;
  const { browser } = makers[account];
  if (kind === 'events' || kind === 'logs') {
    await send(browser, 'POST', '/v1/customers', { name: 'Ada' });
    const { data } = (await good(send(browser, 'GET', `/v1/${kind}?limit=1`))).body;
    return data[0].id;
  }
  const imported = await madeOtherwise(kind, (linked) => make(linked, account), {
    post: postAs(account),
    get: (path) => send(browser, 'GET', path),
    delete: (path) => send(browser, 'DELETE', path),
  });
  if (imported !== null) return imported;
  const line = `POST /v1/${kind}`;
  const body =
    kind === 'invitations'
      ? { ...moreBodies[line], email: `new${++addresses}@example.com` }
      : await bodyToMake(kind, (linked) => make(linked, account), postAs(account));
  return (await good(send(browser, 'POST', `/v1/${kind}`, body))).body.id;
}

/** Returns the browser of the next person with a role. */
function next(role: Role): Browser {
  const [first, ...others] = people[role];
  people[role] = [...others, first!];
  return first!.browser;
}

function ask({ route, party, context }: Probe, id: string, made?: object): Promise<ApiResponse> {
  const browser = party === 'visitor' ? new Browser(server) : next(party === 'key with cookie' ? 'viewer' : party);
  const body =
    nameOf(route) === 'POST /v1/invitations'
      ? { ...moreBodies[nameOf(route)], email: `new${++addresses}@example.com` }
      : (made ?? moreBodies[nameOf(route)] ?? bodies[nameOf(route)] ?? {});
  const path = route.path.replace(':id', id) + (neededQueries[nameOf(route)] ?? '');
  return send(browser, route.method, path, route.method === 'POST' ? body : undefined, {
    ...(context !== 'own' && { 'service-context': accountIds[context] }),
    ...(party === 'key with cookie' && { authorization: `Bearer ${server.secretKey}` }),
  });
}

/** Sends a request of a page. It waits if the session sends too many. */
async function send(
  browser: Browser,
  method: Route['method'],
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const sent =
    body instanceof FormData
      ? await encodedForm(body)
      : body && { contentType: 'application/json', bytes: JSON.stringify(body) };
  const response = await request(server.url + path, {
    method,
    dispatcher: agent,
    headers: {
      'service-client': 'dashboard',
      origin: server.url,
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(sent && { 'content-type': sent.contentType }),
      ...headers,
    },
    ...(sent && { body: sent.bytes }),
  });
  if (response.statusCode === 429) {
    await response.body.dump();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return send(browser, method, path, body, headers);
  }
  const text = await textOf(response);
  return {
    status: response.statusCode,
    headers: new Headers(response.headers as Record<string, string>),
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  };
}

function inProbe({ route, party, context, owner }: Probe, check: () => void): void {
  try {
    check();
  } catch (error) {
    const facts = [nameOf(route), party, `context ${context}`, `record ${owner}`].join(', ');
    throw new Error(`${facts}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the response without the parts in which two refusals of one kind may differ. */
function masked({ text, headers }: ApiResponse, id: string): string {
  const told = JSON.parse(text) as { error: { message: string; request_id: string; request_log_url?: string } };
  told.error.message = told.error.message.replace(id, '…');
  told.error.request_id = 'req_…';
  if (told.error.request_log_url) told.error.request_log_url = told.error.request_log_url.replace(/req_\w+/, 'req_…');
  const names = [...headers].filter(([name]) => !['date', 'request-id', 'content-length'].includes(name));
  return JSON.stringify([told, Object.fromEntries(names)]);
}

/** Returns a hash of every table except the logs: all that a request can leave behind. */
async function everythingThereIs(): Promise<Record<string, unknown>> {
  const { readers } = server.context.database;
  const { rows: tables } = await readers.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by name`);
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    // The follower of workflows notes by itself how far it has come.
    if (name === 'request_logs' || name === 'workflow_positions') continue;
    const where = { count_deltas: `where object <> 'log'`, activity_deltas: 'where events > 0' }[name] ?? '';
    const { rows } = await readers.query(
      `select count(*), sum(hashtextextended(t::text, 0)) as hash from ${name} t ${where}`,
    );
    found[name] = rows[0];
  }
  expect(Object.keys(found)).toContain('users');
  return found;
}

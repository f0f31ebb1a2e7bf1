import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { buildApp } from '../../src/http/app.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { textOf } from '../support/answer-text.ts';
import { TestClock } from '../support/clock.ts';
import { encodedForm } from '../support/files.ts';
import { expectRefusal, refusals, type Refusal } from '../support/refusals.ts';
import { furtherPermissions, readOnlyKinds, writableKinds } from '../support/permissions.ts';
import {
  alsoNeeded,
  bodies,
  bodyToMake,
  madeOtherwise,
  hasId,
  inParallel,
  kindOf,
  nameOf,
  neededQueries,
  oneTimeActions,
  toldNo,
  routesOfKeys,
} from '../support/routes.ts';
import { pairwise } from '../support/pairwise.ts';
import { startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';

/*
 * Every route, with every kind of key, for every kind of target. A model of a few lines predicts each response. It knows nothing of the
 * server, only each key's account and permissions, each account's parent, and each record's account.
 */

type Account = 'parent' | 'connected' | 'foreign';

interface Key {
  name: string;
  account: Account;
  permissions: readonly string[];
  /** Null sends no Authorization header. */
  text: string | null;
  /** The refusal of a key that is not accepted. */
  refused?: Refusal;
}

/** The id in the path, if the route has one, and its account. Null for a record that does not exist. */
interface Target {
  name: string;
  owner: Account | null;
  id: string;
}

interface Context {
  name: string;
  /** The account in `Service-Context`: absent if the header is not sent, null if its value is no account id. */
  account?: Account | 'nobody' | null;
  header?: string;
}

interface Probe {
  route: Route;
  key: Key;
  context: Context;
  target: Target | null;
}

type Expected = 'accepted' | Refusal;

const resourcesOfKeys = [...writableKinds, ...readOnlyKinds];
const readPermissions = resourcesOfKeys.map((resource) => `${resource}.read`);
const writePermissions = writableKinds.map((resource) => `${resource}.write`);
const everyPermission: readonly string[] = [...readPermissions, ...writePermissions, ...furtherPermissions];
const forbiddenForAgents = new Set([
  'api_keys.read',
  'api_keys.write',
  'accounts.write',
  'retention_holds.read',
  'retention_holds.write',
  'portal_sessions.write',
  'workflows.write',
]);

/** Routes on which a person has to decide. */
const closedToAgents = new Set(['POST /v1/applications/:id/review']);

/** Changes that only the key that made the record can make. No key has the permission to write such records. */
const forMakers = new Set(['POST /v1/approval_requests/:id/cancel']);

/** Routes without a permission: they show nothing of an account. */
const forEverybody = new Set(['GET /v1/api_versions']);

/** Routes for which one of several permissions is enough. */
const oneIsEnough: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'GET /v1/search': [
    'references.read',
    'applications.read',
    'units.read',
    'tenancies.read',
    'deposits.read',
    'invoices.read',
    'payments.read',
    'bank_lines.read',
    'customers.read',
  ],
};

const parents: Partial<Record<Account, Account>> = { connected: 'parent' };
const accounts: Account[] = ['parent', 'connected', 'foreign'];

const clock = new TestClock();
let server: TestServer;
let routes: Route[];
let agent: Agent;
let accountIds: Record<Account | 'nobody', string>;
/** Keys with all permissions. */
let fullKeys: Record<Account, Key>;
let keys: Key[];
/**
 * The targets of each kind of record, by its path. Each account has one. There are also unknown ones, and a deleted one if records can be
 * deleted.
 */
let targets: Map<string, Target[]>;
/** The probes of the whole matrix that a test sends; null until a test chooses them. */
let chosen: Probe[] | null = null;
/** The account of each record that a response could reveal. The asking keys are left out, because events and logs name the actor. */
const owners = new Map<string, Account>();

beforeAll(async () => {
  // The servers deliver nothing, so only requests change anything.
  server = await startTestServer({
    settings: { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() },
    overrides: { clock },
  });
  agent = new Agent({ connections: 48 });
  // An id with a description of its own is a word, and no record of an account.
  routes = routesOfKeys(server.context).filter(({ idDescription }) => idDescription === undefined);
  await makeAccounts();
  targets = await makeTargets();
  keys = await makeKeys();
});
afterAll(async () => {
  await agent.close();
  await server.stop();
});

/** Enough to keep the server busy all the time. An account may have so many imports at once. */
const atOnce = 8;
let probes = 0;

describe('route permissions', () => {
  test('requires the permission that path and method imply when a route is listed', () => {
    expect(routeFaults(routes)).toEqual([]);
    expect(routes.length).toBeGreaterThanOrEqual(42);
  });

  test('reports a route when its permission is missing, unknown or wrong', () => {
    const good = routes.find(({ path, method }) => path === '/v1/references/:id' && method === 'POST')!;
    const planted = [
      { ...good, permission: '' },
      { ...good, permission: undefined as unknown as string },
      { ...good, permission: 'references.cancel' },
      { ...good, permission: 'references.read' },
      { ...good, permission: 'customers.write' },
      { ...good, path: '/v1/viewings', permission: 'viewings.write' },
      { ...good, path: '/references/:id' },
    ];
    expect(routeFaults([...routes, ...planted])).toEqual([
      'POST /v1/references/:id needs no permission',
      'POST /v1/references/:id needs no permission',
      'POST /v1/references/:id needs references.cancel, which no key can have',
      'POST /v1/references/:id needs references.read, but changes something',
      'POST /v1/references/:id needs customers.write, which is for another kind of record',
      'POST /v1/viewings needs viewings.write, which no key can have',
      'POST /references/:id is not below /v1/',
    ]);
  });

  test('refuses every route for persons when a key asks', async () => {
    const forPersons = routesOf(server.context).filter(({ isForPersons }) => isForPersons);
    expect(forPersons.length).toBeGreaterThanOrEqual(8);
    for (const route of forPersons) {
      const path = route.path.replace(':id', `${kindOf(route) === 'users' ? 'usr' : 'inv'}_${'0'.repeat(22)}`);
      const { get, post, delete: remove } = server.api;
      expectRefusal(await { GET: get, POST: post, DELETE: remove }[route.method](path), refusals.personRequired);
    }
  });

  test('does not serve a route when it bypasses the list', async () => {
    const app = buildApp(server.context);
    app.get('/v1/planted', async () => 'a planted answer');
    app.get('/planted', async () => 'a planted answer');
    const headers = { authorization: `Bearer ${server.secretKey}` };
    for (const url of ['/v1/planted', '/planted']) {
      for (const answer of [await app.inject({ url }), await app.inject({ url, headers })]) {
        expect([401, 404, 405]).toContain(answer.statusCode);
        expect(answer.body).not.toContain('a planted answer');
      }
    }
    expect((await app.inject({ url: '/v1/references', headers })).statusCode).toBe(200);
    await app.close();
  });
});

describe('the matrix of requests', () => {
  test('refuses every forbidden request without a trace when it is sent, with one text for foreign and unknown records', async () => {
    const refused = probesToSend().filter((probe) => expectedOf(probe) !== 'accepted');
    const before = await everythingThereIs();
    const missingBodies = new Map<string, Set<string>>();
    await inParallel(refused, atOnce, async (probe) => {
      const answer = await ask(probe);
      const expected = expectedOf(probe) as Refusal;
      inProbe(probe, () => {
        expectRefusal(answer, expected);
        expectNothingOfOthers(probe, answer);
      });
      if (expected !== refusals.idUnknown) return;
      const kind = kindOf(probe.route);
      const seen = missingBodies.get(kind) ?? new Set();
      missingBodies.set(kind, seen.add(masked(answer, probe.target!.id)));
    });
    expect(await everythingThereIs()).toEqual(before);
    // One response text for each kind of record, for every route, target and key.
    for (const [kind, seen] of missingBodies) expect([kind, [...seen]]).toEqual([kind, [expect.any(String)]]);
    expect(missingBodies.size).toBe(new Set(routes.filter(hasId).map(kindOf)).size);
    probes += refused.length;
    process.stdout.write(`permission matrix: ${refused.length} requests refused, as they must be\n`);
  });

  // In four tests, because a busy machine takes longer for all of them than a test may.
  test.each([0, 1, 2, 3])('accepts every allowed request, on its own account alone, in quarter %i', async (quarter) => {
    const accepted = allowedProbes().filter((_, index) => index % 4 === quarter);
    await inParallel(accepted, atOnce, async (probe) => {
      const { route } = probe;
      const isCreation = route.method === 'POST' && route.path === `/v1/${kindOf(route)}`;
      const body = isCreation ? await bodyOf(kindOf(route), actedUpon(probe) as Account) : undefined;
      const answer = await ask({ ...probe, target: await targetToUse(probe) }, body);
      // A file and a stream are not JSON, and a refusal of one is.
      if (/\/(contents|pdf|stream)$/.test(route.path) && toldNo[nameOf(route)] === undefined)
        return inProbe(probe, () => expect(answer.status).toBe(200));
      inProbe(probe, () => {
        expectNothingOfOthers(probe, answer);
        const no = toldNo[nameOf(probe.route)];
        if (no !== undefined) return expect([answer.status, answer.body.error.code]).toEqual([400, no]);
        const about = `${answer.text.slice(0, 300)}\nIf a record allows the action only once, add it to \`oneTimeActions\`. If a new record refuses it, add its code to \`toldNo\`.`;
        expect(answer.status, about).toBe(200);
        const acted = accountIds[actedUpon(probe) as Account];
        if (probe.context.header !== undefined && answer.body.object !== 'list' && answer.body.object !== 'event')
          expect(answer.body.account).toBe(acted);
        if (probe.route.path === '/v1/account') expect(answer.body.id).toBe(acted);
      });
    });
    probes += accepted.length;
    process.stdout.write(`permission matrix: ${accepted.length} requests accepted, as they must be\n`);
  });

  test('uses every route by keys of all accounts', () => {
    const accepted = allowedProbes();
    for (const route of routes) {
      const names = new Set(accepted.filter((probe) => probe.route === route).map(({ key }) => key.account));
      expect([nameOf(route), names.size]).toEqual([nameOf(route), accounts.length]);
    }
  });

  test('sends thousands of requests when all probes are counted', () => {
    expect(probes).toBeGreaterThanOrEqual(5_000);
  });
});

/** Paths whose permission is for another kind than the path's first part. */
const permittedBy: readonly [RegExp, string][] = [
  // A file's contents need a permission of their own.
  [/^\/v1\/files\/:id\/contents$/, 'file_contents'],
  // An account retrieves itself at a path of its own.
  [/^\/v1\/account\b/, 'accounts'],
  // The state of the services depends on the account's credentials.
  [/^\/v1\/referencing_providers$/, 'accounts'],
  // Activity sums up logs.
  [/^\/v1\/activity$/, 'logs'],
  // The clock belongs to the whole deployment.
  [/^\/v1\/test_helpers\/clock\b/, 'accounts'],
  // A key that decides in the place of a person must not be an agent's.
  [/^\/v1\/test_helpers\/approval_requests\b/, 'accounts'],
  // An e-mail has a link to the contents of a file.
  [/^\/v1\/test_helpers\/emails$/, 'file_contents'],
  // A simulated provider's actions belong to the reference.
  [/^\/v1\/test_helpers\/payments\b/, 'payments'],
  [/^\/v1\/test_helpers\/references\b/, 'references'],
  // The deliveries of an endpoint belong to the endpoint.
  [/\/resend$/, 'webhook_endpoints'],
];

/** Returns what is wrong with the permissions of these routes. */
function routeFaults(checked: readonly Route[]): string[] {
  return checked.flatMap((route) => {
    const { method, path, permission } = route;
    const [, version, first] = path.split('/');
    const resource = permittedBy.find(([form]) => form.test(path))?.[1] ?? first;
    const fault = (text: string): string[] => [`${nameOf(route)} ${text}`];
    if (version !== 'v1') return fault('is not below /v1/');
    if (permission === null && forEverybody.has(nameOf(route))) return [];
    const enough = oneIsEnough[nameOf(route)];
    if (enough && permission === null) {
      const needed = (route.needsOneOf ?? []).toSorted();
      return needed.join() === enough.toSorted().join() ? [] : fault(`needs one of ${needed.join()}`);
    }
    if (!permission) return fault('needs no permission');
    if (!everyPermission.includes(permission)) return fault(`needs ${permission}, which no key can have`);
    if (!permission.startsWith(`${resource}.`))
      return fault(`needs ${permission}, which is for another kind of record`);
    if (method !== 'GET' && !permission.endsWith('.write') && !forMakers.has(nameOf(route)))
      return fault(`needs ${permission}, but changes something`);
    return [];
  });
}

/**
 * Returns probes with every pair of route, key, context, target and outcome. In a full run, every key also uses every route on its own
 * records. There, only its permissions can refuse it. The whole product would grow with the square of the kinds of record.
 */
function probesToSend(): Probe[] {
  if (chosen) return chosen;
  chosen = pairwise(allProbes(), (probe) => {
    const { route, key, context, target } = probe;
    const expected = expectedOf(probe);
    const outcome = expected === 'accepted' ? expected : expected.code;
    const isOwn = context.account === undefined && (target === null || target.owner === key.account);
    const whole = isOwn ? [`${nameOf(route)} ${key.name}`] : [];
    return [nameOf(route), key.name, context.name, target?.name, `${key.account} ${outcome}`, ...whole];
  });
  // A server remembers a key for a moment. Without this order, it reads a key for each request.
  return chosen.sort((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key));
}

function allowedProbes(): Probe[] {
  return probesToSend().filter((probe) => expectedOf(probe) === 'accepted');
}

/** Returns the whole matrix. */
function allProbes(): Probe[] {
  return routes.flatMap((route) =>
    keys.flatMap((key) =>
      contexts().flatMap((context): Probe[] => {
        if (!hasId(route)) return [{ route, key, context, target: null }];
        const ofKind = targets.get(kindOf(route))!;
        // Without a context, every target is tried. With one, only existing records are.
        const tried = context.account === undefined ? ofKind : ofKind.filter(({ owner }) => owner !== null);
        return tried.map((target) => ({ route, key, context, target }));
      }),
    ),
  );
}

function contexts(): Context[] {
  return [
    { name: 'no context' },
    ...[...accounts, 'nobody' as const].map((account) => ({
      name: `context ${account}`,
      account,
      header: accountIds[account],
    })),
    { name: 'malformed context', account: null, header: 'acct_1' },
  ];
}

/** Routes that refuse a connected account in the context. */
const forOwnAccount = new Set(['POST /v1/accounts']);

/** Returns what the model predicts for a probe. */
function expectedOf(probe: Probe): Expected {
  const { route, key, context, target } = probe;
  if (key.refused) return key.refused;
  if (context.account === null) return refusals.accountMalformed;
  const acted = actedUpon(probe);
  if (acted === 'nobody' || (acted !== key.account && parents[acted] !== key.account)) return refusals.accountUnknown;
  const lacking = [route.permission, ...(alsoNeeded[nameOf(route)] ?? [])].find(
    (needed) => needed && !holds(key, needed),
  );
  const enough = oneIsEnough[nameOf(route)];
  if (enough && !enough.some((needed) => holds(key, needed)))
    return { ...refusals.permission, says: `\`${enough[0]}\`` };
  if (lacking) return { ...refusals.permission, says: `\`${lacking}\`` };
  if (acted !== key.account && forOwnAccount.has(nameOf(route))) return refusals.accountMalformed;
  if (target && target.owner !== acted) return refusals.idUnknown;
  return key.name === 'agent' && closedToAgents.has(nameOf(route)) ? refusals.permission : 'accepted';
}

function actedUpon({ key, context }: Probe): Account | 'nobody' {
  return context.account ?? key.account;
}

/** Tells whether the key has the permission. A write permission includes reading. */
function holds({ permissions }: Key, needed: string): boolean {
  return permissions.includes(needed) || permissions.includes(needed.replace(/\.read$/, '.write'));
}

/** Checks that a response shows no other account's record, except an id that the request itself named. */
function expectNothingOfOthers(probe: Probe, { text: whole, body }: ApiResponse): void {
  const acted = expectedOf(probe) === 'accepted' ? actedUpon(probe) : null;
  // A log repeats ids that the account itself sent.
  const isLogs = acted !== null && probe.route.path.startsWith('/v1/logs');
  const text = isLogs ? JSON.stringify((body.data ?? [body]).map(withoutRequest)) : whole;
  for (const [id] of text.matchAll(/\b[a-z]+_[0-9A-Za-z]{22}\b/g)) {
    const owner = owners.get(id);
    if (owner === undefined || owner === acted || id === probe.target?.id) continue;
    expect.fail(`It tells of ${id}, which is of the account ${owner}: ${text.slice(0, 300)}`);
  }
}

function withoutRequest({ id, events }: ApiResponse['body']): unknown {
  return [id, events];
}

/** Returns the target of a probe, or a new record if the request would use it up. */
async function targetToUse({ route, target }: Probe): Promise<Target | null> {
  const usesUp = route.method === 'DELETE' || oneTimeActions.has(route.path.split('/').at(-1)!);
  if (!target || !usesUp) return target;
  const kind = kindOf(route);
  return { ...target, id: (await make(kind, target.owner!)).id };
}

async function makeAccounts(): Promise<void> {
  const parent = await firstAccountId(server);
  const connected = (await server.api.post('/v1/accounts', { name: 'Connected' })).body.id;
  const foreign = (await addAccount(server)).accountId;
  accountIds = { parent, connected, foreign, nobody: server.context.ids.make('acct') };
  const made = accounts.map(async (account): Promise<[Account, Key]> => {
    const { key } = await addKey(server, accountIds[account], { permissions: everyPermission });
    return [account, { name: `everything, of ${account}`, account, permissions: everyPermission, text: key }];
  });
  fullKeys = Object.fromEntries(await Promise.all(made)) as Record<Account, Key>;
}

/** Creates a record of this kind, given by its path, in this account. */
async function make(kind: string, account: Account): Promise<{ id: string; requestId: string }> {
  const { text: key } = fullKeys[account];
  const imported = await madeOtherwise(kind, async (linked) => (await make(linked, account)).id, {
    post: (path, body, { authorization = `Bearer ${key}` } = {}) =>
      send('POST', path, authorization.replace('Bearer ', ''), {}, body),
    get: (path) => send('GET', path, key),
    delete: (path) => send('DELETE', path, key),
  });
  if (imported !== null) {
    owners.set(imported, account);
    return { id: imported, requestId: '' };
  }
  const line = `POST /v1/${kind}`;
  if (!bodies[line]) throw new Error(`Tell how a record is made at ${line}.`);
  const { body, headers } = await send('POST', `/v1/${kind}`, fullKeys[account].text, {}, await bodyOf(kind, account));
  expect(body.id, JSON.stringify(body)).toMatch(/^[a-z]+_[0-9A-Za-z]{22}$/);
  owners.set(body.id, account);
  return { id: body.id, requestId: headers.get('request-id')! };
}

/** Returns the body of a creation in this account. First makes the records that it must link to. */
function bodyOf(kind: string, account: Account): Promise<object | undefined> {
  return bodyToMake(
    kind,
    async (linked) => (await make(linked, account)).id,
    (path, body) => send('POST', path, fullKeys[account].text, {}, body),
  );
}

async function makeTargets(): Promise<Map<string, Target[]>> {
  const kinds = [...new Set(routes.filter(hasId).map(kindOf))];
  const made = new Map<string, Target[]>(kinds.map((kind) => [kind, []]));
  for (const account of accounts) {
    const { id: customerId, requestId } = await make('customers', account);
    const { body } = await send('GET', `/v1/events?object_id=${customerId}`, fullKeys[account].text);
    for (const kind of kinds) {
      const id = kind === 'events' ? body.data[0].id : kind === 'logs' ? requestId : (await make(kind, account)).id;
      owners.set(id, account);
      made.get(kind)!.push({ name: `of ${account}`, owner: account, id });
    }
  }
  for (const route of routes.filter(hasId)) {
    const kind = kindOf(route);
    if (route.method !== 'DELETE') continue;
    const { id } = await make(kind, 'parent');
    const { body } = await send('DELETE', `/v1/${kind}/${id}`, fullKeys.parent.text);
    // A revoked key can still be retrieved, and so can a deleted customer.
    if (body.deleted && kind !== 'customers') made.get(kind)!.push({ name: 'deleted', owner: null, id });
  }
  for (const [kind, [first]] of made) {
    const prefix = first!.id.split('_')[0]!;
    const others = [...made.values()].find(([other]) => !other!.id.startsWith(`${prefix}_`))![0]!;
    const never = [
      ['random', server.context.ids.make(prefix as 'ref')],
      ['of another kind', others.id],
      ['too short', `${prefix}_1`],
      ['odd', `${prefix}_%00%F0%9F%98%80`],
    ] as const;
    made.get(kind)!.push(...never.map(([name, id]) => ({ name, owner: null, id: decodeURIComponent(id) })));
  }
  return made;
}

async function makeKeys(): Promise<Key[]> {
  const expiresAt = Math.floor(clock.nowMs() / 1000) + 60;
  const newKey = async (
    name: string,
    type: string,
    permissions: readonly string[],
    settings: object = {},
  ): Promise<Key & { id: string }> => {
    const body = { type, name, permissions, ...settings };
    const made = await send('POST', '/v1/api_keys', fullKeys.parent.text, {}, body);
    expect(made.status, made.text).toBe(200);
    return { name, account: 'parent', permissions, text: made.body.secret, id: made.body.id };
  };
  const allowedAgents = everyPermission.filter((permission) => !forbiddenForAgents.has(permission));
  const writing = [
    'file_contents.read',
    ...resourcesOfKeys.map((one) => (everyPermission.includes(`${one}.write`) ? `${one}.write` : `${one}.read`)),
  ];
  const good = await Promise.all([
    newKey('secret', 'secret', writing),
    newKey('agent', 'agent', allowedAgents),
    newKey('reading', 'restricted', readPermissions),
    ...everyPermission.map((permission) => newKey(`${permission} alone`, 'restricted', [permission])),
    // A write permission includes reading. A read permission can stand alone.
    ...resourcesOfKeys.map((one) =>
      newKey(
        `nothing of ${one}`,
        'restricted',
        writing.filter((permission) => !permission.startsWith(`${one}.`)),
      ),
    ),
    ...writableKinds.map((one) =>
      newKey(`reads only ${one}`, 'restricted', [
        ...writing.filter((permission) => permission !== `${one}.write`),
        `${one}.read`,
      ]),
    ),
  ]);
  // A person has made it, so that it needs no approvals.
  await server.context.database.readers.query(`update api_keys set approvals = 'none' where type = 'agent'`);
  const [expired, revoked, rolled] = await Promise.all([
    newKey('expired', 'secret', writing, { expires_at: expiresAt }),
    newKey('revoked', 'secret', writing),
    newKey('rolled', 'secret', writing),
  ]);
  const ended = await Promise.all([
    send('DELETE', `/v1/api_keys/${revoked.id}`, fullKeys.parent.text),
    send('POST', `/v1/api_keys/${rolled.id}/roll`, fullKeys.parent.text, {}, {}),
  ]);
  expect(ended.map(({ status }) => status)).toEqual([200, 200]);
  clock.advanceSeconds(61);
  const nobodys = { account: 'parent' as const, permissions: writing };
  return [
    ...accounts.map((account) => fullKeys[account]),
    ...good,
    ...[expired, revoked, rolled].map((key) => ({ ...key, refused: refusals.keyExpired })),
    { ...nobodys, name: 'unknown', text: makeKey('secret', 'sandbox', randomBytes), refused: refusals.keyInvalid },
    { ...nobodys, name: 'mistyped', text: `${fullKeys.parent.text}0`, refused: refusals.keyInvalid },
    {
      ...nobodys,
      name: 'of the other mode',
      text: makeKey('secret', 'live', randomBytes),
      refused: refusals.modeMismatch,
    },
    { ...nobodys, name: 'none', text: null, refused: refusals.keyMissing },
  ];
}

function ask({ route, key, context, target }: Probe, body: object = bodies[nameOf(route)] ?? {}): Promise<ApiResponse> {
  const path = route.path.replace(':id', encodeURIComponent(target?.id ?? '')) + (neededQueries[nameOf(route)] ?? '');
  const headers = context.header === undefined ? {} : { 'service-context': context.header };
  return send(route.method, path, key.text, headers, route.method === 'POST' ? body : undefined);
}

async function send(
  method: Route['method'],
  path: string,
  key: string | null,
  headers: Record<string, string> = {},
  body?: object,
): Promise<ApiResponse> {
  const sent =
    body instanceof FormData
      ? await encodedForm(body)
      : body && { contentType: 'application/json', bytes: JSON.stringify(body) };
  const response = await request(server.url + path, {
    method,
    dispatcher: agent,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(sent && { 'content-type': sent.contentType }),
      ...headers,
    },
    ...(sent && { body: sent.bytes }),
  });
  const text = await textOf(response);
  return {
    status: response.statusCode,
    headers: new Headers(response.headers as Record<string, string>),
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  };
}

/** Runs the check, and adds the probe to its error. */
function inProbe({ route, key, context, target }: Probe, check: () => void): void {
  try {
    check();
  } catch (error) {
    const facts = [nameOf(route), `key: ${key.name}`, context.name, ...(target ? [`id: ${target.name}`] : [])];
    throw new Error(`${facts.join(', ')}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the response without the parts in which two refusals of one kind may differ, headers included. */
function masked({ text, headers }: ApiResponse, id: string): string {
  const told = JSON.parse(text) as { error: { message: string; request_id: string; request_log_url?: string } };
  told.error.message = told.error.message.replace(id, '…');
  told.error.request_id = 'req_…';
  // Only POST and DELETE have it.
  delete told.error.request_log_url;
  const names = [...headers].filter(([name]) => !['date', 'request-id', 'content-length'].includes(name));
  return JSON.stringify([told, Object.fromEntries(names)]);
}

/** Returns the row count and a hash of every table except the logs: all that a request can leave behind. */
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
    // Logs are counted.
    const where = { count_deltas: `where object <> 'log'`, activity_deltas: 'where events > 0' }[name] ?? '';
    const { rows } = await readers.query(
      `select count(*), sum(hashtextextended(t::text, 0)) as hash from ${name} t ${where}`,
    );
    found[name] = rows[0];
  }
  expect(Object.keys(found)).toEqual(expect.arrayContaining(['events', 'api_keys', 'accounts', 'idempotency_keys']));
  return found;
}

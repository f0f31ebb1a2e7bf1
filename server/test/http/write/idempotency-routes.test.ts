import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../src/http/route.ts';
import { deployments, newTenantOn, startDeployment, type Deployment } from '../../support/deployments.ts';
import { importForm, statementOf } from '../../support/bank.ts';
import { formOf } from '../../support/files.ts';
import { expectCarriedOut, expectLeft, expectNoReplay, expectReplay, newKey } from '../../support/idempotency.ts';
import { rounds } from '../../support/rounds.ts';
import { expectRefusal, refusals } from '../../support/refusals.ts';
import {
  bodies,
  bodyToMake,
  madeOtherwise,
  hasId,
  inParallel,
  kindOf,
  nameOf,
  receiveDeposit,
  routesOfKeys,
  stepsBefore,
} from '../../support/routes.ts';
import { good, type Api, type ApiResponse } from '../../support/server.ts';
import { latestVersion, versions } from '../../support/versions.ts';

/*
 * No resource implements idempotency itself: a POST is executed once for its key on every route. This file tries every POST route of all
 * resources.
 */

/** Another valid body for the routes of `bodies`. */
const otherBodies: Record<string, object> = {
  'POST /v1/references': { application: 'app_2' },
  'POST /v1/applications': { customers: ['cus_2'] },
  'POST /v1/customers': { name: 'Grace' },
  'POST /v1/buildings': { ...bodies['POST /v1/buildings'], name: 'Stonegate' },
  'POST /v1/units': { ...bodies['POST /v1/units'], name: 'Flat 3' },
  'POST /v1/guarantors': { ...bodies['POST /v1/guarantors'], customer: 'cus_3' },
  'POST /v1/tenancies': { ...bodies['POST /v1/tenancies'], start_date: '2090-03-01' },
  'POST /v1/invoices': { ...bodies['POST /v1/invoices'], due_on: '2090-03-01' },
  'POST /v1/payments': { ...bodies['POST /v1/payments'], amount: 4_001 },
  'POST /v1/deposits': { ...bodies['POST /v1/deposits'], amount: 4_001 },
  'POST /v1/subscriptions': { ...bodies['POST /v1/subscriptions'], amount: 4_001 },
  'POST /v1/payments/import': importForm(statementOf([{ date: '2026-01-11', reference: 'Interest' }])),
  'POST /v1/files': formOf({ purpose: 'other' }),
  'POST /v1/portal_sessions': { customer: 'cus_1', features: ['pets'] },
  'POST /v1/webhook_endpoints': { url: 'https://hooks.example.com/other' },
  'POST /v1/workflows': { ...bodies['POST /v1/workflows'], name: 'Much later' },
  'POST /v1/accounts': { name: 'Another agency' },
  'POST /v1/api_keys': { type: 'secret', name: 'Another' },
  'POST /v1/account/api_version': { api_version: versions[1] },
  'POST /v1/test_helpers/clock/advance': { seconds: 2 },
  'POST /v1/retention_holds/:id/reveal': { reason: 'A court asks for it.' },
};

/** A body that changes a record, for the routes that also accept an empty body. Routes that accept only an empty body are not listed. */
const changes: Record<string, object> = {
  'POST /v1/references/:id': { outcome: 'accept' },
  'POST /v1/applications/:id': { unit: 'unit_2' },
  'POST /v1/customers/:id': { name: 'Grace' },
  'POST /v1/buildings/:id': { name: 'Stonegate' },
  'POST /v1/units/:id': { name: 'Flat 3' },
  'POST /v1/guarantors/:id': { file: 'file_1' },
  'POST /v1/tenancies/:id': { start_date: '2090-03-01' },
  'POST /v1/invoices/:id': { due_on: '2090-03-01' },
  'POST /v1/payments/:id': { reference: 'FLAT 2' },
  'POST /v1/deposits/:id': { amount: 3_999 },
  'POST /v1/subscriptions/:id': { description: 'Water of Flat 2' },
  'POST /v1/files/:id': { metadata: { a: '1' } },
  'POST /v1/webhook_endpoints/:id': { description: 'Changed' },
  'POST /v1/workflows/:id': { name: 'Much later' },
  'POST /v1/accounts/:id': { name: 'Another agency' },
  'POST /v1/account': { name: 'Another agency' },
  'POST /v1/api_keys/:id/roll': { expires_in: 60 },
};

/** The account's versions before the request, for the routes that change its API version. */
const pins: Record<string, { api_version: string; api_version_previous: string | null }> = {
  'POST /v1/account/api_version': { api_version: versions.at(-1)!, api_version_previous: null },
  'POST /v1/account/api_version/rollback': { api_version: latestVersion, api_version_previous: versions.at(-1)! },
};

/** What the record must have for an action that is for few records. */
const startedBefore: Record<string, object> = {
  'POST /v1/references/:id/retry': { automatic_reference: {} },
  'POST /v1/tenancies/:id/end': { start_date: '2026-01-05' },
};

/** What the records must have to which such a record links. */
const today = { start_date: new Date().toISOString().slice(0, 10) };
const linkedBefore: Record<string, object> = {
  'POST /v1/subscriptions/:id/pause': today,
  'POST /v1/subscriptions/:id/resume': today,
};

/** Actions on a holding deposit. */
const isOfHolding = /\/deposits\/:id\/(extend|apply|retain|return)$/;

const advice =
  'Add a valid body to `bodies` in server/test/support/routes.ts. If a new record refuses the action, add the actions before it to `stepsBefore` there. If only few records allow it, add their members to `startedBefore` in this file, and those of linked records to `linkedBefore`.';

interface Posted {
  path: string;
  body: object;
}

// Two processes are the harder case, so a fast run takes only that one.
describe.each(rounds(deployments.slice(1), deployments))('%s', (_name, processes) => {
  let deployment: Deployment;
  let routes: Route[];

  beforeAll(async () => {
    deployment = await startDeployment(processes);
    routes = routesOfKeys(deployment.one.context);
  });
  afterAll(() => deployment.stop());

  test('executes a request once on every POST route when its key is repeated', async () => {
    // These test helpers make a provider act. Another test shows that they do it once. A test of a workflow changes nothing, and only a
    // failed run can be retried. Only an agent's key cancels its approval requests: see `approvals.test.ts`.
    const others =
      /test_helpers.(references|payments)|workflows.:id.test|workflow_runs.:id.retry|approval_requests.:id.cancel/;
    const posts = routes.filter(({ method, path }) => method === 'POST' && !others.test(path));
    expect(posts.length).toBeGreaterThanOrEqual(15);
    const withSecrets: string[] = [];
    await inParallel(posts, 6, async (route) => {
      try {
        if (await isCarriedOutOnce(route)) withSecrets.push(nameOf(route));
      } catch (error) {
        throw new Error(`${nameOf(route)}: ${(error as Error).message}`, { cause: error });
      }
    });
    // Logs redact secrets, so these responses cannot be replayed from the log.
    expect(withSecrets.sort(), 'If the response of a new route has a secret, add the route here.').toEqual([
      'POST /v1/api_keys',
      'POST /v1/api_keys/:id/roll',
      'POST /v1/files/:id/links',
      'POST /v1/portal_sessions',
      'POST /v1/retention_holds/:id/reveal',
      'POST /v1/webhook_endpoints',
      'POST /v1/webhook_endpoints/:id/roll_secret',
      'POST /v1/workflows',
    ]);
  });

  /** Checks one route, and returns whether its response carries a secret. */
  async function isCarriedOutOnce(route: Route): Promise<boolean> {
    const { accountId, first, second } = await newTenantOn(deployment);
    await pin(accountId, pins[nameOf(route)]);
    const { request, other } = await requestsFor(route, second);
    if (nameOf(route) === 'POST /v1/events/:id/resend') await nameEndpoint(second, request, other);
    if (nameOf(route) === 'POST /v1/deposits/:id/apply') await nameTenancy(second, request, other);
    const key = newKey();

    const executed = await first.post(request.path, request.body, key);
    expect(executed.status, `${executed.text.slice(0, 500)}\n${advice}`).toBe(200);
    expectCarriedOut(executed);
    const all = await everythingOf(second);
    const { events } = (await second.get(`/v1/logs/${executed.headers.get('request-id')}`)).body;
    // A resend changes no record, and neither does a move of the clock. A retry shows only what its service then says.
    if (!/\/(resend|retry|clock\/advance)$/.test(request.path))
      expect(events, 'It changes nothing: add a body that does to `changes`.').not.toEqual([]);

    const again = await second.post(request.path, request.body, key);
    expectReplay(again, executed);
    const reused = await second.post(other.path, other.body, key);
    expectRefusal(reused, { ...refusals.idempotencyReused, version: reused.headers.get('service-version')! });
    expectNoReplay(reused);
    await expectLeft(first, reused, key, {});
    expect(await everythingOf(first)).toEqual(all);
    // Also on the process that executed the request, which remembers more.
    expectReplay(await first.post(request.path, request.body, key), executed);

    const { object, secret: ofKey, signing_secret: ofEndpoint, content, url } = executed.body;
    const secret: unknown =
      ofKey ?? ofEndpoint ?? content?.name ?? (['file_link', 'portal_session'].includes(object) ? url : undefined);
    if (typeof secret !== 'string') await expectLeft(first, again, key, {});
    else await expectRedacted(first, [executed, again], secret);
    return typeof secret === 'string';
  }

  async function pin(accountId: string, to: (typeof pins)[string] | undefined): Promise<void> {
    if (!to) return;
    await deployment.one.context.database.readers.query(
      `update accounts
       set api_version = $2, api_version_previous = $3, rollback_until = case when $3::text is not null then 9999999999 end
       where account_id = $1 and id = $1`,
      [accountId, to.api_version, to.api_version_previous],
    );
  }

  /** Returns what the account's lists show. Events that the server makes by itself are left out, since they come at any time. */
  async function everythingOf(api: Api): Promise<Record<string, unknown>> {
    // Repeats are logged, and the preview and the activity follow from logs. The clock runs, and a search shows it.
    const lists = routes.filter(
      (route) => route.method === 'GET' && !hasId(route) && !/logs$|preview$|activity$|clock$|search$/.test(route.path),
    );
    expect(lists.length).toBeGreaterThanOrEqual(7);
    const found: Record<string, unknown> = {};
    for (const { path } of lists) {
      const { body } = await api.get(path, { 'service-version': latestVersion });
      found[path] = path === '/v1/events' ? body.data.filter(isOfRequest) : body;
    }
    return found;
  }
});

/** Returns a valid request and another valid one: with another body or, if there is none, for another record. */
async function requestsFor(route: Route, api: Api): Promise<{ request: Posted; other: Posted }> {
  const name = nameOf(route);
  const made =
    route.path === `/v1/${kindOf(route)}` ? await bodyToMake(kindOf(route), (kind) => make(kind, api), api.post) : null;
  const body = made ?? bodies[name] ?? changes[name] ?? {};
  const path = await pathOf(route, api);
  // An account has only one version, so the other request takes another path.
  if (name === 'POST /v1/account/api_version/rollback') {
    return { request: { path, body }, other: { path: '/v1/account', body } };
  }
  const otherBody = otherBodies[name] ?? (changes[name] && {});
  const other = otherBody ? { path, body: otherBody } : { path: await pathOf(route, api), body };
  expect(other, 'Add another valid body to `otherBodies`.').not.toEqual({ path, body });
  return { request: { path, body }, other };
}

/** Gives each request an endpoint that an event can be sent to. */
async function nameEndpoint(api: Api, ...requests: Posted[]): Promise<void> {
  const { body } = await good(api.post('/v1/webhook_endpoints', bodies['POST /v1/webhook_endpoints']));
  for (const request of requests) request.body = { webhook_endpoint: body.id };
}

/** Gives each request a tenancy that its deposit can be applied to. */
async function nameTenancy(api: Api, ...requests: Posted[]): Promise<void> {
  for (const request of requests) {
    const { body: deposit } = await good(api.get(request.path.replace(/\/apply$/, '')));
    const tenancy = await make('tenancies', api, { application: deposit.application });
    request.body = { ...bodies['POST /v1/deposits/:id/apply'], to: [{ tenancy, amount: 1 }] };
  }
}

/** Makes a holding deposit of a unit with a rent. */
async function makeHolding(api: Api): Promise<string> {
  const unit = await make('units', api, { rent: { amount: 95_000, currency: 'gbp', interval: 'month' } });
  const application = await make('applications', api, { unit });
  return (await good(api.post('/v1/deposits', { type: 'holding', application, amount: 4_000 }))).body.id;
}

/** Returns the route's path, with the id of a new record if it has one. */
async function pathOf(route: Route, api: Api): Promise<string> {
  if (!hasId(route)) return route.path;
  // An event is created by creating another record.
  const isOfEvents = kindOf(route) === 'events';
  const kind = isOfEvents ? 'customers' : kindOf(route);
  const id = isOfHolding.test(route.path)
    ? await makeHolding(api)
    : await make(kind, api, startedBefore[nameOf(route)], linkedBefore[nameOf(route)]);
  await receiveDeposit(route, id, api.post);
  for (const step of stepsBefore[nameOf(route)] ?? []) {
    const before = route.path.replace(/[^/]+$/, step);
    await good(api.post(before.replace(':id', id), bodies[`POST ${before}`]));
  }
  if (!isOfEvents) return route.path.replace(':id', id);
  const { body: events } = await good(api.get(`/v1/events?object_id=${id}`));
  return route.path.replace(':id', events.data[0].id);
}

/** Makes a record of the kind with this path, after those that it must link to. */
async function make(kind: string, api: Api, more: object = {}, ofLinked: object = {}): Promise<string> {
  const imported = await madeOtherwise(kind, (linked) => make(linked, api), api);
  if (imported !== null) return imported;
  const body = await bodyToMake(kind, (linked) => make(linked, api, ofLinked), api.post);
  return (await good(api.post(`/v1/${kind}`, body instanceof FormData ? body : { ...body, ...more }))).body.id;
}

function isOfRequest({ request }: ApiResponse['body']): boolean {
  return request.id !== null;
}

async function expectRedacted(api: Api, answers: ApiResponse[], secret: string): Promise<void> {
  for (const answer of answers) {
    expect(answer.text).toContain(secret);
    const log = await api.get(`/v1/logs/${answer.headers.get('request-id')}`);
    expect(log.text).not.toContain(secret);
    expect(log.body).toMatchObject({
      status: 200,
      response_body: expect.stringContaining('[redacted]'),
      replayed: answer.headers.get('idempotent-replayed') === 'true',
      original_request: answer.headers.get('original-request'),
    });
  }
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import type { AnswerChecker, ObservedAnswer } from '../support/answer-checker.ts';
import { takeAnswerFaults } from '../support/answer-faults.ts';
import { checkerOf, holdAnswers } from '../support/answers.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { latestVersion } from '../support/versions.ts';

/*
 * The checker holds the responses of all other tests against the API docs. It must find the fault here: each response is a real one with
 * one planted fault.
 */

let server: TestServer;
let checker: AnswerChecker;
let made: ObservedAnswer;
let listed: ObservedAnswer;
let refused: ObservedAnswer;
let missing: ObservedAnswer;
let events: ObservedAnswer;

beforeAll(async () => {
  server = await startTestServer();
  checker = checkerOf(server.context, latestVersion);
  const { api } = server;
  made = observed('POST', '/v1/references', await api.post('/v1/references', { application: 'app_1' }));
  listed = observed('GET', '/v1/references', await api.get('/v1/references'));
  refused = observed('POST', '/v1/references', await api.post('/v1/references', {}));
  events = observed('GET', '/v1/events', await api.get('/v1/events'));
  missing = observed('GET', '/v1/references/:id', await api.get('/v1/references/ref_1'));
});
afterAll(() => server.stop());

test('finds no fault when responses are unchanged', () => {
  for (const answer of [made, listed, refused, missing, events]) expect(checker.faultsOf(answer)).toEqual([]);
});

describe('planted faults', () => {
  test.each<[string, () => ObservedAnswer, RegExp]>([
    ['with a member that is not documented', () => withBody(made, { score: 1 }), /additional properties "score"/],
    ['without a documented member', () => withBody(made, { status: undefined }), /required property 'status'/],
    ['with a member of another type', () => withBody(made, { created: '1' }), /\/created must be integer/],
    ['with an unknown enum value', () => withBody(made, { status: 'done' }), /\/status must be equal to one of/],
    [
      'with a member of an older version',
      () => withBody(listed, { total_count: 1 }),
      /additional properties "total_count"/,
    ],
    [
      'whose list has a wrong item',
      () => withBody(listed, { data: [{ id: 'ref_1' }] }),
      /\/data\/0 must have required/,
    ],
    [
      'with an event of an unknown type',
      () => withEvent({ type: 'reference.lost' }),
      /\/data\/0 must be .*documented type/,
    ],
    ['with an event of another record', () => withEvent({ type: 'customer.created' }), /\/data\/0\/data\/object must/],
    [
      'with an event that has a wrong member deep inside',
      () => withEvent({ data: { ...firstEvent().data, object: { ...firstEvent().data.object, created: '1' } } }),
      /\/data\/0\/data\/object\/created must be integer/,
    ],
    [
      'of a status that is not documented',
      () => ({ ...made, status: 201 }),
      /answered 201 .* the status is not documented/,
    ],
    ['without Request-Id', () => withHeader(made, 'request-id'), /the header Request-Id is missing/],
    ['without Service-Version', () => withHeader(made, 'service-version'), /the header Service-Version is missing/],
    ['with an invalid Request-Id', () => withHeader(made, 'request-id', 'x'), /the header Request-Id is "x"/],
    [
      'without Service-Should-Retry',
      () => withHeader(refused, 'service-should-retry'),
      /Service-Should-Retry is missing/,
    ],
    ['without Retry-After', () => ({ ...refused, status: 409 }), /the header Retry-After is missing/],
    ['of another content type', () => withHeader(made, 'content-type', 'text/html'), /the content type is text\/html/],
    [
      'with a code that is not documented there',
      () => withCode(missing, 'limit_reached'),
      /the code limit_reached is not documented: add it to `refusals`/,
    ],
    ['with an unknown error code', () => withCode(missing, 'oops'), /\/error\/code must be equal to one of/],
    ['of a route that is not documented', () => ({ ...made, path: '/v1/planted' }), /there is no such operation/],
    ['of success to an unknown path', () => ({ ...made, path: null }), /the status is not documented/],
    [
      'to an unknown path in another form',
      () => ({ ...made, path: null, status: 404 }),
      /Service-Should-Retry is missing/,
    ],
  ])('reports a response %s', (_case, plant, says) => {
    const faults = checker.faultsOf(plant());
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).toMatch(says);
  });

  test('reports operation, version and body when a response is wrong', () => {
    const [fault] = checker.faultsOf(withBody(made, { score: 1 }));
    expect(fault).toContain(`POST /v1/references (references_create) answered 200 in version ${latestVersion}`);
    expect(fault).toContain('"score":1');
  });
});

test('fails the test of a wrong response when a watched server sends one with an extra member', async () => {
  const app = buildApp(server.context);
  app.addHook('onSend', async (_request, _reply, payload) => String(payload).replace('{', '{"planted":1,'));
  holdAnswers(app, server.context);
  const headers = { authorization: `Bearer ${server.secretKey}` };
  expect((await app.inject({ url: '/v1/account', headers })).json()).toHaveProperty('planted');
  await app.close();
  expect(takeAnswerFaults()).toEqual([expect.stringContaining('GET /v1/account (account_retrieve)')]);
  expect(takeAnswerFaults()).toEqual([]);
});

function observed(
  method: string,
  path: string,
  { status, headers, text }: { status: number; headers: Headers; text: string },
): ObservedAnswer {
  return { method, path, status, headers: Object.fromEntries(headers), body: text };
}

function withBody(answer: ObservedAnswer, members: object): ObservedAnswer {
  return { ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body.toString()) as object), ...members }) };
}

function firstEvent(): { data: { object: object } } {
  return (JSON.parse(events.body.toString()) as { data: { data: { object: object } }[] }).data[0]!;
}

function withEvent(members: object): ObservedAnswer {
  return withBody(events, { data: [{ ...firstEvent(), ...members }] });
}

function withHeader(answer: ObservedAnswer, name: string, value?: string): ObservedAnswer {
  return { ...answer, headers: { ...answer.headers, [name]: value } };
}

function withCode(answer: ObservedAnswer, code: string): ObservedAnswer {
  const { error } = JSON.parse(answer.body.toString()) as { error: object };
  return withBody(answer, { error: { ...error, code } });
}

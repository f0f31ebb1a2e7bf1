import { afterAll, beforeAll, expect, test } from 'vitest';
import { SecretMembers } from '../../src/core/secrets/secret-members.ts';
import { ApiError } from '../../src/core/errors.ts';
import { parseJsonObject } from '../../src/http/body/json.ts';
import { queryReader } from '../../src/http/body/query.ts';
import { validator } from '../../src/http/body/validate.ts';
import type { WriteRoute } from '../../src/http/route.ts';
import { processorMsOf } from '../support/processor-time.ts';
import { expectRefusal, missing, refusals, unknown } from '../support/refusals.ts';
import { nameOf, routesOfKeys, takesForm } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/* Bodies with far more members than any request takes: to refuse one costs less than to parse it. */

let server: TestServer;
let routes: WriteRoute[];

beforeAll(async () => {
  server = await startTestServer();
  routes = routesOfKeys(server.context).filter(
    (route): route is WriteRoute => route.method === 'POST' && !takesForm(route),
  );
});
afterAll(() => server.stop());

function membersOf(count: number, nameOfIndex: (index: number) => string = (index) => `A${index}`): string {
  return Array.from({ length: count }, (_, index) => `"${nameOfIndex(index)}":1`).join();
}

const tooMany = { ...refusals.bodyInvalid, says: 'more than 1,000 members and items' };

test('refuses the body on every route when it has thousands of members', async () => {
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    const path = route.path.replace(':id', 'x_1');
    expectRefusal(await server.api.post(path, `{${membersOf(15_000)}}`), { ...tooMany });
  }
});

test('counts the members of all objects when it refuses a body', async () => {
  const full = `{${membersOf(499)}}`;
  const answer = await server.api.post('/v1/references', `{"a":[${full}],"b":${full}}`);
  expectRefusal(answer, missing('application'));
  const oneMore = await server.api.post('/v1/references', `{"a":[${full}],"b":${full},"c":1}`);
  expectRefusal(oneMore, tooMany);
});

test('counts the items of arrays when it refuses a body', async () => {
  const full = `{"a":[${'{},'.repeat(998)}{}]`;
  expectRefusal(await server.api.post('/v1/references', `${full}}`), missing('application'));
  expectRefusal(await server.api.post('/v1/references', `${full},"b":[[],[]]}`), tooMany);
});

test('names the misspelt member when it is among the first hundred', async () => {
  const misspelt = `${membersOf(99)},"aplication":"app_1"`;
  expectRefusal(await server.api.post('/v1/references', `{${misspelt}}`), unknown('aplication'));
  const behind = `${membersOf(100)},"aplication":"app_1"`;
  expectRefusal(await server.api.post('/v1/references', `{${behind}}`), missing('application'));
});

test.each([
  ['a required one missing', `{${membersOf(22_000)}}`],
  ['escapes in their names', `{${membersOf(15_000, (index) => `\\u0041${index}`)}}`],
  ['an object each', `{"a":[${Array.from({ length: 20_000 }, () => '{"\\"":1}').join()}]}`],
  ['an empty object each', `{"a":[${'{},'.repeat(80_000)}1]}`],
  ['a nested object', `{"application":{${membersOf(22_000)}}}`],
  ['metadata', `{"application":"app_1","metadata":{${membersOf(15_000, (index) => `\\"${index}`)}}}`],
])('costs no more than parsing when a body has thousands of members: %s', (_, text) => {
  const validate = validator(routes.find((route) => nameOf(route) === 'POST /v1/references')!.body);
  const bytes = Buffer.from(text);
  const refuse = (): void => expect(() => validate(parseJsonObject(bytes).value)).toThrow(ApiError);
  // The best of several rounds, so that a busy machine makes no difference; measured, a refusal costs a tenth.
  expect(bestMs(refuse)).toBeLessThan(3 * bestMs(() => void JSON.parse(text)));
});

test('costs milliseconds when a thousand long names have one beginning', () => {
  const validate = validator(routes.find((route) => nameOf(route) === 'POST /v1/references')!.body);
  const names = membersOf(980, (index) => `${'~/'.repeat(120)}${index}`);
  const text = `{"application":"app_1","metadata":{${names}}}`;
  const refuse = (): void => expect(() => validate(JSON.parse(text))).toThrow(ApiError);
  // Measured, a refusal takes 10 ms, 50 times as long. To describe all 3,000 faults takes 230 times as long.
  expect(bestMs(refuse)).toBeLessThan(160 * bestMs(() => void JSON.parse(text)));
});

test('costs little more than decoding when a query has thousands of unknown names', () => {
  const read = queryReader(routesOfKeys(server.context).find((route) => nameOf(route) === 'GET /v1/references')!.query);
  const names = Array.from({ length: 3_000 }, (_, index) => `expnd${index.toString(36)}`);
  const url = `/v1/references?${names.join('&')}`;
  const refuse = (): void => expect(() => read(url)).toThrow(ApiError);
  // Measured, a refusal costs four times as much. To compare every name with the known ones costs 500 times as much.
  expect(bestMs(refuse)).toBeLessThan(40 * bestMs(() => void names.map(decodeURIComponent)));
});

test('looks for secrets in time that grows with the text when invalid JSON has one long word', () => {
  const secrets = new SecretMembers(['signing_secret']);
  const timeOf = (text: string): number => bestMs(() => expect(secrets.mayBeIn(text)).toBe(false));
  // As many letters in short words. To search from each letter of the long word costs 80 times as much.
  expect(timeOf('x'.repeat(8_000))).toBeLessThan(10 * timeOf(`${'x'.repeat(99)} `.repeat(80)));
});

/** Returns the least processor time of several rounds. */
function bestMs(work: () => void): number {
  return Math.min(...Array.from({ length: 40 }, () => processorMsOf(work)));
}

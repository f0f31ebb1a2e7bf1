import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { invalidParameter, type ApiError } from '../../src/core/errors.ts';
import { errorInVersion } from '../../src/http/pipeline/api-version.ts';
import { formOf } from '../support/files.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../support/refusals.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { inVersion, versions, words } from '../support/versions.ts';

/* An error about a body or a query lists all faults in `errors`, the first one first. */

interface Fault {
  code: string;
  param: string;
  message: string;
}

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe('faults of a body', () => {
  test('lists one fault when a body has one', async () => {
    const answer = await api.post('/v1/customers', { name: 'Ada', email: 'x' });
    expectRefusal(answer, invalid('email'));
    const { code, param, message, errors } = answer.body.error;
    expect(errors).toStrictEqual([{ code, param, message }]);
  });

  test('lists missing, unknown and invalid members at any depth in a stable order', async () => {
    const faulty = {
      nickname: 'A',
      email: 'x'.repeat(300),
      date_of_birth: 1990,
      addresses: [{ line1: '1 High St', city: 'York', country: 'gb', planet: 'Earth' }, 'x', { line1: 5 }],
      metadata: { order: 1, 'a[b]': 'x', fine: 'x' },
    };
    const answer = await api.post('/v1/customers', faulty);
    expectRefusal(answer, missing('name'));
    expect(toldIn(answer)).toEqual([
      'parameter_missing name',
      'parameter_unknown nickname',
      'parameter_invalid email',
      'parameter_invalid date_of_birth',
      'parameter_missing addresses[0][postal_code]',
      'parameter_unknown addresses[0][planet]',
      'parameter_invalid addresses[0][country]',
      'parameter_invalid addresses[1]',
      'parameter_missing addresses[2][city]',
      'parameter_missing addresses[2][postal_code]',
      'parameter_missing addresses[2][country]',
      'parameter_invalid addresses[2][line1]',
      'parameter_invalid metadata[a[b]]',
      'parameter_invalid metadata[order]',
    ]);
    const again = await api.post('/v1/customers', faulty);
    expect(again.body.error.errors).toEqual(answer.body.error.errors);
  });

  test('gives each fault the message that it has alone', async () => {
    const alone = await Promise.all(
      [{ email: 'x' }, { date_of_birth: '1990-02-30' }, { metadata: { a: 1 } }, { emial: 'x' }].map((fault) =>
        api.post('/v1/customers', { name: 'Ada', ...fault }),
      ),
    );
    const together = await api.post('/v1/customers', {
      name: 'Ada',
      email: 'x',
      date_of_birth: '1990-02-30',
      metadata: { a: 1 },
      emial: 'x',
    });
    const messages = faultsIn(together).map(({ message }) => message);
    expect(messages).toHaveLength(4);
    expect(new Set(messages)).toEqual(new Set(alone.map(({ body }) => body.error.message)));
  });

  test('lists one fault of a member when its value breaks several rules', async () => {
    const answer = await api.post('/v1/customers', { name: '\n'.repeat(1_000), email: '@'.repeat(300) });
    expect(toldIn(answer)).toEqual(['parameter_invalid name', 'parameter_invalid email']);
  });

  test('names the misspelt member first, then the missing one, when a required name is misspelt', async () => {
    const answer = await api.post('/v1/customers', { nmae: 'Ada', email: 'x' });
    expectRefusal(answer, { ...unknown('nmae'), says: 'Did you mean `name`?' });
    expect(toldIn(answer)).toEqual(['parameter_unknown nmae', 'parameter_missing name', 'parameter_invalid email']);
  });

  test('lists the faults of the fields when a form has several', async () => {
    const answer = await api.post('/v1/files', formOf({ 'metadata[a]': 'x'.repeat(501), color: 'red', size: 'x' }));
    expectRefusal(answer, unknown('color'));
    expect(toldIn(answer)).toEqual([
      'parameter_unknown color',
      'parameter_unknown size',
      'parameter_invalid metadata[a]',
    ]);
  });

  test('logs the first fault as the error and the same bytes as the response', async () => {
    const answer = await api.post('/v1/customers', { email: 'x', nickname: 'A' });
    const log = (await api.get(`/v1/logs/${answer.headers.get('request-id')}`)).body;
    expect(log.error).toEqual({ type: 'invalid_request_error', code: 'parameter_missing', param: 'name' });
    expect(log.response_body).toBe(answer.text);
    expect(toldIn(answer)).toHaveLength(3);
  });
});

describe('faults of a query', () => {
  test('lists unknown, repeated and invalid parameters in a stable order', async () => {
    const query = 'limit=0&offset=x&colour=red&status=a%00&limit=5&colour=blue&created[gt]=-1&application=app_1';
    const answer = await api.get(`/v1/references?${query}`);
    expectRefusal(answer, unknown('colour'));
    const found = ['parameter_unknown colour', 'parameter_invalid status', 'parameter_invalid limit'];
    expect(toldIn(answer).slice(0, 3)).toEqual(found);
    expect(toldIn(answer).slice(3).toSorted()).toEqual(['parameter_invalid created[gt]', 'parameter_invalid offset']);
    expect((await api.get(`/v1/references?${query}`)).body.error.errors).toEqual(answer.body.error.errors);
  });

  test('lists a parameter once when a query repeats it many times', async () => {
    const answer = await api.get(`/v1/references?${'colour=red&'.repeat(30)}limit=0&shape=round`);
    expect(toldIn(answer)).toEqual(['parameter_unknown colour', 'parameter_unknown shape', 'parameter_invalid limit']);
  });

  test('lists only the faults of the query when the body has faults, too', async () => {
    const answer = await api.post('/v1/customers?a=1&b=2', { nickname: 'A' });
    expectRefusal(answer, unknown('a'));
    expect(toldIn(answer)).toEqual(['parameter_unknown a', 'parameter_unknown b']);
  });

  test('lists one fault when a query has one', async () => {
    for (const query of ['limit=0', 'colour=red', 'limit=1&limit=2', 'status=%00'])
      expect(toldIn(await api.get(`/v1/references?${query}`)), query).toHaveLength(1);
  });
});

describe('the limits of the list', () => {
  test('lists at most 20 faults when a body has a thousand', async () => {
    const unknowns = members(999, (index) => `member_${index}`);
    const answer = await api.post('/v1/customers', { ...unknowns, email: 'x' });
    expectRefusal(answer, missing('name'));
    const expected = Array.from({ length: 19 }, (_, index) => `parameter_unknown member_${index}`);
    expect(toldIn(answer)).toEqual(['parameter_missing name', ...expected]);
  });

  test('lists at most 20 faults when each of a thousand items has several', async () => {
    const answer = await api.post('/v1/customers', { name: 'Ada', addresses: Array.from({ length: 990 }, () => ({})) });
    expectRefusal(answer, invalid('addresses'));
    expect(faultsIn(answer)).toHaveLength(20);
  });

  test('lists no faults when a body has more members than any request takes', async () => {
    const answer = await api.post(
      '/v1/customers',
      members(10_000, (index) => `m${index}`),
    );
    expectRefusal(answer, refusals.bodyInvalid);
    expect(answer.body.error).not.toHaveProperty('errors');
  });

  test('lists at most 20 faults when a query has thousands', async () => {
    const pairs = Array.from({ length: 4_000 }, (_, index) => index.toString(36));
    const answer = await api.get(`/v1/references?limit=0&${pairs.join('&')}`);
    expectRefusal(answer, unknown('0'));
    expect(toldIn(answer)).toEqual(pairs.slice(0, 20).map((name) => `parameter_unknown ${name}`));
  });

  test('lists faults of up to 8 kB when they quote long names', async () => {
    for (const letter of ['x', '\u0001', '"', '😀']) {
      const long = members(30, (index) => `${index}${letter.repeat(500)}`);
      for (const body of [long, { name: 'Ada', metadata: long }, { name: 'Ada', addresses: [long] }]) {
        const answer = await api.post('/v1/customers', body);
        expect(answer.status).toBe(400);
        expect(faultsIn(answer).length).toBeGreaterThan(3);
        expect(Buffer.byteLength(answer.text)).toBeLessThan(10 * 1024);
      }
    }
  });
});

describe.each(versions)('names in %s', (version) => {
  const { file, notFile } = words[version]!;

  test("lists all faults by the version's names and suggests its name", async () => {
    const tenant = await addAccount(server, version);
    const path = `/v1/references/${(await tenant.api.post('/v1/references', { application: 'app_1' })).body.id}`;
    const answer = await tenant.api.post(path, { outcome: 5, colour: 'red', [notFile]: 'file_1', [file]: 7 });
    expect(answer.status).toBe(400);
    const faults = faultsIn(answer);
    expect(faults.map(({ param }) => param).toSorted()).toEqual(['colour', 'outcome', file, notFile].toSorted());
    expect(faults[0]!.param).toBe('colour');
    const suggested = faults.find(({ param }) => param === notFile)!;
    expect(suggested.message).toContain(`it is called \`${file}\`.`);
    expect(faults.find(({ param }) => param === file)!.message).toContain(`\`${file}\` must be `);
  });

  test("converts all faults to the version's names when they were found in the newest version", () => {
    for (const [first, second] of [
      ['outcome', 'reference_pdf'],
      ['reference_pdf', 'outcome'],
    ] as const) {
      const error = Object.assign(noId(first), { otherFaults: [noId(second)] });
      const converted = errorInVersion(server.context.versions, error, 'reference', version);
      const all = [converted, ...converted.otherFaults!];
      const expected = [first, second].map((name) => (name === 'reference_pdf' ? file : name));
      expect(all.map(({ param }) => param)).toEqual(expected);
      expect(all.map(({ message }) => message)).toEqual(expected.map((name) => `\`${name}\` must be an id.`));
      expect([converted.code, converted.status]).toEqual(['parameter_invalid', 400]);
    }
  });

  test('refuses the same faults when the version comes from the header', async () => {
    const answer = await api.post('/v1/references', { application: 5, colour: 'red' }, inVersion(version));
    expectRefusal(answer, { ...unknown('colour'), version });
    expect(toldIn(answer)).toEqual(['parameter_unknown colour', 'parameter_invalid application']);
  });
});

test('masks secrets in every fault when a request has them in the wrong place', async () => {
  const keys = Array.from({ length: 5 }, () => makeKey('secret', 'sandbox', randomBytes));
  const body = { name: 'Ada', metadata: Object.fromEntries(keys.map((key) => [key, 1])) };
  const answers = [
    await api.post('/v1/customers', Object.fromEntries(keys.map((key) => [key, 1]))),
    await api.post('/v1/customers', body),
    await api.get(`/v1/references?${keys.join('&')}`),
    await api.get(`/v1/references?${keys.map((key) => `https://ada:${key}@example.org`).join('&')}`),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(400);
    expect(faultsIn(answer).length).toBeGreaterThanOrEqual(5);
    for (const key of keys) expect(answer.text).not.toContain(key);
    expect(faultsIn(answer).at(-1)!.param).toContain('****');
  }
  for (const answer of answers.slice(0, 2)) {
    const log = await api.get(`/v1/logs/${answer.headers.get('request-id')}`);
    for (const key of keys) expect(log.text).not.toContain(key);
  }
});

test('lists no faults when the server stops at the first one', async () => {
  const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
  const answers = [
    // Found by the decision.
    await api.post('/v1/customers', { name: 'Ada', date_of_birth: '2999-01-01' }),
    await api.get('/v1/references?starting_after=ref_1'),
    await api.get(`/v1/references/${id}?expand=x`),
    // Found before the parameters have names.
    await api.get('/v1/references?limit=0&status=%zz'),
    await api.get('/v1/references/ref_1'),
    await api.post('/v1/customers', '{'),
  ];
  expect(answers.map(({ body }) => body.error.code)).toEqual([
    'parameter_invalid',
    'parameter_invalid',
    'parameter_invalid',
    'parameter_invalid',
    'resource_missing',
    'body_invalid',
  ]);
  for (const { body } of answers) expect(body.error).not.toHaveProperty('errors');
});

function faultsIn({ body }: ApiResponse): Fault[] {
  const { code, param, message, errors } = body.error;
  expect(errors[0]).toStrictEqual({ code, param, message });
  expect(errors.length).toBeLessThanOrEqual(20);
  return errors;
}

function toldIn(answer: ApiResponse): string[] {
  return faultsIn(answer).map(({ code, param }) => `${code} ${param}`);
}

function noId(param: string): ApiError {
  return invalidParameter(param, `\`${param}\` must be an id.`);
}

/** Returns an object with this many members. */
function members(count: number, nameOf: (index: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), 1]));
}

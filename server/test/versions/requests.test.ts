import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { inVersion, versions, words } from '../support/versions.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The version of a request comes from its header, or from its account. */
const ways = versions.flatMap((version) => [
  { version, by: 'its header', account: versions.find((other) => other !== version)!, header: inVersion(version) },
  { version, by: 'its account', account: version, header: {} },
]);

describe.each(ways)('requests in $version by $by', ({ version, account, header }) => {
  const { file, notFile } = words[version]!;
  let api: Api;
  let path: string;

  beforeAll(async () => {
    ({ api } = await addAccount(server, account));
    path = `/v1/references/${(await api.post('/v1/references', { application: 'app_1' })).body.id}`;
  });

  test("accepts the version's own name of a parameter when a request uses it", async () => {
    const { status, body, headers } = await api.post(path, { [file]: 'file_1' }, header);
    expect([status, body[file], headers.get('service-version')]).toEqual([200, 'file_1', version]);
    const stored = await api.get(path, inVersion(versions[0]!));
    expect(stored.body.reference_pdf).toBe('file_1');
  });

  test("refuses another version's name and suggests the own one when a request uses it", async () => {
    const refused = await api.post(path, { [notFile]: 'file_2', metadata: { a: '1' } }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_unknown', notFile]);
    expect(refused.body.error.message).toContain(
      `There is no parameter \`${notFile}\` here. In version ${version} of this request, `,
    );
    expect(refused.body.error.message).toContain(`it is called \`${file}\`.`);
    const { body } = await api.get(path, header);
    expect([body[file], body.metadata]).toEqual(['file_1', {}]);
    const both = await api.post(path, { [notFile]: 'file_2', [file]: 'file_2' }, header);
    expect(errorOf(both)).toEqual([400, 'parameter_unknown', notFile]);
  });

  test('suggests no name when the operation does not accept it in any version', async () => {
    for (const name of [file, notFile]) {
      const refused = await api.post('/v1/references', { application: 'app_1', [name]: 'file_1' }, header);
      expect(errorOf(refused)).toEqual([400, 'parameter_unknown', name]);
      expect(refused.body.error.message).toBe(`There is no parameter \`${name}\` here.`);
    }
  });

  test("suggests the version's own name when a name is misspelt", async () => {
    const misspelt = `${file}s`;
    const refused = await api.post(path, { [misspelt]: 'file_1' }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_unknown', misspelt]);
    expect(refused.body.error.message).toContain(`Did you mean \`${file}\`?`);
  });

  test.each([
    ['not an id', 'not an id'],
    ['null', null],
    ['a number', 7],
    ['empty', ''],
  ])('names a faulty parameter as the version does when its value is %s', async (_case, value) => {
    const refused = await api.post(path, { [file]: value }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_invalid', file]);
    expect(refused.body.error.message).toContain(`\`${file}\` must be `);
    expect(refused.text).not.toContain(`\`${notFile}\``);
    expect((await api.get(path, header)).body[file]).toBe('file_1');
  });

  test("expands by the version's own name only when a request asks for it", async () => {
    for (const [prefix, at] of [
      ['', path],
      ['data.', '/v1/references'],
    ] as const) {
      const expanded = await api.get(`${at}?expand=${prefix}${file}`, header);
      expect(expanded.status, expanded.text).toBe(200);
      // There is no such file, so the id stays an id.
      expect((prefix === '' ? expanded.body : expanded.body.data[0])[file]).toBe('file_1');
      const refused = await api.get(`${at}?expand=${prefix}${notFile}`, header);
      expect(errorOf(refused)).toEqual([400, 'parameter_invalid', 'expand']);
      expect(refused.body.error.message).toContain(`\`${prefix}${notFile}\``);
    }
    expect((await api.post(`${path}?expand=${file}`, {}, header)).status).toBe(200);
    expect(errorOf(await api.post(`${path}?expand=${notFile}`, {}, header))).toEqual([
      400,
      'parameter_invalid',
      'expand',
    ]);
  });
});

function errorOf({ status, body }: ApiResponse): unknown[] {
  return [status, body.error?.code, body.error?.param];
}

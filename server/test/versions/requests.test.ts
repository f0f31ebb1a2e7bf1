import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { inVersion, versions, words } from '../support/versions.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The version of a request is named by its header, or is its account's. */
const ways = versions.flatMap((version) => [
  { version, by: 'its header', account: versions.find((other) => other !== version)!, header: inVersion(version) },
  { version, by: 'its account', account: version, header: {} },
]);

describe.each(ways)('a request in $version, by $by,', ({ version, account, header }) => {
  const { file, notFile } = words[version]!;
  let api: Api;
  let path: string;

  beforeAll(async () => {
    ({ api } = await addAccount(server, account));
    path = `/v1/references/${(await api.post('/v1/references', { application: 'app_1' })).body.id}`;
  });

  test('can use that version’s name of a parameter', async () => {
    const { status, body, headers } = await api.post(path, { [file]: 'file_1' }, header);
    expect([status, body[file], headers.get('service-version')]).toEqual([200, 'file_1', version]);
    const stored = await api.get(path, inVersion(versions[0]!));
    expect(stored.body.reference_pdf).toBe('file_1');
  });

  test('cannot use another version’s, and is told what to use', async () => {
    const refused = await api.post(path, { [notFile]: 'file_2', metadata: { a: '1' } }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_unknown', notFile]);
    expect(refused.body.error.message).toContain(`There is no parameter \`${notFile}\` here. In version ${version}, `);
    expect(refused.body.error.message).toContain(`it is called \`${file}\`.`);
    const { body } = await api.get(path, header);
    expect([body[file], body.metadata]).toEqual(['file_1', {}]);
    const both = await api.post(path, { [notFile]: 'file_2', [file]: 'file_2' }, header);
    expect(errorOf(both)).toEqual([400, 'parameter_unknown', notFile]);
  });

  test('is told no name that the operation does not take in any version', async () => {
    for (const name of [file, notFile]) {
      const refused = await api.post('/v1/references', { application: 'app_1', [name]: 'file_1' }, header);
      expect(errorOf(refused)).toEqual([400, 'parameter_unknown', name]);
      expect(refused.body.error.message).toBe(`There is no parameter \`${name}\` here.`);
    }
  });

  test('is told of a misspelt name by that version’s', async () => {
    const misspelt = `${file}s`;
    const refused = await api.post(path, { [misspelt]: 'file_1' }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_unknown', misspelt]);
    expect(refused.body.error.message).toContain(`Did you mean \`${file}\`?`);
  });

  test.each([
    ['no id', 'not an id'],
    ['null', null],
    ['a number', 7],
    ['empty', ''],
  ])('is told what is wrong with a value by that version’s name: %s', async (_case, value) => {
    const refused = await api.post(path, { [file]: value }, header);
    expect(errorOf(refused)).toEqual([400, 'parameter_invalid', file]);
    expect(refused.body.error.message).toContain(`\`${file}\` must be `);
    expect(refused.text).not.toContain(`\`${notFile}\``);
    expect((await api.get(path, header)).body[file]).toBe('file_1');
  });

  test('expands by that version’s name, and by no other', async () => {
    for (const [prefix, at] of [
      ['', path],
      ['data.', '/v1/references'],
    ] as const) {
      const expanded = await api.get(`${at}?expand=${prefix}${file}`, header);
      expect(expanded.status, expanded.text).toBe(200);
      // There are no files here yet, so an id stays an id.
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

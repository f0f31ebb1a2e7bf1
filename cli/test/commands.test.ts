import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pdfOf } from '../../server/test/support/files.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { User } from './support/command.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

describe('commands of resources', () => {
  test('creates, reads, changes and lists a record when its flags are given', async () => {
    const user = new User(server);
    const made = await user.json([
      'references',
      'create',
      '--application',
      'app_1',
      '--metadata',
      'branch=york',
      '--metadata',
      'a=b=c',
    ]);
    expect(made).toMatchObject({ object: 'reference', application: 'app_1', metadata: { branch: 'york', a: 'b=c' } });
    const id = String(made.id);
    expect(await user.json(['references', 'retrieve', id])).toEqual(made);
    const changed = await user.json(['references', 'update', id, '--outcome', 'accept']);
    expect(changed).toMatchObject({ id, status: 'complete', outcome: 'accept' });
    const list = await user.json(['references', 'list', '--application', 'app_1', '--fields', 'id,metadata.branch']);
    expect(list).toMatchObject({ object: 'list', data: [{ id, 'metadata.branch': 'york' }] });
  });

  test('searches for the words after the command, and shows what was found', async () => {
    const user = new User(server);
    const made = await user.json(['customers', 'create', '--name', 'Ada Lovelace', '--email', 'ada@example.org']);
    const found = await user.json(['search', 'lovelace', 'ADA', '--types', 'customer']);
    expect(found).toMatchObject({ object: 'search_result', query: 'lovelace ADA', has_more: false });
    expect(found.data).toEqual([expect.objectContaining({ id: made.id, title: 'Ada Lovelace', record: made })]);
    const fields = await user.json(['search', 'lovelace', '--fields', 'id,record.email']);
    expect(fields.data).toEqual([{ id: made.id, 'record.email': 'ada@example.org' }]);
    expect(await user.run(['search'])).toMatchObject({ code: 2 });
    expect(await user.run(['search', 'x'])).toMatchObject({ code: 1, stderr: expect.stringContaining('`query`') });
  });

  test.each([[[]], [['references']], [['references', 'create']]])(
    'prints the same help for `help` before a command as for --help after it: %j',
    async (command) => {
      const user = new User(server);
      const asked = await user.run(['help', ...command]);
      expect(asked).toEqual(await user.run([...command, '--help']));
      expect(asked).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Usage: ${['tenure', ...command].join(' ')}`),
      });
    },
  );

  test('reads fields from -d, from a file and from standard input', async () => {
    const user = new User(server);
    const file = join(user.home, 'application.json');
    writeFileSync(file, JSON.stringify({ unit: 'flat_1', rent: { amount: 1, currency: 'gbp', interval: 'month' } }));
    const made = await user.json([
      'applications',
      'create',
      '-d',
      `@${file}`,
      '-d',
      'rent.amount=95000',
      '-d',
      'metadata.k=v',
      '-d',
      'customers=cus_1,cus_2',
    ]);
    expect(made).toMatchObject({
      unit: 'flat_1',
      rent: { amount: 95_000, currency: 'gbp' },
      metadata: { k: 'v' },
      customers: ['cus_1', 'cus_2'],
    });
    expect(await user.json(['applications', 'create', '-d', '-'], { input: '{"unit":"flat_2"}' })).toMatchObject({
      unit: 'flat_2',
    });
    expect(
      await user.json([
        'applications',
        'create',
        '--rent.amount',
        '5',
        '--rent.currency',
        'gbp',
        '--rent.interval',
        'month',
      ]),
    ).toMatchObject({
      rent: { amount: 5 },
    });
    expect(await user.json(['references', 'create', '--application', 'app_2', '-d', 'customer:=null'])).toMatchObject({
      customer: null,
    });
  });

  test('returns the same record twice when an idempotency key is repeated', async () => {
    const user = new User(server);
    const args = ['customers', 'create', '--name', 'Ada', '--idempotency-key', 'once'];
    expect(await user.json(args)).toEqual(await user.json(args));
  });

  test('prints a line for each record of all pages when --all is given', async () => {
    const user = new User(server);
    for (let made = 0; made < 5; made++)
      await server.api.post('/v1/customers', { name: `Person ${made}`, email: 'all@example.org' });
    const { code, stdout } = await user.run([
      'customers',
      'list',
      '--email',
      'all@example.org',
      '--limit',
      '2',
      '--all',
      '--json',
      '--fields',
      'name',
    ]);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(lines).toEqual([4, 3, 2, 1, 0].map((number) => `Person ${number}`));
  });

  test('uploads a file and returns its bytes', async () => {
    const user = new User(server);
    const path = join(user.home, 'report.pdf');
    const bytes = pdfOf('a report');
    writeFileSync(path, bytes);
    const file = await user.json(['files', 'create', '--purpose', 'reference_report', '--file', path]);
    expect(file).toMatchObject({ object: 'file', filename: 'report.pdf' });
    const saved = join(user.home, 'saved.pdf');
    expect((await user.run(['files', 'contents', String(file.id), '-o', saved])).code).toBe(0);
    expect(readFileSync(saved).equals(bytes)).toBe(true);
    expect((await user.run(['files', 'contents', String(file.id)])).stdout).toBe(bytes.toString('utf8'));
    expect(await user.run(['files', 'contents', String(file.id), '-o', saved])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already'),
    });
  });

  test('writes an invoice and a statement of some days as PDFs', async () => {
    const user = new User(server);
    const make = (words: string, ...more: string[]) => user.json([...words.split(' '), ...more]);
    const address = '--address.line1 Coppergate --address.city York --address.postal-code YO1 --address.country GB';
    const building = await make(`buildings create --name Coppergate ${address}`);
    const unit = await make(`units create --building ${String(building.id)} --name Flat`);
    const rent = '--rent.amount 95000 --rent.currency gbp --rent.interval month';
    const home = `--unit ${String(unit.id)} --customers crm_1 --start-date 2090-02-01`;
    const tenancy = await make(`tenancies create ${home} ${rent}`);
    const lines = 'lines:=[{"type": "utility", "description": "Water", "amount": 4000}]';
    const invoice = await make(`invoices create --tenancy ${String(tenancy.id)} --due-on 2090-02-01`, '-d', lines);
    const [draft, statement] = [join(user.home, 'draft.pdf'), join(user.home, 'statement.pdf')];
    const days = ['--from', '2027-02-01', '--to', '2027-02-28'];
    const id = String(tenancy.id);
    expect((await user.run(['invoices', 'pdf', String(invoice.id), '-o', draft])).code).toBe(0);
    const printed = await user.run(['tenancies', 'retrieve_statement_pdf', id, ...days, '-o', statement]);
    expect(printed, printed.stderr).toMatchObject({ code: 0 });
    for (const path of [draft, statement]) expect(readFileSync(path).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await user.json(['tenancies', 'retrieve_statement', id, ...days])).toMatchObject({
      object: 'statement',
      from: '2027-02-01',
    });
  });

  test('refuses a folder in place of a file', async () => {
    const user = new User(server);
    const given = ['files', 'create', '--purpose', 'reference_report', '--file', user.home];
    expect(await user.run(given)).toMatchObject({ code: 2, stderr: expect.stringContaining('it is no file') });
  });

  test('sends any path when there is no command for it', async () => {
    const user = new User(server);
    const made = await user.json(['post', '/v1/customers', '-d', 'name=Ada']);
    expect(await user.json(['get', `/v1/customers/${String(made.id)}`])).toEqual(made);
    expect(await user.json(['get', '/v1/customers', '-d', 'limit=1'])).toMatchObject({ object: 'list' });
    expect(await user.json(['delete', `/v1/customers/${String(made.id)}`, '--yes'])).toMatchObject({ deleted: true });
  });

  test('prints the request without the key when --curl is given', async () => {
    const user = new User(server);
    const before = await server.api.get('/v1/references?limit=1');
    const { code, stdout } = await user.run([
      'references',
      'create',
      '--application',
      'app_1',
      '-d',
      "metadata.a=it's",
      '--curl',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain(`curl ${server.url}/v1/references \\\n`);
    expect(stdout).toContain('-H "Authorization: Bearer $TENURE_API_KEY"');
    expect(stdout).not.toContain(server.secretKey);
    expect((await server.api.get('/v1/references?limit=1')).body.count).toBe(before.body.count);
    // It is a command that works.
    const sent = await promisify(execFile)('sh', ['-c', stdout.replace('curl', 'curl -s')], { env: { ...user.env } });
    expect(JSON.parse(sent.stdout)).toMatchObject({ application: 'app_1', metadata: { a: "it's" } });
  });

  test('prints the request of a stream once when --curl is given', async () => {
    const { code, stdout, stderr } = await new User(server).run(['events', 'tail', '--curl']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/curl /g)).toHaveLength(1);
  });
});

describe('wrong use', () => {
  test.each([
    [['referneces', 'list'], /Did you mean references\?/],
    [['references', 'lst'], /Did you mean list\?/],
    [['references', 'create', '--aplication', 'app_1'], /Did you mean --application\?/],
    [
      ['references', 'create', '-d', 'aplication=app_1'],
      /There is no field "aplication"\. Did you mean "application"\?/,
    ],
    [
      ['references', 'create', '-d', '{"automatic_reference":{"providr":"x"}}'],
      /"automatic_reference\.providr"\. Did you mean "provider"\?/,
    ],
    [['references', 'list', '--fields', 'statu'], /There is no field "statu"\. Did you mean "status"\?/],
    [['references', 'retrieve'], /missing required argument 'id'/],
    [['references', 'retrieve', '../account'], /id must not have/],
    [['references', 'list', '--limit', 'ten'], /must be a whole number/],
    [['webhook_endpoints', 'recover', 'we_1', '--since', 'yesterday'], /"yesterday" is no time/],
    [['login', '--api-key', 'sk_test_abc'], /was not used/],
  ])('is refused with the nearest name or a reason: %j', async (args, message) => {
    const { code, stdout, stderr } = await new User(server).run(args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('deletes nothing when no person can be asked and --yes is missing', async () => {
    const user = new User(server);
    const { id } = (await server.api.post('/v1/customers', { name: 'Ada' })).body as { id: string };
    for (const more of [[], ['--no-input']]) {
      const { code, stderr } = await user.run(['customers', 'delete', id, ...more]);
      expect(code).toBe(2);
      expect(stderr).toContain('Pass --yes to confirm');
    }
    expect((await server.api.get(`/v1/customers/${id}`)).body.deleted).toBeUndefined();
    expect(await user.json(['customers', 'delete', id, '--yes'])).toMatchObject({ deleted: true });
  });

  test('asks before each write when the key is live', async () => {
    const user = new User({ url: server.url, secretKey: 'sk_live_1234567890' });
    const { code, stderr } = await user.run(['references', 'create', '--application', 'app_1']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'Error: This changes live data. Nothing was sent. Pass --yes to confirm.\n',
    });
  });
});

describe('exit codes', () => {
  test('is 1 with the reason when the API refuses', async () => {
    const { code, stdout, stderr } = await new User(server).run(['references', 'retrieve', 'ref_none', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: .*ref_none/);
    expect(stderr).toMatch(/status 404 · resource_missing · .*req_/);
  });

  test('is 4 when there is no key, or a wrong one', async () => {
    const user = new User();
    expect(await user.run(['references', 'list'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('tenure login'),
    });
    const wrong = await new User({ url: server.url, secretKey: 'sk_test_wrong' }).run(['references', 'list']);
    expect(wrong.code).toBe(4);
    expect(wrong.stderr).not.toContain('sk_test_wrong');
  });

  test('is 6 when the server cannot be reached', async () => {
    const user = new User({ url: 'http://127.0.0.1:9', secretKey: server.secretKey });
    const { code, stdout, stderr } = await user.run(['references', 'list']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('127.0.0.1:9');
    expect(stderr).not.toContain(server.secretKey);
  });
});

describe('output', () => {
  test('escapes control characters of data', async () => {
    const user = new User(server);
    const name = 'Ada\u001b[2J\u009b31m\u202eevol';
    const { body } = await server.api.post('/v1/applications', { metadata: { name } });
    const { stdout } = await user.run(['applications', 'retrieve', String(body.id), '--json']);
    expect((JSON.parse(stdout) as { metadata: unknown }).metadata).toEqual({ name });
    // oxlint-disable-next-line no-control-regex -- Control characters are what it looks for.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test('follows the version of --service-version', async () => {
    const user = new User(server);
    expect(await user.json(['references', 'list', '--service-version', '2025-09-01'])).toHaveProperty('total_count');
    expect(await user.json(['references', 'list'])).toHaveProperty('count');
  });
});

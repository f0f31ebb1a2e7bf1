import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { apiVersions } from '../../src/versions/index.ts';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { runCommand, runProgram } from '../support/backups.ts';
import { Browser, tokenOf } from '../support/browser.ts';
import { processesForTest, urlOf } from '../support/processes.ts';
import { apiClient, good } from '../support/server.ts';

/*
 * The operator's commands. npm runs each of them at least once. The tests of `backup` and `restore` are in backup.matrix.test.ts.
 */

describe.each([
  { command: 'backup', takes: ['a'] },
  { command: 'canopy', takes: ['canopy.json'] },
  { command: 'restore', takes: ['a'] },
  { command: 'login-link', takes: [] },
  { command: 'move-account', takes: ['acct_1', '--to', 'postgres://127.0.0.1:9/', '--cell', 'eu2'] },
  { command: 'new-account', takes: ['--name', 'Ouse Lettings'] },
  { command: 'new-key', takes: [] },
  { command: 'provider-check', takes: ['http://127.0.0.1:9'] },
  { command: 'release-version', takes: [] },
  { command: 'seed', takes: [] },
])('npm run $command', ({ command, takes }) => {
  test('prints its help and does nothing when --help is sent', async () => {
    // The settings are invalid, and the command does not read them.
    const { code, output } = await runCommand(command, ['--help'], { PORT: 'x' });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(`^npm run ${command}.*\n\n[A-Z]`) });
  });

  test.each([
    ['an unknown option', ['--folder=a']],
    ['an unknown short option', ['-f']],
    ['an option for a folder', ['--', '--folder']],
    ['an argument too many', [...takes, 'b']],
  ])('refuses %s before it opens anything when it is sent', async (_, given) => {
    const { code, output } = await runProgram(command, given, { PORT: 'x' });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(`^npm run ${command}.*\n\n[A-Z]`) });
  });
});

describe("commands on an operator's own database", () => {
  test("requires no master key for release-version, and the database's own for new-key, when they run", async () => {
    const dataDir = fs.mkdtempSync(join(tmpdir(), 'tenure-commands-'));
    onTestFinished(() => fs.rmSync(dataDir, { recursive: true, force: true }));
    const processes = await processesForTest();
    await processes.start({ TENURE_ROLE: 'api' });
    const settings = { DATABASE_URL: urlOf(processes.connection), DATA_DIR: dataDir };
    const newest = apiVersions[0].date;
    expect(await runCommand('release-version', [], settings)).toEqual({
      code: 0,
      output: expect.stringMatching(`^The latest version of the API is ${newest}`),
    });
    expect(await runCommand('new-key', [], settings)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^TENURE_MASTER_KEY is required with DATABASE_URL: the one of this database\. .* `openssl rand -base64 32`/,
      ),
    });
  });
});

test('prints links that sign in the first owner, and then a user by address, when npm run login-link runs', async () => {
  const deployment = await Deployment.create();
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const settings = { PORT: new URL(deployment.url).port, DATA_DIR: deployment.dataDir };
  const linkFor = async (...options: string[]): Promise<string> => {
    const { code, output } = await runProgram('login-link', options, settings);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/link#\w{32}\n$/),
    });
    return tokenOf(output.trim());
  };
  const browser = new Browser(deployment);
  const first = await browser.post('/auth/links/use', { token: await linkFor(), email: 'ada@example.com' });
  expect(first.body.user).toMatchObject({ role: 'owner', email: 'ada@example.com' });
  for (const options of [[], ['--email', 'ADA@example.com'], ['--reset-second-factor']]) {
    const token = await linkFor(...options);
    const again = await new Browser(deployment).post('/auth/links/use', { token });
    expect(again.body.user?.email, again.text).toBe('ada@example.com');
    expect((await browser.post('/auth/links/use', { token })).body.error.code).toBe('link_invalid');
  }
  expect(await runProgram('login-link', ['--email', 'stranger@example.com'], settings)).toEqual({
    code: 1,
    output: 'No user has the e-mail address stranger@example.com.\n',
  });
});

test('makes a tree with a key and a link to its owner when npm run new-account runs', async () => {
  const deployment = await Deployment.create();
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const settings = { PORT: new URL(deployment.url).port, DATA_DIR: deployment.dataDir };
  const newAccount = (...options: string[]): ReturnType<typeof runCommand> =>
    runCommand('new-account', options, settings);
  const { code, output } = await newAccount('--name', 'Ouse Lettings', '--owner', 'grace@example.com');
  const [, id, key, url] =
    /^Account {7}(acct_\w{22})\nSecret key {4}(sk_test_\w{38}) {3}\(shown only now\)\nOwner's link {2}(\S+) .*\n$/.exec(
      output,
    ) ?? [];
  expect({ code, url }, output).toEqual({ code: 0, url: expect.stringMatching(/\/dashboard\/link#\w{32}$/) });
  const { body } = await good(apiClient(deployment.url, key!).get('/v1/account'));
  expect(body).toMatchObject({ id, name: 'Ouse Lettings', parent: null });
  const grace = await new Browser(deployment).post('/auth/links/use', { token: tokenOf(url!) });
  expect(grace.body.user, grace.text).toMatchObject({ email: 'grace@example.com', role: 'owner' });

  expect(await runProgram('new-key', ['--account', id!], settings)).toEqual({
    code: 0,
    output: expect.stringMatching(/^sk_test_\w{38}\n$/),
  });
  expect(await newAccount('--name', 'Foss Lettings', '--owner', 'GRACE@example.com')).toEqual({
    code: 1,
    output: expect.stringMatching(/^A user of this deployment has the e-mail address GRACE@example\.com already\./),
  });
  expect(await newAccount('--name', ' ')).toEqual({ code: 1, output: expect.stringMatching(/^--name is blank/) });
  expect(await newAccount('--name', 'Foss', '--owner', 'grace')).toEqual({
    code: 1,
    output: expect.stringMatching(/^--owner must be an e-mail address/),
  });
  const off = { ...settings, TENURE_DASHBOARD: 'off' };
  expect(await runCommand('new-account', ['--name', 'Foss', '--owner', 'mary@example.com'], off)).toEqual({
    code: 0,
    output: expect.stringMatching(/Owner's link {2}none, because the dashboard is off \(TENURE_DASHBOARD\)\n$/),
  });
  expect(await runProgram('login-link', ['--email', 'mary@example.com'], off)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The dashboard is off \(TENURE_DASHBOARD\), so no link signs in a person\./),
  });
});

/** A record of any kind that the seed makes, with the fields that its test reads. */
interface Seeded {
  id: string;
  status: string;
  type: string;
  on_market: boolean;
  archived: boolean;
  unit: string;
  replaces: string | null;
  review: { status: string } | null;
  notice: { by: string } | null;
  pet_requests: Seeded[];
  checks: { id: string }[];
  arrears: { amount: number };
  scheduled_change: object | null;
}

async function startSandbox(): Promise<{ api: ReturnType<typeof apiClient>; seed: () => Promise<void> }> {
  const deployment = await Deployment.create();
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const settings = { PORT: new URL(deployment.url).port, DATA_DIR: deployment.dataDir };
  const seed = async (): Promise<void> => {
    expect(await runCommand('seed', [], settings)).toEqual({
      code: 0,
      output: expect.stringMatching(/^The agency is there\. /),
    });
  };
  return { api: apiClient(deployment.url, deployment.secretKey), seed };
}

function idsOf(records: Record<string, Seeded[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(records).map(([kind, found]) => [kind, found.map(({ id }) => id)]));
}

function values(records: Seeded[], read: (record: Seeded) => string): string[] {
  return [...new Set(records.map(read))].toSorted((one, other) => one.localeCompare(other));
}

describe('npm run seed', () => {
  const kinds = [
    'buildings',
    'units',
    'customers',
    'applications',
    'guarantors',
    'references',
    'tenancies',
    'deposits',
    'subscriptions',
    'invoices',
    'payments',
  ] as const;

  test('makes records in every state, and nothing twice, when it runs twice', async () => {
    const { api, seed } = await startSandbox();
    const listed = async (path: string): Promise<Seeded[]> => (await good(api.get(`/v1/${path}?limit=50`))).body.data;
    const readAll = async (): Promise<Record<(typeof kinds)[number], Seeded[]>> =>
      Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await listed(kind)] as const))) as Record<
        (typeof kinds)[number],
        Seeded[]
      >;
    await seed();
    const first = await readAll();
    await seed();
    expect(idsOf(await readAll())).toEqual(idsOf(first));
    expect((await listed('api_keys')).filter(({ status }) => status === 'active')).toHaveLength(1);

    const { buildings, units, applications, guarantors, references, tenancies, deposits } = first;
    expect(buildings).toHaveLength(2);
    expect(values(units, ({ status }) => status)).toEqual(['available', 'let_agreed', 'occupied', 'reserved']);
    expect(values(deposits, ({ type, status }) => `${type} ${status}`)).toEqual([
      'holding canceled',
      'holding received',
      'holding settled',
      'tenancy disputed',
      'tenancy pending',
      'tenancy protected',
      'tenancy received',
      'tenancy releasing',
    ]);
    expect(values(deposits, ({ checks }) => checks.map(({ id }) => id).join())).toEqual([
      '',
      'deposit_information,deposit_protection',
    ]);
    expect(values(units, (unit) => String(unit.on_market))).toEqual(['false', 'true']);
    expect(units.filter(({ archived }) => archived)).toHaveLength(1);
    expect(values(applications, ({ status, review }) => `${status} ${review?.status ?? ''}`.trim())).toEqual([
      'approved',
      'converted',
      'open',
      'rejected',
      'rejected requested',
      'rejected upheld',
      'withdrawn',
    ]);
    expect(values(guarantors, ({ status }) => status)).toEqual(['agreed', 'declined', 'proposed', 'released']);
    expect(values(references, ({ status }) => status)).toEqual(['canceled', 'complete', 'pending', 'processing']);
    expect(values(tenancies, ({ status, notice }) => `${status} ${notice?.by ?? ''}`.trim())).toEqual([
      'active',
      'canceled',
      'draft',
      'ended',
      'ended tenant',
      'notice landlord',
      'notice tenant',
      'signed',
    ]);
    const pets = tenancies.flatMap((tenancy) => tenancy.pet_requests);
    expect(values(pets, ({ status }) => status)).toEqual(['granted', 'information_asked', 'open', 'refused']);
    const warnings = tenancies.flatMap(({ checks }) => checks.map(({ id }) => id));
    expect(warnings).toEqual(['right_to_rent']);
    expect(values(first.invoices, ({ status }) => status)).toEqual(['open', 'paid']);
    expect(first.subscriptions.filter(({ scheduled_change: change }) => change)).toHaveLength(1);
    expect(values(first.payments, ({ status }) => status)).toEqual(['failed', 'succeeded']);
    // The rent of this month is due today or was due before.
    expect(tenancies.filter(({ arrears }) => arrears.amount > 0)).toHaveLength(1);
    const next = tenancies.find(({ replaces }) => replaces !== null);
    expect(tenancies.find(({ id }) => id === next?.replaces)).toMatchObject({ unit: next?.unit, status: 'ended' });
  });

  test('makes a second agency when the next day has begun', async () => {
    const { api, seed } = await startSandbox();
    for (const buildings of [2, 4]) {
      await seed();
      expect((await good(api.get('/v1/buildings'))).body.data).toHaveLength(buildings);
      await good(api.post('/v1/test_helpers/clock/advance', { seconds: 86_400 + 60 }));
    }
  });

  test('is refused when no server runs', async () => {
    const { code, output } = await runProgram('seed', [], { PORT: '1' });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^No server answers at http/) });
  });

  test('is refused in live mode', async () => {
    const { code, output } = await runProgram('seed', [], { TENURE_MODE: 'live' });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^Only a sandbox is filled/) });
  });
});

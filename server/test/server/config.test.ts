import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionBounds, poolSizes, type PoolSizes } from '../../src/db/pool-sizes.ts';
import { readConfig } from '../../src/server/config.ts';

describe('addresses in the settings', () => {
  test.each(['https://api.example.org/tenure', 'http://127.0.0.1:4000', ' https://api.example.org '])(
    'accepts an address when it needs no repair: %j',
    (url) => {
      expect(readConfig({ TENURE_PUBLIC_URL: url }).publicUrl).toBe(url.trim());
    },
  );

  test.each([
    'https://api.exam\nple.org',
    'https:\\\\api.example.org',
    'https://api.example.org/a b',
    'https://a\tb.example.org',
  ])('stops the start when the URL parser would repair an address: %j', (url) => {
    for (const name of ['TENURE_PUBLIC_URL', 'TENURE_PROVIDER_A_URL'])
      expect(() => readConfig({ [name]: url })).toThrow(
        `${name} is no valid address; it must begin with http:// or https://, and have no spaces, line breaks or backslashes.`,
      );
  });
});

describe('the name of a cell', () => {
  test.each(['eu1', 'a2', 'frankfurt123'])('is read when it can be a part of a key: %s', (name) => {
    expect(readConfig({ TENURE_CELL: name }).cell).toBe(name);
  });

  test.each(['e', 'EU1', '1eu', 'eu_1', 'eu-1', 'frankfurt1234', 'é1'])(
    'stops the start when it cannot be a part of a key: %s',
    (name) => {
      expect(() => readConfig({ TENURE_CELL: name })).toThrow(`TENURE_CELL is "${name}"; it must be`);
    },
  );

  test('is absent when it is not set', () => {
    expect(readConfig({}).cell).toBeNull();
  });
});

describe('the settings of an identity provider', () => {
  const complete = {
    TENURE_OIDC_ISSUER: 'https://login.example.com/realms/acme',
    TENURE_OIDC_CLIENT_ID: 'tenure',
    TENURE_OIDC_CLIENT_SECRET: 'a secret',
  };

  test('are read, and name the button by the host, when only the name is missing', () => {
    const { TENURE_OIDC_ISSUER: issuer } = complete;
    const read = { issuer, clientId: 'tenure', clientSecret: 'a secret', name: 'login.example.com' };
    expect(readConfig(complete).identityProvider).toEqual(read);
    const named = { ...complete, TENURE_OIDC_NAME: 'Acme' };
    expect(readConfig(named).identityProvider).toEqual({ ...read, name: 'Acme' });
    expect(readConfig({ TENURE_OIDC_ISSUER: '' }).identityProvider).toBeNull();
    const local = { ...complete, TENURE_OIDC_ISSUER: 'http://localhost:8080/realms/acme' };
    expect(readConfig(local).identityProvider?.name).toBe('localhost');
  });

  test.each(Object.keys(complete))('stop the start when %s is missing', (name) => {
    for (const settings of [{ ...complete, [name]: '' }, { TENURE_OIDC_NAME: 'Acme' }])
      expect(() => readConfig(settings)).toThrow(
        'Sign-in by an identity provider needs all of TENURE_OIDC_ISSUER, TENURE_OIDC_CLIENT_ID and TENURE_OIDC_CLIENT_SECRET.',
      );
  });

  test.each([
    'login.example.com',
    'http://login.example.com',
    'http://localhost.example.com',
    'https://user@login.example.com',
    'https://login.example.com/?realm=acme',
    'https://login.example.com/#acme',
    'https://login.example.com/.well-known/openid-configuration',
    'ftp://login.example.com',
  ])('stop the start when the issuer is %s', (issuer) => {
    expect(() => readConfig({ ...complete, TENURE_OIDC_ISSUER: issuer })).toThrow(
      /^TENURE_OIDC_ISSUER must be the issuer that the provider names/,
    );
  });

  test.each(['a'.repeat(41), 'two\nlines', 'right\u202Eleft'])('stop the start when the name is %j', (name) => {
    expect(() => readConfig({ ...complete, TENURE_OIDC_NAME: name })).toThrow(/^TENURE_OIDC_NAME must be one line/);
  });
});

describe('settings that are secret', () => {
  test.each([
    ['TENURE_MASTER_KEY', { TENURE_MASTER_KEY: 'hunter2hunter2' }, '`openssl rand -base64 32`'],
    ['TENURE_MASTER_KEY', { DATABASE_URL: 'postgres://db/tenure' }, '`openssl rand -base64 32`'],
    ['TENURE_METRICS_TOKEN', { TENURE_METRICS_TOKEN: 'hunter2' }, '`openssl rand -hex 24`'],
    ['TENURE_SECRET_KEY', { TENURE_SECRET_KEY: 'sk_test_hunter2' }, '`npm run new-key`'],
  ])('name the command that makes one, and print none, when %s is wrong: %j', (name, settings, command) => {
    const messages = [1, 2].map(() => {
      try {
        readConfig(settings);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    });
    expect(messages[0]).toMatch(new RegExp(`^${name} `));
    expect(messages[0]).toContain(command);
    expect(messages[0]).not.toContain('hunter2');
    // A made secret would differ.
    expect(messages[1]).toBe(messages[0]);
  });
});

describe('the connections to the database', () => {
  const own = { DATABASE_URL: 'postgres://db/tenure', TENURE_MASTER_KEY: 'A'.repeat(43), TENURE_MODE: 'live' };

  test.each([
    ['api', 10, 20],
    ['worker', 15, 30],
    ['all', 15, 30],
  ] as const)('are shared among all purposes, and fill the limit, when the role is %s: %d to %d', (role, min, max) => {
    const kind = { role, mode: 'live' } as const;
    expect(connectionBounds(kind)).toEqual({ min, max });
    const read = (value: number): unknown =>
      readConfig({ ...own, TENURE_ROLE: role, TENURE_DATABASE_CONNECTIONS: `${value}` });
    for (const wrong of [min - 1, max + 1, 1.5, -1])
      expect(() => read(wrong)).toThrow(`must be a whole number from ${min} to ${max}.`);
    let before = poolSizes(kind, min);
    for (let total = min; total <= max; total++) {
      expect(read(total)).toMatchObject({ databaseConnections: total });
      const sizes = poolSizes(kind, total);
      for (const [purpose, size] of Object.entries(sizes)) {
        expect(size, purpose).toBeGreaterThanOrEqual(before[purpose as keyof PoolSizes] - 1);
        expect(size, purpose).toBeGreaterThan(0);
      }
      before = sizes;
    }
    expect(poolSizes(kind, max)).toEqual(poolSizes(kind, null));
  });
});

describe('how long a stop waits', () => {
  const own = { DATABASE_URL: 'postgres://db/tenure', TENURE_MASTER_KEY: 'A'.repeat(43) };

  test.each([
    [5, own],
    [5, { ...own, TENURE_ROLE: 'api' }],
    [0, { ...own, TENURE_ROLE: 'worker' }],
    [0, {}],
    [7, { TENURE_STOP_DELAY_SECONDS: '7' }],
    [0, { ...own, TENURE_STOP_DELAY_SECONDS: '0' }],
  ])('is %d s when the settings are %j', (seconds, settings) => {
    expect(readConfig(settings).stopDelaySeconds).toBe(seconds);
  });

  test.each(['-1', '1.5', '121', 'soon'])('stops the start when it is %s', (value) => {
    expect(() => readConfig({ TENURE_STOP_DELAY_SECONDS: value })).toThrow(
      `TENURE_STOP_DELAY_SECONDS is "${value}"; it must be a whole number of seconds from 0 to 120.`,
    );
  });
});

describe('misspelt settings', () => {
  test.each([
    ['TENURE_RETENTION_DAY', 'TENURE_RETENTION_DAYS'],
    ['TENURE_RATELIMIT', 'TENURE_RATE_LIMIT'],
    ['TENURE_ALLOWED_TARGET', 'TENURE_ALLOWED_TARGETS'],
    ['TENURE_PROVIDER_E_URL', 'TENURE_PROVIDER_A_URL'],
  ])('stops the start and names the known setting when %s is set', (name, known) => {
    expect(() => readConfig({ [name]: '7' })).toThrow(`There is no setting ${name}. Did you mean ${known}?`);
    expect(() => readConfig({ [name]: '' })).not.toThrow();
  });

  test('ignores a setting when it belongs to another program or a later release', () => {
    const others = { TENURE_TEST_SLOW: '1', TENURE_WORKFLOWS: 'on', TENANT_RATE_LIMIT: '7', NODE_ENV: 'production' };
    expect(() => readConfig(others)).not.toThrow();
  });
});

test('documents exactly the settings that the server reads when it starts', () => {
  const read = new Set<string>();
  const unset = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(unset);

  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const table = page.slice(page.indexOf('| Variable |'), page.indexOf('Commands that belong to a deployment'));
  const rows = table.split('\n').slice(2);
  const documented = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);
  expect(documented.toSorted()).toEqual([...read].sort());
});

describe('the settings of e-mail', () => {
  const live = { TENURE_MODE: 'live', TENURE_EMAIL_FROM: 'notices@example.org' };

  test.each([
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, tls: 'upgrade', credentials: null }],
    ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, tls: 'start', credentials: null }],
    [
      'smtp://a%40b.org:p%40ss%2F@mail.example.org:2525/',
      { host: 'mail.example.org', port: 2525, tls: 'upgrade', credentials: { user: 'a@b.org', password: 'p@ss/' } },
    ],
    ['smtp://mailpit:1025?tls=off', { host: 'mailpit', port: 1025, tls: 'off', credentials: null }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025, tls: 'off', credentials: null }],
    ['smtp://u:p@127.0.0.1', { host: '127.0.0.1', port: 587, tls: 'off', credentials: { user: 'u', password: 'p' } }],
  ])('name the server, and require TLS beyond this machine, when the address is %s', (url, expected) => {
    expect(readConfig({ ...live, TENURE_SMTP_URL: url }).smtp).toEqual({ ...expected, from: 'notices@example.org' });
  });

  test.each([
    'mail.example.org',
    'http://mail.example.org',
    'smtp://u:secret@',
    'smtp://u:secret@mail.example.org/path',
    'smtp://u:secret@mail.example.org?tls=none',
    'smtp://u:secret%zz@mail.example.org',
    'smtp://u:secret@mail.example.org?tls=off',
    'smtps://u:secret@mail.example.org?tls=off',
  ])('stop the start, and show no password, when the address is %s', (url) => {
    const read = (): unknown => readConfig({ ...live, TENURE_SMTP_URL: url });
    expect(read).toThrow(/^TENURE_SMTP_URL (must be|has a password|begins with)/);
    expect(read).not.toThrow(/secret/);
  });

  test('stop the start when one is missing, when the sender is no address, and when they are in a sandbox', () => {
    const url = { TENURE_SMTP_URL: 'smtp://mail.example.org' };
    expect(() => readConfig(live)).toThrow('E-mail needs both TENURE_SMTP_URL and TENURE_EMAIL_FROM.');
    expect(() => readConfig({ ...url, TENURE_MODE: 'live' })).toThrow('E-mail needs both');
    for (const from of ['Northern <notices@example.org>', 'notices', 'a@b.example\nBcc: c@d.example'])
      expect(() => readConfig({ ...live, ...url, TENURE_EMAIL_FROM: from })).toThrow('TENURE_EMAIL_FROM must be');
    expect(() => readConfig(url)).toThrow('are for live mode');
    expect(readConfig({ TENURE_MODE: 'live' }).smtp).toBeNull();
  });
});

describe('the address of the database', () => {
  const own = { TENURE_MASTER_KEY: 'A'.repeat(43) };

  test.each(['pass/w@rd', 'p@ss/word', 'hunter2#@db', 'hunter2/x', 'hunter2?a/b'])(
    'asks for an encoded password, and does not show it, when it is %j',
    (password) => {
      const url = `postgres://tenure:${password}@127.0.0.1/tenure`;
      expect(() => readConfig({ ...own, DATABASE_URL: url })).toThrow(
        /^DATABASE_URL is no valid address: encode the special characters of its password, such as %40 for @, %2F for \/, %3F for \? and %23 for #\.$/,
      );
    },
  );

  test.each([
    'postgres://tenure:p%40ss%2Fword@127.0.0.1/tenure?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres://tenure@/tenure?host=/run/postgresql&user=tenure@db',
    'postgresql:///tenure?host=/run/postgresql',
    'postgres://tenure@127.0.0.1/tenure?sslmode=',
    'postgres://tenure:p@ss@127.0.0.1/tenure',
  ])('takes the address when the driver reads it right: %j', (url) => {
    expect(readConfig({ ...own, DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test('lists the modes of TLS when there is no such `sslmode`', () => {
    expect(() => readConfig({ ...own, DATABASE_URL: 'postgres://db/tenure?sslmode=disabled' })).toThrow(
      'The sslmode of DATABASE_URL is "disabled"; it must be one of disable, no-verify, prefer,',
    );
  });

  test('names only the address when a role has an address of another database', () => {
    const settings = { ...own, DATABASE_URL: 'mysql://db/tenure', TENURE_ROLE: 'api' };
    expect(() => readConfig(settings)).toThrow(/^DATABASE_URL is no valid address; .*$/);
  });
});

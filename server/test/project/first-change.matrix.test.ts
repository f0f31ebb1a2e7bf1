import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';

const projectDir = join(import.meta.dirname, '../../..');
const page = readFileSync(join(projectDir, 'docs/first-change.md'), 'utf8');

/** What a contributor copies to try a change: all that the four steps read or write. */
const copied = [
  'package.json',
  'package-lock.json',
  'scripts',
  'server',
  'openapi',
  'sdk',
  'cli',
  '.oxfmtrc.json',
  'docs',
  'examples',
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
];

test('adds a field to customers when the four steps of docs/first-change.md are carried out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-first-change-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of copied) {
    cpSync(join(projectDir, name), join(folder, name), {
      recursive: true,
      filter: (source) => !/node_modules|\/dist(\/|$)/.test(source),
    });
  }
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));

  const [field, example] = blocksFor('ts server/src/resources/customer.ts');
  const definition = join(folder, 'server/src/resources/customer.ts');
  const before = readFileSync(definition, 'utf8');
  const withField = before.replace('  date_of_birth: {\n', (line) => field + line);
  const after = withField.replace(/(?<=example: \{\s+record: \{[^}]*?)( +date_of_birth: ')/, (line) => example + line);
  expect(after.split('preferred_language').length).toBe(3);
  writeFileSync(definition, after);
  for (const name of [
    'sql server/sql/9999_customers_preferred_language.sql',
    'ts server/test/resources/preferred-language.test.ts',
  ])
    writeFileSync(join(folder, name.split(' ')[1]!), blocksFor(name)[0]!);

  const [commands] = blocksFor('sh');
  for (const command of commands!.trim().split('\n')) {
    // The project's checks look at Git, and each has a test or a step of CI.
    if (command === 'npm run check') continue;
    const [program, ...given] = command.replace('npm test --', 'npm run test --').split(' ');
    const ended = spawnSync(program!, [...given, ...(given.includes('--') ? [] : ['--']), '--reporter=dot'], {
      cwd: folder,
      encoding: 'utf8',
      // No step needs the packages or the dashboard anew.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        npm_config_ignore_scripts: 'true',
      },
    });
    expect([command, ended.status], `${ended.stdout}\n${ended.stderr}`.slice(-4_000)).toEqual([command, 0]);
  }
  for (const generated of ['server/sql/schema.sql', 'openapi/2026-11-01.json', 'sdk/src/generated/2026-11-01.ts'])
    expect(readFileSync(join(folder, generated), 'utf8')).toContain('preferred_language');
});

/** The fenced blocks of the page with this language and file. */
function blocksFor(info: string): string[] {
  const blocks = page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  const found = [...blocks].filter(([, given]) => given === info).map(([, , text]) => text!);
  expect(found, info).not.toEqual([]);
  return found;
}

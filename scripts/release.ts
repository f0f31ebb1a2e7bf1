import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOfMigrations, freezeMigrations, frozenFile, readFrozen } from './frozen-migrations.ts';
import { buildArchive, projectDir } from './release-archive.ts';
import { readMigrations } from '../server/src/db/migrate.ts';

const help = `npm run release -- <version> [--dry-run]

Checks that the repository is ready for a release, builds artifacts/tenure-server-<version>.tgz, and makes the tag v<version>. It publishes
and pushes nothing. With --dry-run it only reports what is missing, and builds the archive of the working tree.
`;

/** The workspaces whose package.json has the version of the release. */
const workspaces = ['bench', 'cli', 'dashboard', 'portal', 'sdk', 'server', 'ui'];

/** Other places that name the version, by file. Each pattern has the version as its only group. */
const namedIn: readonly [file: string, pattern: RegExp][] = [
  ['cli/src/version.ts', /version = '([^']+)'/],
  ['sdk/src/transport.ts', /packageVersion = '([^']+)'/],
  ['deploy/kubernetes/tenure.yaml', /image: \S+\/tenure:(\S+)/],
  ['docs/guides/sdk.md', /tenure-(\d[^ ]*)\.tgz/],
  ['docs/guides/install.md', /tenure-server-(\d[^ ]*?)\.tgz/],
  ['docs/guides/install.md', /\/opt\/tenure-(\d+\.\d+\.\d+)/],
  ['openapi/2026-11-01.json', /"x-product-version": "([^"]+)"/],
  ['openapi/portal.json', /"x-product-version": "([^"]+)"/],
];

async function main(): Promise<void> {
  const { version, isDryRun } = readArguments();
  const faults = [
    ...faultsOfRepository(version),
    ...faultsOfVersion(version),
    ...faultsOfChangelog(version),
    ...faultsOfMigrations(readFrozen(), await readMigrations()),
  ];
  if (faults.length > 0) {
    process.stderr.write(`Not ready for the release ${version}:\n${faults.map((fault) => `- ${fault}\n`).join('')}`);
    if (!isDryRun) process.exit(1);
  }
  const frozen = isDryRun ? [] : await freezeMigrations();
  if (frozen.length > 0) {
    process.stderr.write(
      `Froze ${frozen.length} migrations in ${frozenFile}. Commit the file, then run the command again.\n`,
    );
    process.exit(1);
  }
  const archive = buildArchive(join(projectDir, 'artifacts'));
  process.stdout.write(`${archive} has ${(statSync(archive).size / 1e6).toFixed(1)} MB.\n`);
  if (isDryRun) return;
  git('tag', '--annotate', `v${version}`, '--message', `Tenure ${version}`);
  process.stdout.write(`Made the tag v${version} here. To publish it: git push origin v${version}\n`);
}

function readArguments(): { version: string; isDryRun: boolean } {
  try {
    const options = { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const [version, ...others] = positionals;
    if (version === undefined || others.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(help);
    return { version, isDryRun: values['dry-run'] ?? false };
  } catch {
    process.stderr.write(help);
    process.exit(2);
  }
}

/** The tag must be of a commit of main, with nothing besides. */
function faultsOfRepository(version: string): string[] {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  return [
    branch !== 'main' && `The branch is ${branch}. Release from main.`,
    git('status', '--porcelain') !== '' && 'The working tree has changes. Commit them, or remove them.',
    git('tag', '--list', `v${version}`) !== '' && `The tag v${version} exists already.`,
  ].filter((fault) => fault !== false);
}

function faultsOfVersion(version: string): string[] {
  const manifests = ['', ...workspaces.map((name) => `${name}/`)].map((folder) => `${folder}package.json`);
  const inManifests = manifests.flatMap((file) => {
    const { version: found, dependencies = {} } = JSON.parse(read(file)) as {
      version: string;
      dependencies?: Record<string, string>;
    };
    const own = Object.entries(dependencies).filter(([name]) => name === 'tenure' || name.startsWith('@tenure/'));
    return [['version', found], ...own]
      .filter(([, value]) => value !== version)
      .map(([name, value]) => `${file} has ${name} ${value}.`);
  });
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
  const inLock = ['', ...workspaces]
    .filter((place) => packages[place]?.version !== version)
    .map((place) => `package-lock.json has version ${packages[place]?.version} of "${place}". Run npm install.`);
  const inOthers = namedIn.flatMap(([file, pattern]) => {
    const found = [...read(file).matchAll(new RegExp(pattern, 'g'))].map(([, named]) => named);
    const wrong = found.length === 0 ? ['(none)'] : found.filter((named) => named !== version);
    return [...new Set(wrong)].map((named) => `${file} names the version ${named}.`);
  });
  return [...inManifests, ...inLock, ...inOthers];
}

function faultsOfChangelog(version: string): string[] {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\((.+)\\)$`, 'm').exec(read('CHANGELOG.md'));
  if (!heading) return [`CHANGELOG.md has no section "## ${version} (<date>)".`];
  const [, date = ''] = heading;
  return /^\d{4}-\d\d-\d\d$/.test(date) ? [] : [`CHANGELOG.md has "(${date})" in place of the date.`];
}

function read(file: string): string {
  return readFileSync(join(projectDir, file), 'utf8');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

await main();

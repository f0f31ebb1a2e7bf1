import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Makes the archive of a release: an npm package of the compiled server, with what it serves and reads. Its folders are those of the
 * repository, so that paths between them stay true.
 */

export const projectDir = fileURLToPath(new URL('../', import.meta.url));

/** The name of the package. `tenure` is the SDK. */
const packageName = 'tenure-server';

/** Folders and files that the archive takes as they are. The server serves guides and pictures of `docs/`. The rest is for operators. */
const copied = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'deploy', 'docs', 'server/bin', 'server/sql'];

/** What only readers of the repository need. */
const leftOut = /^(server\/sql\/(schema\.sql|frozen\.json)|docs\/(figures\/|faults\.json|dashboard\.png))/;

/** Fonts that the archive has itself: their package has 18 fonts and 13 MB, of which the server needs two. */
const fonts = {
  packageName: '@expo-google-fonts/noto-sans',
  files: ['LICENSE_FONT', '400Regular/NotoSans_400Regular.ttf', '600SemiBold/NotoSans_600SemiBold.ttf'],
  folder: 'server/src/print/fonts',
};

/** A module that is one file with its packages in the archive. They have 13 MB, of which it needs a hundredth. */
const bundled = {
  module: 'server/src/tracing/otlp-tracing',
  /** Its own imports, which are in the bundle, too. */
  parts: ['server/src/tracing/bounded-export'],
  packages: ['@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  /** Another package needs it anyway. */
  external: '@opentelemetry/api',
  license: { from: 'node_modules/@opentelemetry/sdk-trace/LICENSE', to: 'server/src/tracing/LICENSE_OPENTELEMETRY' },
};

/** The apps of the browser, which `scripts/build.mjs` builds. */
const apps = ['dashboard', 'portal'];

interface LockEntry {
  version?: string;
  link?: boolean;
  devOptional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

interface Manifest {
  version: string;
  license: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/**
 * Builds the archive of the working tree.
 *
 * @param folder gets the archive, and is created if missing.
 * @returns the archive's path.
 */
export function buildArchive(folder: string): string {
  const stage = mkdtempSync(join(tmpdir(), 'tenure-release-'));
  try {
    buildApps(stage);
    compile(stage);
    bundle(stage);
    for (const file of trackedFiles(copied)) if (!leftOut.test(file)) copy(file, stage);
    // Styles and scripts of pages that the server makes.
    for (const file of trackedFiles(['server/src'])) if (!file.endsWith('.ts')) copy(file, stage);
    for (const file of fonts.files) {
      cpSync(join(projectDir, 'node_modules', fonts.packageName, file), join(stage, fonts.folder, file));
    }
    writeManifests(stage);
    removeDeadLinks(stage);
    mkdirSync(folder, { recursive: true });
    const packed = run('npm', ['pack', stage, '--pack-destination', folder, '--json', '--ignore-scripts']);
    return join(folder, fileNameOf(JSON.parse(packed)));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** npm 11 returns a list, and npm 12 an object by name. */
function fileNameOf(packed: Record<string, { filename: string }>): string {
  const [first] = Object.values(packed);
  if (!first) throw new Error('npm pack made no archive.');
  return first.filename;
}

function buildApps(stage: string): void {
  run(process.execPath, [join(projectDir, 'scripts/build.mjs')]);
  for (const app of apps) {
    const built = join(projectDir, app, 'dist');
    if (existsSync(join(built, '.failure'))) throw new Error(`The ${app} could not be built. Run \`npm run build\`.`);
    cpSync(built, join(stage, app, 'dist'), { recursive: true });
  }
}

/** Compiles the server. Node strips no types below `node_modules`. */
function compile(stage: string): void {
  const compiled = join(stage, 'server/src');
  const typescript = join(projectDir, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [typescript, '-p', join(projectDir, 'server/tsconfig.build.json'), '--outDir', compiled]);
  const faults = readdirSync(compiled, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && /\.ts(['"`])/.test(readFileSync(join(compiled, file), 'utf8')))
    .map((file) => file.replace(/\.js$/, '.ts'));
  if (faults.length === 0) return;
  throw new Error(
    `A release has no TypeScript files, but these modules name one: ${faults.join(', ')}. Use moduleFile of server/src/core/installation.ts.`,
  );
}

/** Replaces the compiled module by one with its packages. Their license must go with them. */
function bundle(stage: string): void {
  const { module, parts, external, license } = bundled;
  const rolldown = join(projectDir, 'node_modules/rolldown/bin/cli.mjs');
  const output = ['--file', join(stage, `${module}.js`), '--format', 'esm', '--platform', 'node'];
  run(process.execPath, [rolldown, join(projectDir, `${module}.ts`), ...output, '--external', external]);
  for (const part of parts) rmSync(join(stage, `${part}.js`));
  cpSync(join(projectDir, license.from), join(stage, license.to));
}

/** Returns the files of git below the paths, also those that are not committed yet. */
function trackedFiles(paths: string[]): string[] {
  const listed = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths]);
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(projectDir, file)));
}

function copy(file: string, stage: string): void {
  mkdirSync(dirname(join(stage, file)), { recursive: true });
  cpSync(join(projectDir, file), join(stage, file));
}

/** Leaves only the text of links to files that the archive lacks. Pictures without a file go. */
function removeDeadLinks(stage: string): void {
  const pages = readdirSync(stage, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  for (const page of pages) {
    const path = join(stage, page);
    const text = readFileSync(path, 'utf8');
    const linked = text.replace(
      /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)[^)\s]*\)/g,
      (link, picture, words, target) => {
        if (existsSync(join(dirname(path), target))) return link;
        return picture === '!' ? '' : words;
      },
    );
    if (linked !== text) writeFileSync(path, linked);
  }
}

function writeManifests(stage: string): void {
  const root = readJson('package.json') as { description: string; scripts: Record<string, string> };
  const server = readJson('server/package.json') as Manifest;
  const { version, license, optionalDependencies } = server;
  const contained = new Set([fonts.packageName, ...bundled.packages]);
  const dependencies = Object.fromEntries(Object.entries(server.dependencies).filter(([name]) => !contained.has(name)));
  const manifest = {
    name: packageName,
    version,
    description: root.description,
    license,
    type: 'module',
    engines: { node: '>=26' },
    bin: { [packageName]: 'server/bin/tenure-server.js' },
    dependencies,
    optionalDependencies,
  };
  writeJson(join(stage, 'package.json'), { ...manifest, scripts: scriptsOfRelease(root.scripts) });
  // The server reads its version here.
  writeJson(join(stage, 'server/package.json'), { name: '@tenure/server', version, private: true, type: 'module' });
  // npm installs these versions, also of packages that packages need.
  const lock = readJson('package-lock.json') as { packages: Record<string, LockEntry> };
  writeJson(join(stage, 'npm-shrinkwrap.json'), {
    name: packageName,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...runtimePackages(new Map(Object.entries(lock.packages)), manifest) },
  });
}

/** Returns the npm scripts that guides and pages name, for the folder of a release. */
function scriptsOfRelease(scripts: Record<string, string>): Record<string, string> {
  const ofOperators = Object.entries(scripts).filter(([, script]) => script.includes('server/src/commands/'));
  const names = ['start', ...ofOperators.map(([name]) => name)];
  return Object.fromEntries(names.map((name) => [name, `exec node server/bin/tenure-server.js ${name}`]));
}

/** Returns the entries of all packages that the server needs when it runs, for every platform. */
function runtimePackages(lock: ReadonlyMap<string, LockEntry>, manifest: LockEntry): Record<string, LockEntry> {
  const found = new Map<string, LockEntry>();
  // The queue grows while it is read: a package's dependencies follow the package.
  const queue = ['server'];
  for (const place of queue) {
    for (const name of dependenciesOf(place === 'server' ? manifest : lock.get(place)!)) {
      const target = resolvePlace(lock, place, name);
      if (target === undefined || found.has(target)) continue;
      if (!target.startsWith('node_modules/')) {
        throw new Error(`${target} is no place in a release. Give the workspaces one version of ${name}.`);
      }
      const { devOptional, ...entry } = lock.get(target)!;
      found.set(target, devOptional ? ({ ...entry, optional: true } as LockEntry) : entry);
      queue.push(target);
    }
  }
  return Object.fromEntries([...found].sort(([left], [right]) => left.localeCompare(right)));
}

function dependenciesOf({
  dependencies,
  optionalDependencies,
  peerDependencies = {},
  peerDependenciesMeta,
}: LockEntry): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Returns where Node finds a package: in the nearest node_modules, going up. */
function resolvePlace(lock: ReadonlyMap<string, LockEntry>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = `${folder && `${folder}/`}node_modules/${name}`;
    if (lock.has(place)) return place;
    if (folder === '') return undefined;
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(projectDir, file), 'utf8'));
}

function writeJson(file: string, contents: object): void {
  writeFileSync(file, `${JSON.stringify(contents, null, 2)}\n`);
}

function run(program: string, args: string[]): string {
  return execFileSync(program, args, {
    cwd: projectDir,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

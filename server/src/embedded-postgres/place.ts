/** One data folder: where it is, what lies where in it, and who may use it. Made where it is missing. */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { prepareBinaries } from './binaries.ts';
import { makeFolder } from './copy.ts';
import { EmbeddedDatabaseError, errorCode } from './error.ts';
import { databaseUser, folderClosedTo, nearestExisting, type SystemUser } from './system-user.ts';

/** Where everything of one data folder is. */
export interface Place {
  dataDir: string;
  postgresDir: string;
  socketDir: string;
  logFile: string;
  binDir: string;
  user: SystemUser | null;
}

/** Only names the socket file; no TCP port is opened. */
export const socketPort = 5432;

/** What it names is left alone by servers: only who made it, or a person, may remove it. */
const restorePrefix = 'restore.unfinished-';

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
 * Makes what is missing of the folders and the binaries; the cluster is made by `prepareCluster`. Safe to call from
 * several processes at once. Throws an EmbeddedDatabaseError that says what stands in the way.
 */
export async function preparePlace(dataDirAsked: string, projectDir: string): Promise<Place> {
  const user = databaseUser(dataDirAsked);
  const dataDir = makeDataDir(dataDirAsked, user);
  return {
    dataDir,
    postgresDir: join(dataDir, 'postgres'),
    socketDir: makeSocketDir(dataDir, user),
    logFile: join(dataDir, 'postgres.log'),
    binDir: await prepareBinaries(projectDir, dataDir, user),
    user,
  };
}

/**
 * A place inside a data folder, which is made where it is missing, and nobody else's: a restore is put together there while a server
 * may be started on the folder, or another restore be under way.
 */
export async function preparePlaceForRestore(dataDirAsked: string, projectDir: string): Promise<Place> {
  const dataDir = makeDataDir(dataDirAsked, databaseUser(dataDirAsked));
  return preparePlace(join(dataDir, `${restorePrefix}${randomBytes(6).toString('hex')}`), projectDir);
}

/** Removes the place of a restore, and nothing else. */
export function removePlace({ dataDir, socketDir }: Place): void {
  for (const path of [dataDir, socketDir]) fs.rmSync(path, { recursive: true, force: true });
}

/** @throws {EmbeddedDatabaseError} where a restore is under way or was killed: a start would put a new deployment in its place. */
export function refuseUnfinishedRestore(dataDir: string): void {
  let names: string[] = [];
  try {
    names = fs.readdirSync(dataDir);
  } catch {
    // It is made by the start, or refused there with its reason.
  }
  const unfinished = names.find((name) => name.startsWith(restorePrefix));
  if (unfinished === undefined || names.includes('postgres')) return;
  throw new EmbeddedDatabaseError(
    `A restore into ${dataDir} is under way, or was broken off: wait for it; if there is none, remove ${join(dataDir, unfinished)} and restore again.`,
  );
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

/** The folder of the socket: in the data folder, or in /tmp where the path would be too long for a socket. */
export function socketDirFor(dataDir: string): string {
  const real = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir;
  const inside = join(real, 'socket');
  const longest = join(inside, `.s.PGSQL.${socketPort}`);
  return Buffer.byteLength(longest) <= socketPathBytesMax ? inside : `/tmp/tenure-${shortHash(real)}`;
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

function makeDataDir(dataDir: string, user: SystemUser | null): string {
  try {
    // Closed to others; as root others may pass through, because PostgreSQL's own user must reach its data.
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

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

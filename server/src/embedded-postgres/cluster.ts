/** What PostgreSQL calls a cluster, its own folder `postgres`. It is initialized once, and checked at every start. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from './copy.ts';
import { EmbeddedDatabaseError, oneLine } from './error.ts';
import type { DataFolder } from './data-folder.ts';
import { asUser, findUser, type SystemUser } from './system-user.ts';

/**
 * Initializes the cluster if there is none, and checks that this release and its user can run it. Several processes may call it at once.
 * Throws an EmbeddedDatabaseError that names the obstacle.
 */
export async function prepareCluster(dataFolder: DataFolder): Promise<void> {
  if (!holdsData(dataFolder.postgresDir)) await initialise(dataFolder);
  checkData(dataFolder);
}

/** Tells whether the folder holds an initialized cluster. */
export function holdsData(postgresDir: string): boolean {
  return fs.existsSync(join(postgresDir, 'PG_VERSION'));
}

/** Initializes under another name, so that a killed first start leaves no half-made cluster. */
async function initialise(dataFolder: DataFolder): Promise<void> {
  const unfinished = `${dataFolder.postgresDir}.unfinished-${randomBytes(6).toString('hex')}`;
  try {
    fs.mkdirSync(unfinished, { mode: 0o700 });
    if (dataFolder.user) fs.chownSync(unfinished, dataFolder.user.uid, dataFolder.user.gid);
    // The builtin locale sorts by code point and is the same on every system, unlike the system's own. Every user of the socket is trusted:
    // its folder is closed to all but the owner.
    await run(dataFolder, 'initdb', [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      '--auth-local=trust',
      '--auth-host=reject',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]);
    fs.renameSync(unfinished, dataFolder.postgresDir);
    syncFolder(dataFolder.dataDir);
  } catch (cause) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    // Another process finished its own first.
    if (holdsData(dataFolder.postgresDir)) return;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedDatabaseError(`The database could not be created in ${dataFolder.postgresDir}: ${detail}`, {
      cause,
    });
  }
}

function run(dataFolder: DataFolder, program: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(join(dataFolder.binDir, program), args, {
      ...asUser(dataFolder.user),
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

function checkData({ postgresDir, user }: DataFolder): void {
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

/** Gives data to the user PostgreSQL runs as, after root restored it or its old user was removed. */
export function giveTo(user: SystemUser, path: string): void {
  fs.lchownSync(path, user.uid, user.gid);
  if (!fs.lstatSync(path).isDirectory()) return;
  for (const name of fs.readdirSync(path)) giveTo(user, join(path, name));
}

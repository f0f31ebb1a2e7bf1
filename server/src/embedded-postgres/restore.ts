/** Restores a deployment from a backup, into a data folder of its own. */
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { withClient } from '../db/pools.ts';
import { beginNextEpoch } from '../db/deployment.ts';
import { giveTo } from './cluster.ts';
import { copyFile, syncFolder, withEach } from './copy.ts';
import { EmbeddedDatabaseError, errorCode, isDiskFull } from './error.ts';
import { bytesOf, readManifest, type Manifest } from './manifest.ts';
import { takeOver } from './ownership.ts';
import { prepareFolderForRestore, refuseUnfinishedRestore, removeDataFolder, type DataFolder } from './data-folder.ts';
import { shutDown } from './postmaster.ts';
import { connectionIn } from './session.ts';

/**
 * Puts the backup in `folder` into `dataDir`, which is created or must be empty. PostgreSQL must start on it once. It gets its
 * final name only then, so an interrupted restore leaves nothing that looks like a deployment.
 *
 * @param stopping interrupts it, with its reason.
 * @throws {EmbeddedDatabaseError} with one line for the operator. `dataDir` then holds only what others put there.
 */
export async function restoreBackup(
  folder: string,
  dataDirAsked: string,
  projectDir: string,
  stopping: AbortSignal,
): Promise<Manifest> {
  const manifest = readManifest(folder);
  const dataDir = resolve(dataDirAsked);
  refuseUnfinishedRestore(dataDir);
  if (fs.existsSync(dataDir) && fs.readdirSync(dataDir).length > 0) {
    throw new EmbeddedDatabaseError(
      `${dataDir} is not empty, and nothing is ever overwritten: move away what is there, or set DATA_DIR to another folder.`,
    );
  }
  const dataFolder = await prepareFolderForRestore(dataDir, projectDir);
  try {
    await copyBack(manifest, folder, dataFolder.dataDir, stopping);
    if (dataFolder.user) giveTo(dataFolder.user, dataFolder.postgresDir);
    await startOnce(dataFolder, stopping);
    stopping.throwIfAborted();
    moveInto(dataDir, dataFolder);
    return manifest;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new EmbeddedDatabaseError(
      `There is no room left in ${dataDir}: ${Math.ceil(bytesOf(manifest) / 1e6)} MB are needed.`,
      { cause: error },
    );
  } finally {
    removeDataFolder(dataFolder);
  }
}

/**
 * Moves the restored files to their final names, unless another process has used these meanwhile. The key comes last: a server that starts
 * in between finds a deployment without its key, and makes none.
 */
function moveInto(dataDir: string, dataFolder: DataFolder): void {
  const moves = ['postgres', 'master.key']
    .map((name) => ({ from: join(dataFolder.dataDir, name), to: join(dataDir, name) }))
    .filter(({ from }) => fs.existsSync(from));
  for (const { to } of moves) if (fs.existsSync(to)) throw hasAppeared(to);
  for (const { from, to } of moves) {
    try {
      fs.renameSync(from, to);
    } catch (error) {
      // A rename never replaces a folder that is not empty, however late that appeared.
      throw ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error)) ? hasAppeared(to) : error;
    }
  }
  syncFolder(dataDir);
}

function hasAppeared(path: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `${path} was made by another process meanwhile, such as a server that was started: nothing was restored. Stop it, and restore into an empty folder.`,
  );
}

/** Copies the backup, and rejects a file that is not byte for byte what was backed up. */
async function copyBack(manifest: Manifest, folder: string, dataDir: string, stopping: AbortSignal): Promise<void> {
  const placeOf = (path: string): string => {
    if (path === 'master.key' || path.split('/')[0] === 'postgres') return join(dataDir, path);
    throw new EmbeddedDatabaseError(`The backup's manifest is damaged: it names ${path}.`);
  };
  for (const path of manifest.folders) fs.mkdirSync(placeOf(path), { mode: 0o700 });
  await withEach(manifest.files, async ({ path, bytes, sha256 }) => {
    if (!fs.existsSync(join(folder, path))) {
      throw new EmbeddedDatabaseError(
        `The backup is damaged: ${path} is missing. Nothing was restored; take an older backup.`,
      );
    }
    const copied = await copyFile(join(folder, path), placeOf(path), stopping);
    if (copied.bytes !== bytes || copied.sha256 !== sha256) {
      throw new EmbeddedDatabaseError(
        `The backup is damaged: ${path} is not what was backed up. Nothing was restored; take an older backup.`,
      );
    }
  });
  for (const path of manifest.folders) syncFolder(placeOf(path));
}

/** Starts PostgreSQL once, which restores what was committed at the copy's end. Later writes get an epoch of their own. */
async function startOnce(dataFolder: DataFolder, stopping: AbortSignal): Promise<void> {
  const { postmaster, owner } = await takeOver(dataFolder, stopping);
  try {
    await withClient({ ...connectionIn(dataFolder.socketDir), ssl: false }, beginNextEpoch);
  } finally {
    await shutDown(postmaster);
    await owner.client.end().catch(() => {});
  }
}

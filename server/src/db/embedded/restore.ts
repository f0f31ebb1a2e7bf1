/** A deployment from a backup, in a data folder of its own. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { withClient } from '../database.ts';
import { beginNextEpoch } from '../deployment.ts';
import { giveTo } from './cluster.ts';
import { copyFile, syncFolder, withEach } from './copy.ts';
import { EmbeddedDatabaseError, isDiskFull } from './error.ts';
import { bytesOf, readManifest, type Manifest } from './manifest.ts';
import { takeOver } from './ownership.ts';
import { preparePlace, type Place } from './place.ts';
import { shutDown } from './postmaster.ts';
import { connectionIn } from './session.ts';

/**
 * Puts the backup in `folder` into `dataDir`, which is made or must be empty, and proves that PostgreSQL can start on it. It has its
 * name only then, so a restore that is broken off leaves nothing that could be taken for a deployment.
 *
 * @throws {EmbeddedDatabaseError} in one line for the person who must act; `dataDir` is empty then.
 */
export async function restoreBackup(folder: string, dataDirAsked: string, projectDir: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  const dataDir = resolve(dataDirAsked);
  if (fs.existsSync(dataDir) && fs.readdirSync(dataDir).length > 0) {
    throw new EmbeddedDatabaseError(
      `${dataDir} is not empty, and nothing is ever overwritten: move away what is there, or set DATA_DIR to another folder.`,
    );
  }
  const place = await preparePlace(dataDir, projectDir);
  const unfinished = `${place.postgresDir}.unfinished-${randomBytes(6).toString('hex')}`;
  const keyFile = join(place.dataDir, 'master.key');
  try {
    await copyBack(manifest, folder, { postgres: unfinished, 'master.key': keyFile });
    if (place.user) giveTo(place.user, unfinished);
    await startOnce({ ...place, postgresDir: unfinished });
    fs.renameSync(unfinished, place.postgresDir);
    syncFolder(place.dataDir);
    return manifest;
  } catch (error) {
    // It was empty.
    for (const name of fs.readdirSync(place.dataDir)) {
      fs.rmSync(join(place.dataDir, name), { recursive: true, force: true });
    }
    if (!isDiskFull(error)) throw error;
    throw new EmbeddedDatabaseError(
      `There is no room left in ${place.dataDir}: ${Math.ceil(bytesOf(manifest) / 1e6)} MB are needed.`,
      { cause: error },
    );
  }
}

/** Whatever is not byte for byte what was backed up is refused. */
async function copyBack(manifest: Manifest, folder: string, roots: Readonly<Record<string, string>>): Promise<void> {
  const placeOf = (path: string): string => {
    const [root = '', ...rest] = path.split('/');
    if (roots[root] === undefined)
      throw new EmbeddedDatabaseError(`The backup's manifest is damaged: it names ${path}.`);
    return join(roots[root], ...rest);
  };
  for (const path of manifest.folders) fs.mkdirSync(placeOf(path), { mode: 0o700 });
  await withEach(manifest.files, async ({ path, bytes, sha256 }) => {
    if (!fs.existsSync(join(folder, path))) {
      throw new EmbeddedDatabaseError(
        `The backup is damaged: ${path} is missing. Nothing was restored; take an older backup.`,
      );
    }
    const copied = await copyFile(join(folder, path), placeOf(path));
    if (copied.bytes !== bytes || copied.sha256 !== sha256) {
      throw new EmbeddedDatabaseError(
        `The backup is damaged: ${path} is not what was backed up. Nothing was restored; take an older backup.`,
      );
    }
  });
  for (const path of manifest.folders) syncFolder(placeOf(path));
}

/** PostgreSQL makes of the copy what was committed at its end; then what is written from now on begins an epoch of its own. */
async function startOnce(place: Place): Promise<void> {
  const { postmaster, owner } = await takeOver(place, new AbortController().signal);
  try {
    await withClient({ ...connectionIn(place.socketDir), ssl: false }, beginNextEpoch);
  } finally {
    await shutDown(postmaster);
    await owner.client.end().catch(() => {});
  }
}

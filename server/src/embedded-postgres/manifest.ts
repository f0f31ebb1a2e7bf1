/** Lists the parts of a backup. The manifest is written last, so a folder without one is no backup. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { syncFolder } from './copy.ts';
import { EmbeddedDatabaseError, errorCode } from './error.ts';

/** All sizes are in bytes, and all paths are relative to the backup's folder. */
export interface Manifest {
  /** The format of this file. A release that does not know it rejects the backup. */
  format: 1;
  /** The release of Tenure that made it. */
  release: string;
  postgresql_version: number;
  system_identifier: string;
  started_at: string;
  /** Everything that was answered before is in it. Of later changes, made while the copy ended, some may be. */
  ended_at: string;
  start_lsn: string;
  stop_lsn: string;
  has_master_key: boolean;
  folders: string[];
  files: BackedUpFile[];
}

export interface BackedUpFile {
  path: string;
  bytes: number;
  sha256: string;
}

const fileName = 'manifest.json';

/** Turns a folder of files into a backup, durable when it returns. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const unfinished = join(folder, `${fileName}.unfinished-${randomBytes(6).toString('hex')}`);
  fs.writeFileSync(unfinished, `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(unfinished, join(folder, fileName));
  syncFolder(folder);
}

/** @throws {EmbeddedDatabaseError} if there is no complete backup, or none that this release can restore. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, fileName);
  let manifest: Manifest;
  if (!fs.existsSync(folder)) throw new EmbeddedDatabaseError(`There is no ${folder}: name the folder of a backup.`);
  try {
    manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest;
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') {
      throw new EmbeddedDatabaseError(
        `${folder} holds no complete backup: ${fileName}, which is written last, is missing. Take another backup.`,
      );
    }
    throw new EmbeddedDatabaseError(`The backup's ${file} cannot be read: ${errorCode(cause)}. Take another backup.`, {
      cause,
    });
  }
  if (manifest?.format !== 1 || !Array.isArray(manifest.files) || !Array.isArray(manifest.folders)) {
    throw new EmbeddedDatabaseError(
      `${file} is no manifest that this release can read: restore with the one that made it.`,
    );
  }
  const paths = [...manifest.folders, ...manifest.files.map(({ path }) => path)];
  const strange = paths.find((path) => isAbsolute(path) || normalize(path).startsWith('..'));
  if (strange !== undefined) throw new EmbeddedDatabaseError(`${file} is damaged: it leads to ${strange}.`);
  return manifest;
}

/** Returns the total size of the files. */
export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

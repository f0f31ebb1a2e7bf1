import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';

/** Windows has no such modes. There, the folder of a user is private already. */
const hasModes = process.platform !== 'win32';

/**
 * Reads a file that only its owner can read. Returns null if there is none.
 *
 * @throws {CliError} if others could read or replace it.
 */
export function readPrivateFile(path: string): string | null {
  for (const [each, mode] of [
    [dirname(path), '700'],
    [path, '600'],
  ] as const) {
    const stats = statSync(each, { throwIfNoEntry: false });
    if (!stats) return null;
    if (!hasModes) continue;
    if ((stats.mode & 0o077) !== 0) {
      throw new CliError(
        `${each} has the mode ${(stats.mode & 0o777).toString(8)}, so other users could read or change your API keys. Run: chmod ${mode} '${each}'`,
      );
    }
    if (stats.uid !== process.getuid!() && process.getuid!() !== 0) {
      throw new CliError(`${each} belongs to another user, so it is not read. Move it away.`);
    }
  }
  return readFileSync(path, 'utf8');
}

/**
 * Writes a file that only its owner can read. A reader sees the old or the new text.
 *
 * @param options.durable whether that also holds after a loss of power.
 */
export function writePrivateFile(path: string, text: string, { durable = true } = {}): void {
  const fresh = writeFresh(path, text, durable);
  try {
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Writes a file that only its owner can read, unless there is one already. Of several processes at once, one writes the file. */
export function createPrivateFile(path: string, text: string): void {
  const fresh = writeFresh(path, text, true);
  try {
    // A rename would replace the file of another process.
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** Writes the text into a new file beside the path, and returns the new path. */
function writeFresh(path: string, text: string, durable: boolean): string {
  makePrivateFolder(dirname(path));
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(file, text);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return fresh;
}

function makePrivateFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A umask could only take rights away.
  if (hasModes) chmodSync(folder, 0o700);
}

/** Files that are copied so that they outlive a crash, and so that a change of a single bit shows. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error.ts';

/** However large a file is, this much of it is in memory. */
const pieceBytes = 1024 * 1024;

/** A copy mostly waits for the disk, which takes several at once as fast as one. */
const copiesAtOnce = 8;

/** What was copied, which of a file that grows meanwhile is what was there. */
export interface Copied {
  bytes: number;
  sha256: string;
}

/** Copies a file for its owner alone; durable when it returns, but for its name in the folder. Throws the reason when it is stopped. */
export async function copyFile(from: string, to: string, stopping: AbortSignal): Promise<Copied> {
  await using source = await open(from, 'r');
  await using target = await open(to, 'wx', 0o600);
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(pieceBytes);
  let bytes = 0;
  for (;;) {
    stopping.throwIfAborted();
    const { bytesRead } = await source.read(piece);
    if (bytesRead === 0) break;
    const read = piece.subarray(0, bytesRead);
    hash.update(read);
    for (let written = 0; written < bytesRead;) {
      written += (await target.write(read, written)).bytesWritten;
    }
    bytes += bytesRead;
  }
  await target.sync();
  return { bytes, sha256: hash.digest('hex') };
}

/** Does it with every item, some at a time. The first that fails is the last that is begun; it throws when all are over. */
export async function withEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: copiesAtOnce }, worker));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

/**
 * Makes a folder, and those above it that are missing, with this mode; durable when it returns. One by one, because the recursive
 * call of Node never returns where nothing can be made, as in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  const parent = dirname(path);
  if (!fs.existsSync(parent)) makeFolder(parent, mode);
  try {
    fs.mkdirSync(path);
    fs.chmodSync(path, mode);
    syncFolder(parent);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/** Copies files so that they survive a crash, with a hash that shows the change of a single bit. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error.ts';

/** Bytes of a file in memory, however large the file is. */
const pieceBytes = 1024 * 1024;

/** A copy mostly waits for the disk, which serves several copies as fast as one. */
const copiesAtOnce = 8;

/** The memory of finished copies, for the next ones. With new memory for each file, the garbage collector costs as much as the copy. */
const freePieces: Buffer[] = [];

/** The copied bytes. Of a file that grows meanwhile, they are the part that was there. */
export interface Copied {
  bytes: number;
  sha256: string;
}

/**
 * Copies a file, readable by its owner only. Its contents are durable when it returns, but its name in the folder is not. Throws the reason
 * of `stopping`.
 */
export async function copyFile(from: string, to: string, stopping: AbortSignal): Promise<Copied> {
  await using source = await open(from, 'r');
  await using target = await open(to, 'wx', 0o600);
  const hash = createHash('sha256');
  const piece = freePieces.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
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
  freePieces.push(piece);
  return { bytes, sha256: hash.digest('hex') };
}

/** Works on all items, some at a time. After a failure it begins no more, and throws when those under way have ended. */
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
 * Makes a folder and its missing parents with this mode. They are durable when it returns. It makes them one by one, because Node's
 * recursive call never returns if none can be made, as in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  const parent = dirname(path);
  if (!fs.existsSync(parent)) makeFolder(parent, mode);
  try {
    fs.mkdirSync(path);
    fs.chmodSync(path, mode);
    syncFolder(parent);
  } catch (error) {
    // Another process may have made it.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Write lines in pieces of so many characters, because each write costs a system call. */
const pieceLength = 8_192;

/** Keep at most so many characters for a slow reader. A stopped one would otherwise fill the memory. */
const keptLength = 4 * 1024 * 1024;

/** Milliseconds before the next attempt to write to a full pipe or a full disk. */
const fullPauseMs = 50;

/** Milliseconds that the end of the process waits for room in a full pipe. */
const exitWaitMs = 1_000;

/**
 * The output of a process, such as its log. It writes lines in large pieces and does not wait for them. It drops lines if its pipe has no
 * reader, or if too many of them wait for a slow one. The destination of pino retries the last ones for ever on a closed pipe. So a process
 * with it never ends.
 */
export class LogOutput implements DestinationStream {
  readonly #fd: number;
  #lines = '';
  /** What the last write left over, because there was no room for it. */
  #leftOver: Buffer = Buffer.alloc(0);
  #dropped = 0;
  #isWriting = false;
  #isFlushDue = false;
  #isBroken = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(lines: string): void {
    if (this.#isBroken) return;
    if (this.#lines.length >= keptLength) {
      this.#dropped++;
      return;
    }
    this.#lines += lines;
    if (this.#lines.length >= pieceLength) this.flush();
  }

  /** Begins to write all lines. */
  flush(): void {
    if (this.#isWriting) this.#isFlushDue = true;
    else if (this.#lines !== '') this.#send(this.#take());
  }

  /** Writes all lines that no write under way has taken, at the end of the process. */
  flushSync(): void {
    const giveUpAtMs = performance.now() + exitWaitMs;
    let piece = Buffer.concat([this.#takeLeftOver(), this.#take()]);
    while (piece.length > 0 && !this.#isBroken) {
      try {
        piece = piece.subarray(writeSync(this.#fd, piece));
      } catch (error) {
        if (!isFull(error) || performance.now() > giveUpAtMs) this.#isBroken = true;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPauseMs);
      }
    }
  }

  #send(piece: Buffer): void {
    this.#isWriting = true;
    write(this.#fd, piece, (error, written) => {
      if (error && isFull(error)) {
        this.#leftOver = piece;
        setTimeout(() => this.#send(this.#takeLeftOver()), fullPauseMs).unref();
        return;
      }
      if (!error && written < piece.length) {
        this.#send(piece.subarray(written));
        return;
      }
      this.#isWriting = false;
      if (error) {
        this.#isBroken = true;
        this.#lines = '';
      } else if (this.#isFlushDue || this.#lines.length >= pieceLength) {
        this.#isFlushDue = false;
        this.flush();
      }
    });
  }

  #take(): Buffer {
    const lines = this.#lines;
    this.#lines = '';
    if (this.#dropped === 0) return Buffer.from(lines);
    const note = {
      level: 40,
      msg: `dropped ${this.#dropped} lines: nothing read the output in time, or the disk was full`,
    };
    this.#dropped = 0;
    return Buffer.from(`${lines}${JSON.stringify(note)}\n`);
  }

  #takeLeftOver(): Buffer {
    const piece = this.#leftOver;
    this.#leftOver = Buffer.alloc(0);
    return piece;
  }
}

/** Returns whether there may be room later: the reader of a pipe is only slow, or the disk is full. */
function isFull(error: unknown): boolean {
  return ['EAGAIN', 'ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code!);
}

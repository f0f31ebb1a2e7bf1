import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Write lines in pieces of so many characters, because each write costs a system call. */
const pieceLength = 8_192;

/** Milliseconds before the next attempt to write to a full pipe. */
const fullPauseMs = 50;

/** Milliseconds that the end of the process waits for a reader of a full pipe. */
const exitWaitMs = 1_000;

/**
 * The output of a process, such as its log. It writes lines in large pieces and does not wait for them. If nothing reads its pipe any
 * more, it drops the lines. The destination of pino tries for ever to write the last ones, so a process with it never ends.
 */
export class LogOutput implements DestinationStream {
  readonly #fd: number;
  #lines = '';
  #isWriting = false;
  #isFlushDue = false;
  #isBroken = false;
  /** The piece that waits for room in a full pipe. */
  #waiting = Buffer.alloc(0);

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(lines: string): void {
    if (this.#isBroken) return;
    this.#lines += lines;
    if (this.#lines.length >= pieceLength) this.flush();
  }

  /** Begins to write all lines. */
  flush(): void {
    if (this.#isWriting) this.#isFlushDue = true;
    else if (this.#lines !== '') this.#send(this.#take());
  }

  /** Writes the lines that no write has taken yet, at the end of the process. */
  flushSync(): void {
    const giveUpAtMs = performance.now() + exitWaitMs;
    let piece = Buffer.concat([this.#waiting, this.#take()]);
    this.#waiting = Buffer.alloc(0);
    while (piece.length > 0 && !this.#isBroken) {
      try {
        piece = piece.subarray(writeSync(this.#fd, piece));
      } catch (error) {
        if (!isFull(error) || performance.now() > giveUpAtMs) this.#isBroken = true;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPauseMs);
      }
    }
  }

  #send(piece: Buffer<ArrayBuffer>): void {
    this.#isWriting = true;
    this.#waiting = Buffer.alloc(0);
    write(this.#fd, piece, (error, written) => {
      if (error && isFull(error)) {
        this.#waiting = piece;
        setTimeout(() => this.#send(this.#waiting), fullPauseMs).unref();
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

  #take(): Buffer<ArrayBuffer> {
    const piece = Buffer.from(this.#lines);
    this.#lines = '';
    return piece;
  }
}

/** Returns whether the reader of a pipe is slow, and not gone. */
function isFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN';
}

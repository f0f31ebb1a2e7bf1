import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Payer } from '../core/limits/byte-budget.ts';
import { ApiError, ClientGoneError } from '../core/errors.ts';
import { FairQueue } from '../core/limits/fair-queue.ts';
import { exited, HelperProcess, NoProcessError, wasKilledFromOutside } from '../core/helper-process.ts';
import { moduleFile } from '../core/installation.ts';
import type { Checked, FileToCheck } from './process.ts';

/** A piece of a file on its way to the other process, in bytes. */
const pieceBytes = 64 * 1024;

/**
 * Milliseconds from the start of its turn. The largest pictures take some three seconds on an idle machine. It is less than the time that
 * others wait. So slow files of one tree do not keep out those of another.
 */
const usualTimeoutMs = 15_000;

/** Milliseconds that an upload waits for its turn. */
const usualWaitMs = 20_000;

/** The process ends after so many milliseconds without a file, so that an idle server has its memory back. */
const usualIdleMs = 20_000;

/** Megabytes. A file of 10 MB and what is inflated of it fit. */
const heap = { oldSpaceMb: 192, semiSpaceMb: 4 };

/** Refuses a file. `isSlow` if its time was over: the file is not simple, or the machine is busy. Otherwise a retry has the same end. */
class FileRefusedError extends ApiError {
  readonly isSlow: boolean;

  constructor(message: string, isSlow: boolean) {
    super('parameter_invalid', message, { param: 'file' });
    this.isSlow = isSlow;
  }
}

/** The reply of the process, or what the server finds in its place. */
type Verdict = Checked | { refusal: string; isSlow: true };

export interface FileCheckerOptions {
  checkTimeoutMs?: number;
  waitMs?: number;
  idleMs?: number;
}

/**
 * Opens uploaded files in a process of their own, one at a time. A file that breaks a decoder ends that process, and not the server. The
 * process starts with the first file, and ends when it has been idle. It gets no settings of the server and no secrets.
 */
export class FileChecker {
  readonly #timeoutMs: number;
  readonly #waitMs: number;
  readonly #process: HelperProcess;
  /** Lets trees of accounts take turns, so that a tree with many files delays others by one file. */
  readonly #queue = new FairQueue(1);
  readonly #stopping = new AbortController();

  constructor({
    checkTimeoutMs = usualTimeoutMs,
    waitMs = usualWaitMs,
    idleMs = usualIdleMs,
  }: FileCheckerOptions = {}) {
    this.#timeoutMs = checkTimeoutMs;
    this.#waitMs = waitMs;
    this.#process = new HelperProcess(moduleFile('./process', import.meta.url), heap, idleMs);
  }

  /**
   * Looks for scripts and other active content in a document.
   *
   * @throws {ApiError} `parameter_invalid` with the reason, or `overloaded` if its turn does not come.
   */
  async inspect(payer: Payer, contentType: string, bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    await this.#check(payer, { contentType, bytesMax: 0 }, bytes);
  }

  /**
   * Makes a picture again from its dots: upright, and without anything else that its file has.
   *
   * @param bytesMax the largest result, in bytes.
   * @throws {ApiError} `parameter_invalid` with the reason, or `overloaded` if its turn does not come.
   */
  async remake(payer: Payer, contentType: string, bytes: Buffer, bytesMax: number): Promise<Buffer> {
    const made = await this.#check(payer, { contentType, bytesMax }, [bytes]);
    if (!made) throw new Error('Bug! The process returned no picture.');
    return made;
  }

  /**
   * Returns a small copy of a stored picture on white, in its own format. Null if the picture is damaged.
   *
   * @param fit the largest sides, in dots.
   * @throws {ApiError} `overloaded` if its turn does not come, or takes too long.
   */
  async shrink(
    payer: Payer,
    contentType: string,
    bytes: AsyncIterable<Buffer>,
    fit: { width: number; height: number },
  ): Promise<Buffer | null> {
    try {
      const made = await this.#check(payer, { contentType, bytesMax: 0, fit }, bytes);
      if (!made) throw new Error('Bug! The process returned no picture.');
      return made;
    } catch (error) {
      if (!(error instanceof FileRefusedError)) throw error;
      if (!error.isSlow) return null;
      // The picture was accepted at its upload, so the machine is too busy for it now.
      throw new ApiError('overloaded', 'The server is too busy to prepare the picture. Try again shortly.', {
        retryAfterSeconds: 5,
        cause: error,
      });
    }
  }

  /** Ends the process, and the file that it was checking. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'));
    await this.#process.end();
  }

  async #check(
    payer: Payer,
    file: FileToCheck,
    bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<Buffer | null> {
    let giveUp: (() => void) | null = null;
    const timer = setTimeout(() => giveUp?.(), this.#waitMs);
    const client = {
      whenReleased: (callback: (() => void) | null): void => {
        giveUp = callback;
      },
    };
    try {
      return await this.#queue.run(payer, client, async () => {
        clearTimeout(timer);
        return await this.#checkNow(file, bytes);
      });
    } catch (error) {
      if (!(error instanceof ClientGoneError)) throw error;
      throw new ApiError(
        'overloaded',
        'The server has too many files to check. Nothing was changed. Try again shortly.',
        {
          retryAfterSeconds: 5,
        },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async #checkNow(file: FileToCheck, bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Buffer | null> {
    this.#stopping.signal.throwIfAborted();
    const checked = await this.#checkedBy(this.#startProcess(), file, bytes);
    this.#process.rest();
    if ('refusal' in checked) throw new FileRefusedError(checked.refusal, 'isSlow' in checked);
    if ('fault' in checked) throw new Error(`The process that checks files failed: ${checked.fault}`);
    return checked.bytes;
  }

  async #checkedBy(
    checking: ChildProcess,
    file: FileToCheck,
    bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<Verdict> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(this.#timeoutMs), this.#stopping.signal]);
    const message = once(checking, 'message', { signal });
    const exit = once(checking, 'exit', { signal }).then(() => Promise.reject(new ProcessEndedError()));
    const checked = Promise.race([message, exit]).then(([value]) => value as Checked);
    // It may end while the file is on its way.
    checked.catch(() => {});
    try {
      await send(checking, file);
      for await (const part of bytes) {
        for (let at = 0; at < part.length; at += pieceBytes) await send(checking, part.subarray(at, at + pieceBytes));
      }
      await send(checking, null);
      return await checked;
    } catch (error) {
      const hasEnded = error instanceof ProcessEndedError || !checking.connected;
      // A process can close its channel and go on. It is ended after the time of its file, so that other files have their turn.
      if (hasEnded && !signal.aborted) await Promise.race([exited(checking), once(signal, 'abort')]);
      await this.#process.end();
      if (this.#stopping.signal.aborted) throw error;
      // A broken decoder ends its process in another way.
      if (hasEnded && wasKilledFromOutside(checking)) throw noRoom(error);
      // A retry would have the same end, so it is no fault of the server.
      if (hasEnded) return { refusal: '`file` cannot be opened: it is damaged. Save it again and send the new file.' };
      if (signal.aborted)
        return { refusal: '`file` takes too long to open. Save it again in a simpler form.', isSlow: true };
      throw error;
    } finally {
      waiting.abort();
    }
  }

  /** @throws {ApiError} `overloaded` if the system starts no process. */
  #startProcess(): ChildProcess {
    try {
      return this.#process.use();
    } catch (error) {
      throw error instanceof NoProcessError ? noRoom(error) : error;
    }
  }
}

class ProcessEndedError extends Error {}

function noRoom(cause?: unknown): ApiError {
  const message =
    'The machine has too little memory, or too many processes or open files, to open the file now. Nothing was changed. Try again shortly.';
  return new ApiError('overloaded', message, { retryAfterSeconds: 5, cause });
}

/** @throws {ProcessEndedError} if the pipe is broken. The server can learn that before the end of the process. */
function send(to: ChildProcess, message: FileToCheck | Buffer | null): Promise<void> {
  return new Promise((resolve, reject) => {
    to.send(message as object, (cause) => (cause ? reject(new ProcessEndedError(undefined, { cause })) : resolve()));
  });
}

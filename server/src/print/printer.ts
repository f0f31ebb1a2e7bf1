import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Printed } from './thread.ts';

export interface PrinterOptions {
  /** Milliseconds from the start of its turn, the start of a thread included. */
  printTimeoutMs?: number;
  /** The file that the thread runs. It calls `printOnRequest`. */
  threadFile: URL;
}

/** Milliseconds. The largest documents take a fraction of them. */
const usualTimeoutMs = 10_000;

/** Megabytes. A statement of 2,000 entries fits, and does not fit into 64. A document that takes more ends the thread, not the process. */
const threadMemoryMb = 128;

/** Megabytes. Few, so that a thread soon frees what a document held. */
const youngMemoryMb = 12;

/** A document could not be printed. A retry is harmless, and may help. */
export class PrintError extends Error {}

/**
 * Prints documents in their own thread, so that no other work waits for them. The thread starts with the first document and stays. If it
 * dies or prints for too long, its document fails, and the next document gets a new thread.
 */
export class Printer<Contents> {
  readonly #timeoutMs: number;
  readonly #threadFile: URL;
  #thread: Worker | null = null;
  /** Settles when the document before has left the thread. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor({ threadFile, printTimeoutMs = usualTimeoutMs }: PrinterOptions) {
    this.#threadFile = threadFile;
    this.#timeoutMs = printTimeoutMs;
  }

  /**
   * Prints a document as a PDF. Documents are printed one after the other, in the order of the calls.
   *
   * @throws {PrintError} also for all waiting documents when the printer is stopped.
   */
  print(contents: Contents): Promise<Buffer> {
    const printing = this.#lastTurn.then(() => this.#printNow(contents));
    this.#lastTurn = printing.catch(() => {});
    return printing;
  }

  /** Ends the thread, and the document that it was printing. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the printer was stopped'));
    await this.#lastTurn;
    await this.#dropThread();
  }

  async #printNow(contents: Contents): Promise<Buffer> {
    if (this.#stopping.signal.aborted) throw new PrintError('The printer was stopped.');
    const thread = (this.#thread ??= this.#startThread());
    try {
      const printed = await this.#printedBy(thread, contents);
      if ('bytes' in printed) return Buffer.from(printed.bytes.buffer);
      throw new PrintError(`The document could not be laid out: ${printed.fault}`);
    } catch (error) {
      if (error instanceof PrintError) throw error;
      await this.#dropThread();
      throw new PrintError(`The thread that prints failed: ${(error as Error).message}`, { cause: error });
    }
  }

  /** @throws {Error} if the thread dies first, if it takes too long, or if the printer is stopped. */
  async #printedBy(thread: Worker, contents: Contents): Promise<Printed> {
    const waiting = new AbortController();
    const tooLong = AbortSignal.timeout(this.#timeoutMs);
    const signal = AbortSignal.any([waiting.signal, tooLong, this.#stopping.signal]);
    thread.postMessage(contents, []);
    try {
      const message = once(thread, 'message', { signal });
      const exit = once(thread, 'exit', { signal }).then(([code]) =>
        Promise.reject(new Error(`it ended with code ${code}`)),
      );
      const [printed] = await Promise.race([message, exit]);
      return printed as Printed;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      waiting.abort();
    }
  }

  #startThread(): Worker {
    const thread = new Worker(this.#threadFile, {
      // The options of this process are for its own heap and its own loaders.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb, maxYoungGenerationSizeMb: youngMemoryMb },
    });
    // It may die while it is idle.
    const forget = (): void => {
      if (this.#thread === thread) this.#thread = null;
    };
    thread.on('error', forget);
    thread.on('exit', forget);
    return thread;
  }

  async #dropThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}

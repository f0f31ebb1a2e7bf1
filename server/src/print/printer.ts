import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Printed } from './thread.ts';

export interface PrinterOptions {
  /** Milliseconds of processor time, the start of a thread included. */
  processorMsMax?: number;
  /** Milliseconds from the start of its turn. */
  turnMsMax?: number;
  /** Milliseconds after its last document in which a thread stays. */
  idleMs?: number;
  /** The file that the thread runs. It calls `printOnRequest`. */
  threadFile: URL;
  /** The turns that it shares with other printers of the process. */
  turns?: PrintTurns;
}

/** Milliseconds of processor time. The largest documents take a fraction of them. */
const usualProcessorMs = 10_000;

/** Milliseconds. A thread that gets a tenth of a processor still prints the largest documents. */
const usualTurnMs = 60_000;

/**
 * Milliseconds. Measured: a thread takes 45 MB once it has printed a small document, and its start takes 0.2 s. So it stays for documents
 * that follow each other, and the process does not keep its memory.
 */
const usualIdleMs = 15_000;

/** Milliseconds between looks at the processor time of the thread. */
const lookEveryMs = 500;

/**
 * Megabytes. A statement of 2,000 entries in mixed scripts fits, and does not fit into 64. A document that takes more ends the thread, not
 * the process. Two threads can be there at once, one for reports and one for other documents.
 */
const threadMemoryMb = 96;

/** Megabytes. Few, so that a thread soon frees what a document held. */
const youngMemoryMb = 6;

/** A document could not be printed. A retry is harmless, and may help. */
export class PrintError extends Error {}

/** The machine was too busy for the document or its thread, or the printer was stopped. A retry helps. */
export class PrinterBusyError extends PrintError {}

/**
 * The turns of the printers of a process. They print one document after the other, and only the thread of the latest one is there. Two
 * threads with large documents took a process to 409 MB.
 */
export class PrintTurns {
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** Ends the thread of the printer that had the last turn. */
  #endThread: (() => Promise<void>) | null = null;

  /** Prints when it is the turn, after the thread of another printer has ended. */
  take<Result>(endThread: () => Promise<void>, print: () => Promise<Result>): Promise<Result> {
    const printing = this.#lastTurn.then(async () => {
      if (this.#endThread !== endThread) await this.#endThread?.();
      this.#endThread = endThread;
      return print();
    });
    this.#lastTurn = printing.catch(() => {});
    return printing;
  }
}

/**
 * Prints documents in their own thread, so that no other work waits for them. The thread starts with the first document, and ends when none
 * follows for a while. If it dies or takes too long, its document fails, and the next document gets a new thread. Its time is that of the
 * processor: on a busy machine, a thread waits most of the time.
 */
export class Printer<Contents> {
  readonly #processorMsMax: number;
  readonly #turnMsMax: number;
  readonly #idleMs: number;
  readonly #threadFile: URL;
  readonly #turns: PrintTurns;
  readonly #endThread = (): Promise<void> => this.#dropThread();
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Settles when the document before has left the thread. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor({
    threadFile,
    processorMsMax = usualProcessorMs,
    turnMsMax = usualTurnMs,
    idleMs = usualIdleMs,
    turns = new PrintTurns(),
  }: PrinterOptions) {
    this.#threadFile = threadFile;
    this.#turns = turns;
    this.#processorMsMax = processorMsMax;
    this.#turnMsMax = turnMsMax;
    this.#idleMs = idleMs;
  }

  /**
   * Prints a document as a PDF. Documents are printed one after the other, in the order of the calls. So are those of
   * printers that share its turns.
   *
   * @throws {PrinterBusyError} if the machine is too busy, and for all waiting documents when the printer is stopped.
   * @throws {PrintError} if the thread fails.
   */
  print(contents: Contents): Promise<Buffer> {
    const printing = this.#turns.take(this.#endThread, () => this.#printNow(contents));
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
    if (this.#stopping.signal.aborted) throw new PrinterBusyError('The printer was stopped.');
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#startThread());
    const printed = await this.#printedBy(thread, contents).catch(async (error: unknown) => {
      await this.#dropThread();
      if (error instanceof PrinterBusyError) throw error;
      // The process has too many files or threads.
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_INIT_FAILED')
        throw new PrinterBusyError('The machine has no room for the thread that prints.', { cause: error });
      throw new PrintError(`The thread that prints failed: ${(error as Error).message}`, { cause: error });
    });
    this.#idle = setTimeout(() => void this.#dropThread(), this.#idleMs).unref();
    if ('bytes' in printed) return Buffer.from(printed.bytes.buffer);
    throw new PrintError(`The document could not be laid out: ${printed.fault}`);
  }

  /**
   * @throws {PrinterBusyError} if the turn takes too long, or if the printer is stopped.
   * @throws {Error} if the thread dies first, or needs too much of the processor.
   */
  async #printedBy(thread: Worker, contents: Contents): Promise<Printed> {
    const waiting = new AbortController();
    const tooLong = AbortSignal.timeout(this.#turnMsMax);
    const signal = AbortSignal.any([waiting.signal, tooLong, this.#stopping.signal]);
    thread.postMessage(contents, []);
    try {
      const message = once(thread, 'message', { signal });
      const exit = once(thread, 'exit', { signal }).then(([code]) =>
        Promise.reject(new Error(`it ended with code ${code}`)),
      );
      const [printed] = await Promise.race([message, exit, this.#outOfTime(thread, signal)]);
      return printed as Printed;
    } catch (error) {
      if (!signal.aborted) throw error;
      const why = tooLong.aborted ? 'The machine is too busy to print the document.' : 'The printer was stopped.';
      throw new PrinterBusyError(why, { cause: signal.reason });
    } finally {
      waiting.abort();
    }
  }

  /** Rejects when the thread has used its processor time, or when the signal is aborted. */
  async #outOfTime(thread: Worker, signal: AbortSignal): Promise<never> {
    const beforeMs = await processorMsOf(thread);
    for (;;) {
      await delay(lookEveryMs, undefined, { signal, ref: false });
      const usedMs = (await processorMsOf(thread)) - beforeMs;
      if (usedMs >= this.#processorMsMax) throw new Error(`it used the processor for ${Math.round(usedMs)} ms`);
    }
  }

  #startThread(): Worker {
    // The flags that limit the heap of this process would also replace the limits of each thread. V8 reads them when a heap begins.
    setFlagsFromString('--max-old-space-size=0');
    setFlagsFromString('--max-semi-space-size=0');
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
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}

/** Returns the processor time of a thread so far, in milliseconds. 0 before it has started, and after its end. */
async function processorMsOf(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

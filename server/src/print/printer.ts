import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { HelperProcess, NoProcessError, wasKilledFromOutside } from '../core/helper-process.ts';
import type { Printed } from './process.ts';

export interface PrinterOptions {
  /** Milliseconds of processor time for a document. The first one of a process includes its start. */
  processorMsMax?: number;
  /** Milliseconds from the start of its turn. */
  turnMsMax?: number;
  /** Milliseconds after its last document in which a process stays. */
  idleMs?: number;
  /** The file that the process runs. It calls `printOnRequest`. */
  processFile: URL;
  /** The turns that it shares with other printers of the server. */
  turns?: PrintTurns;
}

/** Milliseconds of processor time. The largest documents take a fraction of them. */
const usualProcessorMs = 10_000;

/** Milliseconds. A process that gets a tenth of a processor still prints the largest documents. */
const usualTurnMs = 60_000;

/**
 * Milliseconds. A process stays for documents that follow each other, and the machine gets its memory back. Measured on a busy machine: it
 * takes 120 MB once it has printed a small document. Of these, it shares 50 MB with the server, such as the program of Node. After the
 * largest statements, it takes 200 MB. The first document takes 0.4 to 0.7 s, and a small one that follows takes 0.02 s.
 */
const usualIdleMs = 15_000;

/** Milliseconds between looks at the processor time of the process. */
const lookEveryMs = 500;

/**
 * Megabytes. A statement of 2,000 entries in mixed scripts fits, and does not fit into 64. A document that takes more ends its process, not
 * the server. The young generation is small, so that a process soon frees what a document held.
 */
const heap = { oldSpaceMb: 96, semiSpaceMb: 2 };

/** A document could not be printed. A retry is harmless, and may help. */
export class PrintError extends Error {}

/** The machine was too busy for the document or its process, or the printer was stopped. A retry helps. */
export class PrinterBusyError extends PrintError {}

/**
 * The turns of the printers of a server. They print one document after the other, and only the process of the latest one is there. So a
 * machine needs the memory of one.
 */
export class PrintTurns {
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** Ends the process of the printer that had the last turn. */
  #endProcess: (() => Promise<void>) | null = null;

  /** Prints when it is the turn, after the process of another printer has ended. */
  take<Result>(endProcess: () => Promise<void>, print: () => Promise<Result>): Promise<Result> {
    const printing = this.#lastTurn.then(async () => {
      if (this.#endProcess !== endProcess) await this.#endProcess?.();
      this.#endProcess = endProcess;
      return print();
    });
    this.#lastTurn = printing.catch(() => {});
    return printing;
  }
}

/**
 * Prints documents in a process of their own. So no other work waits for them, and the server does not grow. The process starts with the
 * first document, and ends when none follows for a while. If it dies or takes too long, its document fails, and the next document gets a
 * new process.
 *
 * A document has two limits. Its processor time tells an endless layout from a slow machine, where a process waits most of the time. Only
 * the server can measure it, because a layout blocks the event loop of its process. Where the system does not tell it, only the time of
 * the turn ends an endless layout.
 */
export class Printer<Contents> {
  readonly #processorMsMax: number;
  readonly #turnMsMax: number;
  readonly #process: HelperProcess;
  readonly #turns: PrintTurns;
  readonly #endProcess = (): Promise<void> => this.#process.end();
  /** Settles when the document before has left the process. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor({
    processFile,
    processorMsMax = usualProcessorMs,
    turnMsMax = usualTurnMs,
    idleMs = usualIdleMs,
    turns = new PrintTurns(),
  }: PrinterOptions) {
    this.#process = new HelperProcess(processFile, heap, idleMs);
    this.#turns = turns;
    this.#processorMsMax = processorMsMax;
    this.#turnMsMax = turnMsMax;
  }

  /**
   * Prints a document as a PDF. Documents are printed one after the other, in the order of the calls. So are those of
   * printers that share its turns.
   *
   * @throws {PrinterBusyError} if the machine is too busy, and for all waiting documents when the printer is stopped.
   * @throws {PrintError} if the process fails.
   */
  print(contents: Contents): Promise<Buffer> {
    const printing = this.#turns.take(this.#endProcess, () => this.#printNow(contents));
    this.#lastTurn = printing.catch(() => {});
    return printing;
  }

  /** Ends the process, and the document that it was printing. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the printer was stopped'));
    await this.#lastTurn;
    await this.#process.end();
  }

  async #printNow(contents: Contents): Promise<Buffer> {
    if (this.#stopping.signal.aborted) throw new PrinterBusyError('The printer was stopped.');
    const printed = await this.#sendAndWait(contents).catch(async (error: unknown) => {
      await this.#process.end();
      if (error instanceof PrinterBusyError) throw error;
      if (error instanceof NoProcessError)
        throw new PrinterBusyError('The machine has no room for the process that prints.', { cause: error });
      throw new PrintError(`The process that prints failed: ${(error as Error).message}`, { cause: error });
    });
    this.#process.rest();
    if ('bytes' in printed) return printed.bytes;
    throw new PrintError(`The document could not be laid out: ${printed.fault}`);
  }

  /**
   * @throws {NoProcessError} if no process can start.
   * @throws {PrinterBusyError} if the turn takes too long, the system ends the process, or the printer is stopped.
   * @throws {Error} if the process dies first, or needs too much of the processor.
   */
  async #sendAndWait(contents: Contents): Promise<Printed> {
    const printing = this.#process.use();
    const waiting = new AbortController();
    const tooLong = AbortSignal.timeout(this.#turnMsMax);
    const signal = AbortSignal.any([waiting.signal, tooLong, this.#stopping.signal]);
    // If the process dies before it has the document, its exit follows.
    printing.send(contents as object, () => {});
    try {
      const message = once(printing, 'message', { signal });
      const exit = once(printing, 'exit', { signal }).then(() => Promise.reject(reasonOfEnd(printing)));
      const [printed] = await Promise.race([message, exit, this.#outOfTime(printing, signal)]);
      return printed as Printed;
    } catch (error) {
      if (!signal.aborted) throw error;
      const why = tooLong.aborted ? 'The machine is too busy to print the document.' : 'The printer was stopped.';
      throw new PrinterBusyError(why, { cause: signal.reason });
    } finally {
      waiting.abort();
    }
  }

  /** Rejects when the process has used its processor time, or when the signal is aborted. */
  async #outOfTime(printing: ChildProcess, signal: AbortSignal): Promise<never> {
    const beforeMs = processorMsOf(printing);
    for (;;) {
      await delay(lookEveryMs, undefined, { signal, ref: false });
      const usedMs = processorMsOf(printing) - beforeMs;
      if (usedMs >= this.#processorMsMax) throw new Error(`it used the processor for ${Math.round(usedMs)} ms`);
    }
  }
}

function reasonOfEnd(ended: ChildProcess): Error {
  if (wasKilledFromOutside(ended)) return new PrinterBusyError('The system ended the process that prints.');
  return new Error(`it ended with ${ended.signalCode ?? `code ${ended.exitCode}`}`);
}

/** Milliseconds of a clock tick, in which Linux counts. */
const tickMs = 10;

/** Returns the processor time of a process so far, in milliseconds. NaN if it is unknown, as on systems other than Linux. */
function processorMsOf({ pid }: ChildProcess): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before these fields can have spaces.
    const [user, system] = text.slice(text.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user! + system!) * tickMs;
  } catch {
    return NaN;
  }
}

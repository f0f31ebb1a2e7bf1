import { Readable } from 'node:stream';
import { asError } from '../../core/errors.ts';

/**
 * A response body that reads the next piece only when the connection has taken the last one. Node's own adapter reads one piece ahead. It
 * disconnects a client that reads nothing for `stalledMs`.
 */
export class PacedBody extends Readable {
  readonly #pieces: AsyncGenerator<Buffer>;
  readonly #stalledMs: number;
  readonly #cutOff: () => void;
  #stalled: NodeJS.Timeout | undefined;

  constructor(pieces: AsyncGenerator<Buffer>, stalledMs: number, cutOff: () => void) {
    super({ highWaterMark: 0 });
    this.#pieces = pieces;
    this.#stalledMs = stalledMs;
    this.#cutOff = cutOff;
  }

  override _read(): void {
    clearTimeout(this.#stalled);
    void this.#pushNext();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#stalled);
    void this.#stop();
    done(error);
  }

  async #pushNext(): Promise<void> {
    try {
      const { value, done } = await this.#pieces.next();
      if (this.destroyed) return;
      this.#stalled = setTimeout(this.#cutOff, this.#stalledMs);
      this.push(done ? null : value);
    } catch (error) {
      this.destroy(asError(error));
    }
  }

  /** Ends the generator, which releases its memory. */
  async #stop(): Promise<void> {
    try {
      await this.#pieces.return(undefined);
    } catch {
      // The client has disconnected, or already has the error.
    }
  }
}

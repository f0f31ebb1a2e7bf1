import type { buildConnector } from 'undici';

/** Limits the number of open connections. A request beyond the limit waits until one is closed. Idle kept connections are closed for it. */
export class ConnectionLimit {
  readonly #connect: buildConnector.connector;
  readonly #max: number;
  readonly #giveUpKept: () => void;
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** @param giveUpKept closes some idle connections, if there are any. */
  constructor(connect: buildConnector.connector, max: number, giveUpKept: () => void) {
    this.#connect = connect;
    this.#max = max;
    this.#giveUpKept = giveUpKept;
  }

  /** Connections that are open or being opened. */
  get open(): number {
    return this.#open;
  }

  /** Connects as the given connector does, within the limit. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.#whenThereIsRoom(() =>
      this.#connect(options, (...result) => {
        const [error, socket] = result;
        if (error) this.#leave();
        else socket.once('close', () => this.#leave());
        callback(...result);
      }),
    );
  };

  #whenThereIsRoom(open: () => void): void {
    if (this.#open < this.#max) {
      this.#open++;
      open();
    } else {
      this.#waiting.push(open);
      this.#giveUpKept();
    }
  }

  /** Frees a place, for a waiting request first. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#open--;
  }
}

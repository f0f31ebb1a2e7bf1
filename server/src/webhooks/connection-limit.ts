import type { buildConnector } from 'undici';

/**
 * Opens no more connections than there may be at once, whatever it is asked for. Who comes when all are taken waits until one is
 * closed; kept connections that nobody uses are given up for them.
 */
export class SocketBound {
  readonly #connect: buildConnector.connector;
  readonly #max: number;
  readonly #giveUpKept: () => void;
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** @param giveUpKept closes connections that are only kept for later, if there are any. */
  constructor(connect: buildConnector.connector, max: number, giveUpKept: () => void) {
    this.#connect = connect;
    this.#max = max;
    this.#giveUpKept = giveUpKept;
  }

  /** Connections that are open or being opened. */
  get open(): number {
    return this.#open;
  }

  /** As the connector that it bounds. */
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

  /** Whoever waits takes the place. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#open--;
  }
}

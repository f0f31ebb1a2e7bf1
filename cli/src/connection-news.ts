import type { Terminal } from './output/terminal.ts';

/** Says when the server is lost, and when it is back. */
export class ConnectionNews {
  readonly #terminal: Terminal;
  #isOpen: boolean | null = null;
  /** Is called at the first connection. */
  onReady: (() => void) | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  tell({ url, status }: { url: string; status: number | null }): void {
    if (!url.includes('/events/stream')) return;
    if (status === 200) {
      if (this.#isOpen === null) this.onReady?.();
      else if (!this.#isOpen) this.#terminal.say('Connected again.');
      this.#isOpen = true;
    } else if (this.#isOpen !== false && (status === null || status >= 500 || status === 429)) {
      this.#terminal.say('The server cannot be reached. Trying again …');
      this.#isOpen = false;
    }
  }
}

import { safeLines, safeText } from './text.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const codes: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** The streams of a command. Data goes to standard output, and messages go to standard error. */
export class Terminal {
  readonly env: NodeJS.ProcessEnv = process.env;
  readonly isOutTerminal = process.stdout.isTTY;
  readonly isErrTerminal = process.stderr.isTTY;
  /** Whether a person can be asked. */
  readonly canAsk = process.stdin.isTTY && process.stderr.isTTY;
  #hasProgress = false;

  get width(): number {
    return process.stdout.columns || Number(this.env.COLUMNS) || 100;
  }

  /** Writes a line of data. */
  out(line: string): void {
    this.endProgress();
    process.stdout.write(`${safeLines(line)}\n`);
  }

  /** Writes data, and waits until it is taken. */
  async outAll(text: string): Promise<void> {
    this.endProgress();
    if (!process.stdout.write(safeLines(text))) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }

  /** Writes a message. */
  say(line: string): void {
    this.endProgress();
    process.stderr.write(`${safeLines(line)}\n`);
  }

  /** Shows how far a command is, in one line that changes. Does nothing if there is no terminal. */
  progress(text: string): void {
    if (!this.isErrTerminal) return;
    process.stderr.write(`\r\x1b[2K${safeText(text)}`);
    this.#hasProgress = true;
  }

  endProgress(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    process.stderr.write('\r\x1b[2K');
  }

  /** Paints text for standard output. */
  paint(style: Style, text: string): string {
    return painted(style, text, this.isOutTerminal && this.#hasColours);
  }

  /** Paints text for standard error. */
  paintMessage(style: Style, text: string): string {
    return painted(style, text, this.isErrTerminal && this.#hasColours);
  }

  /** No colours if `NO_COLOR` is set to anything (no-color.org). */
  get #hasColours(): boolean {
    return !this.env.NO_COLOR && this.env.TERM !== 'dumb';
  }
}

function painted(style: Style, text: string, isWanted: boolean): string {
  const [on, off] = codes[style];
  return isWanted ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

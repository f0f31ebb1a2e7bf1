import { TenureError } from './errors.ts';

/** The longest block that is kept, in characters. The largest event has half a megabyte of data. */
const blockLengthMax = 16 * 1024 * 1024;

/** A block of an event stream: an event, or a position alone. */
export interface StreamBlock {
  /** The id of the block, or undefined if it has none. An empty one resets the position. */
  id: string | undefined;
  /** Null if the block has no data. */
  data: string | null;
}

/** Parses server-sent events from chunks that are cut anywhere (HTML Standard, 9.2.6). */
export class SseParser {
  /** The wait before a reconnection that the server asks for, in milliseconds. */
  retryMs: number | null = null;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come. */
  #rest = '';
  #id: string | undefined;
  #event = '';
  #data: string | null = null;

  /**
   * Returns the blocks that this chunk completes.
   *
   * @throws {TenureError} if a block is too long to be an event.
   */
  push(chunk: Uint8Array): StreamBlock[] {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line end. It waits for the next chunk.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    const blocks: StreamBlock[] = [];
    for (const line of lines) {
      if (line === '') this.#endBlock(blocks);
      else this.#readLine(line);
    }
    if (this.#rest.length + (this.#data?.length ?? 0) > blockLengthMax) {
      throw new TenureError(
        'The stream has a block that is too long for an event. Check `baseUrl` and the proxies on the way.',
      );
    }
    return blocks;
  }

  #readLine(line: string): void {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === 'data') this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #endBlock(blocks: StreamBlock[]): void {
    const isMessage = this.#event === '' || this.#event === 'message';
    const data = isMessage ? this.#data : null;
    if (data !== null || this.#id !== undefined) blocks.push({ id: this.#id, data });
    this.#id = undefined;
    this.#event = '';
    this.#data = null;
  }
}

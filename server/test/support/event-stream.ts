import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from './server.ts';
import { waitMs } from './wait.ts';

type Event = ApiResponse['body'];

/** What a client of the stream received, read as the standard says (HTML Standard, 9.2.6), and how the stream ended. */
export class EventStream {
  readonly response: IncomingMessage;
  readonly events: { id: string; event: Event; receivedAtMs: number }[] = [];
  readonly text: string[] = [];
  /** The id to resume after: the last one received, with or without an event. */
  lastId: string | null = null;
  /** `ended` if the server ended it in good order, `cut off` otherwise. */
  readonly end: Promise<'ended' | 'cut off'>;
  #rest = '';

  constructor(response: IncomingMessage) {
    this.response = response;
    this.end = new Promise((resolve) => {
      response.on('close', () => resolve(response.complete ? 'ended' : 'cut off'));
    });
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (text: string) => this.#read(text));
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  close(): void {
    this.response.destroy();
  }

  /** Waits until this many events have come. */
  async count(count: number, timeoutMs = waitMs): Promise<Event[]> {
    const untilMs = performance.now() + timeoutMs;
    while (this.events.length < count) {
      if (performance.now() > untilMs) throw new Error(`Only ${this.events.length} of ${count} events came in time.`);
      await delay(5);
    }
    return this.events.map(({ event }) => event);
  }

  /** Returns how the stream ended, or `open` if it did not end within this time. */
  endWithin(timeoutMs: number): Promise<'ended' | 'cut off' | 'open'> {
    return Promise.race([this.end, delay(timeoutMs, 'open' as const, { ref: false })]);
  }

  #read(text: string): void {
    this.text.push(text);
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) this.#readBlock(block);
  }

  #readBlock(block: string): void {
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
      if (field === 'id') this.lastId = value!;
      if (field === 'data') data.push(value!);
    }
    if (data.length === 0) return;
    this.events.push({ id: this.lastId!, event: JSON.parse(data.join('\n')), receivedAtMs: performance.now() });
  }
}

/**
 * Opens a stream. Fails with the server's response if that is not a stream.
 *
 * @param key null for a browser, which sends its cookie among the headers.
 */
export async function openStream(
  url: string,
  key: string | null,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<EventStream> {
  const asked = request(`${url}/v1/events/stream${query}`, {
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    agent: false,
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`The stream was refused with ${response.statusCode}.`);
  }
  return new EventStream(response);
}

import { setTimeout as delay } from 'node:timers/promises';
import { openStream, type EventStream } from '../../support/event-stream.ts';
import type { Random } from '../crash-checker/random.ts';

/** The pause before it asks again when no process responded, in milliseconds. */
const pauseMs = 50;

/** A client that reconnects with its last id, at random times and after each end of its stream. It picks a random process. */
export class Subscriber {
  readonly received: EventStream['events'] = [];
  connections = 0;
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #random: Random;
  #lastId: string;
  #stream: EventStream | null = null;
  #hasStopped = false;

  /** @param after the id of the event to resume after. */
  constructor(urls: readonly string[], key: string, after: string, random: Random) {
    this.#urls = urls;
    this.#key = key;
    this.#lastId = after;
    this.#random = random;
  }

  /** Follows until it is stopped. */
  start(): void {
    void (async () => {
      while (!this.#hasStopped) {
        const stream = await this.#open().catch(() => null);
        if (stream) await this.#take(stream);
        else await delay(pauseMs);
      }
    })();
  }

  /** Cuts the connection, even with events in flight. */
  cut(): void {
    this.#stream?.close();
  }

  stop(): void {
    this.#hasStopped = true;
    this.cut();
  }

  #open(): Promise<EventStream> {
    return openStream(this.#random.pick(this.#urls)!, this.#key, { headers: { 'last-event-id': this.#lastId } });
  }

  async #take(stream: EventStream): Promise<void> {
    this.connections++;
    this.#stream = stream;
    // The client was stopped while it connected.
    if (this.#hasStopped) stream.close();
    const known = this.received.length;
    stream.response.on('data', () => {
      this.received.push(...stream.events.slice(this.received.length - known));
      this.#lastId = stream.lastId ?? this.#lastId;
    });
    const leaving = setTimeout(() => stream.close(), this.#random.between(20, 1_500));
    await stream.end;
    clearTimeout(leaving);
  }
}

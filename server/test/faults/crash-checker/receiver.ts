import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import type { Arrival, History } from './history.ts';
import { parseObject, textOf } from './json.ts';
import type { Random } from './random.ts';

/**
 * Responds to a request that is already noted, and notes the response.
 * @param text different each time. The API shows the response, so that each attempt names its request.
 */
export type Behave = (arrival: Arrival, response: ServerResponse, text: string) => Promise<void> | void;

/** The share of events that are always refused. Their deliveries must end as failed, after all attempts. */
const hopelessShare = 0.005;

/** A receiver of webhooks on loopback. It notes every request before it responds, and notes its response. */
export class Receiver {
  readonly name: string;
  readonly #history: History;
  readonly #behave: Behave;
  readonly #server: Server;
  #port = 0;
  #number = 0;

  constructor(name: string, history: History, behave: Behave) {
    this.name = name;
    this.#history = history;
    this.#behave = behave;
    this.#server = createServer((request, response) => this.#receive(request, response));
    // Never closes an idle connection, so that it knows of every failed attempt.
    this.#server.keepAliveTimeout = 0;
  }

  /** @returns the URL for events. */
  async listen(): Promise<string> {
    this.#port = await freePort();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#port}/${this.name}`;
  }

  /** Breaks all connections and refuses new ones. */
  async cutOff(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Listens again at its old address. */
  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    // A request that was cut off before its end was never received.
    request.on('error', () => undefined);
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const arrival: Arrival = {
        receiver: this.name,
        arrivedMs: performance.now(),
        arrivedAtSeconds: Date.now() / 1000,
        headers: request.headersDistinct,
        bytes,
        body: parseObject(bytes.toString('utf8')),
        reply: { kind: 'none' },
        endedMs: Infinity,
      };
      this.#history.arrivals.push(arrival);
      void this.#reply(arrival, response);
    });
  }

  async #reply(arrival: Arrival, response: ServerResponse): Promise<void> {
    await this.#behave(arrival, response, `${this.name} ${++this.#number}`);
    arrival.endedMs = performance.now();
  }
}

/** Accepts everything. */
export const reliably: Behave = (arrival, response, text) => answer(200, arrival, response, text);

/** Is slow, refuses, and drops connections. */
export function moodily(random: Random): Behave {
  return async (arrival, response, text) => {
    const mood = chooseMood(textOf(arrival.body ?? undefined, 'id'), random);
    if (mood === 'answer late') await sleep(random.between(100, 300));
    if (response.destroyed) {
      // The sender is dead.
    } else if (mood === 'drop') {
      arrival.reply = { kind: 'dropped' };
      response.destroy();
    } else {
      answer(mood === 'refuse' ? 500 : 200, arrival, response, text);
    }
  };
}

function chooseMood(eventId: string, random: Random): 'answer' | 'answer late' | 'refuse' | 'drop' {
  if (random.fork(eventId).chance(hopelessShare)) return 'refuse';
  return random.weighted({ answer: 45, 'answer late': 35, refuse: 12, drop: 8 });
}

/** Responds with a text, at once. */
export function answer(
  status: number,
  arrival: Arrival,
  response: ServerResponse,
  text: string,
  headers: Record<string, string> = {},
): void {
  arrival.reply = { kind: 'answered', status, text };
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': text.length, ...headers }).end(text);
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrival, History } from './history.ts';
import { parseObject, textOf } from './json.ts';
import type { Random } from './random.ts';

/** What a receiver does with one request. */
type Behaviour = 'answer' | 'answer late' | 'refuse' | 'drop';

export const receiverNames = ['reliable', 'moody'] as const;
export type ReceiverName = (typeof receiverNames)[number];

/** Some events are refused however often they come: their deliveries must end as failed, after all attempts. */
const hopelessShare = 0.005;

/** A receiver of webhooks on loopback. It notes every request before it answers, and what it answered. */
export class Receiver {
  readonly name: ReceiverName;
  readonly #history: History;
  readonly #random: Random;
  readonly #server: Server;
  #port = 0;
  #number = 0;

  constructor(name: ReceiverName, history: History, random: Random) {
    this.name = name;
    this.#history = history;
    this.#random = random;
    this.#server = createServer((request, response) => this.#receive(request, response));
    // It never closes an idle connection, so that no attempt fails of which it knows nothing.
    this.#server.keepAliveTimeout = 0;
  }

  /** @returns the URL that events are to be sent to. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}/${this.name}`;
  }

  /** Nobody reaches it: connections break, and new ones are refused. */
  async cutOff(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** It is back at its old address. */
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
    // One that was cut off before its end was never received.
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
    // The API shows the answer, so that each attempt names the request that it was.
    const text = `${this.name} ${++this.#number}`;
    const behaviour = this.#choose(textOf(arrival.body ?? undefined, 'id'));
    if (behaviour === 'answer late') await sleep(this.#random.between(100, 300));
    if (response.destroyed) {
      // Whoever asked is dead.
    } else if (behaviour === 'drop') {
      arrival.reply = { kind: 'dropped' };
      response.destroy();
    } else {
      const status = behaviour === 'refuse' ? 500 : 200;
      arrival.reply = { kind: 'answered', status, text };
      response.writeHead(status, { 'content-type': 'text/plain', 'content-length': text.length }).end(text);
    }
    arrival.endedMs = performance.now();
  }

  #choose(eventId: string): Behaviour {
    if (this.name === 'reliable') return 'answer';
    if (this.#random.fork(eventId).chance(hopelessShare)) return 'refuse';
    return this.#random.weighted({ answer: 45, 'answer late': 35, refuse: 12, drop: 8 });
  }
}

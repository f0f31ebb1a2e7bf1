import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { callbackify } from 'node:util';
import type { DispatcherParts } from '../../../src/webhooks/dispatcher.ts';
import type { Random } from '../crash-checker/random.ts';
import type { Life } from './life.ts';

/** The weights of each behaviour, by kind of receiver. */
const manners = {
  good: { answers: 20, slowly: 2, errs: 1, closes: 1 },
  moody: {
    answers: 6,
    slowly: 2,
    errs: 3,
    asks_for_time: 1,
    closes: 2,
    hangs: 1,
    too_late: 1,
    breaks_off: 1,
    refuses: 2,
  },
  dead: { errs: 3, closes: 1, refuses: 4, breaks_off: 1 },
} as const;

export type Temper = keyof typeof manners;
type Manner =
  | 'answers'
  | 'slowly'
  | 'errs'
  | 'asks_for_time'
  | 'closes'
  | 'hangs'
  | 'too_late'
  | 'breaks_off'
  | 'refuses';

/** A delivery that came to a receiver. */
export interface Arrival {
  deliveryId: string;
  eventId: string;
  attempt: number;
  isSigned: boolean;
  /** Whether the receiver took it. */
  isTaken: boolean;
}

/** The receiver behind an endpoint's URL. */
export class Receiver {
  readonly endpointId: string;
  readonly host: string;
  readonly enabledEvents: readonly string[];
  readonly signingSecret: string;
  readonly arrivals: Arrival[] = [];
  temper: Temper;
  readonly #random: Random;

  constructor(endpointId: string, random: Random, settings: { temper: Temper; enabledEvents: readonly string[] }) {
    this.endpointId = endpointId;
    this.host = `${endpointId.replaceAll('_', '-')}.test`.toLowerCase();
    this.enabledEvents = settings.enabledEvents;
    this.signingSecret = `whsec_of_${endpointId}`;
    this.temper = settings.temper;
    this.#random = random;
  }

  /** Draws the behaviour from the request itself, so that parallel requests do not change it. */
  mannerOf(what: string): Manner {
    return this.#random.fork(what).weighted<Manner>(manners[this.temper] as Record<Manner, number>);
  }

  async receive(life: Life, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    if (life.isOver) return;
    const { headers } = request;
    const deliveryId = String(headers['service-delivery-id']);
    const event = JSON.parse(body.toString()) as {
      id: string;
      type: string;
      request: { idempotency_key: string | null };
    };
    const arrival: Arrival = {
      deliveryId,
      eventId: event.id,
      attempt: Number(headers['service-attempt']),
      isSigned: this.#isSigned(String(headers['service-signature']), body),
      isTaken: false,
    };
    this.arrivals.push(arrival);
    life.world.count('received');
    const manner = this.mannerOf(`${event.type} ${event.request.idempotency_key} ${arrival.attempt}`);
    life.tell(`delivers ${deliveryId} (${arrival.attempt}), and its receiver ${manner}`);
    switch (manner) {
      case 'answers':
      case 'slowly':
        if (manner === 'slowly') await delay(5);
        arrival.isTaken = true;
        return void response.end('taken');
      case 'errs':
        return void response.writeHead(500).end('an error');
      case 'asks_for_time':
        return void response.writeHead(503, { 'retry-after': '3600' }).end();
      case 'breaks_off':
        response.writeHead(200, { 'content-length': '100' }).write('half');
        await delay(1);
        return void request.socket.destroy();
      case 'too_late':
        await delay(200);
        arrival.isTaken = true;
        return void response.end();
      case 'closes':
      case 'refuses':
        return void request.socket.destroy();
      case 'hangs':
    }
  }

  #isSigned(header: string, body: Buffer): boolean {
    const time = /^t=(\d+),/.exec(header)?.[1];
    return (
      header ===
      `t=${time},v1=${createHmac('sha256', this.signingSecret).update(`${time}.`).update(body).digest('hex')}`
    );
  }
}

/** The process and receiver of a connection, by the receiver's side of it. */
const speakers = new WeakMap<object, { life: Life; receiver: Receiver }>();

/** One HTTP server is all receivers. It does not listen, and gets its connections from `connectorOf`. */
const receiving = createServer((request, response) => {
  response.on('error', () => {});
  const { life, receiver } = speakers.get(request.socket)!;
  void receiver.receive(life, request, response).catch(() => {});
});

/** A receiver that accepts everything and records nothing. A planted fault delivers to it. */
const nowhere = createServer((request, response) => void request.resume().on('end', () => response.end()));

/** Connects a process with the world's receivers, without a network. */
export function connectorOf(life: Life): DispatcherParts['connect'] {
  const open = callbackify(async (host: string): Promise<Socket> => {
    const receiver = life.world.receivers.find((each) => each.host === host)!;
    const isRefused = receiver.mannerOf(`connection ${life.name} ${life.connections++}`) === 'refuses';
    await life.point('before a connection');
    if (isRefused) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const [near, far] = duplexPair();
    for (const side of [near, far]) {
      side.on('error', () => {});
      life.sockets.add(side);
      side.once('close', () => life.sockets.delete(side));
    }
    closeTogether(near, far);
    speakers.set(far, { life, receiver });
    (life.world.plant.sendsNothing ? nowhere : receiving).emit('connection', far);
    // The product uses only what a socket shares with every stream.
    return near as Socket;
  });
  return ({ hostname }, callback) => {
    open(hostname, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
  };
}

/** Joins the two ends of one connection, so that both end together. */
function closeTogether(near: Duplex, far: Duplex): void {
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })));
}

import { createHmac } from 'node:crypto';
import type { Arrival, Cut, Kill, Reply } from '../history.ts';
import { textOf, type JsonObject } from '../json.ts';
import type { Observation } from '../observe.ts';
import type { Endpoint } from '../webhooks.ts';
import { listOf, Story } from './story.ts';

/** The outcome of a request: the receiver's response, or the server's death before it recorded the response. */
export type Fate = 200 | 500 | 'dropped' | 'killed';

/** A delivery as the API and the receiver know it. A test corrupts a part of it. */
export interface ToldDelivery {
  about: string;
  delivery: JsonObject;
  attempts: JsonObject[];
  arrivals: Arrival[];
}

/** A story with receivers: one subscribes to everything, one only to references. */
export class DeliveryStory extends Story {
  readonly all: Endpoint = endpoint('we_all', 'reliable', ['*']);
  readonly references: Endpoint = endpoint('we_references', 'moody', ['reference.*']);
  readonly deliveries: JsonObject[] = [];
  readonly arrivals: Arrival[] = [];
  readonly kills: Kill[] = [];
  readonly cuts: Cut[] = [];
  #number = 0;
  #nowMs = 10_000;

  constructor() {
    super();
    const { arrivals, kills, cuts } = this;
    this.webhooks = { ...this.webhooks, endpoints: [this.all, this.references], arrivals, kills, cuts };
  }

  /** Makes the event of a reference's creation. */
  event(): JsonObject {
    this.create();
    return this.events.at(-1)!;
  }

  /** Delivers an event to both endpoints. Both subscribe to it. */
  deliverToBoth(event: JsonObject): void {
    this.deliver(event, this.all);
    this.deliver(event, this.references);
  }

  /** Sends an event to an endpoint once for each outcome. */
  deliver(event: JsonObject, { id: endpointId, receiver }: Endpoint, ...fates: Fate[]): ToldDelivery {
    const eventId = textOf(event, 'id');
    const deliveryId = `dlv_${++this.#number}`;
    const attempts: JsonObject[] = [];
    const arrivals: Arrival[] = [];
    for (const fate of fates.length > 0 ? fates : [200 as const]) {
      const arrival = this.arrive(event, receiver, deliveryId, attempts.length + 1, fate);
      arrivals.push(arrival);
      if (fate === 'killed') this.kills.push({ fromMs: arrival.endedMs, toMs: arrival.endedMs + 5 });
      else attempts.push(attemptOf(arrival));
    }
    const status = fates.at(-1) === 500 || fates.at(-1) === 'dropped' ? 'failed' : 'delivered';
    const delivery: JsonObject = {
      id: deliveryId,
      object: 'delivery',
      created: event.created!,
      event: eventId,
      webhook_endpoint: endpointId,
      type: event.type!,
      status,
      attempt_count: attempts.length,
      attempts,
    };
    this.deliveries.push(delivery);
    return { about: `${eventId} to ${endpointId}`, delivery, attempts, arrivals };
  }

  /** Adds a request that a receiver got. */
  arrive(event: JsonObject, receiver: string, deliveryId: string, number: number, fate: Fate): Arrival {
    const { api_version: _, ...body } = event;
    const arrivedAtSeconds = Math.floor((this.#nowMs += 10_000) / 1_000);
    const replies: Record<Fate, Reply> = {
      200: { kind: 'answered', status: 200, text: `answer ${++this.#number}` },
      500: { kind: 'answered', status: 500, text: `answer ${this.#number}` },
      dropped: { kind: 'dropped' },
      killed: { kind: 'none' },
    };
    const arrival: Arrival = {
      receiver,
      arrivedMs: this.#nowMs,
      arrivedAtSeconds,
      headers: {
        'content-type': ['application/json'],
        'user-agent': ['Tenure/0.1.0'],
        'service-version': ['2026-11-01'],
        'service-event-id': [textOf(event, 'id')],
        'service-delivery-id': [deliveryId],
        'service-attempt': [String(number)],
      },
      bytes: Buffer.from(JSON.stringify(body)),
      body,
      reply: replies[fate],
      endedMs: this.#nowMs + 9,
    };
    sign(arrival, 'whsec_story', arrivedAtSeconds);
    this.arrivals.push(arrival);
    return arrival;
  }

  /** Gives the receiver other bytes, with a valid signature. */
  replaceBody(arrival: Arrival, body: JsonObject): void {
    arrival.body = body;
    arrival.bytes = Buffer.from(JSON.stringify(body));
    sign(arrival, 'whsec_story', arrival.arrivedAtSeconds);
  }

  override observation(): Observation {
    return { ...super.observation(), deliveries: [listOf('/v1/webhook_endpoints/*/deliveries', this.deliveries)] };
  }
}

/** Signs with any secret, at any time. */
export function sign({ headers, bytes }: Arrival, secret: string, seconds: number): void {
  const signature = createHmac('sha256', secret).update(`${seconds}.${bytes.toString()}`).digest('hex');
  headers['service-signature'] = [`t=${seconds},v1=${signature}`];
}

function endpoint(id: string, receiver: Endpoint['receiver'], enabledEvents: string[]): Endpoint {
  return { id, receiver, enabledEvents, apiVersion: '2026-11-01', signingSecret: 'whsec_story' };
}

/** Returns what the API shows of a request that ended. */
function attemptOf({ arrivedAtSeconds, reply }: Arrival): JsonObject {
  const told = reply.kind === 'answered' ? { status: reply.status, error: null, response: reply.text } : null;
  const untold = { status: null, error: 'connection_closed', response: null };
  return { created: arrivedAtSeconds, duration_ms: 9, api_version: '2026-11-01', ...(told ?? untold) };
}

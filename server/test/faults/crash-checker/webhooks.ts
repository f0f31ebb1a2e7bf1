import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import type { Cut, History } from './history.ts';
import { textOf, type JsonObject } from './json.ts';
import { readDeliveries } from './observe.ts';
import type { Random } from './random.ts';
import { moodily, Receiver, reliably } from './receiver.ts';

/** A webhook endpoint of the API, and the receiver behind it. */
export interface Endpoint {
  id: string;
  /** The receiver's name. */
  receiver: string;
  enabledEvents: string[];
  apiVersion: string;
  signingSecret: string;
}

const enabledEventsOf = { reliable: ['*'], moody: ['reference.*'] };

/** Deliveries of a killed server are claimed again after 30 s. Then retries can follow. */
const deliveredWithinMs = 75_000;
const pollEveryMs = 100;

/** The checker's own receivers, and the endpoints that it made for them. */
export class Webhooks {
  readonly endpoints: Endpoint[] = [];
  readonly #history: History;
  readonly #receivers: Record<keyof typeof enabledEventsOf, Receiver>;

  constructor(history: History, random: Random) {
    this.#history = history;
    this.#receivers = {
      reliable: new Receiver('reliable', history, reliably),
      moody: new Receiver('moody', history, moodily(random.fork('receiver moody'))),
    };
  }

  /** Makes the endpoints, once in a run and before any kill. */
  async subscribe(api: Api): Promise<void> {
    for (const [name, enabledEvents] of Object.entries(enabledEventsOf)) {
      const url = await this.#receivers[name as keyof typeof enabledEventsOf].listen();
      this.endpoints.push(await makeEndpoint(api, { receiver: name, url, enabledEvents }));
    }
  }

  /** Cuts all receivers off for this many milliseconds, and notes it in the history. */
  async cutOff(forMs: number): Promise<void> {
    const fromMs = performance.now();
    const fromSeconds = Date.now() / 1_000;
    const cut: Cut = { fromMs, fromSeconds, toMs: Infinity, toSeconds: Infinity };
    this.#history.cuts.push(cut);
    await Promise.all(Object.values(this.#receivers).map((receiver) => receiver.cutOff()));
    await sleep(forMs);
    await Promise.all(Object.values(this.#receivers).map((receiver) => receiver.comeBack()));
    cut.toMs = performance.now();
    cut.toSeconds = Date.now() / 1_000;
  }

  /** Waits until no delivery is pending, or until they have had more than enough time. */
  async awaitDeliveries(api: Api): Promise<void> {
    const giveUpAtMs = performance.now() + deliveredWithinMs;
    const lists = await readDeliveries(api, this.endpoints, 0);
    const deliveries = lists.flatMap(({ items }) => items);
    for (const delivery of deliveries.filter(isPending)) {
      const path = `/v1/events/${textOf(delivery, 'event')}/deliveries`;
      while (((await api.read(path)).data as JsonObject[]).some(isPending)) {
        if (performance.now() > giveUpAtMs) return;
        await sleep(pollEveryMs);
      }
    }
  }

  close(): void {
    for (const receiver of Object.values(this.#receivers)) receiver.close();
  }
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending';
}

/** Makes an endpoint for a receiver. */
export async function makeEndpoint(
  api: Api,
  { receiver, url, enabledEvents }: { receiver: string; url: string; enabledEvents: string[] },
): Promise<Endpoint> {
  const body: JsonObject = { url, enabled_events: enabledEvents };
  const result = await api.send({ method: 'POST', path: '/v1/webhook_endpoints', body, key: null });
  if (result.kind !== 'answered' || result.status !== 200) {
    throw new Error(`Could not make a webhook endpoint: ${JSON.stringify(result)}`);
  }
  const made = JSON.parse(result.text) as JsonObject;
  return {
    id: textOf(made, 'id'),
    receiver,
    enabledEvents,
    apiVersion: textOf(made, 'api_version'),
    signingSecret: textOf(made, 'signing_secret'),
  };
}

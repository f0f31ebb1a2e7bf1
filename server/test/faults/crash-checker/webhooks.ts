import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import type { Cut, History } from './history.ts';
import { textOf, type JsonObject } from './json.ts';
import { readDeliveries } from './observe.ts';
import type { Random } from './random.ts';
import { Receiver, receiverNames, type ReceiverName } from './receiver.ts';

/** A webhook endpoint of the API, and the receiver behind it. */
export interface Endpoint {
  id: string;
  receiver: ReceiverName;
  enabledEvents: string[];
  apiVersion: string;
  signingSecret: string;
}

const enabledEventsOf: Record<ReceiverName, string[]> = { reliable: ['*'], moody: ['reference.*'] };

/** What was claimed by a server that was killed is claimed again after 30 s; then there can be retries. */
const deliveredWithinMs = 75_000;
const pollEveryMs = 100;

/** The checker's own receivers, and the endpoints that it made for them. */
export class Webhooks {
  readonly endpoints: Endpoint[] = [];
  readonly #history: History;
  readonly #receivers: Receiver[];

  constructor(history: History, random: Random) {
    this.#history = history;
    this.#receivers = receiverNames.map((name) => new Receiver(name, history, random.fork(`receiver ${name}`)));
  }

  /** Makes the endpoints, once in a run and before anything is killed. */
  async subscribe(api: Api): Promise<void> {
    for (const receiver of this.#receivers) {
      const enabledEvents = enabledEventsOf[receiver.name];
      const body: JsonObject = { url: await receiver.listen(), enabled_events: enabledEvents };
      const result = await api.send({ method: 'POST', path: '/v1/webhook_endpoints', body, key: null });
      if (result.kind !== 'answered' || result.status !== 200) {
        throw new Error(`A webhook endpoint could not be made: ${JSON.stringify(result)}`);
      }
      const made = JSON.parse(result.text) as JsonObject;
      this.endpoints.push({
        id: textOf(made, 'id'),
        receiver: receiver.name,
        enabledEvents,
        apiVersion: textOf(made, 'api_version'),
        signingSecret: textOf(made, 'signing_secret'),
      });
    }
  }

  /** Cuts all receivers off for as long; the history has it. */
  async cutOff(forMs: number): Promise<void> {
    const fromMs = performance.now();
    const fromSeconds = Date.now() / 1_000;
    const cut: Cut = { fromMs, fromSeconds, toMs: Infinity, toSeconds: Infinity };
    this.#history.cuts.push(cut);
    await Promise.all(this.#receivers.map((receiver) => receiver.cutOff()));
    await sleep(forMs);
    await Promise.all(this.#receivers.map((receiver) => receiver.comeBack()));
    cut.toMs = performance.now();
    cut.toSeconds = Date.now() / 1_000;
  }

  /** Returns when no delivery is pending any more, or when they have had more than enough time. */
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
    for (const receiver of this.#receivers) receiver.close();
  }
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending';
}

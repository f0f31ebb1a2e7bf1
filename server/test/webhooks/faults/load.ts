import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { DispatcherLimits } from '../../../src/webhooks/dispatcher.ts';
import type { Deployment } from '../../faults/crash-checker/deployment.ts';
import { serverUnderTest } from '../../faults/crash-checker/stages/stage.ts';
import type { Processes } from '../../support/processes.ts';
import type { Received, Receiver } from '../../support/receiver.ts';
import type { Api } from '../../support/server.ts';
import { deliveriesOf, deliveryIdOf } from '../scenario.ts';

/** Starts a process with its own limits for the dispatcher. */
export function startImpatient(
  deployment: Processes,
  limits: Partial<DispatcherLimits>,
  settings: Record<string, string> = {},
): Promise<Deployment> {
  return deployment.start(
    { TENURE_ROLE: 'worker', TEST_DISPATCHER_LIMITS: JSON.stringify(limits), ...settings },
    serverUnderTest,
  );
}

/** Creates references under every fault of the server. An event must arrive for each response of 200. */
export class Load {
  /** The time of each response, by the reference's id. */
  readonly answeredAtMs = new Map<string, number>();
  readonly #api: Api;
  readonly #pauseMs: number;
  readonly #clients: Promise<void>[];
  #isOver = false;

  /**
   * @param clients the number of parallel clients.
   * @param pauseMs the pause of each client between a response and its next request.
   */
  constructor(api: Api, { clients, pauseMs }: { clients: number; pauseMs: number }) {
    this.#api = api;
    this.#pauseMs = pauseMs;
    this.#clients = Array.from({ length: clients }, () => this.#send());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      // A request without a response is not counted, since the server promised nothing. The next one creates another reference.
      const answer = await this.#api.post('/v1/references', { application: 'app_1' }).catch(() => null);
      if (answer?.status === 200) this.answeredAtMs.set(answer.body.id, Date.now());
      await sleep(this.#pauseMs);
    }
  }
}

/** The result of an endpoint: what its receiver got, beside what the API shows. */
export interface Tally {
  deliveries: number;
  /** Requests for a delivery that had been sent before. */
  duplicates: number;
  /** Those deliveries, for the message of a failed test. */
  again: object[];
  /** Committed changes and deliveries that never arrived, or are not shown as delivered. */
  lost: number;
  /** Deliveries that were sent again after their success was written. */
  needless: number;
  /** The longest time from a response to the last arrival of its event. */
  longestMs: number;
}

/** Waits until all deliveries of an endpoint are finished, and counts. */
export async function tallyOf(
  api: Api,
  endpointId: string,
  { receiver, load }: { receiver: Receiver; load: Load },
): Promise<Tally> {
  const pending = async (): Promise<number> =>
    (await deliveriesOf(api, endpointId)).filter(({ status }) => status === 'pending').length;
  await expect.poll(pending, { interval: 500 }).toBe(0);
  const deliveries = await deliveriesOf(api, endpointId);
  const arrivals = Map.groupBy(receiver.received, deliveryIdOf);
  const arrived = new Map<string, Received>(receiver.received.map((one) => [one.body.data.object.id, one]));
  const isLost = ({ id, status }: { id: string; status: string }): boolean =>
    status !== 'delivered' || !arrivals.has(id);
  const answered = [...load.answeredAtMs];
  return {
    deliveries: deliveries.length,
    duplicates: receiver.received.length - arrivals.size,
    again: [...arrivals].flatMap(([id, several]) => {
      if (several.length === 1) return [];
      const attempts = deliveries.find((delivery) => delivery.id === id)?.attempts;
      return [{ id, receivedAtMs: several.map((one) => one.receivedAtMs), attempts }];
    }),
    lost: deliveries.filter(isLost).length + answered.filter(([id]) => !arrived.has(id)).length,
    needless: deliveries.filter(({ attempts }) => {
      const delivered = (attempts as { status: number | null }[]).filter(({ status }) => status === 200);
      return delivered.length !== 1;
    }).length,
    longestMs: Math.max(...answered.map(([id, atMs]) => (arrived.get(id)?.receivedAtMs ?? Infinity) - atMs)),
  };
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

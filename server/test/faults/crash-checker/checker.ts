import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import { attemptsMax } from './deployment.ts';
import { History, type CallResult } from './history.ts';
import { countDeliveries, type DeliveryCounts } from './judge/delivery-rules.ts';
import type { Evidence, Violation } from './judge/evidence.ts';
import { judge } from './judge/judge.ts';
import { linkChains } from './judge/linked-chains.ts';
import { startLoad } from './load.ts';
import { observe, type Observation } from './observe.ts';
import { ClientMemory } from './operations.ts';
import { Random } from './random.ts';
import { Recovery } from './recovery.ts';
import { repeatAnswered, settleUnknown } from './settle.ts';
import type { Stage, Trouble } from './stages/stage.ts';
import { Webhooks } from './webhooks.ts';

export interface CheckerSettings {
  seed: number;
  clients: number;
}

/** The events of one round. */
export interface RoundReport {
  round: number;
  trouble: string;
  /** Requests of the load, and their results: a response, a 503, or none. */
  sent: number;
  answered: number;
  unavailable: number;
  unknown: number;
  /** Operations with an unknown outcome that were sent again with their key, and how many of them had been executed. */
  settled: number;
  settledAsDone: number;
  /** How long the API did not serve after the fault, in milliseconds. */
  firstAnswerMs: number;
  references: number;
  events: number;
  /** Requests that the receivers got. */
  received: number;
  violations: Violation[];
}

/** The findings after every delivery has had its time. */
export interface EndReport extends DeliveryCounts {
  waitedMs: number;
  events: number;
  violations: Violation[];
}

/** Strikes with faults under load, round after round, and judges what is left. One history covers all rounds. */
export class CrashChecker {
  readonly stage: Stage;
  readonly history = new History();
  readonly #api: Api;
  readonly #random: Random;
  readonly #memories: ClientMemory[];
  readonly #webhooks: Webhooks;
  #round = 0;
  #earlier: Observation | null = null;
  #roundStartedAtSeconds = 0;

  /** @param stage to start; at the end `close` must be called. */
  constructor(stage: Stage, { seed, clients }: CheckerSettings) {
    this.stage = stage;
    this.#api = new Api(
      stage.servers.map(({ url }) => url),
      stage.secretKey,
    );
    this.#random = new Random(`seed ${seed}`);
    this.#memories = Array.from({ length: clients }, () => new ClientMemory());
    this.#webhooks = new Webhooks(this.history, this.#random);
  }

  /** Plays one round: load, fault, recovery, judgement. All servers run when it is over. */
  async playRound(): Promise<RoundReport> {
    const round = ++this.#round;
    if (round === 1) await this.#webhooks.subscribe(this.#api);
    // The server's clock can be slightly slow.
    this.#roundStartedAtSeconds = Math.floor(Date.now() / 1000) - 1;
    const arrivalsBefore = this.history.arrivals.length;
    const random = this.#random.fork(`round ${round}`);
    const trouble = this.stage.next(random);
    const tally = { sent: 0, answered: 0, unavailable: 0, unknown: 0 };
    const onResult = (result: CallResult): void => {
      tally.sent++;
      if (result.kind === 'unanswered') tally.unknown++;
      else if (result.status === 503) tally.unavailable++;
      else tally.answered++;
    };
    const firstAnswerMs = await this.#loadAndStrike(round, trouble, random, onResult);
    const settled = await settleUnknown(this.#api, this.history);
    await repeatAnswered(this.#api, this.history, random);
    const { observation, violations } = await this.inspect();
    return {
      round,
      trouble: trouble.description,
      ...tally,
      settled: settled.operations,
      settledAsDone: settled.done,
      firstAnswerMs,
      references: observation.references.items.length,
      events: observation.events.items.length,
      received: this.history.arrivals.length - arrivalsBefore,
      violations,
    };
  }

  /**
   * Reads everything back and judges it. Only deliveries may still be running. The deliveries of the latest round are judged as far as they
   * have come.
   */
  async inspect(): Promise<{ observation: Observation; violations: Violation[] }> {
    const evidence = await this.#gather({ sinceSeconds: this.#roundStartedAtSeconds, isOver: false });
    return { observation: evidence.observation, violations: this.#judge(evidence) };
  }

  /** Waits for the end of all deliveries, and judges everything once more with them. */
  async finish(): Promise<EndReport> {
    const startedMs = performance.now();
    await this.#webhooks.awaitDeliveries(this.#api);
    const waitedMs = performance.now() - startedMs;
    const evidence = await this.#gather({ sinceSeconds: 0, isOver: true });
    const events = evidence.observation.events.items.length;
    return { waitedMs, events, ...countDeliveries(evidence), violations: this.#judge(evidence) };
  }

  /** Stops what runs. With `keepFiles`, keeps its data and log for a person to find the cause. */
  async close({ keepFiles = false } = {}): Promise<void> {
    this.#api.close();
    await this.stage.close({ keepFiles });
    this.#webhooks.close();
  }

  /** Takes the order of one process from its ids. Takes the order of several processes from the changes themselves. */
  #judge(evidence: Evidence): Violation[] {
    const violations = this.#hasSeveral ? judge(evidence, linkChains(evidence.observation)) : judge(evidence);
    const lost = evidence.observation.deliveries.filter(({ isOfLost }) => isOfLost);
    return [
      ...violations,
      ...lost.map(({ path }) => ({ rule: 'lost_record' as const, about: path, message: `${path} is missing.` })),
    ];
  }

  get #hasSeveral(): boolean {
    return this.stage.servers.length > 1;
  }

  async #gather(reach: { sinceSeconds: number; isOver: boolean }): Promise<Evidence> {
    const { operations, outages, arrivals, kills, cuts } = this.history;
    const { endpoints } = this.#webhooks;
    const readAtMs = performance.now();
    const observation = await observe(this.#api, endpoints, reach.sinceSeconds);
    const earlier = this.#earlier;
    this.#earlier = observation;
    const webhooks = { endpoints, arrivals, kills, cuts, attemptsMax, readAtMs, ...reach };
    return { operations, outages, observation, earlier, webhooks };
  }

  /** @returns how long the API did not serve, in milliseconds. */
  async #loadAndStrike(
    round: number,
    trouble: Trouble,
    random: Random,
    onResult: (result: CallResult) => void,
  ): Promise<number> {
    const { history } = this;
    const stop = new AbortController();
    const recovery = new Recovery();
    const { ended } = await startLoad(
      {
        api: this.#api,
        history,
        random,
        round,
        memories: this.#memories,
        marksEveryChange: this.#hasSeveral,
        onResult(result, sentMs) {
          onResult(result);
          recovery.note(result, sentMs);
        },
      },
      stop.signal,
    );
    const endLoad = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    try {
      await Promise.race([sleep(trouble.afterMs), ended]);
      return await trouble.strike({ history, webhooks: this.#webhooks, recovery, endLoad });
    } finally {
      await endLoad();
    }
  }
}

/** Returns a seed for a run without one. */
export function newSeed(): number {
  return randomBytes(4).readUInt32BE();
}

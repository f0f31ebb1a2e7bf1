import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.ts';
import { attemptsMax, Deployment } from './deployment.ts';
import { chooseFault, describeFault, inflict, type Fault, type KillMode } from './faults.ts';
import { History, type CallResult } from './history.ts';
import { countDeliveries, type DeliveryCounts } from './judge/delivery-rules.ts';
import type { Evidence, Violation } from './judge/evidence.ts';
import { judge } from './judge/judge.ts';
import { runLoad } from './load.ts';
import { observe, type Observation } from './observe.ts';
import { ClientMemory } from './operations.ts';
import { Random } from './random.ts';
import { repeatAnswered, settleUnknown } from './settle.ts';
import { Webhooks } from './webhooks.ts';

export interface CheckerSettings {
  seed: number;
  kill: KillMode;
  clients: number;
}

/** What happened in a round. */
export interface RoundReport {
  round: number;
  fault: string;
  /** Requests in the load, and what came back: an answer, a 503, or nothing. */
  sent: number;
  answered: number;
  unavailable: number;
  unknown: number;
  /** Operations whose fate was found out by sending their key again, and how many of them had been carried out. */
  settled: number;
  settledAsDone: number;
  /** From the start after the crash, or from the database's death, to the first answer. */
  firstAnswerMs: number;
  references: number;
  events: number;
  /** Requests that the receivers got. */
  received: number;
  violations: Violation[];
}

/** What is found when every delivery has had its time. */
export interface EndReport extends DeliveryCounts {
  waitedMs: number;
  events: number;
  violations: Violation[];
}

/** A database that died must be back, and the server with it, within this time. */
const recoveryTimeoutMs = 60_000;

/** The load goes on for so long after a recovery, so that retries meet the recovered server. */
const loadAfterRecoveryMs = 300;

/** Longer than a lost connection in a pool goes unnoticed. */
const outageEndsLaterMs = 1_000;

/** Kills the server under load, round after round, and judges what is left, with one history for all rounds. */
export class CrashChecker {
  readonly deployment: Deployment;
  readonly history = new History();
  readonly #api: Api;
  readonly #settings: CheckerSettings;
  readonly #random: Random;
  readonly #memories: ClientMemory[];
  #round = 0;
  #databaseKillsSurvived = 0;
  #earlier: Observation | null = null;
  readonly #webhooks: Webhooks;
  #roundStartedAtSeconds = 0;

  private constructor(deployment: Deployment, settings: CheckerSettings) {
    this.deployment = deployment;
    this.#settings = settings;
    this.#api = new Api(deployment.url, deployment.secretKey);
    this.#random = new Random(`seed ${settings.seed}`);
    this.#memories = Array.from({ length: settings.clients }, () => new ClientMemory());
    this.#webhooks = new Webhooks(this.history, this.#random);
  }

  /** With an empty deployment, which is to be started; from here on, `close` must be called. */
  static async create(settings: CheckerSettings): Promise<CrashChecker> {
    return new CrashChecker(await Deployment.create(), settings);
  }

  /** Load, crash, recovery, judgement. The server runs when it is over. */
  async playRound(): Promise<RoundReport> {
    const round = ++this.#round;
    if (round === 1) await this.#webhooks.subscribe(this.#api);
    // The server's clock can be a little behind.
    this.#roundStartedAtSeconds = Math.floor(Date.now() / 1000) - 1;
    const arrivalsBefore = this.history.arrivals.length;
    const random = this.#random.fork(`round ${round}`);
    const fault = chooseFault(random, this.#settings.kill, this.#databaseKillsSurvived);
    const tally = { sent: 0, answered: 0, unavailable: 0, unknown: 0 };
    const onResult = (result: CallResult): void => {
      tally.sent++;
      if (result.kind === 'unanswered') tally.unknown++;
      else if (result.status === 503) tally.unavailable++;
      else tally.answered++;
    };
    const firstAnswerMs = await this.#loadAndCrash(round, fault, random, onResult);
    const settled = await settleUnknown(this.#api, this.history);
    await repeatAnswered(this.#api, this.history, random);
    const { observation, violations } = await this.inspect();
    return {
      round,
      fault: describeFault(fault),
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
   * Reads everything back and judges it. Nothing but deliveries may be under way; of them, those of the latest round are
   * judged as far as they have come.
   */
  async inspect(): Promise<{ observation: Observation; violations: Violation[] }> {
    const evidence = await this.#gather({ sinceSeconds: this.#roundStartedAtSeconds, isOver: false });
    return { observation: evidence.observation, violations: judge(evidence) };
  }

  /** Waits for the end of all deliveries, and judges everything once more with them. */
  async finish(): Promise<EndReport> {
    const startedMs = performance.now();
    await this.#webhooks.awaitDeliveries(this.#api);
    const waitedMs = performance.now() - startedMs;
    const evidence = await this.#gather({ sinceSeconds: 0, isOver: true });
    const events = evidence.observation.events.items.length;
    return { waitedMs, events, ...countDeliveries(evidence), violations: judge(evidence) };
  }

  async #gather(reach: { sinceSeconds: number; isOver: boolean }): Promise<Evidence> {
    const { operations, outages, arrivals, kills } = this.history;
    const { endpoints } = this.#webhooks;
    const readAtMs = performance.now();
    const observation = await observe(this.#api, endpoints, reach.sinceSeconds);
    const earlier = this.#earlier;
    this.#earlier = observation;
    const webhooks = { endpoints, arrivals, kills, attemptsMax, readAtMs, ...reach };
    return { operations, outages, observation, earlier, webhooks };
  }

  /** Stops what runs; with `keepFiles` its data and log stay, for whoever looks for the cause. */
  async close({ keepFiles = false } = {}): Promise<void> {
    this.#api.close();
    await this.deployment.remove({ keepFiles });
    this.#webhooks.close();
  }

  /** @returns how long the first answer took. */
  async #loadAndCrash(
    round: number,
    fault: Fault,
    random: Random,
    onResult: (result: CallResult) => void,
  ): Promise<number> {
    const stop = new AbortController();
    const recovery = new Recovery();
    const load = runLoad(
      {
        api: this.#api,
        history: this.history,
        random,
        round,
        memories: this.#memories,
        onResult(result, sentMs) {
          onResult(result);
          recovery.note(result, sentMs);
        },
      },
      stop.signal,
    );
    try {
      await Promise.race([sleep(fault.afterMs), load]);
      const killedAtMs = performance.now();
      await inflict(fault, this.deployment);
      recovery.begin();
      if (fault.target === 'database') return await this.#awaitDatabase(fault, recovery, killedAtMs, load, stop);
      this.history.kills.push({ fromMs: killedAtMs, toMs: performance.now() });
      // What both kills leave is judged as a dead server, but a dead database may still have let it answer 503.
      if (fault.target === 'both') this.history.outages.push({ fromMs: killedAtMs, toMs: performance.now() });
    } finally {
      stop.abort();
      await load;
    }
    return this.#startAgain(fault);
  }

  async #awaitDatabase(
    fault: Fault,
    recovery: Recovery,
    killedAtMs: number,
    load: Promise<void>,
    stop: AbortController,
  ): Promise<number> {
    while (!recovery.isComplete()) {
      if (performance.now() - recovery.beganMs > recoveryTimeoutMs) {
        throw new Error(`The server did not recover from the loss of its database:\n${this.deployment.lastLines()}`);
      }
      await sleep(10);
    }
    await sleep(loadAfterRecoveryMs);
    stop.abort();
    await load;
    this.history.outages.push({ fromMs: killedAtMs, toMs: recovery.firstGoodMs + outageEndsLaterMs });
    if (fault.survivor === 'kept') {
      this.#databaseKillsSurvived++;
    } else {
      this.#databaseKillsSurvived = 0;
      await this.#endSurvivor(fault.survivor);
      // What could not be written while the database was away can have been lost with the server.
      if (fault.survivor === 'killed') this.history.kills.push({ fromMs: killedAtMs, toMs: performance.now() });
      await this.deployment.start();
    }
    return recovery.firstGoodMs - recovery.beganMs;
  }

  async #endSurvivor(how: 'killed' | 'stopped'): Promise<void> {
    if (how === 'killed') return this.deployment.kill();
    const code = await this.deployment.stop();
    if (code !== 0) throw new Error(`Asked to stop, the server ended with ${code}:\n${this.deployment.lastLines()}`);
  }

  async #startAgain({ secondKillAfterMs }: Fault): Promise<number> {
    this.#databaseKillsSurvived = 0;
    if (secondKillAfterMs !== null) {
      this.deployment.spawn();
      await sleep(secondKillAfterMs);
      const killedAtMs = performance.now();
      await this.deployment.kill();
      this.history.kills.push({ fromMs: killedAtMs, toMs: performance.now() });
    }
    return this.deployment.start();
  }
}

/** Sees when a server whose database died serves again: from the first good answer after which none failed. */
class Recovery {
  /** A database that was killed can still answer for some milliseconds. */
  static readonly #blindMs = 100;
  static readonly #goodNeeded = 30;
  firstGoodMs = Infinity;
  beganMs = Infinity;
  #good = 0;

  begin(): void {
    this.beganMs = performance.now();
  }

  note(result: CallResult, sentMs: number): void {
    if (sentMs < this.beganMs + Recovery.#blindMs) return;
    if (result.kind === 'unanswered' || result.status === 503) {
      this.#good = 0;
      this.firstGoodMs = Infinity;
    } else if (this.#good++ === 0) {
      this.firstGoodMs = performance.now();
    }
  }

  isComplete(): boolean {
    return this.#good >= Recovery.#goodNeeded;
  }
}

/** A seed for a run that asks for none. */
export function newSeed(): number {
  return randomBytes(4).readUInt32BE();
}

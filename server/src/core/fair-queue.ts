import { setTimeout as delay } from 'node:timers/promises';
import { ClientGoneError } from './errors.ts';

/** Milliseconds. Work that only waited long for a database must not hold up the next for long. */
const restMsMax = 500;

/** The client of a piece of work. */
interface Client {
  /** Calls back if the client disconnects; null removes the callback. */
  whenReleased(callback: (() => void) | null): void;
}

/** A client that waits for its turn even if it disconnects. The caller bounds how many wait. */
export const patient: Client = { whenReleased() {} };

/**
 * Runs few pieces of work at once. If more wait, their parties take turns. So a party with much work delays another by one piece of work at
 * most for each that runs.
 */
export class FairQueue {
  readonly #atOnceMax: number;
  #running = 0;
  /** The parties in the order of their turns, each with its waiting work. None is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /**
   * Runs the work when it is its turn.
   *
   * @throws {ClientGoneError} at once if the client disconnects before. Clients that come and go would otherwise fill the queue.
   */
  async run<Result>(party: string, client: Client, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnceMax) this.#running++;
    else await this.#turnOf(party, client);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /**
   * Runs the work as `run` does. Then the place stays empty for `restFactor` times as long, up to 500 ms. So work that fills the processor
   * leaves time for others. The result does not wait for the rest.
   */
  runAndRest<Result>(party: string, client: Client, restFactor: number, work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const workAndRest = async (): Promise<void> => {
      const startedMs = performance.now();
      await work().then(resolve, reject);
      await delay(Math.min(restMsMax, (performance.now() - startedMs) * restFactor));
    };
    this.run(party, client, workAndRest).catch(reject);
    return promise;
  }

  #turnOf(party: string, client: Client): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const resume = (): void => {
        client.whenReleased(null);
        resolve();
      };
      const others = this.#waiting.get(party);
      if (others) others.push(resume);
      else this.#waiting.set(party, [resume]);
      client.whenReleased(() => {
        this.#leave(party, resume);
        reject(new ClientGoneError());
      });
    });
  }

  #leave(party: string, resume: () => void): void {
    const others = this.#waiting.get(party)?.filter((each) => each !== resume) ?? [];
    if (others.length > 0) this.#waiting.set(party, others);
    else this.#waiting.delete(party);
  }

  /** Gives the place of finished work to the party whose turn it is. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running--;
      return;
    }
    const [party, [resume, ...others]] = next;
    this.#waiting.delete(party);
    if (others.length > 0) this.#waiting.set(party, others);
    resume!();
  }
}

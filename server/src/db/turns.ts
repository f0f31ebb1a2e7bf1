/**
 * Runs few pieces of work at once. If more wait, their parties take turns. So a party with much work delays another by one piece of work at
 * most for each that runs.
 */
export class Turns {
  readonly #atOnceMax: number;
  #running = 0;
  /** The parties in the order of their turns, each with its waiting work. None is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  async run<Result>(party: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnceMax) this.#running++;
    else await new Promise<void>((resolve) => this.#wait(party, resolve));
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #wait(party: string, resume: () => void): void {
    const others = this.#waiting.get(party);
    if (others) others.push(resume);
    else this.#waiting.set(party, [resume]);
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

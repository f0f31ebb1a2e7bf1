import { subscribe } from 'node:diagnostics_channel';
import type { Client, Database } from '../../src/db/pools.ts';

/** Moments of the work at which a server can be made to die: those that decide what is lost and what is done twice. */
export const failpointNames = [
  // A batch of changes: nothing of it is sent; its commit is on the way; it is durable, and nobody is answered.
  'before commit',
  'at commit',
  'after commit',
  // A claim of deliveries: asked for; written, and nothing is sent.
  'at claim',
  'after claim',
  // An attempt: the connection is there, and nothing is sent; sent, and not answered; answered, and not written down.
  'before send',
  'after send',
  'after reply',
  // What became of attempts: not yet written; on the way; written.
  'before mark',
  'at mark',
  'after mark',
] as const;
export type Failpoint = (typeof failpointNames)[number];

/** At which point, and how many times it is passed before. */
export interface Arming {
  point: Failpoint;
  passes: number;
}

/** Watches what a server does, and strikes when it comes to the point for which it is armed. */
export class Failpoints {
  readonly #strike: () => void;
  #armed: Arming | null = null;

  constructor(strike: () => void) {
    this.#strike = strike;
    subscribe('undici:client:sendHeaders', () => this.#reach('before send'));
    subscribe('undici:request:bodySent', () => this.#reach('after send'));
    subscribe('undici:request:headers', () => this.#reach('after reply'));
  }

  arm(arming: Arming): void {
    this.#armed = { ...arming };
  }

  /** Every connection that is made for changes and for deliveries from now on. */
  watch({ writers, deliverers }: Database): void {
    for (const pool of [writers, deliverers]) pool.on('connect', (client) => this.#watchClient(client));
  }

  #watchClient(client: Client): void {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      const points = pointsOf(args[0] as { name?: string; text: string });
      if (points.before) this.#reach(points.before);
      const callback = args.at(-1);
      const isCallback = typeof callback === 'function';
      const reachAfter = (): void => {
        if (points.after) this.#reach(points.after);
      };
      if (isCallback) {
        args[args.length - 1] = (...results: unknown[]) => {
          reachAfter();
          callback(...results);
        };
      }
      const result = query(...args);
      if (!isCallback) (result as Promise<unknown>).then(reachAfter, () => {});
      // In the next turn it is on its way.
      if (points.at) setImmediate(() => this.#reach(points.at!));
      return result;
    };
    client.query = watched as typeof client.query;
  }

  #reach(point: Failpoint): void {
    if (this.#armed?.point === point && --this.#armed.passes < 0) this.#strike();
  }
}

/** What a statement is the beginning, the middle and the end of. */
function pointsOf({
  name,
  text,
}: {
  name?: string;
  text: string;
}): Partial<Record<'before' | 'at' | 'after', Failpoint>> {
  if (text === 'begin') return { before: 'before commit' };
  if (text === 'commit') return { at: 'at commit', after: 'after commit' };
  if (name === 'claim_deliveries') return { at: 'at claim', after: 'after claim' };
  if (name === 'write_outcomes') return { before: 'before mark', at: 'at mark', after: 'after mark' };
  return {};
}

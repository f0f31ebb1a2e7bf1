import { subscribe } from 'node:diagnostics_channel';
import type { Client, Database } from '../../src/db/pools.ts';

/** Points of the work at which a server can be made to die. They decide what is lost and what is done twice. */
export const failpointNames = [
  // A batch of changes: nothing of it is sent; its commit is on the way; durable, without a response.
  'before commit',
  'at commit',
  'after commit',
  // A claim of deliveries: requested; written, with nothing sent.
  'at claim',
  'after claim',
  // An attempt: connected, with nothing sent; sent, without a response; responded, and not recorded.
  'before send',
  'after send',
  'after reply',
  // The results of attempts: not yet written; on the way; written.
  'before mark',
  'at mark',
  'after mark',
] as const;
export type Failpoint = (typeof failpointNames)[number];

/** The failpoint, and how many times to pass it first. */
export interface Arming {
  point: Failpoint;
  passes: number;
}

/** Watches what a server does, and kills it at the failpoint for which it is armed. */
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

  /** Watches every connection that is made for changes and for deliveries from now on. */
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
      // In the next turn the statement is on its way.
      if (points.at) setImmediate(() => this.#reach(points.at!));
      return result;
    };
    client.query = watched as typeof client.query;
  }

  #reach(point: Failpoint): void {
    if (this.#armed?.point === point && --this.#armed.passes < 0) this.#strike();
  }
}

/** Returns the failpoints before, during and after a statement. */
function pointsOf({
  name,
  text,
}: {
  name?: string;
  text: string;
}): Partial<Record<'before' | 'at' | 'after', Failpoint>> {
  if (text === 'begin') return { before: 'before commit' };
  if (text === 'commit') return { at: 'at commit', after: 'after commit' };
  // Most deliveries are claimed by the statement that makes them.
  if (name === 'claim_deliveries' || name === 'claim_deliveries_in_turns' || name === 'insert_claimed_deliveries')
    return { at: 'at claim', after: 'after claim' };
  if (name === 'write_outcomes') return { before: 'before mark', at: 'at mark', after: 'after mark' };
  return {};
}

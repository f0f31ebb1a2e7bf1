import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { siteOf } from '../../core/addresses/network.ts';
import { ApiError } from '../../core/errors.ts';
import { ByteBudget, type ByteLimits } from '../../core/limits/byte-budget.ts';
import { earlyBytesOf, withoutBody } from '../parser.ts';
import type { Client } from '../request.ts';

/** Bodies up to this size wait without a limit, in bytes. So usual requests find room while others send long bodies. */
const smallBytes = 4 * 1024;

/**
 * Bytes of bodies whose requests wait. Measured while the database did not respond: 1,600 requests waited for their key. They held 85 MB,
 * and the process reached 464 MB.
 */
export const earlyLimits: ByteLimits = { max: 16 * 1024 * 1024, maxPerAccount: 8 * 1024 * 1024 };

/** Bounds what has arrived of bodies before the server knows the account of a request. */
export class EarlyBodies {
  readonly bytes = new ByteBudget(earlyLimits);

  /**
   * Waits while the part of a body that came with the headers is in memory. Without room for that part, the request waits without its body,
   * and is refused afterwards. So its client does not send the next one at once.
   *
   * @throws {ApiError} `overloaded` if there was no room.
   */
  hold<T>(incoming: IncomingMessage, { address }: Client, wait: () => Promise<T>): Promise<T> {
    const bytes = earlyBytesOf(incoming);
    if (bytes <= smallBytes) return wait();
    const site = siteOf(address ?? '');
    const held = this.bytes.tryTake({ accountId: site, rootId: site }, bytes);
    return held ? wait().finally(() => held.release()) : waitWithoutRoom(incoming, wait());
  }
}

async function waitWithoutRoom<T>(incoming: IncomingMessage, waited: Promise<T>): Promise<T> {
  let isOver = false;
  const over = waited.then(
    () => void (isOver = true),
    () => void (isOver = true),
  );
  // What came with the headers of a body is there only after this round of the event loop.
  await nextTurn();
  if (isOver) return waited;
  await withoutBody(incoming, () => over);
  await waited;
  throw new ApiError(
    'overloaded',
    'Too many requests with long bodies wait for the database. Nothing was changed. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
}

/** Waits without a body that no code reads, such as that of a refused request. */
export async function waitWithoutBody(incoming: IncomingMessage, wait: () => Promise<void>): Promise<void> {
  if (earlyBytesOf(incoming) === 0) return wait();
  await nextTurn();
  await withoutBody(incoming, wait);
}

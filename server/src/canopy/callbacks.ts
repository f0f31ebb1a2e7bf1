import { createHmac } from 'node:crypto';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { CanopyOrder } from './order.ts';

const timeoutMs = 6_000;

/**
 * Tells Tenure that there is news about an order. Each attempt has a time and a signature of its own.
 *
 * @returns the status of the response, or null if there is none. Tenure has taken the callback if it is 200.
 */
export async function callBack(
  { key, requestId, callback }: CanopyOrder,
  { signingSecret, clock }: { signingSecret: string; clock: Clock },
): Promise<number | null> {
  const body = JSON.stringify({ type: 'reference_request.updated', requestId, clientReferenceId: key });
  const time = String(toSeconds(clock.nowMs()));
  const signature = createHmac('sha256', signingSecret).update(`${time}.${body}`).digest('hex');
  try {
    const response = await fetch(callback.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-callback-timestamp': time,
        'x-callback-signature': signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

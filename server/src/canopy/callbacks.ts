import { createHmac } from 'node:crypto';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { CanopyOrder } from './order.ts';

const timeoutMs = 6_000;

/**
 * Tells Tenure that there is news about an order. Resolves to whether Tenure has taken it. Each attempt has a time and a signature of its
 * own.
 */
export async function callBack({ key, requestId, callback }: CanopyOrder, clock: Clock): Promise<boolean> {
  const body = JSON.stringify({ type: 'reference_request.updated', requestId, clientReferenceId: key });
  const time = String(toSeconds(clock.nowMs()));
  const signature = createHmac('sha256', callback.signingSecret).update(`${time}.${body}`).digest('hex');
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
    return response.status === 200;
  } catch {
    return false;
  }
}

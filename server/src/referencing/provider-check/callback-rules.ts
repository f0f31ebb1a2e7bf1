import { providerA } from '../providers/provider_a.ts';
import { finished } from './course-rules.ts';
import type { Kit } from './kit.ts';
import type { ReceivedCallback } from './receiver.ts';
import { Unjudged, type Rule } from './rule.ts';

/** The rules about callbacks. */
export const callbackRules: readonly Rule[] = [
  {
    name: 'callback.sent',
    says: 'announces the end of a check',
    advice: 'Send a callback to `callback.url` of the order after each change. See also --callback-url.',
    async judge(kit) {
      const { order, notDoneAtMs } = await finished(kit, 'accept');
      const isAfter = ({ atMs }: ReceivedCallback): boolean => atMs >= notDoneAtMs;
      if (await kit.receiver.wait(order.referenceId, isAfter, kit.target.waitMs)) return null;
      const { length } = kit.receiver.about(order.referenceId);
      return `The check is done. ${length === 0 ? 'No callback' : 'No callback after that'} has come.`;
    },
  },
  {
    name: 'callback.repeated',
    says: 'sends a callback again that was not taken',
    advice: 'After any status but 200, send the same body again some seconds later, with a new time and signature.',
    async judge(kit) {
      const order = kit.order('accept');
      kit.receiver.behave(order.referenceId, (_, number) => (number === 1 ? 503 : 200));
      await kit.submit(order);
      const first = await firstCallback(kit, order.referenceId);
      const isRepeat = (callback: ReceivedCallback): boolean => callback !== first && callback.body.equals(first.body);
      if (await kit.receiver.wait(order.referenceId, isRepeat, kit.target.waitMs)) return null;
      return 'A callback that got 503 did not come again.';
    },
  },
  {
    name: 'callback.slow',
    says: 'answers while a callback of it waits for its answer',
    advice: 'Send callbacks in the background, with a timeout. Let no request and no other order wait for them.',
    async judge(kit) {
      const order = kit.order('accept');
      const held = Promise.withResolvers<number>();
      kit.receiver.behave(order.referenceId, () => held.promise);
      try {
        const { orderId } = await kit.submit(order);
        await firstCallback(kit, order.referenceId);
        // Any answer will do: other rules judge what it says.
        const { path } = await kit.orderRequest(order);
        await kit.send({ method: 'GET', path: `${path}/${encodeURIComponent(orderId)}` });
        await kit.send({ method: 'GET', path: `${path}?clientReferenceId=${order.referenceId}` });
        return null;
      } finally {
        held.resolve(200);
      }
    },
  },
];

/** Judged last, when all callbacks have come. */
export const callbackSigned: Rule = {
  name: 'callback.signed',
  says: 'signs every callback, and dates it',
  advice:
    'X-Callback-Signature is the HMAC-SHA256 of `<X-Callback-Timestamp>.<body>` with the signing secret of the order, in lower-case hex. Sign the bytes that you send, anew for each attempt.',
  judge({ receiver, target }) {
    if (receiver.received.length === 0) throw new Unjudged('No callback has come.');
    const faults = receiver.received.flatMap((callback) => signatureFault(callback, target.signingSecret) ?? []);
    return Promise.resolve(faults[0] ?? null);
  },
};

async function firstCallback({ receiver, target }: Kit, key: string): Promise<ReceivedCallback> {
  const first = await receiver.wait(key, () => true, target.waitMs);
  if (!first) throw new Unjudged('No callback has come.');
  return first;
}

/** Says what is wrong with the signature of a callback. Returns null if Tenure would take the callback. */
function signatureFault({ headers, body, atSeconds }: ReceivedCallback, secret: string): string | null {
  const credentials = { signing_secret: secret };
  if (providerA.readCallback!({ headers, body, credentials, nowSeconds: atSeconds }) !== null) return null;
  const timestamp = headers['x-callback-timestamp'];
  const signature = headers['x-callback-signature'];
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp))
    return 'A callback has no X-Callback-Timestamp in whole seconds.';
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature))
    return 'A callback has no X-Callback-Signature of 64 lower-case hexadecimal digits.';
  const awaySeconds = Math.abs(atSeconds - Number(timestamp));
  if (providerA.readCallback!({ headers, body, credentials, nowSeconds: Number(timestamp) }) !== null)
    return `The time of a callback is ${awaySeconds} seconds away from this machine's clock.`;
  return 'The signature of a callback is not that of its time and body, or the body has no `clientReferenceId`.';
}

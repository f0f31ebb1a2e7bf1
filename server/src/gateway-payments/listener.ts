import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { Gateway } from '../core/vocabulary/gateways.ts';
import { wake } from '../resources/letting/payment/collection.ts';
import { payment, type PaymentRecord } from '../resources/letting/payment/index.ts';
import type { Listener } from '../external-jobs/callbacks.ts';
import { simulatedCredentials } from './credentials.ts';
import type { PaymentGateway } from './gateways/gateway.ts';

interface ListenerContext {
  encryption: Encryption;
  /** Real time, with which gateways sign. */
  realClock: Clock;
}

/**
 * Returns how callbacks of gateways are verified, and what they wake.
 *
 * @param usable the gateways that accounts of this deployment can use.
 */
export function collectingListener(
  { encryption, realClock }: ListenerContext,
  gateways: Readonly<Record<Gateway, PaymentGateway>>,
  usable: readonly Gateway[],
): Listener<PaymentRecord> {
  return {
    resource: payment,
    services: usable.filter((name) => 'readCallback' in gateways[name]),
    isWith: ({ provider }, service) => provider === service,
    onCallback: wake,
    async read(name, accountId, callback) {
      const gateway = name as Gateway;
      const credentials = simulatedCredentials(encryption, accountId, gateway);
      const nowSeconds = toSeconds(realClock.nowMs());
      return gateways[gateway].readCallback!({ ...callback, credentials, nowSeconds });
    },
  };
}

import { toSeconds, type Clock } from '../core/clock.ts';
import { providers as providerNames, type Provider } from '../core/vocabulary/providers.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { account } from '../resources/account/index.ts';
import { reference } from '../resources/reference/index.ts';
import { isPresentKey, referenceIdOf } from '../resources/reference/earlier-orders.ts';
import { onCallback } from '../resources/reference/order.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import type { Listener } from '../external-jobs/callbacks.ts';
import { credentialsOf } from './credentials.ts';
import type { ReferencingProvider } from './providers/provider.ts';

interface ListenerContext {
  readRecord: RecordReader;
  encryption: Encryption;
  /** Real time, with which services sign. */
  realClock: Clock;
}

/** Returns how callbacks of referencing services are verified, and what they wake. */
export function referencingListener(
  { encryption, realClock, readRecord }: ListenerContext,
  providers: Readonly<Record<Provider, ReferencingProvider>>,
  simulated: readonly Provider[],
): Listener<ReferenceRecord> {
  return {
    resource: reference,
    services: providerNames.filter((name) => 'readCallback' in providers[name]),
    idOf: referenceIdOf,
    isWith: isPresentKey,
    onCallback,
    async read(name, accountId, callback) {
      const provider = name as Provider;
      const owner = await readRecord(account, accountId, accountId);
      const credentials = owner && credentialsOf(encryption, owner, provider, simulated.includes(provider));
      if (!credentials) return null;
      const nowSeconds = toSeconds(realClock.nowMs());
      return providers[provider].readCallback!({ ...callback, credentials, nowSeconds });
    },
  };
}

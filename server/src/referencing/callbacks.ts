import type { Committer } from '../commit/committer.ts';
import { toDecision } from '../model/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { isId } from '../core/ids.ts';
import { providers as providerNames, type Provider } from '../core/providers.ts';
import type { Encryption } from '../core/encryption.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Callback, ReferencingProvider } from './providers/provider.ts';
import { account } from '../resources/account.ts';
import { reference } from '../resources/reference/index.ts';
import { onCallback } from '../resources/reference/order.ts';
import { credentialsOf } from './access.ts';

interface CallbackContext {
  committer: Committer;
  readRecord: RecordReader;
  encryption: Encryption;
  clock: Clock;
  /** Real time, with which services sign. */
  realClock: Clock;
}

/**
 * Receives callbacks from the services. Each callback means only that there is news to read. The reference's next step becomes due now, and
 * that is written before the response. So a callback that comes twice, late or out of order does no harm.
 */
export class ProviderCallbacks {
  readonly #context: CallbackContext;
  readonly #providers: Readonly<Record<Provider, ReferencingProvider>>;
  readonly #simulated: ReadonlySet<Provider>;

  constructor(
    context: CallbackContext,
    providers: Readonly<Record<Provider, ReferencingProvider>>,
    simulated: ReadonlySet<Provider>,
  ) {
    this.#context = context;
    this.#providers = providers;
    this.#simulated = simulated;
  }

  /**
   * Takes a callback to an account from a service of this name.
   *
   * @returns whether the service signed it for this account; otherwise nothing was done. False also for an unknown account or service.
   * @throws {UnavailableError} {@link OverloadedError} if it was not stored; the service must call again.
   */
  async take(providerName: string, accountId: string, callback: Pick<Callback, 'headers' | 'body'>): Promise<boolean> {
    const provider = providerNames.find((name) => name === providerName);
    if (!provider || !isId('acct', accountId)) return false;
    const service = this.#providers[provider];
    if (!service.readCallback) return false;
    const { encryption, realClock, readRecord } = this.#context;
    const owner = await readRecord(account, accountId, accountId);
    const credentials = owner && credentialsOf(encryption, owner, provider, this.#simulated.has(provider));
    if (!credentials) return false;
    const about = service.readCallback({ ...callback, credentials, nowSeconds: toSeconds(realClock.nowMs()) });
    if (about === null) return false;
    if (isId('ref', about)) await this.#bringForward(accountId, about, provider);
    return true;
  }

  async #bringForward(accountId: string, id: string, provider: Provider): Promise<void> {
    const { committer, readRecord, clock } = this.#context;
    await committer.commitAsSystem({
      accountId,
      locks: [id],
      decide: async () => {
        const current = await readRecord(reference, accountId, id);
        // The reference may be with another service now, or with none.
        if (current?.automatic_reference?.provider !== provider) return null;
        return toDecision(reference, current, onCallback(current, clock.nowMs()));
      },
    });
  }
}

import type { Committer } from '../commit/committer.ts';
import { toDecision } from '../model/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { isId } from '../core/ids.ts';
import { providers as providerNames, type Provider } from '../core/providers.ts';
import type { Vault } from '../core/encryption.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Callback, ReferencingProvider } from './providers/provider.ts';
import { account, type AccountRecord } from '../resources/account.ts';
import { reference } from '../resources/reference/index.ts';
import { heard } from '../resources/reference/order.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import { credentialsOf } from './access.ts';

interface CallbackContext {
  committer: Committer;
  readRecord: RecordReader;
  vault: Vault;
  clock: Clock;
  /** Services sign with the world's time. */
  realClock: Clock;
}

/**
 * Hears what the services call back. Whatever they say, it means that there is something to ask them: the reference's next step is due
 * now, which is written before they are answered. So a callback that comes twice, late or before an earlier one does no harm.
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
   * @returns whether it is signed by the service, for this account; else nothing was done. Of no account or service anything is.
   * @throws {UnavailableError} {@link OverloadedError} it is not kept; the service shall call again.
   */
  async take(providerName: string, accountId: string, callback: Pick<Callback, 'headers' | 'body'>): Promise<boolean> {
    const provider = providerNames.find((name) => name === providerName);
    const service = provider && this.#providers[provider];
    if (!service?.readCallback || !isId('acct', accountId)) return false;
    const { vault, realClock, readRecord } = this.#context;
    const owner = (await readRecord(account, accountId, accountId)) as AccountRecord | null;
    const credentials = owner && credentialsOf(vault, owner, provider!, this.#simulated.has(provider!));
    if (!credentials) return false;
    const about = service.readCallback({ ...callback, credentials, nowSeconds: toSeconds(realClock.nowMs()) });
    if (about === null) return false;
    if (isId('ref', about)) await this.#bringForward(accountId, about, provider!);
    return true;
  }

  async #bringForward(accountId: string, id: string, provider: Provider): Promise<void> {
    const { committer, readRecord, clock } = this.#context;
    await committer.commitAsSystem({
      accountId,
      touches: [id],
      decide: async () => {
        const current = (await readRecord(reference, accountId, id)) as ReferenceRecord | null;
        // It may be another service's, or nobody's any more.
        if (current?.automatic_reference?.provider !== provider) return null;
        return toDecision(reference, current, heard(current, clock.nowMs()));
      },
    });
  }
}

import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { isId } from '../core/ids.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Change, Resource } from '../model/resource.ts';
import type { Callback } from '../external-services/service.ts';

/** A kind of record whose services call back. */
export interface Listener<R extends StoredRecord = StoredRecord> {
  resource: Resource<R>;
  /** The names of its services, as the paths of callbacks have them. */
  services: readonly string[];
  /** Returns the id of the record that a service knows by this key. The default is the key itself. */
  idOf?(key: string): string;
  /** Tells whether the record is with this service, and has this key there. */
  isWith(record: R, service: string, key: string): boolean;
  /** Returns the key of the record that a callback is about. Null unless the service signed it for this account. */
  read(service: string, accountId: string, callback: Pick<Callback, 'headers' | 'body'>): Promise<string | null>;
  /** Makes the record's next step due now. */
  onCallback(current: R, nowMs: number): Change<R>;
}

/**
 * Receives callbacks from services. Each callback means only that there is news to read. The record's next step becomes due now, and that is
 * written before the response. So a callback that comes twice, late or out of order does no harm.
 */
export class Callbacks {
  readonly #context: SystemChangeContext;
  readonly #listeners: readonly Listener[];

  constructor(context: SystemChangeContext, listeners: readonly Listener[]) {
    this.#context = context;
    this.#listeners = listeners;
  }

  /**
   * Takes a callback to an account from a service of this name.
   *
   * @returns whether the service signed it for this account; otherwise nothing was done. False also for an unknown account or service.
   * @throws {UnavailableError} {@link OverloadedError} if it was not stored; the service must call again.
   */
  async take(name: string, accountId: string, callback: Pick<Callback, 'headers' | 'body'>): Promise<boolean> {
    const listener = this.#listeners.find(({ services }) => services.includes(name));
    if (!listener || !isId('acct', accountId)) return false;
    const key = await listener.read(name, accountId, callback);
    if (key === null) return false;
    const id = listener.idOf?.(key) ?? key;
    if (!isId(listener.resource.prefix, id)) return true;
    await changeAsSystem(this.#context, listener.resource, { account_id: accountId, id }, {}, (now) =>
      // The record may be with another service now, or with none.
      listener.isWith(now, name, key) ? listener.onCallback(now, this.#context.clock.nowMs()) : null,
    );
    return true;
  }
}

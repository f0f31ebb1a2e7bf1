import type { Gateway } from '../../core/vocabulary/gateways.ts';
import type { Callback, ProviderAccess } from '../../external-services/service.ts';

/*
 * The common interface of all payment gateways. One file adapts one gateway. It sees the gateway's HTTP API and nothing of ours.
 */

/** An adapter of one gateway. Every call is safe to repeat. */
export interface PaymentGateway {
  name: Gateway;
  /** Seconds until a pending charge is looked at again. */
  lookAgainAfterSeconds: number;
  /**
   * Begins to collect, or finds the charge that was begun with this key before. A charge that the gateway declines at once has `failed`.
   *
   * @throws {ProviderFault} if it is not known whether the gateway has the charge.
   */
  start(access: ProviderAccess, wanted: NewCharge): Promise<Charge>;
  /**
   * Reads the state of a charge.
   *
   * @throws {ProviderFault}
   */
  look(access: ProviderAccess, chargeId: string): Promise<Charge>;
  /**
   * Asks the gateway to cancel a charge, and returns its state after that. If the money was taken, it has `succeeded`. If the gateway cannot
   * tell yet, it is `pending`.
   *
   * @throws {ProviderFault}
   */
  cancel(access: ProviderAccess, chargeId: string): Promise<Charge>;
  /**
   * Asks the gateway to send back a part, or finds the refund that was made with this key before. A refund that the gateway declines has
   * `failed`. The returned charge lists the refund.
   *
   * @throws {ProviderFault} if it is not known whether the gateway has the refund.
   */
  refund(access: ProviderAccess, chargeId: string, wanted: NewRefund): Promise<Charge>;
  /**
   * Returns the payment's id of a callback, or null if the gateway did not sign it recently. The rest of the callback is not trusted: the
   * charge is looked at instead. Gateways without callbacks leave it out.
   */
  readCallback?(callback: Callback): string | null;
}

/** The money to collect. */
export interface NewCharge {
  /** The payment's id. The gateway makes only one charge for it. */
  key: string;
  /** In the smallest unit of the currency. */
  amount: number;
  /** ISO 4217, in lower case. */
  currency: string;
  method: 'direct_debit' | 'card';
  /** The address for the gateway's callbacks. */
  callbackUrl: string;
  /** The course of a simulated charge; null for a real gateway. */
  scenario: string | null;
}

/** The money to send back. */
export interface NewRefund {
  /** The gateway makes only one refund for it. */
  key: string;
  /** In the smallest unit of the charge's currency. */
  amount: number;
}

/** The state of a charge. */
export interface Charge {
  /** The gateway's own id. */
  id: string;
  /** `failed` and `canceled` are final: the gateway has no money of it. A charge that succeeded can fail later: it bounced. */
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  /** When the gateway took the money, in seconds. Null if it never did. */
  takenAt: number | null;
  /** Why it failed. Null if it did not. */
  failure: Failure | null;
  /** All refunds. When a charge fails, its pending refunds fail with it. */
  refunds: readonly { key: string; status: 'pending' | 'succeeded' | 'failed'; failure: Failure | null }[];
}

export interface Failure {
  /** Stable, in lower case with underscores. */
  code: string;
  message: string | null;
}

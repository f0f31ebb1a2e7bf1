import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import Schema from 'typebox/schema';
import type { Provider } from '../../core/vocabulary/providers.ts';
import type { ServiceRequest, ServiceResponse } from '../../external-services/simulated.ts';
import type { CaseFile } from './findings.ts';
import type { Phase, Rent, SimulatedOrder, Standing } from './order.ts';

/** The API of one service: the form of its requests and responses. The course of an order is the same for all, and decided elsewhere. */
export interface Vendor {
  provider: Provider;
  /** Returns the service's own id of an order. */
  orderIdOf(digest: Buffer): string;
  /** Returns the secret of a request, or an empty text if there is none. */
  credentialIn(headers: IncomingHttpHeaders): string;
  /** Returns what a request asks for, or null if there is no such route. */
  askedBy(request: ServiceRequest): Asked | null;
  /** Responds to an ordering call. The order may have existed before. */
  placed(view: OrderView, isNew: boolean): ServiceResponse;
  order(view: OrderView): ServiceResponse;
  /** Responds to a look-up by the customer's reference. */
  list(view: OrderView | null): ServiceResponse;
  canceled(view: OrderView): ServiceResponse;
  /** Responds to the cancellation of an order that has already ended. */
  closed(): ServiceResponse;
  report(view: OrderView, file: CaseFile): ServiceResponse;
  refused(status: number, code: string, message: string): ServiceResponse;
  /** The service's callbacks. Services without callbacks leave it out. */
  callback?: {
    /** Returns the steps to report, in sending order, after the order went from `from` to `to` of `total`. Steps count from 1. */
    stepsToTell(from: number, to: number, total: number): number[];
    request(content: CallbackContent, secret: string, nowMs: number): { headers: Record<string, string>; body: string };
  };
}

/** The request of a service's customer. `unreadable`: the body is no order. */
export type Asked =
  | { kind: 'place'; order: PlacedOrder }
  | { kind: 'find'; referenceId: string }
  | { kind: 'read' | 'cancel' | 'report'; orderId: string }
  | { kind: 'invite'; orderId: string; email: string }
  | { kind: 'unreadable' };

export interface PlacedOrder {
  referenceId: string;
  email: string | null;
  scenario: string | null;
  rent: Rent | null;
  hasGuarantor: boolean;
  callback: { url: string; secret: string } | null;
}

export interface OrderView {
  order: SimulatedOrder;
  standing: Standing;
  /** Null until it is done. */
  file: CaseFile | null;
}

export interface CallbackContent {
  order: SimulatedOrder;
  phase: Phase;
  /** Counted from 1. */
  step: number;
}

const emailSchema = Type.Object({ email: Type.String({ minLength: 3 }) });

/** Returns what a request with a new e-mail address asks for. */
export function invitedBy(orderId: string, body: unknown): Asked {
  return Schema.Check(emailSchema, body) ? { kind: 'invite', orderId, email: body.email } : { kind: 'unreadable' };
}

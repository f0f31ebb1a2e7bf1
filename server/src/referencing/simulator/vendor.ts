import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../../core/providers.ts';
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
  askedBy(request: VendorRequest): Asked | null;
  /** Responds to an ordering call. The order may have existed before. */
  placed(view: OrderView, isNew: boolean): StoredResponse;
  order(view: OrderView): StoredResponse;
  /** Responds to a look-up by the customer's reference. Only for services that have one. */
  list?(view: OrderView | null): StoredResponse;
  canceled(view: OrderView): StoredResponse;
  /** Responds to the cancellation of an order that has already ended. */
  closed(): StoredResponse;
  report(view: OrderView, file: CaseFile): StoredResponse;
  refused(status: number, code: string, message: string): StoredResponse;
  /** The service's callbacks. Services without callbacks leave it out. */
  callback?: {
    /** Returns the steps to report, in sending order, after the order went from `from` to `to` of `total`. Steps count from 1. */
    stepsToTell(from: number, to: number, total: number): number[];
    request(content: CallbackContent, secret: string, nowMs: number): { headers: Record<string, string>; body: string };
  };
}

export interface VendorRequest {
  method: string;
  /** Decoded, without the first slash. */
  path: readonly string[];
  query: URLSearchParams;
  body: unknown;
}

/** The request of a service's customer. `unreadable`: the body is no order. */
export type Asked =
  | { kind: 'place'; order: PlacedOrder }
  | { kind: 'find'; referenceId: string }
  | { kind: 'read' | 'cancel' | 'report'; orderId: string }
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

export interface StoredResponse {
  status: number;
  body: object | null;
}

export interface CallbackContent {
  order: SimulatedOrder;
  phase: Phase;
  /** Counted from 1. */
  step: number;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../../core/providers.ts';
import type { CaseFile } from './findings.ts';
import type { Phase, Rent, SimulatedOrder, Standing } from './order.ts';

/** The API of one service: how its customers ask, and how it answers. What happens is the same for all and decided elsewhere. */
export interface Vendor {
  provider: Provider;
  /** What the service calls an order. */
  orderIdOf(digest: Buffer): string;
  /** The secret that a request proves itself with; empty if there is none. */
  credentialIn(headers: IncomingHttpHeaders): string;
  /** What a request asks for; null if there is no such route. */
  askedBy(request: VendorRequest): Asked | null;
  /** An order that was just made, or was there before. */
  placed(view: OrderView, isNew: boolean): StoredResponse;
  order(view: OrderView): StoredResponse;
  /** Of a look-up by the customer's reference. Only for services that have one. */
  list?(view: OrderView | null): StoredResponse;
  canceled(view: OrderView): StoredResponse;
  /** What was to be canceled has ended before. */
  closed(): StoredResponse;
  report(view: OrderView, file: CaseFile): StoredResponse;
  refused(status: number, code: string, message: string): StoredResponse;
  /** How it calls; the secret is the one that the customer gave with the order. Left out by services that call nobody. */
  callback?: {
    /** The steps to tell of, in the order that they are sent in, when the order has gone from `from` to `to` of `total`. Counted from 1. */
    stepsToTell(from: number, to: number, total: number): number[];
    request(told: OperationDocs, secret: string, nowMs: number): { headers: Record<string, string>; body: string };
  };
}

export interface VendorRequest {
  method: string;
  /** Decoded, without the first slash. */
  path: readonly string[];
  query: URLSearchParams;
  body: unknown;
}

/** What a customer of a service wants. `unreadable`: the order is no order. */
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

export interface OperationDocs {
  order: SimulatedOrder;
  phase: Phase;
  /** Counted from 1. */
  step: number;
}

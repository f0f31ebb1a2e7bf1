import { eventIdPlace, type EventRequest } from '../load/events.ts';
import { requestBody } from '../sample.ts';

/** How a product's public API makes an endpoint and an event. */
export interface Adapter {
  /** The credentials that the API needs. */
  credentials: readonly string[];
  /** This path answers with success when the product takes requests. */
  readyPath: string;
  /** Makes an endpoint for the receiver, and returns the request that makes an event for it alone. */
  subscribe(api: Api, receiverUrl: string): Promise<EventRequest>;
  /** Finds our id in the body of a delivery. */
  idPattern: string;
}

/** The API of a product that runs. */
export interface Api {
  credentials: Record<string, string>;
  /** A name for what the adapter makes. No earlier run has used it. */
  runName: string;
  /**
   * Sends a request, and returns the response's body.
   *
   * @throws if the product refuses it.
   */
  call: (method: 'POST' | 'PUT', path: string, headers: Record<string, string>, body: object) => Promise<unknown>;
}

/** The database of a product may have written the JSON anew, with spaces or in another order. */
const idPattern = String.raw`"bench_id": ?"(\w+)"`;

const eventType = 'reference.created';

const reference = JSON.parse(requestBody) as { metadata: object };
const referenceWithId = { ...reference, metadata: { ...reference.metadata, bench_id: eventIdPlace } };

/** The subscription is to the one type of event that the load makes. */
const tenure: Adapter = {
  credentials: ['key'],
  readyPath: '/readyz',
  idPattern,
  async subscribe({ call, credentials }, receiverUrl) {
    const headers = bearer(credentials.key!);
    await call('POST', '/v1/webhook_endpoints', headers, { url: receiverUrl, enabled_events: [eventType] });
    return { path: '/v1/references', headers, body: JSON.stringify(referenceWithId) };
  },
};

export const adapters = { tenure };

export type AdapterName = keyof typeof adapters;

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

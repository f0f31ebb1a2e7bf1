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

/** As long as the event that Tenure makes of a reference. */
const payload = {
  id: `evt_${'0'.repeat(28)}`,
  object: 'event',
  created: 1_800_000_000,
  type: eventType,
  data: {
    object: { id: `ref_${'0'.repeat(28)}`, object: 'reference', created: 1_800_000_000, ...referenceWithId },
  },
};

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

/** Svix Server, by its OpenAPI document (server/openapi.json of svix/svix-webhooks). An application of its own has the one endpoint. */
const svix: Adapter = {
  credentials: ['token'],
  readyPath: '/api/v1/health/ping',
  idPattern,
  async subscribe({ call, credentials, runName }, receiverUrl) {
    const headers = bearer(credentials.token!);
    const application = (await call('POST', '/api/v1/app', headers, { name: runName })) as { id: string };
    await call('POST', `/api/v1/app/${application.id}/endpoint`, headers, { url: receiverUrl });
    return {
      // As Svix's own clients ask: the response does not repeat the payload.
      path: `/api/v1/app/${application.id}/msg?with_content=false`,
      headers,
      body: JSON.stringify({ eventType, payload }),
    };
  },
};

/** Convoy, by its OpenAPI document (docs/v3/openapi3.json of frain-dev/convoy). An event names its endpoint. */
const convoy: Adapter = {
  credentials: ['key', 'project'],
  readyPath: '/healthz',
  idPattern,
  async subscribe({ call, credentials, runName }, receiverUrl) {
    const headers = bearer(credentials.key!);
    const project = `/api/v1/projects/${credentials.project}`;
    const made = await call('POST', `${project}/endpoints`, headers, { name: runName, url: receiverUrl });
    const endpointId = (made as { data: { uid: string } }).data.uid;
    await call('POST', `${project}/subscriptions`, headers, { name: runName, endpoint_id: endpointId });
    return {
      path: `${project}/events`,
      headers,
      body: JSON.stringify({ endpoint_id: endpointId, event_type: eventType, data: payload }),
    };
  },
};

/** Outpost, by its OpenAPI document (docs/apis/openapi.yaml of hookdeck/outpost). A tenant of its own has the one destination. */
const outpost: Adapter = {
  credentials: ['key'],
  readyPath: '/api/v1/healthz',
  idPattern,
  async subscribe({ call, credentials, runName }, receiverUrl) {
    const headers = bearer(credentials.key!);
    await call('PUT', `/api/v1/tenants/${runName}`, headers, {});
    const destination = { type: 'webhook', topics: ['*'], config: { url: receiverUrl } };
    await call('POST', `/api/v1/tenants/${runName}/destinations`, headers, destination);
    return {
      path: '/api/v1/publish',
      headers,
      body: JSON.stringify({ tenant_id: runName, topic: eventType, data: payload }),
    };
  },
};

export const adapters = { tenure, svix, convoy, outpost };

export type AdapterName = keyof typeof adapters;

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

import type { JsonObject } from '../../src/core/json-diff.ts';
import type { Route } from '../../src/http/route.ts';
import type { JsonSchema } from '../support/any-value.ts';
import { bodies, nameOf, takesForm } from '../support/routes.ts';
import type { TestServer } from '../support/server.ts';

/** Good bodies for routes whose entry in `bodies` allows no variation, or whose result is not needed. */
const plainBodies: Record<string, JsonObject> = {
  // A key may do what the key that makes it may do.
  'POST /v1/api_keys': { type: 'secret' },
  'POST /v1/webhook_endpoints': { url: 'https://hooks.example.com/', enabled_events: ['webhook_endpoint.pinged'] },
};

/** Whether the body is JSON. A form is read as the JSON that it stands for. Its own rules have other tests. */
export function takesJson(route: Route): boolean {
  return route.method !== 'GET' && !takesForm(route);
}

export function bodyOf(route: Route): JsonObject {
  return (plainBodies[nameOf(route)] ?? bodies[nameOf(route)] ?? {}) as JsonObject;
}

export function bodySchema({ context }: TestServer, route: Route, version: string): JsonSchema {
  if (route.method === 'GET') throw new Error('A GET has no body.');
  return context.versions.schemaIn(version, route.object, route.body);
}

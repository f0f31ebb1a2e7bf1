import { Type, type TObject, type TSchema } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import type { Caller } from '../../model/caller.ts';
import type { PortalFeature } from '../../model/portal.ts';
import { closedObject } from '../../model/schemas.ts';
import { portalSession } from '../../resources/portal-session.ts';
import type { HttpContext } from '../context.ts';
import { countingReader } from '../read-room.ts';
import type { ApiRequest, UploadRoute } from '../request.ts';
import type { GuardedDecision, Query, ReadRoute, RouteResponse, WriteRoute } from '../route.ts';
import { requireOpen } from './own-records.ts';

/** The API docs do not list the routes of the portal: no key calls them. */
const undocumented: RouteResponse = {
  kind: 'object',
  name: 'Portal',
  schema: closedObject({ object: Type.String() }),
  example: { object: 'portal' },
};

const common = { permission: null, object: 'portal', expandable: null, response: undocumented } as const;

/**
 * Returns a route that reads. One of the features is enough.
 *
 * @param handle gets a context whose reads count towards the memory of the request.
 */
export function read(
  context: HttpContext,
  path: string,
  features: readonly PortalFeature[],
  parameters: Record<string, TSchema>,
  handle: (context: HttpContext, request: ApiRequest, query: Query) => Promise<JsonObject>,
): ReadRoute {
  return {
    ...common,
    method: 'GET',
    operationId: `portal${path.replaceAll(/\W+/g, '_')}`,
    docs: { summary: 'Read in the portal' },
    path: `/v1/portal${path}`,
    portalFeatures: features,
    query: parameters,
    read: (request, query) =>
      handle({ ...context, readRecord: countingReader(context.readRecord, request.room!) }, request, query),
  };
}

/** Returns a route that changes a record. The log has the record, and the person gets what `render` returns. */
export function write(
  path: string,
  features: readonly PortalFeature[],
  body: TObject,
  {
    locks,
    decide,
    render,
    upload = null,
  }: {
    locks: (request: ApiRequest) => string[];
    decide: (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) => Promise<GuardedDecision>;
    render: NonNullable<WriteRoute['render']>;
    upload?: UploadRoute | null;
  },
): WriteRoute {
  return {
    ...common,
    method: 'POST',
    operationId: `portal${path.replaceAll(/\W+/g, '_')}_write`,
    docs: { summary: 'Write in the portal' },
    path: `/v1/portal${path}`,
    portalFeatures: features,
    query: {},
    body,
    upload,
    showsSecrets: false,
    secretMembers: [],
    propagationDelayMs: 0,
    locks,
    // A session that ends at the same moment changes nothing any more.
    async decide(request, input, caller, deciding) {
      const session = await requireOpen(deciding, request);
      const decided = await decide(request, input, caller, deciding);
      return { ...decided, guards: [...(decided.guards ?? []), { resource: portalSession, record: session }] };
    },
    render,
  };
}

import type { TObject, TSchema } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { PortalFeature } from '../../model/callers/portal.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Action, OperationDocs, Resource } from '../../model/resource.ts';
import { portalSession } from '../../resources/portal-session.ts';
import type { HttpContext } from '../context.ts';
import { countingReader } from '../read-memory.ts';
import type { ApiRequest, UploadRoute } from '../request.ts';
import type { GuardedDecision, Query, ReadRoute, RouteResponse, WriteRoute } from '../route.ts';
import { decideActionOn } from '../write/decisions.ts';
import { requireOpen } from './own-records.ts';

const common = { permission: null, object: 'portal', expandable: null } as const;

/** What a route of the portal is. */
export interface PortalOperation {
  /** Its name in the OpenAPI document: `applications_withdraw`. */
  name: string;
  path: string;
  /** One of these features is enough. Empty if it needs none. */
  features: readonly PortalFeature[];
  docs: OperationDocs & { summary: string };
  response: RouteResponse;
}

/**
 * Returns a route that reads.
 *
 * @param handle gets a context whose reads count towards the memory of the request.
 */
export function read(
  context: HttpContext,
  { name, path, features, docs, response }: PortalOperation,
  query: Record<string, TSchema>,
  handle: (context: HttpContext, request: ApiRequest, query: Query) => Promise<JsonObject>,
): ReadRoute {
  return {
    ...common,
    method: 'GET',
    operationId: `portal_${name}`,
    docs,
    response,
    path: `/v1/portal${path}`,
    portalFeatures: features,
    query,
    read: (request, asked) =>
      handle({ ...context, readRecord: countingReader(context.readRecord, request.memory!) }, request, asked),
  };
}

/** Returns a route that changes a record. The log has the record, and the person gets what `render` returns. */
export function write(
  { name, path, features, docs, response }: PortalOperation,
  body: TObject,
  {
    locks,
    decide,
    render,
    upload = null,
    propagationDelayMs = 0,
  }: {
    locks: (request: ApiRequest) => string[];
    decide: (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) => Promise<GuardedDecision>;
    render: NonNullable<WriteRoute['render']>;
    upload?: UploadRoute | null;
    propagationDelayMs?: number;
  },
): WriteRoute {
  return {
    ...common,
    method: 'POST',
    operationId: `portal_${name}`,
    docs,
    response,
    path: `/v1/portal${path}`,
    portalFeatures: features,
    query: {},
    body,
    upload,
    showsSecrets: false,
    secretMembers: [],
    propagationDelayMs,
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

/** Decides an action of a kind, as the same route of the API does. */
export function decideMove<R extends StoredRecord>(
  context: HttpContext,
  resource: Resource<R>,
  name: string,
  ...rest: [before: R, request: ApiRequest, input: JsonObject, caller: Caller]
): Promise<GuardedDecision> {
  const action: Action<R> | undefined = resource.actions?.[name];
  if (!action) throw new Error(`Bug! ${resource.object} has no action ${name}.`);
  return decideActionOn(context, resource, action, ...rest);
}

import type { TObject, TSchema } from 'typebox';
import { decideAction, decideCreate, decideUpdate, type RecordChange } from '../core/change.ts';
import { isId, type Id } from '../core/ids.ts';
import type { JsonObject } from '../core/diff.ts';
import { ApiError } from '../core/errors.ts';
import { closedObject, type Caller, type Resource, type StoredRecord } from '../core/resource.ts';
import { readList } from '../db/lists.ts';
import type { Call, HttpContext } from './call.ts';
import { listParameters, listQuery } from './list.ts';
import type { Query } from './query.ts';
import { render } from './render.ts';

/** One operation of the API. */
export type Route = ReadRoute | WriteRoute;

interface RouteBase {
  /** With `:id` where an id stands. */
  path: string;
  permission: string;
  query: Record<string, TSchema>;
}

export interface ReadRoute extends RouteBase {
  method: 'GET';
  read(call: Call, query: Query): Promise<JsonObject>;
}

export interface WriteRoute extends RouteBase {
  method: 'POST';
  body: TObject;
  /** The records it will change, as far as the path tells. */
  touches(call: Call): string[];
  /** Reads what it needs and decides; called again if a record moved meanwhile. */
  decide(call: Call, input: object, caller: Caller): Promise<RecordChange>;
}

/** The routes of every resource. */
export function routesOf(context: HttpContext): Route[] {
  return context.resources.flatMap((resource) => [
    listRoute(context, resource),
    retrieveRoute(context, resource),
    ...(resource.create ? [createRoute(context, resource, resource.create.body)] : []),
    ...(resource.update ? [updateRoute(context, resource, resource.update.body)] : []),
    ...Object.keys(resource.actions ?? {}).map((name) => actionRoute(context, resource, name)),
  ]);
}

function listRoute(context: HttpContext, resource: Resource): ReadRoute {
  return {
    method: 'GET',
    path: `/v1/${resource.path}`,
    permission: `${resource.path}.read`,
    query: listParameters(resource),
    async read(call, query) {
      const page = await readList(context.reader, resource, listQuery(resource, query, call.accountId));
      return {
        object: 'list',
        count: page.count,
        has_more: page.hasMore,
        data: page.records.map((record) => render(resource, record, call)),
      };
    },
  };
}

function retrieveRoute(context: HttpContext, resource: Resource): ReadRoute {
  return {
    method: 'GET',
    path: `/v1/${resource.path}/:id`,
    permission: `${resource.path}.read`,
    query: {},
    read: async (call) => render(resource, await load(context, resource, call), call),
  };
}

function createRoute(context: HttpContext, resource: Resource, body: TObject): WriteRoute {
  return {
    method: 'POST',
    path: `/v1/${resource.path}`,
    permission: `${resource.path}.write`,
    query: {},
    body,
    touches: () => [],
    decide: async (call, input, caller) =>
      decideCreate(resource, context.ids.make(resource.prefix), call.accountId, input, caller),
  };
}

function updateRoute(context: HttpContext, resource: Resource, body: TObject): WriteRoute {
  return {
    method: 'POST',
    path: `/v1/${resource.path}/:id`,
    permission: `${resource.path}.write`,
    query: {},
    body,
    touches: (call) => [idInPath(call)],
    decide: async (call, input, caller) => decideUpdate(resource, await load(context, resource, call), input, caller),
  };
}

function actionRoute(context: HttpContext, resource: Resource, name: string): WriteRoute {
  return {
    method: 'POST',
    path: `/v1/${resource.path}/:id/${name}`,
    permission: `${resource.path}.write`,
    query: {},
    body: closedObject({}),
    touches: (call) => [idInPath(call)],
    decide: async (call, _input, caller) => decideAction(resource, name, await load(context, resource, call), caller),
  };
}

/** @throws {ApiError} `resource_missing`, with the same words whether the record is another account's or nobody's. */
async function load(context: HttpContext, resource: Resource, call: Call): Promise<StoredRecord> {
  const id = idInPath(call);
  const record = isId(resource.prefix, id) ? await context.readRecord(resource, call.accountId, id) : null;
  if (record) return record;
  throw new ApiError(
    'resource_missing',
    `There is no ${resource.object} \`${id.slice(0, 80).toWellFormed()}\` in this account.`,
    {
      param: 'id',
    },
  );
}

function idInPath(call: Call): Id {
  return (call.request.params as { id: Id }).id;
}

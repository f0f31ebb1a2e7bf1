import type { TObject } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { decideActionOn, decideUpdateOf } from '../write/decisions.ts';
import { renderExpanded } from '../response/expand.ts';
import { displayName, type ReadRoute, type Route, type WriteRoute } from '../route.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import type { OwnAccount } from '../../model/traits/own-account.ts';
import { writeRoute, updateDocs, docsOf } from './records/resource-writes.ts';

/** Returns the routes by which an account reads and changes itself: `/v1/account`. */
export function ownRoutes(context: HttpContext, resource: Resource, { ownPath, actions = {} }: OwnAccount): Route[] {
  const path = `/v1/${ownPath}`;
  const loadOwn = async (request: ApiRequest, { readRecord }: HttpContext): Promise<StoredRecord> => {
    const record = await readRecord(resource, request.accountId, request.accountId);
    if (!record) throw new Error(`Bug! The account ${request.accountId} is not there.`);
    return record;
  };
  const read: ReadRoute = {
    method: 'GET',
    operationId: `${ownPath}_retrieve`,
    docs: {
      summary: `Retrieve your own ${displayName(resource.object)}`,
      description: `Returns the ${displayName(resource.object)} of your key, or the one in \`Service-Context\`.`,
    },
    response: { kind: 'record', resource, secrets: 'never' },
    path,
    permission: `${resource.path}.read`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    read: async (request) => renderExpanded(context, request, resource, await loadOwn(request, context)),
  };
  const ownRoute = (name: string, body: TObject): Omit<WriteRoute, 'decide' | 'operationId' | 'docs'> => ({
    ...writeRoute(context, resource, 'POST', '', body),
    path: path + name,
    locks: (request) => [request.accountId],
  });
  return [
    read,
    ...(resource.update
      ? [
          {
            ...ownRoute('', resource.update.body),
            operationId: `${ownPath}_update`,
            docs: {
              ...updateDocs(resource, resource.update),
              summary: `Update your own ${displayName(resource.object)}`,
            },
            decide: async (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) =>
              decideUpdateOf(deciding, resource, await loadOwn(request, deciding), request, input, caller),
          },
        ]
      : []),
    ...Object.entries(actions).map(([name, action]) => ({
      ...ownRoute(`/${name}`, action.body ?? closedObject({})),
      operationId: `${ownPath}_${name.replaceAll('/', '_')}`,
      docs: { summary: name, ...docsOf(action) },
      decide: async (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) =>
        decideActionOn(deciding, resource, action, await loadOwn(request, deciding), request, input, caller),
    })),
  ];
}

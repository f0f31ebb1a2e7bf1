import type { JsonObject } from '../../../core/json-diff.ts';
import { includesPermission } from '../../../model/callers/permissions.ts';
import type { Resource } from '../../../model/resource.ts';
import type { ListQuery } from '../../../db/list-query.ts';
import { resourceAt } from '../../write/decisions.ts';
import { renderExpanded } from '../../response/expand.ts';
import { listParameters, listQuery } from './list.ts';
import { openSecrets } from '../../response/render.ts';
import { recordMissing } from '../../response/errors.ts';
import { load, loadPage } from './load-record.ts';
import { aOrAn, displayName, type ReadRoute } from '../../route.ts';
import type { ApiRequest } from '../../request.ts';
import type { HttpContext } from '../../context.ts';
import { hiddenFrom, isHidden } from '../../response/hidden-events.ts';
import { isConfirmed, realSecondsOf } from '../../../sign-in/sessions.ts';
import { aboutAccount } from '../../../model/traits/about-account.ts';
import { forPersonsOnly } from '../../../model/traits/for-persons-only.ts';
import type { Nesting } from '../../../model/traits/nested-under.ts';

/** Returns the list of all records of a kind. */
export function listRoute(context: HttpContext, resource: Resource): ReadRoute {
  return {
    method: 'GET',
    operationId: `${resource.path}_list`,
    docs: {
      summary: `List ${displayName(resource.path)}`,
      description: `Returns the account’s ${displayName(resource.path)}, the newest first.`,
    },
    response: { kind: 'list', resource },
    path: `/v1/${resource.path}`,
    permission: `${resource.path}.read`,
    ...forPersons(resource),
    object: resource.object,
    expandable: { resource, isList: true },
    query: listParameters(resource),
    read: (request, query) =>
      renderList(
        context,
        resource,
        {
          ...listQuery(context, resource, query, request.accountId),
          without: hiddenFrom(context, resource, request.principal),
        },
        request,
      ),
  };
}

/** Returns the lists of records below others: `GET /v1/<path of theirs>/{id}/<path>`. Most need only the permission to read the others. */
export function listRoutesBelow(
  context: HttpContext,
  resource: Resource,
  { columns, alsoNeeds }: Nesting,
): ReadRoute[] {
  return Object.entries(columns).map(([path, column]) => {
    const owners = resourceAt(context, path);
    const also = alsoNeeds?.[path] ?? [];
    return {
      method: 'GET',
      operationId: `${path}_list_${resource.path}`,
      docs: {
        summary: `List the ${displayName(resource.path)} of ${aOrAn(owners)}`,
        description: `Returns the ${displayName(resource.path)} of this ${displayName(owners.object)}, the newest first.${also.map((needed) => ` Your key also needs \`${needed}\`.`).join('')}`,
      },
      response: { kind: 'list', resource },
      path: `/v1/${path}/:id/${resource.path}`,
      permission: `${path}.read`,
      alsoNeeds: also,
      object: resource.object,
      expandable: { resource, isList: true },
      query: listParameters(resource),
      async read(request, query) {
        const owner = await load(context, owners, request);
        const wanted = listQuery(context, resource, query, request.accountId);
        wanted.filters.push({ filter: { column, match: 'exact', schema: {} }, value: owner.id });
        // Deliveries of a connected account's event to its platform belong to the platform.
        const { accountId } = request.principal;
        if (aboutAccount.of(resource)?.path === path && accountId !== request.accountId)
          wanted.alsoAccountId = accountId;
        return renderList(context, resource, wanted, request);
      },
    };
  });
}

/** Returns the read of one record. */
export function retrieveRoute(context: HttpContext, resource: Resource): ReadRoute {
  const { path } = resource;
  return {
    method: 'GET',
    operationId: `${path}_retrieve`,
    docs: {
      summary: `Retrieve ${aOrAn(resource)}`,
      description: `Returns the ${displayName(resource.object)} as it is now.`,
    },
    response: { kind: 'record', resource, secrets: 'to_writers' },
    path: `/v1/${path}/:id`,
    permission: `${path}.read`,
    ...forPersons(resource),
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    async read(request) {
      const record = await load(context, resource, request);
      if (isHidden(context, resource, record, request.principal)) throw recordMissing(resource, record.id);
      const object = await renderExpanded(context, request, resource, record);
      // A key that may change the secret may see it.
      if (!includesPermission(request.principal.permissions, `${path}.write`)) return object;
      if (!isConfirmed(request.principal, realSecondsOf(context))) return object;
      return { ...object, ...openSecrets(resource, record, context.encryption) };
    },
  };
}

async function renderList(
  context: HttpContext,
  resource: Resource,
  query: ListQuery,
  request: ApiRequest,
): Promise<JsonObject> {
  const page = await loadPage(context, resource, query, request);
  return {
    object: 'list',
    count: page.count,
    has_more: page.hasMore,
    data: await Promise.all(page.records.map((record) => renderExpanded(context, request, resource, record))),
  };
}

/** Marks the routes of a kind that no API key may use. */
export function forPersons(resource: Resource): { isForPersons?: true } {
  return forPersonsOnly.has(resource) ? { isForPersons: true } : {};
}

import type { ReadRoute, Route } from '../route.ts';
import { Type } from 'typebox';
import { closedObject } from '../../model/schemas/make.ts';
import { previewUpgrade, UpgradePreview, upgradePreviewExample } from './upgrade-preview.ts';
import { versionedValidator } from '../body/input.ts';
import type { HttpContext } from '../context.ts';
import { requirePermission } from '../../model/callers/permissions.ts';

const ServedVersion = closedObject({
  id: Type.String({ description: 'The date, as you send it in `Service-Version`.' }),
  object: Type.Literal('api_version', { description: 'The kind of the object.' }),
  latest: Type.Boolean({
    description:
      'Whether it is the newest version here. New accounts are pinned to it, unless the deployment is set to an older one.',
  }),
  changelog: Type.String({ description: 'The changes in this version, which you must handle to upgrade.' }),
});

/**
 * Returns the routes about API versions: their list, and the preview of an upgrade. An account changes its version at
 * `/v1/account/api_version`, an action of accounts.
 *
 * @param routes the routes whose requests can be previewed.
 */
export function versionRoutes(context: HttpContext, routes: readonly Route[]): ReadRoute[] {
  const { versions } = context;
  const previewed = routes
    .filter((route) => route.method !== 'GET')
    .map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replaceAll(':id', '[^/]+')}$`),
      validate: versionedValidator(versions, route),
    }));
  const list: ReadRoute = {
    method: 'GET',
    operationId: 'api_versions_list',
    docs: {
      summary: 'List API versions',
      description:
        'Returns the versions that you can send in `Service-Version`, the newest first, with their changes. All versions are on one page.',
    },
    response: {
      kind: 'objects',
      name: 'ApiVersion',
      schema: ServedVersion,
      example: {
        id: versions.newest,
        object: 'api_version',
        latest: true,
        changelog: versions.all[0].sentence,
      },
    },
    path: '/v1/api_versions',
    permission: null,
    object: 'api_version',
    expandable: null,
    query: {},
    async read({ versionsServed }) {
      const served = versions.all.filter(({ date }) => versionsServed.includes(date));
      return {
        object: 'list',
        count: served.length,
        has_more: false,
        data: served.map(({ date, sentence }, index) => ({
          id: date,
          object: 'api_version',
          latest: index === 0,
          changelog: sentence,
        })),
      };
    },
  };
  const preview: ReadRoute = {
    method: 'GET',
    operationId: 'account_api_version_preview',
    docs: {
      summary: 'Preview an upgrade',
      description:
        'Shows which of the account’s last 100 requests and events would differ in another version, and how. It also shows which requests would be refused. GET requests are not logged, so they are not compared. Your key also needs `logs.read` and `events.read`.',
    },
    response: {
      kind: 'object',
      name: 'ApiVersionPreview',
      schema: UpgradePreview,
      example: upgradePreviewExample,
    },
    path: '/v1/account/api_version/preview',
    permission: 'accounts.read',
    object: 'api_version_preview',
    expandable: null,
    query: {
      to: Type.String({
        maxLength: 40,
        description: 'The version to compare with. The default is the latest.',
      }),
    },
    async read(request, query) {
      // The preview shows parts of logs and events.
      for (const needed of ['logs.read', 'events.read']) requirePermission(needed, request.principal);
      return previewUpgrade(context, previewed, request, query.to === undefined ? undefined : String(query.to));
    },
  };
  return [list, preview];
}

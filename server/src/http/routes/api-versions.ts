import type { ReadRoute, Route } from '../route.ts';
import { Type } from 'typebox';
import { closedObject, described, oneOf } from '../../model/schemas.ts';
import { previewUpgrade, UpgradePreview, upgradePreviewExample } from './upgrade-preview.ts';
import { versionedValidator } from '../body/input.ts';
import type { HttpContext } from '../context.ts';
import { requirePermission } from '../../model/permissions.ts';

const ServedVersion = closedObject({
  id: Type.String({ description: 'The date: what `Service-Version` takes.' }),
  object: described(oneOf('api_version'), 'What kind of object it is.'),
  latest: Type.Boolean({
    description:
      'Whether it is the newest here: the one that new accounts are pinned to, unless the deployment says otherwise.',
  }),
  changelog: Type.String({ description: 'What changed with it: what has to be changed by whoever upgrades to it.' }),
});

/**
 * What an account can learn of the API's versions: which there are, and what another one would make of what it does. The account
 * changes its own version at `/v1/account/api_version`, which is an action of accounts.
 *
 * @param routes whose requests can be previewed.
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
      summary: 'List the versions of the API',
      description:
        'The versions that `Service-Version` takes, the newest first, with what changed in each. All of them are on one page.',
    },
    answer: {
      kind: 'objects',
      name: 'ApiVersion',
      schema: ServedVersion,
      example: {
        id: versions.newest,
        object: 'api_version',
        latest: true,
        changelog: versions.all[0]!.sentence,
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
        'Which of the last 100 requests and events of the account would look different in another version, and how. Requests that would be refused as they were sent say so. GET requests are not logged, so they are not looked at. The key also needs `logs.read` and `events.read`.',
    },
    answer: {
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
        description: 'The version to compare with: the latest unless you say otherwise.',
      }),
    },
    async read(request, query) {
      // It shows what they show.
      for (const needed of ['logs.read', 'events.read']) requirePermission(needed, request.principal.permissions);
      return previewUpgrade(context, previewed, request, query.to as string | undefined);
    },
  };
  return [list, preview];
}

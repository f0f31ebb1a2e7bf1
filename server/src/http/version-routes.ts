import type { HttpContext } from './call.ts';
import type { ReadRoute, Route } from './routes.ts';
import { Type } from 'typebox';
import { requirePermission } from './permission.ts';
import { previewUpgrade } from './upgrade-preview.ts';
import { versionedValidator } from './input.ts';

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
    path: '/v1/account/api_version/preview',
    permission: 'accounts.read',
    object: 'api_version_preview',
    expandable: null,
    query: { to: Type.String({ maxLength: 40 }) },
    async read(call, query) {
      // It shows what they show.
      for (const needed of ['logs.read', 'events.read']) requirePermission(needed, call.key!.permissions);
      return previewUpgrade(context, previewed, call, query.to as string | undefined);
    },
  };
  return [list, preview];
}

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { listSearch, parseSearch, pick, stringifySearch } from './list/list-search.ts';
import { NotFoundPage } from './pages/not-found.tsx';
import { basePath } from './place.ts';
import { pathOfId } from './shell/navigation.ts';
import { Shell, ShellError, ShellSkeleton } from './shell/shell.tsx';

/* Each route names its search parameters. Its page is a file that loads when it is first shown. */

const rootRoute = createRootRoute({
  validateSearch: (search): { account?: string } => pick(search, ['account']),
  // The account stays while the person goes from page to page.
  search: { middlewares: [retainSearchParams(['account'])] },
});

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/link',
  component: lazyRouteComponent(() => import('./pages/link.tsx'), 'LinkPage'),
});

const identityProviderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/identity-provider',
  component: lazyRouteComponent(() => import('./pages/identity-provider.tsx'), 'IdentityProviderPage'),
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/home.tsx'), 'HomePage'),
});

const goRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/go/$id',
  beforeLoad: ({ params }) => {
    const path = pathOfId(params.id);
    if (path !== null) throw redirect({ to: path, replace: true });
  },
  component: NotFoundPage,
});

export const eventListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events',
  validateSearch: listSearch('type', 'object_id', 'related_object', 'actor'),
  component: lazyRouteComponent(() => import('./pages/events/event-list.tsx'), 'EventListPage'),
});

export const eventRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('./pages/events/event-detail.tsx'), 'EventPage'),
});

export const logListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/logs',
  validateSearch: listSearch(
    'method',
    'path',
    'status',
    'error_code',
    'key',
    'user',
    'source',
    'idempotency_key',
    'view',
  ),
  component: lazyRouteComponent(() => import('./pages/logs/log-list.tsx'), 'LogListPage'),
});

export const logRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/logs/$id',
  component: lazyRouteComponent(() => import('./pages/logs/log-detail.tsx'), 'LogPage'),
});

export const webhookListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  validateSearch: listSearch(),
  component: lazyRouteComponent(() => import('./pages/webhooks/endpoint-list.tsx'), 'EndpointListPage'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$id',
  validateSearch: listSearch('status', 'type'),
  component: lazyRouteComponent(() => import('./pages/webhooks/endpoint-detail.tsx'), 'EndpointPage'),
});

export const apiKeyListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys',
  validateSearch: listSearch(),
  component: lazyRouteComponent(() => import('./pages/api-keys/key-list.tsx'), 'ApiKeysPage'),
});

const newKeyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys/new',
  component: lazyRouteComponent(() => import('./pages/api-keys/new-key.tsx'), 'NewKeyPage'),
});

export const upgradeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys/upgrade',
  validateSearch: (search): { to?: string } => pick(search, ['to']),
  component: lazyRouteComponent(() => import('./pages/api-keys/upgrade.tsx'), 'UpgradePage'),
});

export const apiKeyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys/$id',
  component: lazyRouteComponent(() => import('./pages/api-keys/key-detail.tsx'), 'ApiKeyPage'),
});

export const accountListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/accounts',
  validateSearch: listSearch(),
  component: lazyRouteComponent(() => import('./pages/accounts/account-list.tsx'), 'AccountListPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('./pages/team/team.tsx'), 'TeamPage'),
});

/** A member has no page of its own. Links to one lead to the team. */
const memberRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team/$id',
  beforeLoad: () => {
    throw redirect({ to: '/team', replace: true });
  },
});

const meRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/me',
  component: lazyRouteComponent(() => import('./pages/me/me.tsx'), 'MePage'),
});

const cliRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/cli',
  component: lazyRouteComponent(() => import('./pages/cli/cli.tsx'), 'CliPage'),
});

const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    linkRoute,
    identityProviderRoute,
    shellRoute.addChildren([
      homeRoute,
      goRoute,
      logListRoute,
      logRoute,
      eventListRoute,
      eventRoute,
      webhookListRoute,
      webhookRoute,
      apiKeyListRoute,
      newKeyRoute,
      upgradeRoute,
      apiKeyRoute,
      accountListRoute,
      settingsRoute,
      teamRoute,
      memberRoute,
      meRoute,
      cliRoute,
      unknownRoute,
    ]),
  ]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: ShellSkeleton,
  defaultErrorComponent: ShellError,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

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
import { basePath } from './base-url.ts';
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

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: (search): { view?: string } => pick(search, ['view']),
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

export const recordRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/records/$id',
  component: lazyRouteComponent(() => import('./pages/records/record-detail.tsx'), 'RecordPage'),
});

export const eventListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events',
  validateSearch: listSearch('type', 'object_id', 'related_object', 'actor', 'since', 'until'),
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
    'since',
    'until',
    'view',
  ),
  component: lazyRouteComponent(() => import('./pages/logs/log-list.tsx'), 'LogListPage'),
});

export const logRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/logs/$id',
  component: lazyRouteComponent(() => import('./pages/logs/log-detail.tsx'), 'LogPage'),
});

export const emailListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/emails',
  validateSearch: listSearch('to', 'since', 'until'),
  component: lazyRouteComponent(() => import('./pages/emails/email-list.tsx'), 'EmailListPage'),
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

export const workflowListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows',
  validateSearch: listSearch('status'),
  component: lazyRouteComponent(() => import('./pages/workflows/workflow-list.tsx'), 'WorkflowListPage'),
});

const newWorkflowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./pages/workflows/workflow-editor.tsx'), 'NewWorkflowPage'),
});

export const workflowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows/$id',
  validateSearch: listSearch('status'),
  component: lazyRouteComponent(() => import('./pages/workflows/workflow-detail.tsx'), 'WorkflowPage'),
});

export const workflowEditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows/$id/edit',
  component: lazyRouteComponent(() => import('./pages/workflows/workflow-editor.tsx'), 'EditWorkflowPage'),
});

export const workflowRunRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflow-runs/$id',
  component: lazyRouteComponent(() => import('./pages/workflows/run-detail.tsx'), 'WorkflowRunPage'),
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

export const approvalListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals',
  validateSearch: listSearch('status', 'type'),
  component: lazyRouteComponent(() => import('./pages/approvals/approval-list.tsx'), 'ApprovalListPage'),
});

export const approvalRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals/$id',
  component: lazyRouteComponent(() => import('./pages/approvals/approval-detail.tsx'), 'ApprovalPage'),
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

export const applicationListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/applications',
  validateSearch: listSearch('status'),
  component: lazyRouteComponent(() => import('./pages/applications/application-list.tsx'), 'ApplicationListPage'),
});

const newApplicationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/applications/new',
  component: lazyRouteComponent(() => import('./pages/applications/new-application.tsx'), 'NewApplicationPage'),
});

export const applicationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/applications/$id',
  component: lazyRouteComponent(() => import('./pages/applications/application-detail.tsx'), 'ApplicationPage'),
});

export const referenceListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/references',
  validateSearch: listSearch('status', 'outcome'),
  component: lazyRouteComponent(() => import('./pages/references/reference-list.tsx'), 'ReferenceListPage'),
});

export const referenceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/references/$id',
  component: lazyRouteComponent(() => import('./pages/references/reference-detail.tsx'), 'ReferencePage'),
});

export const customerListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/customers',
  validateSearch: listSearch('email'),
  component: lazyRouteComponent(() => import('./pages/customers/customer-list.tsx'), 'CustomerListPage'),
});

export const customerRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/customers/$id',
  component: lazyRouteComponent(() => import('./pages/customers/customer-detail.tsx'), 'CustomerPage'),
});

export const holdListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/retention-holds',
  validateSearch: listSearch('kind', 'status'),
  component: lazyRouteComponent(() => import('./pages/customers/hold-list.tsx'), 'HoldListPage'),
});

export const fileListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files',
  validateSearch: listSearch('purpose'),
  component: lazyRouteComponent(() => import('./pages/files/file-list.tsx'), 'FileListPage'),
});

export const fileRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files/$id',
  component: lazyRouteComponent(() => import('./pages/files/file-detail.tsx'), 'FilePage'),
});

export const homeListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/units',
  validateSearch: listSearch('status', 'archived'),
  component: lazyRouteComponent(() => import('./pages/homes/home-list.tsx'), 'HomeListPage'),
});

export const homeDetailRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/units/$id',
  component: lazyRouteComponent(() => import('./pages/homes/home-detail.tsx'), 'HomeDetailPage'),
});

const homeBoardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/units/board',
  component: lazyRouteComponent(() => import('./pages/homes/home-board.tsx'), 'HomeBoardPage'),
});

export const homeCalendarRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/units/calendar',
  validateSearch: (search): { month?: string } => pick(search, ['month']),
  component: lazyRouteComponent(() => import('./pages/homes/home-calendar.tsx'), 'HomeCalendarPage'),
});

export const buildingListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/buildings',
  validateSearch: listSearch('archived'),
  component: lazyRouteComponent(() => import('./pages/homes/building-list.tsx'), 'BuildingListPage'),
});

export const buildingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/buildings/$id',
  component: lazyRouteComponent(() => import('./pages/homes/building-detail.tsx'), 'BuildingPage'),
});

export const tenancyListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenancies',
  validateSearch: listSearch('status', 'in_arrears'),
  component: lazyRouteComponent(() => import('./pages/tenancies/tenancy-list.tsx'), 'TenancyListPage'),
});

export const tenancyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenancies/$id',
  component: lazyRouteComponent(() => import('./pages/tenancies/tenancy-detail.tsx'), 'TenancyPage'),
});

export const billListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/invoices',
  validateSearch: listSearch('status', 'overdue'),
  component: lazyRouteComponent(() => import('./pages/rent/bill-list.tsx'), 'BillListPage'),
});

export const billRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/invoices/$id',
  component: lazyRouteComponent(() => import('./pages/rent/bill-detail.tsx'), 'BillPage'),
});

export const arrearsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/arrears',
  validateSearch: listSearch(),
  component: lazyRouteComponent(() => import('./pages/rent/arrears-list.tsx'), 'ArrearsPage'),
});

export const paymentListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/payments',
  validateSearch: listSearch('status', 'method'),
  component: lazyRouteComponent(() => import('./pages/rent/payment-list.tsx'), 'PaymentListPage'),
});

export const paymentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/payments/$id',
  component: lazyRouteComponent(() => import('./pages/rent/payment-detail.tsx'), 'PaymentPage'),
});

export const chargeListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/subscriptions',
  validateSearch: listSearch('status', 'type'),
  component: lazyRouteComponent(() => import('./pages/rent/charge-list.tsx'), 'ChargeListPage'),
});

export const chargeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/subscriptions/$id',
  component: lazyRouteComponent(() => import('./pages/rent/charge-detail.tsx'), 'ChargePage'),
});

export const depositListRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deposits',
  validateSearch: listSearch('status', 'type'),
  component: lazyRouteComponent(() => import('./pages/deposits/deposit-list.tsx'), 'DepositListPage'),
});

export const depositRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deposits/$id',
  component: lazyRouteComponent(() => import('./pages/deposits/deposit-detail.tsx'), 'DepositPage'),
});

const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    linkRoute,
    identityProviderRoute,
    shellRoute.addChildren([
      homeRoute,
      goRoute,
      recordRoute,
      logListRoute,
      logRoute,
      eventListRoute,
      eventRoute,
      emailListRoute,
      webhookListRoute,
      webhookRoute,
      workflowListRoute,
      newWorkflowRoute,
      workflowRoute,
      workflowEditRoute,
      workflowRunRoute,
      apiKeyListRoute,
      newKeyRoute,
      upgradeRoute,
      apiKeyRoute,
      approvalListRoute,
      approvalRoute,
      accountListRoute,
      settingsRoute,
      teamRoute,
      memberRoute,
      meRoute,
      cliRoute,
      applicationListRoute,
      newApplicationRoute,
      applicationRoute,
      referenceListRoute,
      referenceRoute,
      customerListRoute,
      customerRoute,
      holdListRoute,
      fileListRoute,
      fileRoute,
      homeListRoute,
      homeBoardRoute,
      homeCalendarRoute,
      homeDetailRoute,
      buildingListRoute,
      buildingRoute,
      tenancyListRoute,
      tenancyRoute,
      arrearsRoute,
      billListRoute,
      billRoute,
      paymentListRoute,
      paymentRoute,
      chargeListRoute,
      chargeRoute,
      depositListRoute,
      depositRoute,
      unknownRoute,
    ]),
  ]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: ShellSkeleton,
  defaultErrorComponent: ShellError,
  defaultPreload: 'intent',
  // What a page remembers, such as an open dialog, belongs to one record of one account. The shell stays.
  defaultRemountDeps: ({ routeId, params, search }) =>
    routeId === shellRoute.id ? undefined : [params, search.account],
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

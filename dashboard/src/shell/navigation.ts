import type { IconName } from '@tenure/ui';

export interface NavigationEntry {
  href: string;
  name: string;
  icon: IconName;
  /** The key that leads here after `g`. */
  key: string;
  /** The paths of other pages that belong to it. */
  others?: readonly string[];
  /** Without this permission, the entry is left out. */
  permission?: string;
  /** Whether live mode has no such page. */
  isSandboxOnly?: true;
}

export interface NavigationGroup {
  title: string | null;
  entries: readonly NavigationEntry[];
}

/** The group that an operator does not see. */
const developersTitle = 'Developers';

/** The pages in the sidebar, in the command palette and behind the keys. A new page adds an entry here. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: null,
    entries: [
      { href: '/', name: 'Home', icon: 'home', key: 'h' },
      { href: '/approvals', name: 'Approvals', icon: 'check', key: 'v', permission: 'approval_requests.read' },
    ],
  },
  {
    title: 'Office',
    entries: [
      { href: '/applications', name: 'Applications', icon: 'clipboard', key: 'p', permission: 'applications.read' },
      { href: '/references', name: 'Checks', icon: 'reference', key: 'r', permission: 'references.read' },
      {
        href: '/customers',
        name: 'People',
        icon: 'person',
        key: 'c',
        permission: 'customers.read',
        others: ['/retention-holds'],
      },
      {
        href: '/units',
        name: 'Properties',
        icon: 'building',
        key: 'o',
        permission: 'units.read',
        others: ['/buildings'],
      },
      { href: '/tenancies', name: 'Tenancies', icon: 'tenancy', key: 'n', permission: 'tenancies.read' },
      {
        href: '/arrears',
        name: 'Rent',
        icon: 'money',
        key: 'i',
        permission: 'tenancies.read',
        others: ['/invoices', '/payments', '/subscriptions'],
      },
      { href: '/deposits', name: 'Deposits', icon: 'safe', key: 'd', permission: 'deposits.read' },
      { href: '/files', name: 'Files', icon: 'file', key: 'f', permission: 'files.read' },
    ],
  },
  {
    title: developersTitle,
    entries: [
      { href: '/logs', name: 'Logs', icon: 'log', key: 'l', permission: 'logs.read' },
      { href: '/events', name: 'Events', icon: 'event', key: 'e', permission: 'events.read' },
      { href: '/webhooks', name: 'Webhooks', icon: 'webhook', key: 'w', permission: 'webhook_endpoints.read' },
      {
        href: '/workflows',
        name: 'Workflows',
        icon: 'activity',
        key: 'u',
        permission: 'workflows.read',
        others: ['/workflow-runs'],
      },
      { href: '/api-keys', name: 'API keys', icon: 'key', key: 'k', permission: 'api_keys.read' },
      {
        href: '/emails',
        name: 'E-mails',
        icon: 'mail',
        key: 'm',
        permission: 'file_contents.read',
        isSandboxOnly: true,
      },
    ],
  },
  {
    title: 'Account',
    entries: [
      { href: '/team', name: 'Team', icon: 'team', key: 't', permission: 'users.read' },
      { href: '/accounts', name: 'Connected accounts', icon: 'account', key: 'a', permission: 'accounts.read' },
      { href: '/settings', name: 'Settings', icon: 'settings', key: 's', permission: 'accounts.read' },
    ],
  },
];

/** Returns whether a person works in the office only. An operator changes its records, but sees no logs. */
export function isOfficeOnly(permissions: readonly string[]): boolean {
  return permissions.includes('references.write') && !permissions.includes('logs.read');
}

/** Returns whether the start page of a person is that of the office: they see applications, and no logs. */
export function worksInOffice(permissions: readonly string[]): boolean {
  return permissions.includes('applications.read') && !permissions.includes('logs.read');
}

/** Returns the groups with the pages that the permissions and the mode allow. An operator has no pages of developers. */
export function navigationFor(permissions: readonly string[], mode: 'sandbox' | 'live'): NavigationGroup[] {
  return navigation
    .filter(({ title }) => title !== developersTitle || !isOfficeOnly(permissions))
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(
        ({ permission, isSandboxOnly }) =>
          (permission === undefined || permissions.includes(permission)) && !(isSandboxOnly && mode === 'live'),
      ),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The prefixes of kinds without a page of their own. A page of all kinds shows their records as JSON. */
const prefixesWithoutPage = ['bln', 'fln', 'gua', 'hold', 'pim', 'psn'] as const;

export type PrefixWithoutPage = (typeof prefixesWithoutPage)[number];

/** The path of a record by the prefix of its id. `/go/<id>` and the command palette follow it. */
const pathOfPrefix: ReadonlyMap<string, string> = new Map<string, string>([
  ['app', '/applications'],
  ['apr', '/approvals'],
  ['bld', '/buildings'],
  ['cus', '/customers'],
  ['dep', '/deposits'],
  ['evt', '/events'],
  ['file', '/files'],
  ['in', '/invoices'],
  ['inv', '/team'],
  ['key', '/api-keys'],
  ['pay', '/payments'],
  ['ref', '/references'],
  ['req', '/logs'],
  ['sub', '/subscriptions'],
  ['ten', '/tenancies'],
  ['unit', '/units'],
  ['usr', '/team'],
  ['we', '/webhooks'],
  ['wf', '/workflows'],
  ['wfr', '/workflow-runs'],
  ['acct', '/records'],
  ...prefixesWithoutPage.map((prefix) => [prefix, '/records'] as const),
]);

/** The paths of developers: those in the navigation, and any record as JSON. The sign-in of the command line refuses with its own words. */
const developerPaths = [
  ...navigation
    .filter(({ title }) => title === developersTitle)
    .flatMap(({ entries }) => entries.map(({ href }) => href)),
  '/records',
];

/** Returns whether a path belongs to the page of another path, or is that page. */
export function isWithin(path: string, href: string): boolean {
  return path === href || (href !== '/' && path.startsWith(`${href}/`));
}

/** Returns whether a person has a page at a path. An operator has none of those for developers. */
export function maySee(path: string, permissions: readonly string[]): boolean {
  return !isOfficeOnly(permissions) || !developerPaths.some((href) => isWithin(path, href));
}

/** Returns the prefix of an id, or null if the text is no id. */
export function prefixOf(id: string): string | null {
  return /^([a-z]+)_[0-9A-Za-z]+$/.exec(id)?.[1] ?? null;
}

/** Returns the page of an id, or null if the dashboard has none for its prefix. */
export function pathOfId(id: string): string | null {
  const path = pathOfPrefix.get(prefixOf(id) ?? '');
  return path === undefined ? null : `${path}/${id}`;
}

/** Returns the page of an id in words, or null if there is none. The page of any kind is for developers. */
export function officePathOfId(id: string): string | null {
  const path = pathOfId(id);
  return path?.startsWith('/records/') ? null : path;
}

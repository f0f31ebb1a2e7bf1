import type { IconName } from '@tenure/ui';

export interface NavigationEntry {
  href: string;
  name: string;
  icon: IconName;
  /** The key that leads here after `g`. */
  key: string;
  /** Without this permission, the entry is left out. */
  permission?: string;
}

export interface NavigationGroup {
  title: string | null;
  entries: readonly NavigationEntry[];
}

/** The pages in the sidebar, in the command palette and behind the keys. A new page adds an entry here. */
export const navigation: readonly NavigationGroup[] = [
  { title: null, entries: [{ href: '/', name: 'Home', icon: 'home', key: 'h' }] },
  {
    title: 'Developers',
    entries: [
      { href: '/logs', name: 'Logs', icon: 'log', key: 'l', permission: 'logs.read' },
      { href: '/events', name: 'Events', icon: 'event', key: 'e', permission: 'events.read' },
      { href: '/webhooks', name: 'Webhooks', icon: 'webhook', key: 'w', permission: 'webhook_endpoints.read' },
      { href: '/api-keys', name: 'API keys', icon: 'key', key: 'k', permission: 'api_keys.read' },
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

/** Returns the groups with the pages that these permissions allow. */
export function navigationFor(permissions: readonly string[]): NavigationGroup[] {
  return navigation
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ permission }) => permission === undefined || permissions.includes(permission)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The path of a record by the prefix of its id. `/go/<id>` and the command palette follow it. */
const pathOfPrefix = new Map([
  ['evt', '/events'],
  ['inv', '/team'],
  ['key', '/api-keys'],
  ['req', '/logs'],
  ['usr', '/team'],
  ['we', '/webhooks'],
]);

/** Returns the page of an id, or null if the dashboard has none for its prefix. */
export function pathOfId(id: string): string | null {
  const [, prefix] = /^([a-z]+)_[0-9A-Za-z]+$/.exec(id) ?? [];
  const path = prefix === undefined ? undefined : pathOfPrefix.get(prefix);
  return path === undefined ? null : `${path}/${id}`;
}

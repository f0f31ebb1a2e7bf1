/** What a key may do with a kind of record. Writing includes reading. */
export type Level = 'none' | 'read' | 'write';

/** The kinds of record that only persons may handle. The server refuses keys with such permissions. */
const personKinds: ReadonlySet<string> = new Set(['users', 'invitations']);

/** The kinds and permissions that the server refuses for agents and for workflows. */
const notForAgents: ReadonlySet<string> = new Set([
  'api_keys',
  'retention_holds',
  'accounts.write',
  'portal_sessions.write',
  'workflows.write',
]);

/** A kind of record with the highest level that the person may grant. */
export interface Grantable {
  kind: string;
  highest: 'read' | 'write';
}

/** Returns what the person may grant to a key. A key never gets more than its maker has, and an agent can create no keys. */
export function grantableTo(type: string, own: readonly string[]): Grantable[] {
  const highest = new Map<string, 'read' | 'write'>();
  for (const permission of own) {
    const [kind, level] = partsOf(permission);
    if (personKinds.has(kind)) continue;
    if (type === 'agent' && (notForAgents.has(kind) || notForAgents.has(permission))) continue;
    // Only persons decide on approval requests, and keys can read them.
    const granted = kind === 'approval_requests' ? 'read' : level;
    if (highest.get(kind) !== 'write') highest.set(kind, granted);
  }
  return [...highest].map(([kind, level]) => ({ kind, highest: level }));
}

/** Returns the level of a set of permissions for a kind of record. */
export function levelOf(permissions: readonly string[], kind: string): Level {
  if (permissions.includes(`${kind}.write`)) return 'write';
  return permissions.includes(`${kind}.read`) ? 'read' : 'none';
}

/** Returns the permissions with another level for one kind of record. */
export function withLevel(permissions: readonly string[], kind: string, level: Level): string[] {
  const others = permissions.filter((permission) => partsOf(permission)[0] !== kind);
  return level === 'none' ? others : [...others, `${kind}.${level}`];
}

/** A set of permissions for a common job. */
export interface Preset {
  id: string;
  name: string;
  /** Returns the level for a kind of record. */
  levelFor: (kind: string) => Level;
}

export const presets: readonly Preset[] = [
  { id: 'everything', name: 'Everything that you may do', levelFor: () => 'write' },
  { id: 'reading', name: 'Read everything', levelFor: () => 'read' },
  {
    id: 'references',
    name: 'Make and decide on references',
    levelFor: (kind) =>
      ['references', 'applications', 'customers', 'files'].includes(kind)
        ? 'write'
        : ['file_contents', 'events'].includes(kind)
          ? 'read'
          : 'none',
  },
  {
    id: 'webhooks',
    name: 'Manage webhooks',
    levelFor: (kind) => ({ webhook_endpoints: 'write' as const, events: 'read' as const })[kind] ?? 'none',
  },
  {
    id: 'reports',
    name: 'Report on references',
    levelFor: (kind) => (['references', 'applications', 'events'].includes(kind) ? 'read' : 'none'),
  },
];

/** Returns the permissions of a preset, as far as they can be granted. */
export function permissionsOf({ levelFor }: Preset, grantable: readonly Grantable[]): string[] {
  return grantable.flatMap(({ kind, highest }) => {
    const level = levelFor(kind);
    if (level === 'none') return [];
    return [`${kind}.${level === 'write' ? highest : 'read'}`];
  });
}

/** Returns whether two sets of permissions are the same. */
export function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((permission) => other.includes(permission));
}

/** Returns permissions in a few words, for a table. */
export function summaryOf(permissions: readonly string[]): string {
  const [first, second] = permissions;
  if (permissions.length <= 2) return [first, second].filter((each) => each !== undefined).join(', ');
  const writing = permissions.filter((permission) => permission.endsWith('.write')).length;
  return writing === 0
    ? `read ${permissions.length} kinds`
    : `write ${writing} kinds, read ${permissions.length - writing} more`;
}

/** Returns the name of a kind of record for people. */
export function nameOfKind(kind: string): string {
  const text = kind === 'file_contents' ? 'contents of files' : kind.replaceAll('_', ' ').replace('api', 'API');
  return text[0]!.toUpperCase() + text.slice(1);
}

function partsOf(permission: string): [kind: string, level: 'read' | 'write'] {
  const [kind = '', level] = permission.split('.');
  return [kind, level === 'write' ? 'write' : 'read'];
}

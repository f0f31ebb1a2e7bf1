/** Kinds of record that a key can be allowed to read, or to read and write. */
const readAndWrite = [
  'references',
  'applications',
  'customers',
  'files',
  'webhook_endpoints',
  'api_keys',
  'accounts',
] as const;

/** What nobody writes by a request can only be read. */
const readOnly = ['events', 'logs'] as const;

export type Permission = `${(typeof readAndWrite)[number]}.${'read' | 'write'}` | `${(typeof readOnly)[number]}.read`;

/** Every permission there is. */
export const permissions: readonly Permission[] = [
  ...readAndWrite.flatMap((path) => [`${path}.read`, `${path}.write`] as const),
  ...readOnly.map((path) => `${path}.read` as const),
];

/** The fewest that include every other one: what a secret key holds unless it was narrowed. */
export const allPermissions: readonly Permission[] = permissions.filter((permission) => {
  const [path, verb] = permission.split('.');
  return verb === 'write' || !permissions.includes(`${path}.write` as Permission);
});

/** Whether what is held includes what is needed; `<resource>.write` includes reading. */
export function includesPermission(held: ReadonlySet<string>, needed: string): boolean {
  if (held.has(needed)) return true;
  const [path, verb] = needed.split('.');
  return verb === 'read' && held.has(`${path}.write`);
}

/** A permission with the one that it includes, so that asking for either is a single look. */
export function withReading(permission: string): string[] {
  return permission.endsWith('.write') ? [permission, permission.replace(/write$/, 'read')] : [permission];
}

import { ApiError } from '../core/errors.ts';

/**
 * Whether a key may do this. `<resource>.write` includes reading.
 *
 * @throws {ApiError} 403, naming the permission that would do.
 */
export function requirePermission(needed: string, held: ReadonlySet<string>): void {
  if (held.has(needed)) return;
  const [resource, verb] = needed.split('.');
  if (verb === 'read' && held.has(`${resource}.write`)) return;
  throw new ApiError(
    'permission_denied',
    `This key lacks the permission \`${needed}\`. Give it that permission, or use another key.`,
  );
}

import { ApiError } from '../core/errors.ts';

/**
 * Lets a key pass that may do this.
 *
 * @throws {ApiError} 403, naming the permission that would do.
 */
export function requirePermission(needed: string, held: ReadonlySet<string>): void {
  if (mayDo(needed, held)) return;
  throw new ApiError(
    'permission_denied',
    `This key lacks the permission \`${needed}\`. Give it that permission, or use another key.`,
  );
}

/** Whether these permissions include the needed one; `<resource>.write` includes reading. */
export function mayDo(needed: string, held: ReadonlySet<string>): boolean {
  if (held.has(needed)) return true;
  const [resource, verb] = needed.split('.');
  return verb === 'read' && held.has(`${resource}.write`);
}

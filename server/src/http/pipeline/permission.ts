import { ApiError } from '../../core/errors.ts';
import { includesPermission } from '../../model/permissions.ts';

/**
 * Lets a key pass that may do this.
 *
 * @throws {ApiError} 403, naming the permission that would do.
 */
export function requirePermission(needed: string | null, held: ReadonlySet<string>): void {
  if (needed === null || includesPermission(held, needed)) return;
  throw new ApiError(
    'permission_denied',
    `This key lacks the permission \`${needed}\`. Give it that permission, or use another key.`,
  );
}

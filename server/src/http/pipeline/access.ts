import { requireOneOf, requirePermission } from '../../model/callers/permissions.ts';
import type { ApiRequest } from '../request.ts';
import { requireOwnAccount } from './account-context.ts';
import { authenticateAgain, requireSecondFactor, type AuthenticationContext } from './authenticate.ts';
import { requireFeature } from './portal.ts';

/**
 * Refuses a request that lacks a right which its route needs.
 *
 * @throws {ApiError} `second_factor_setup_required`, `permission_denied`, `person_required` or `account_invalid`.
 */
export function requireAccess(request: ApiRequest): void {
  const { principal, route } = request;
  requireSecondFactor(principal);
  for (const needed of [route.permission, ...(route.alsoNeeds ?? [])])
    requirePermission(needed, principal, route.isForPersons);
  requireFeature(route.portalFeatures, principal);
  if (route.needsOneOf) requireOneOf(route.needsOneOf, principal);
  requireOwnAccount(request);
}

/**
 * Checks the access of a request again after it has waited: for its body, for room, or for its turn. Its key, its session or its rights may
 * have ended meanwhile. The request then has its principal as it is now.
 *
 * @throws {ApiError} `api_key_expired`, `session_expired`, or an error of `requireAccess`.
 */
export async function requireAccessAgain(request: ApiRequest, context: AuthenticationContext): Promise<void> {
  const principal = await authenticateAgain(request, context);
  // It is in the cache, and has the same rights.
  if (principal === request.principal) return;
  request.principal = principal;
  requireAccess(request);
}

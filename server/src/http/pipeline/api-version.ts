import { ApiError } from '../../core/errors.ts';
import { UnknownVersionError, type ApiVersions } from '../../versions/apply.ts';
import { pinned } from './account-context.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';

/**
 * Sets the version of the response, even of an error. It is the one in the header, else the one that the key's own account is pinned to.
 * The account's first request pins it (spec, versioning). For an unknown version in the header, it is the latest.
 */
export async function settleVersion(context: HttpContext, request: AuthenticatedRequest): Promise<void> {
  const { versions, latestVersion, accounts } = context;
  request.versionsServed = versions.upTo(await latestVersion.look());
  const own = await accounts.get(request.principal.accountId);
  if (!own) throw new Error(`Bug! The account ${request.principal.accountId} of a key is not there.`);
  request.payer = { accountId: own.id, rootId: own.rootId };
  const { apiVersion } = await pinned(context, request, own);
  // The portal has one shape.
  if (request.principal.renter) {
    request.version = request.versionsServed[0];
    return;
  }
  const header = headerOf(request.incoming, 'service-version');
  if (header !== undefined)
    request.version = request.versionsServed.includes(header) ? header : request.versionsServed[0];
  // A newer release beside this one has pinned the account.
  else if (!versions.dates.includes(apiVersion)) throw new UnknownVersionError(apiVersion);
  else request.version = apiVersion;
}

/**
 * Refuses an unknown version. A guess of the nearest date would return a shape that the client does not expect.
 *
 * @throws {ApiError} `request_invalid` or `api_version_invalid`.
 */
export function requireServedVersion({ incoming, principal, versionsServed }: ReceivedRequest): void {
  if (principal?.renter) return;
  const header = onlyHeaderOf(incoming, 'Service-Version');
  if (header === undefined || versionsServed.includes(header)) return;
  throw new ApiError(
    'api_version_invalid',
    `\`Service-Version: ${header.slice(0, 40)}\` is not a version of this API. Send one of ${versionsServed.join(', ')}.`,
  );
}

/** Converts the parameters of an error to the names in the request's version. The error was found after the upgrade to the newest version. */
export function errorInVersion(versions: ApiVersions, error: ApiError, object: string, version: string): ApiError {
  const { param, message } = error;
  if (param === undefined) return error;
  const known = versions.convertName(object, param, versions.newest, version);
  const otherFaults = error.otherFaults?.map((fault) => errorInVersion(versions, fault, object, version));
  if (known === param && !otherFaults) return error;
  const { code, status, type, retryAfterSeconds, cause } = error;
  const details = {
    param: known,
    status,
    type,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(otherFaults && { otherFaults }),
  };
  return new ApiError(code, message.replaceAll(`\`${param}\``, `\`${known}\``), details);
}

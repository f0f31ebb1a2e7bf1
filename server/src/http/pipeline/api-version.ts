import { ApiError } from '../../core/errors.ts';
import { UnknownVersionError, type ApiVersions } from '../../versions/apply.ts';
import { pinned } from './account-context.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';

/**
 * Settles the version a request is answered in, whatever becomes of it: the one its header names, else the one its key's own account
 * is pinned to, which the account's first request does (spec, versioning). Where the header names none, the latest.
 */
export async function settleVersion(context: HttpContext, request: AuthenticatedRequest): Promise<void> {
  const { versions, latestVersion, accounts } = context;
  request.versionsServed = versions.upTo(await latestVersion.look());
  const own = await accounts.get(request.principal.accountId);
  if (!own) throw new Error(`Bug! The account ${request.principal.accountId} of a key is not there.`);
  request.payer = { accountId: own.id, rootId: own.rootId };
  const { apiVersion } = await pinned(context, request, own);
  const header = headerOf(request.incoming, 'service-version');
  if (header !== undefined)
    request.version = request.versionsServed.includes(header) ? header : request.versionsServed[0]!;
  // A newer release beside this one has pinned it.
  else if (!versions.dates.includes(apiVersion)) throw new UnknownVersionError(apiVersion);
  else request.version = apiVersion;
}

/**
 * Lets a request pass that names a version of this API, or none.
 *
 * @throws {ApiError} `request_invalid`, or `api_version_invalid`: guessing a near date would answer in a shape nobody asked for.
 */
export function requireServedVersion({ incoming, versionsServed }: ReceivedRequest): void {
  const header = onlyHeaderOf(incoming, 'Service-Version');
  if (header === undefined || versionsServed.includes(header)) return;
  throw new ApiError(
    'api_version_invalid',
    `\`Service-Version: ${header.slice(0, 40)}\` is not a version of this API. Known are ${versionsServed.join(', ')}.`,
  );
}

/** What an error says of a parameter, in the words of the request's version. It was found in what had been lifted to the newest. */
export function errorInVersion(versions: ApiVersions, error: ApiError, object: string, version: string): ApiError {
  const { param, message } = error;
  if (param === undefined) return error;
  const known = versions.convertName(object, param, versions.newest, version);
  if (known === param) return error;
  const { code, status, type, retryAfterSeconds, cause } = error;
  const details = { param: known, status, type, cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new ApiError(code, message.replaceAll(`\`${param}\``, `\`${known}\``), details);
}

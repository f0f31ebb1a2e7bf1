import type { StoredResponse } from '../../commit/write-request.ts';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { requireAccessAgain } from '../pipeline/access.ts';
import { realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import { readExpansion } from '../response/expand.ts';
import { asksForConfirmation, type WriteRoute } from '../route.ts';
import { runAfterCommit } from './after-commit.ts';
import {
  claimOf,
  keyInUse,
  loggedIdempotencyKey,
  readStoredResponse,
  type Claim,
  type ReplayedResponse,
} from './idempotency.ts';
import { logOnly } from './log-only.ts';

/** The response to a write, and the request that it was stored for if it is replayed. */
export interface ExecutedWrite {
  response: StoredResponse;
  replayed: { requestId: string; apiVersion: string } | null;
}

/**
 * Replays a request that its version refuses, if its key was used in another version. That happens after an upgrade of the account. Returns
 * null if the key was not used.
 *
 * @throws {ApiError} `permission_denied` if the API key may not read the expanded records in the response.
 */
export async function repeatOfOtherVersion(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  { expand, body }: { expand: readonly string[]; body: JsonObject },
): Promise<ExecutedWrite | null> {
  request.idempotencyKey = loggedIdempotencyKey(request.incoming);
  const claim = claimOf(request, body);
  const stored =
    claim && (await readStoredResponse(context, request.accountId, claim, request.startedMs).catch(unlessReused));
  if (!stored) return null;
  // The paths were valid in that version, but another API key may ask now.
  readExpansion(context, { ...request, version: stored.apiVersion }, route.expandable, expand);
  return replayOrRefuse(context, request, route, claim);
}

/** Ignores a reused key, because the request is refused for another reason anyway. */
function unlessReused(error: unknown): null {
  if (error instanceof ApiError && error.code === 'idempotency_key_reused') return null;
  throw error;
}

/** Returns whether the key already has a response, so that the request is not executed again. */
export async function isRepeat(context: HttpContext, request: ApiRequest, claim: Claim | null): Promise<boolean> {
  return claim !== null && (await readStoredResponse(context, request.accountId, claim, request.startedMs)) !== null;
}

/** @throws {ApiError} `idempotency_key_in_use` if another process had claimed the key, and has released it without a response. */
export async function replayOrRefuse(...replayed: Parameters<typeof replay>): Promise<ExecutedWrite> {
  const repeated = await replay(...replayed);
  if (!repeated) throw keyInUse();
  return repeated;
}

/**
 * Sends the stored response of a key again, and logs that. Returns null if there is none.
 *
 * @throws {ApiError} if the access of the request has ended. Also if the caller may not read the secret of the response.
 */
export async function replay(
  context: HttpContext,
  request: ApiRequest,
  route: WriteRoute,
  claim: Claim,
): Promise<ExecutedWrite | null> {
  const logged = { ...request };
  let response: ReplayedResponse | null = null as ReplayedResponse | null;
  await logOnly(context, logged, async () => {
    const stored = await readStoredResponse(context, request.accountId, claim, request.startedMs);
    // The repetition may have waited for room.
    await requireAccessAgain(request, context);
    response = stored;
    if (!stored) return null;
    // Another API key with the same Idempotency-Key may lack the rights that the secret gives.
    // A person reads a secret only after a confirmation, so a replay shows none of another principal.
    const mayRead = isSecretReadable(route) && !request.principal.person;
    if (stored.secret && stored.principalId !== request.principal.id && !mayRead) {
      throw new ApiError(
        'permission_denied',
        'This Idempotency-Key was used with another API key, and its response has a secret. Only that API key can get it again. Use that key, or a new Idempotency-Key.',
      );
    }
    // The log of the first request tells an old session its key. So the repetition asks for a confirmation, too.
    if (stored.secret && asksForConfirmation(route)) requireConfirmation(request.principal, realSecondsOf(context));
    request.originalRequest = stored.requestId;
    // The person of the first request was erased since.
    if (stored.isBodyErased) request.bodyText = null;
    Object.assign(logged, request, { version: stored.apiVersion });
    return stored;
  });
  if (!response) return null;
  // The process that committed it may have ended before it did what follows.
  if (response.status === 200) await runAfterCommit(context, request, route);
  return { response, replayed: { requestId: response.requestId, apiVersion: response.apiVersion } };
}

/** Returns whether the secret of the response is stored. Then a key with this route's permission can read it at any time. */
function isSecretReadable({ response }: WriteRoute): boolean {
  if (!('resource' in response)) return false;
  const secrets = Object.values(response.resource.fields).filter(({ shown }) => shown === 'as_secret');
  return secrets.every(({ column }) => column !== null);
}

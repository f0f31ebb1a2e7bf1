import type { RequestFacts } from '../../commit/write-request.ts';
import { maskSecrets, maskSecretsInUrl } from '../../core/secrets/mask-secrets.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';
import { pathOf } from '../pipeline/known-paths.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { loggedIdempotencyKey } from './idempotency.ts';

/** Returns the facts about a request that its log and events show. */
export function requestFacts(
  { secretMembers }: Pick<HttpContext, 'secretMembers'>,
  request: AuthenticatedRequest,
): RequestFacts {
  const { incoming, principal } = request;
  return {
    id: request.id,
    startedMs: request.startedMs,
    method: incoming.method,
    url: maskSecretsInUrl(secretMembers.redactUrl(incoming.url)),
    path: storablePath(incoming.url),
    ipAddress: request.client.address,
    userAgent: masked(headerOf(incoming, 'user-agent')?.slice(0, 500)),
    actor: principal,
    traceParent: request.traceParent,
    // A replay changes these to the values of the first request.
    get apiVersion() {
      return request.version;
    },
    get originalRequest() {
      return request.originalRequest;
    },
    // In the portal, the header has no effect.
    idempotencyKey: principal.renter ? null : masked(loggedIdempotencyKey(request.incoming)),
    // A decision can remove the body from the log.
    get body() {
      return request.bodyText;
    },
  };
}

/** Longer than any valid path. A client's longer path would not fit into an index. */
const pathLengthMax = 500;

/** Replaces NUL characters, which PostgreSQL does not store, and shortens the path. */
function storablePath(url: string): string {
  return maskSecrets(pathOf(url)).replaceAll('\0', '\ufffd').slice(0, pathLengthMax).toWellFormed();
}

function masked(text: string | null | undefined): string | null {
  return typeof text === 'string' ? maskSecrets(text) : null;
}

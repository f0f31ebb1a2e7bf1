import { errorCatalogue, type ErrorCode } from '../../core/errors.ts';
import type { Route } from '../route.ts';
import { replayHeaders, responseHeaders } from './headers.ts';
import type { Piece } from './published.ts';
import type { Schemas } from './schemas.ts';

/** Statuses with the same errors for every operation, with the names of their components. */
const sharedStatuses: Record<number, { name: string; when: string }> = {
  401: { name: 'Unauthorized', when: 'There is no valid key.' },
  403: { name: 'Forbidden', when: 'The key lacks the permission, or does not reach this account.' },
  404: { name: 'NotFound', when: 'The record does not exist in the account.' },
  409: { name: 'Conflict', when: 'Another request with this `Idempotency-Key` is still running.' },
  413: { name: 'ContentTooLarge', when: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', when: 'The content type of the body is not supported.' },
  429: {
    name: 'TooManyRequests',
    when: 'There were too many requests in a second, or too many uploads, downloads, streams or large responses at once.',
  },
  500: { name: 'InternalServerError', when: 'The server has an error, and nothing was changed.' },
  503: { name: 'ServiceUnavailable', when: 'The server cannot handle the request now.' },
};

/** Codes that occur before the operation is known. */
const withoutOperation: ReadonlySet<ErrorCode> = new Set([
  'method_not_allowed',
  'route_unknown',
  'headers_too_large',
  'request_timeout',
]);

/** Returns the error responses of an operation, by status. Those of 400 are its own, and the others are shared. */
export function refusalsOf(schemas: Schemas, route: Route): Record<string, Piece> {
  const { method, path, docs, portalFeatures } = route;
  const badRequest = refusal(schemas, 'The request is invalid.', badRequestCodes(route), replayHeaders(route));
  const can: Record<number, boolean> = {
    404: path.includes(':id') || (docs.refusals ?? []).includes('resource_missing'),
    409: method === 'POST' && !portalFeatures,
    413: method !== 'GET',
    415: method !== 'GET',
  };
  const shared = Object.keys(sharedStatuses).map(Number);
  return { '400': badRequest, ...sharedRefusals(...shared.filter((status) => can[status] ?? true)) };
}

/** Returns references to the shared error responses of these statuses. */
export function sharedRefusals(...statuses: number[]): Record<string, Piece> {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${sharedStatuses[status]!.name}` }]),
  );
}

/** Returns the shared error responses, for the components of a document. */
export function refusalComponents(schemas: Schemas): Record<string, Piece> {
  return Object.fromEntries(
    Object.entries(sharedStatuses).map(([status, { name, when }]) => {
      const codes = codesOfStatus(Number(status));
      const headers = [
        // A stored error is replayed like any other response.
        ...(['404', '500'].includes(status) ? ['Idempotent-Replayed', 'Original-Request'] : []),
        ...(['409', '429', '503'].includes(status) ? ['Retry-After'] : []),
      ];
      return [name, refusal(schemas, when, codes, headers)];
    }),
  );
}

function codesOfStatus(status: number): ErrorCode[] {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return codes.filter((code) => errorCatalogue[code].status === status && !withoutOperation.has(code));
}

/** Returns the codes of an operation's errors with status 400. */
function badRequestCodes({ method, query, expandable, docs, portalFeatures, ...route }: Route): ErrorCode[] {
  const isOfPortal = portalFeatures !== undefined;
  const members = 'body' in route ? Object.keys(route.body.properties) : [];
  // A link into a member, such as `lines.invoice`, belongs to the member.
  const links = Object.keys(expandable?.resource.links ?? {}).map((link) => link.split('.')[0]!);
  const codes: (ErrorCode | false)[] = [
    !isOfPortal && 'account_invalid',
    !isOfPortal && 'api_version_invalid',
    method !== 'GET' && 'body_invalid',
    method === 'POST' && !isOfPortal && 'idempotency_key_invalid',
    method === 'POST' && !isOfPortal && 'idempotency_key_reused',
    'parameter_invalid',
    members.length > 0 && 'parameter_missing',
    'parameter_unknown',
    'starting_after' in query && 'parameters_exclusive',
    'request_invalid',
    // An account with strict links refuses links to missing records.
    links.some((link) => members.includes(link)) && 'resource_missing',
    // A missing record that a body names is an error of the body.
    ...(docs.refusals ?? []).filter((code) => method === 'POST' || errorCatalogue[code].status === 400),
  ];
  return codes.filter((code) => code !== false).sort();
}

/** Returns an error response with these codes. */
export function refusal(schemas: Schemas, when: string, codes: ErrorCode[], headers: string[]): Piece {
  const listed = codes.map((code) => `\`${code}\``).join(', ');
  return {
    description: `${when} Codes: ${listed}.`,
    headers: responseHeaders('Service-Should-Retry', ...headers),
    content: { 'application/json': { schema: schemas.error() } },
    'x-error-codes': codes,
  };
}

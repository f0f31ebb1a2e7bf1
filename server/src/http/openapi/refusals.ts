import { errorCatalogue, type ErrorCode } from '../../core/errors.ts';
import type { Route } from '../route.ts';
import { answerHeaders } from './headers.ts';
import type { Piece, Schemas } from './schemas.ts';

/** Statuses whose refusals are the same for every operation that can have them, by the names of their components. */
const sharedStatuses: Record<number, { name: string; when: string }> = {
  401: { name: 'Unauthorized', when: 'There is no good key.' },
  403: { name: 'Forbidden', when: 'The key may not do this, or not with this account.' },
  404: { name: 'NotFound', when: 'There is no such record in the account.' },
  409: { name: 'Conflict', when: 'Another request with this `Idempotency-Key` is still running.' },
  413: { name: 'ContentTooLarge', when: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', when: 'The body is of a type that is not read.' },
  429: {
    name: 'TooManyRequests',
    when: 'There were too many requests within a second, or there are too many uploads, downloads, streams or large responses at once.',
  },
  500: { name: 'InternalServerError', when: 'Something went wrong on the server’s side, and nothing was changed.' },
  503: { name: 'ServiceUnavailable', when: 'The server cannot answer just now.' },
};

/** Codes that no operation can be refused with: there was no operation yet. */
const withoutOperation: ReadonlySet<ErrorCode> = new Set([
  'method_not_allowed',
  'route_unknown',
  'headers_too_large',
  'request_timeout',
]);

/** The refusals of an operation by their status: those of 400 are its own, the others the same for many. */
export function refusalsOf(schemas: Schemas, route: Route): Record<string, Piece> {
  const { method, path, docs } = route;
  const replayed = method === 'POST' ? ['Idempotent-Replayed', 'Original-Request'] : [];
  const badRequest = refusal(schemas, 'The request is not good as it is.', badRequestCodes(route), replayed);
  const can: Record<number, boolean> = {
    404: path.includes(':id') || (docs.refusals ?? []).includes('resource_missing'),
    409: method === 'POST',
    413: method !== 'GET',
    415: method !== 'GET',
  };
  const shared = Object.entries(sharedStatuses).filter(([status]) => can[Number(status)] ?? true);
  return {
    '400': badRequest,
    ...Object.fromEntries(shared.map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }])),
  };
}

/** The refusals that operations share, for the components of a document. */
export function refusalComponents(schemas: Schemas): Record<string, Piece> {
  return Object.fromEntries(
    Object.entries(sharedStatuses).map(([status, { name, when }]) => {
      const codes = codesOfStatus(Number(status));
      const headers = [
        // A refusal that was stored is repeated like any other answer.
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

/** What an operation can find wrong with a request. */
function badRequestCodes({ method, query, expandable, docs, ...route }: Route): ErrorCode[] {
  const members = 'body' in route ? Object.keys(route.body.properties) : [];
  const links = Object.keys(expandable?.resource.links ?? {});
  const codes: (ErrorCode | false)[] = [
    'account_invalid',
    'api_version_invalid',
    method !== 'GET' && 'body_invalid',
    method === 'POST' && 'idempotency_key_invalid',
    method === 'POST' && 'idempotency_key_reused',
    'parameter_invalid',
    members.length > 0 && 'parameter_missing',
    'parameter_unknown',
    'starting_after' in query && 'parameters_exclusive',
    'request_invalid',
    // An account whose links are strict refuses those to what is not there.
    links.some((link) => members.includes(link)) && 'resource_missing',
    // Of a record that a body names, that it is missing is a fault of the body.
    ...(docs.refusals ?? []).filter((code) => method === 'POST' || errorCatalogue[code].status === 400),
  ];
  return codes.filter((code) => code !== false).sort();
}

function refusal(schemas: Schemas, when: string, codes: ErrorCode[], headers: string[]): Piece {
  const listed = codes.map((code) => `\`${code}\``).join(', ');
  return {
    description: `${when} Codes: ${listed}.`,
    headers: answerHeaders('Service-Should-Retry', ...headers),
    content: { 'application/json': { schema: schemas.error() } },
    'x-error-codes': codes,
  };
}

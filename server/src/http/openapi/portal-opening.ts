import type { ErrorCode } from '../../core/errors.ts';
import { accessObject, linkObject, LinkTokenBody } from '../portal/objects.ts';
import type { RouteResponse } from '../route.ts';
import { responseHeaders } from './headers.ts';
import type { Shapes } from './operations.ts';
import { refusal, sharedRefusals } from './refusals.ts';
import type { Piece } from './published.ts';

/** Returns the operations on a link, which come before a session. Their routes need no principal, so they are no routes of the API. */
export function openingPaths(shapes: Shapes): Record<string, Piece> {
  return {
    '/v1/portal/link': operation(
      shapes,
      'portal_link',
      'Look at a link',
      'Tells which agent has made a link, and spends nothing.',
      linkObject,
    ),
    '/v1/portal/open': operation(
      shapes,
      'portal_open',
      'Open a link',
      'Spends a link, and begins its session. A link opens once.',
      accessObject,
    ),
  };
}

function operation(
  { schemas }: Shapes,
  operationId: string,
  summary: string,
  description: string,
  response: Extract<RouteResponse, { kind: 'object' | 'objects' }>,
): Piece {
  const codes: ErrorCode[] = [
    'body_invalid',
    'parameter_invalid',
    'parameter_missing',
    'parameter_unknown',
    'request_invalid',
  ];
  return {
    post: {
      operationId,
      summary,
      description,
      tags: ['Portal'],
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.body(operationId, 'portal', LinkTokenBody),
            example: { token: 'h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0' },
          },
        },
      },
      responses: {
        '200': {
          description: 'The requested object.',
          headers: responseHeaders(),
          content: { 'application/json': { schema: schemas.ofResponse(response, 'POST') } },
        },
        '400': refusal(schemas, 'The request is invalid.', codes, []),
        ...sharedRefusals(401, 403, 413, 415, 429, 500, 503),
      },
    },
  };
}

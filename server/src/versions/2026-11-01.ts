import { nullable } from '../model/schemas/make.ts';
import { Type } from 'typebox';
import { isObject, type Json } from '../core/json-diff.ts';
import type { ApiVersion } from './api-version.ts';

export const version20261101: ApiVersion = {
  date: '2026-11-01',
  sentence:
    'The `request` of an event is an object with the request’s id, idempotency key, actor and source. It was only the id before.',
  changes: [
    {
      object: 'event',
      reshaped: {
        request: {
          schema: nullable(
            Type.String({
              description: 'The id of the request that caused it, and of its log. Null if the system caused it.',
            }),
          ),
          older: idOfRequest,
          newer: requestOfId,
        },
      },
    },
  ],
};

function idOfRequest(request: Json): Json {
  return isObject(request) ? (request.id ?? null) : null;
}

/** Earlier events did not show their actor (spec, event). */
function requestOfId(id: Json): Json {
  return { id, idempotency_key: null, from_dashboard: false, customer_portal: false, actor: null };
}

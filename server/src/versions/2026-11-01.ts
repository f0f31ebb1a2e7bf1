import { nullable } from '../model/schemas.ts';
import { Type } from 'typebox';
import type { Json } from '../core/json-diff.ts';
import type { ApiVersion } from './api-version.ts';

export const version20261101: ApiVersion = {
  date: '2026-11-01',
  sentence:
    'The `request` of an event is an object that tells the idempotency key, who caused the event and from where, besides the id of the request, which was all of it before.',
  changes: [
    {
      object: 'event',
      reshaped: {
        request: {
          schema: nullable(
            Type.String({
              description:
                'The id of the request that caused it, and of its log; null if this service did it by itself.',
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
  return (request as { id: Json }).id;
}

/** Events of before did not tell who caused them (spec, event). */
function requestOfId(id: Json): Json {
  return { id, idempotency_key: null, from_dashboard: false, customer_portal: false, actor: null };
}

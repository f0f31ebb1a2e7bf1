import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { defineResource } from '../model/resource.ts';
import { closedObject, described, nullable, oneOf } from '../model/schemas.ts';
import { appendOnly } from '../model/traits/append-only.ts';
import { snapshot } from '../model/traits/snapshot.ts';
import { streamed } from '../model/traits/streamed.ts';

const AnyId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });
const TextOrNull = nullable(Type.String());

const Data = closedObject({
  object: Type.Object({}, { description: 'The record as it was when this happened, without its secrets.' }),
  previous_attributes: nullable(
    Type.Object(
      {},
      {
        description:
          'For `*.updated`, the members that have changed, with their values of before: nested objects member by member, arrays whole, null for one that was not there. Null for every other type.',
      },
    ),
  ),
});

const Actor = closedObject({
  type: described(
    oneOf('user', 'api_key', 'agent', 'system'),
    '`user`: a team member. `api_key`: a secret or restricted key. `agent`: an agent key. `system`: this service itself.',
  ),
  id: described(TextOrNull, 'The id of the user or the key; null for `system`.'),
  name: described(TextOrNull, 'The e-mail address of the user, or the name of the key; null if the key has none.'),
  key_id: described(TextOrNull, 'The id of the API key; null if none was used.'),
  key_type: described(
    nullable(oneOf('secret', 'restricted', 'agent')),
    'The kind of the API key; null if none was used.',
  ),
});

const Request = closedObject({
  id: described(TextOrNull, 'The id of the request, and of its log; null if this service did it by itself.'),
  idempotency_key: described(TextOrNull, 'The Idempotency-Key that was sent; null if none was.'),
  from_dashboard: Type.Boolean({ description: 'Whether a team member did it in the dashboard.' }),
  customer_portal: Type.Boolean({ description: 'Whether it was done in a portal for customers.' }),
  actor: described(nullable(Actor), 'Who did it; null in events of a time before that was told.'),
});

/** What happened to a record, as it was then (spec, event). The committer makes events; nobody else can. */
export const event = defineResource(
  {
    object: 'event',
    prefix: 'evt',
    path: 'events',
    table: 'events',
    docs: {
      description:
        'Something that happened to a record, with the record as it was then. Every change makes its events in the same transaction. They are kept for the deployment’s retention time, and delivered to webhook endpoints.',
      example: {
        record: {
          type: 'reference.created',
          data: { object: {}, previous_attributes: null },
          request: {
            id: 'req_0VbZr1fe00aP3dYhWq7Kc2',
            idempotency_key: '0b0f4a0e-7c60-4c58-9b1c-2f1f7d1b6a11',
            from_dashboard: false,
            customer_portal: false,
            actor: {
              type: 'api_key',
              id: 'key_0VbZq7hM00eR5tBvNx1Zs9',
              name: 'Letting back office',
              key_id: 'key_0VbZq7hM00eR5tBvNx1Zs9',
              key_type: 'secret',
            },
          },
        },
      },
    },
    fields: {
      type: { column: 'text', schema: Type.String(), description: 'What happened: `<resource>.<verb>`.' },
      data: { column: 'json', schema: Data, description: 'What it happened to.' },
      request: { column: 'json', schema: Request, description: 'The request that caused it, and who sent that.' },
      // The version of the API whose shape it is kept in.
      shape_version: { column: 'text', schema: Type.String(), shown: 'never' },
    },
    filters: {
      object_id: {
        column: 'object_id',
        match: 'exact',
        schema: described(AnyId, 'Only events whose own record has this id.'),
      },
      related_object: {
        column: 'mentions',
        match: 'contains',
        schema: described(
          AnyId,
          'Only events that speak of this id: as their own record, or as one that it links to or linked to before.',
        ),
      },
      type: {
        column: 'type',
        match: 'prefix',
        schema: Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[a-z0-9_.]*\\*?$',
          description: 'Only events of this type, or, with a trailing `*`, of those that begin so: `reference.*`.',
        }),
      },
    },
    counted: ['type'],
  },
  appendOnly(),
  streamed(),
  snapshot({ versionColumn: 'shape_version' }),
);

import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { defineResource } from '../model/resource.ts';
import { KeyKind } from '../model/schemas/fields.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas/make.ts';
import { appendOnly } from '../model/traits/append-only.ts';
import { snapshot } from '../model/traits/snapshot.ts';
import { streamed } from '../model/traits/streamed.ts';

const AnyId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });
const actorTypes = ['user', 'api_key', 'agent', 'system'] as const;
const TextOrNull = nullable(Type.String());

const Data = closedObject({
  object: Type.Object({}, { description: 'The record as it was when this happened, without its secrets.' }),
  previous_attributes: nullable(
    Type.Object(
      {},
      {
        description:
          'For `*.updated`: the earlier values of changed members. Nested objects have their changed members, arrays are whole, and null means that the member did not exist. Null for every other type.',
      },
    ),
  ),
});

const Actor = named(
  'Actor',
  'The party that made a request.',
  closedObject({
    type: described(
      named('ActorType', 'The kind of an actor.', oneOf(...actorTypes)),
      '`user`: a team member. `api_key`: a secret or restricted key. `agent`: an agent key. `system`: the server itself.',
    ),
    id: described(TextOrNull, 'The id of the user or the key. Null for `system`.'),
    name: described(TextOrNull, 'The e-mail address of the user, or the name of the key. Null if the key has none.'),
    key_id: described(TextOrNull, 'The id of the API key. Null if the request used none.'),
    key_type: described(nullable(KeyKind), 'The kind of the API key. Null if the request used none.'),
  }),
);

const Request = named(
  'EventRequest',
  'The request that caused an event.',
  closedObject({
    id: described(TextOrNull, 'The id of the request, and of its log. Null if the system caused the event.'),
    idempotency_key: described(TextOrNull, 'The `Idempotency-Key` of the request. Null if it had none.'),
    from_dashboard: Type.Boolean({ description: 'Whether a team member made the request in the dashboard.' }),
    customer_portal: Type.Boolean({ description: 'Whether the request came from a portal for customers.' }),
    actor: described(
      nullable(Actor),
      'The party that made the request. Null for a person in the portal, and in events from before this member existed.',
    ),
  }),
);

/** A stored change of a record, with the record as it was then (spec, event). Only the committer makes events. */
export const event = defineResource(
  {
    object: 'event',
    prefix: 'evt',
    path: 'events',
    table: 'events',
    docs: {
      description:
        'A change of a record, with the record as it was then. Every change makes its events in the same transaction. Events are stored for the deployment’s retention time, and delivered to webhook endpoints. Events about API keys and webhook endpoints are only shown if your key may read these. No key sees events about users and invitations: only webhooks and the dashboard show them.',
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
      type: { column: 'text', schema: Type.String(), description: 'The type of the event: `<resource>.<verb>`.' },
      data: { column: 'json', schema: Data, description: 'The record, and its earlier values.' },
      request: { column: 'json', schema: Request, description: 'The request that caused it, and its actor.' },
      // The API version in whose shape the event is stored.
      shape_version: { column: 'text', schema: Type.String(), shown: 'never' },
    },
    filters: {
      object_id: {
        column: 'object_id',
        match: 'exact',
        schema: described(AnyId, 'Only events about the record with this id.'),
      },
      related_object: {
        column: 'mentions',
        match: 'contains',
        schema: described(
          AnyId,
          'Only events of the record with this id, and of records that link to it or did so before.',
        ),
      },
      actor: {
        column: 'actor_id',
        words: { column: 'actor_type', values: actorTypes },
        match: 'exact',
        schema: described(
          AnyId,
          'Only events that this actor caused: the id of a user or an API key, or a type of actors (`user`, `api_key`, `agent`, `system`).',
        ),
      },
      type: {
        column: 'type',
        match: 'prefix',
        namesEvents: true,
        schema: Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[a-z0-9_.]*\\*?$',
          description:
            'Only events of this type. With a trailing `*`, only types that begin with this text: `reference.*`.',
        }),
      },
    },
    counted: ['type', 'actor_type', 'actor_id'],
  },
  appendOnly(),
  streamed(),
  snapshot({ versionColumn: 'shape_version', typeColumn: 'type' }),
);

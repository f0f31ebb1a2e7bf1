import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { defineResource, exactly } from '../model/resource.ts';
import { closedObject, nullable, oneOf } from '../model/schemas.ts';
import { appendOnly } from '../model/traits/append-only.ts';

const Text = Type.String();
const TextOrNull = nullable(Text);
const Source = oneOf('api', 'dashboard', 'portal');

const ErrorFacts = closedObject({
  type: Type.String({ description: 'The class of the error.' }),
  code: Type.String({ description: 'What went wrong.' }),
  param: Type.Optional(Type.String({ description: 'The parameter at fault; left out if it was none.' })),
});

/** The record of one request that wanted to change something (spec, log). The committer writes logs; nobody else can. */
export const log = defineResource(
  {
    object: 'log',
    prefix: 'req',
    path: 'logs',
    table: 'request_logs',
    docs: {
      description:
        'The record of one request that wanted to change something (POST or DELETE), refused ones included; those that got 401, 429 or 503 leave none. Its id is the `Request-Id` of the answer, and `request.id` of the events it caused. A log belongs to the account that was acted upon.',
      example: {
        record: {
          method: 'POST',
          url: '/v1/references',
          path: '/v1/references',
          status: 200,
          duration_ms: 4,
          ip_address: '203.0.113.7',
          user_agent: 'letting-back-office/2.1',
          user_email: null,
          key_id: 'key_0VbZq7hM00eR5tBvNx1Zs9',
          key_type: 'secret',
          source: 'api',
          api_version: '2026-11-01',
          idempotency_key: '0b0f4a0e-7c60-4c58-9b1c-2f1f7d1b6a11',
          original_request: null,
          replayed: false,
          request_body: '{"application": "app_1042"}',
          response_body: '{"id":"ref_0VbZr1fe00bS0eOQrul9Xo","object":"reference"}',
          error: null,
          events: ['evt_0VbZr1fe01dQ7fXkTn4Lb6'],
        },
      },
    },
    fields: {
      method: { column: 'text', schema: oneOf('POST', 'DELETE'), description: 'The HTTP method.' },
      url: { column: 'text', schema: Text, description: 'Path and query, as they were sent.' },
      path: {
        column: 'text',
        schema: Text,
        description: 'The path, decoded and without the query; of a very long one the first 500 characters.',
      },
      status: { column: 'integer', schema: Type.Integer(), description: 'The HTTP status of the answer.' },
      duration_ms: {
        column: 'integer',
        schema: Type.Integer(),
        description: 'How long the answer took, in milliseconds.',
      },
      ip_address: {
        column: 'text',
        schema: TextOrNull,
        description: 'Where the request came from; null if the connection was gone.',
      },
      user_agent: {
        column: 'text',
        schema: TextOrNull,
        description: 'The `User-Agent`, up to 500 characters; null if none was sent.',
      },
      user_email: {
        column: 'text',
        schema: TextOrNull,
        description: 'The team member who did it in the dashboard; null otherwise.',
      },
      key_id: { column: 'text', schema: TextOrNull, description: 'The id of the API key; null if none was used.' },
      key_type: {
        column: 'text',
        schema: nullable(oneOf('secret', 'restricted', 'agent')),
        description: 'The kind of the API key; null if none was used.',
      },
      source: { column: 'text', schema: Source, description: 'What the request was made with.' },
      api_version: { column: 'text', schema: Text, description: 'The version of the answer.' },
      idempotency_key: {
        column: 'text',
        schema: TextOrNull,
        description: 'The Idempotency-Key that was sent; null if none was.',
      },
      original_request: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The request whose answer this one got, because it had the same Idempotency-Key; null if it got its own.',
      },
      replayed: {
        column: 'boolean',
        schema: Type.Boolean(),
        description: 'Whether it got the stored answer of an earlier request.',
      },
      request_body: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The body as it was sent, but for secrets, which are `[redacted]`. Null if there was none, or if the person whom it was about was erased.',
      },
      response_body: {
        column: 'text',
        schema: TextOrNull,
        description: 'The body of the answer, but for secrets, which are `[redacted]`.',
      },
      error: { column: 'json', schema: nullable(ErrorFacts), description: 'Why it was refused; null if it was not.' },
      events: { column: 'text[]', schema: Type.Array(Text), description: 'The ids of the events it caused.' },
    },
    counted: ['method', 'status', 'source', 'key_id'],
    filters: {
      ...exactly({
        method: oneOf('POST', 'DELETE'),
        path: Type.String({ minLength: 1, maxLength: 2_000 }),
        source: Source,
        idempotency_key: Type.String({ minLength: 1, maxLength: 255 }),
      }),
      status: {
        column: 'status',
        match: 'status',
        schema: Type.String({
          pattern: '^[1-5](xx|\\d\\d)$',
          description: 'Only requests that got this HTTP status, or one of this class: `404`, `4xx`.',
        }),
      },
      key: {
        column: 'key_id',
        match: 'exact',
        schema: Type.String({
          minLength: 1,
          maxLength: idLengthMax,
          pattern: idPattern,
          description: 'Only requests with the API key of this id.',
        }),
      },
    },
  },
  appendOnly(),
);

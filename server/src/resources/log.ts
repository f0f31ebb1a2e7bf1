import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { maskSecrets } from '../core/secrets/mask-secrets.ts';
import type { StoredRecord } from '../model/record.ts';
import { defineResource, exactly } from '../model/resource.ts';
import { KeyKind } from '../model/schemas/fields.ts';
import { closedObject, named, nullable, oneOf } from '../model/schemas/make.ts';
import { appendOnly } from '../model/traits/append-only.ts';

const Text = Type.String();
const TextOrNull = nullable(Text);
const Source = named('RequestSource', 'The interface of a request.', oneOf('api', 'dashboard', 'portal'));

const ErrorFacts = named(
  'LoggedError',
  'The error of a logged request.',
  closedObject({
    type: Type.String({ description: 'The type of the error.' }),
    code: Type.String({ description: 'The code of the error.' }),
    check: Type.Optional(Type.String({ description: 'The id of the failed check. Left out for other codes.' })),
    param: Type.Optional(
      Type.String({ description: 'The invalid parameter. Left out if the error is not about one.' }),
    ),
  }),
);

/** The record of one POST or DELETE request (spec, log). Only the committer writes logs. */
export const log = defineResource(
  {
    object: 'log',
    prefix: 'req',
    path: 'logs',
    table: 'request_logs',
    docs: {
      description:
        'The record of one POST or DELETE request, even of a refused one. Requests with 401, 429 or 503 leave no log. API keys and signing secrets that you sent by mistake are masked, such as `sk_test_****wxyz`. So is the user of a URL. Its id is the `Request-Id` of the response, and `request.id` of the events that it caused. A log belongs to the account acted upon.',
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
          user_id: null,
          key_id: 'key_0VbZq7hM00eR5tBvNx1Zs9',
          key_type: 'secret',
          source: 'api',
          portal_session: null,
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
      url: { column: 'text', schema: Text, description: 'The path and query, as you sent them, with masked secrets.' },
      path: {
        column: 'text',
        schema: Text,
        description: 'The decoded path without the query, up to 500 characters.',
      },
      status: { column: 'integer', schema: Type.Integer(), description: 'The HTTP status of the response.' },
      duration_ms: {
        column: 'integer',
        schema: Type.Integer(),
        description: 'The time until the response, in milliseconds.',
      },
      ip_address: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The IP address of the client. Behind a proxy that the operator trusts, it is from `X-Forwarded-For`. Null if the connection was already closed, or if the person of the portal session was erased.',
      },
      user_agent: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The `User-Agent`, up to 500 characters. Null if there was none, or if the person of the portal session was erased.',
      },
      user_email: {
        column: 'text',
        schema: TextOrNull,
        description: 'The team member that made the request in the dashboard. Null otherwise.',
      },
      user_id: {
        column: 'text',
        schema: TextOrNull,
        description: 'The id of that team member. Null if it was none.',
      },
      key_id: {
        column: 'text',
        schema: TextOrNull,
        description: 'The id of the API key. Null if the request used none.',
      },
      key_type: {
        column: 'text',
        schema: nullable(KeyKind),
        description: 'The kind of the API key. Null if the request used none.',
      },
      source: { column: 'text', schema: Source, description: 'The interface of the request.' },
      portal_session: {
        column: 'text',
        schema: TextOrNull,
        description: 'The id of the portal session. Null if the request was not from the portal.',
      },
      api_version: { column: 'text', schema: Text, description: 'The version of the response.' },
      idempotency_key: {
        column: 'text',
        schema: TextOrNull,
        description: 'The `Idempotency-Key` of the request. Null if it had none.',
      },
      original_request: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The request whose response was replayed, because it had the same `Idempotency-Key`. Null if the response is its own.',
      },
      replayed: {
        column: 'boolean',
        schema: Type.Boolean(),
        description: 'Whether it got the stored response of an earlier request.',
      },
      request_body: {
        column: 'text',
        schema: TextOrNull,
        description:
          'The body as you sent it, with secrets as `[redacted]` or masked. Null if there was none, or if it was not read (403, 415). Null if the record or route was not found (404), or if a person of the request was erased. Also null for the errors `idempotency_key_in_use` and `idempotency_key_reused`.',
      },
      response_body: {
        column: 'text',
        schema: TextOrNull,
        description: 'The body of the response, with secrets as `[redacted]` or masked.',
        // The stored body is also the response to a repeat of the request, and has what the client sent.
        derive: ({ response_body: body }: StoredRecord & { response_body: string | null }) =>
          body === null ? null : maskSecrets(body),
      },
      error: {
        column: 'json',
        schema: nullable(ErrorFacts),
        description: 'The error of the response. Null if there was none.',
      },
      events: { column: 'text[]', schema: Type.Array(Text), description: 'The ids of the events that it caused.' },
    },
    counted: ['method', 'status', 'source', 'key_id', 'user_id', 'portal_session', 'error_code'],
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
          description: 'Only requests with this HTTP status, or with a status of this class: `404`, `4xx`.',
        }),
      },
      user: {
        column: 'user_id',
        match: 'exact',
        schema: Type.String({
          minLength: 1,
          maxLength: idLengthMax,
          pattern: idPattern,
          description: 'Only requests of the team member with this id, in the dashboard.',
        }),
      },
      portal_session: {
        column: 'portal_session',
        match: 'exact',
        schema: Type.String({
          minLength: 1,
          maxLength: idLengthMax,
          pattern: idPattern,
          description: 'Only requests of the portal session with this id.',
        }),
      },
      error_code: {
        column: 'error_code',
        match: 'exact',
        schema: Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[a-z0-9_]+$',
          description: 'Only requests that were refused with this error code: `parameter_invalid`.',
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

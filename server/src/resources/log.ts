import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { defineResource, exactly, nullable, oneOf } from '../core/resource.ts';

const Text = Type.String();
const TextOrNull = nullable(Text);
const Source = oneOf('api', 'dashboard', 'portal');

/** The record of one request that wanted to change something (spec, log). The committer writes logs; nobody else can. */
export const log = defineResource({
  object: 'log',
  prefix: 'req',
  path: 'logs',
  table: 'request_logs',
  appendOnly: true,
  fields: {
    method: { column: 'text', schema: oneOf('POST', 'DELETE') },
    url: { column: 'text', schema: Text },
    path: { column: 'text', schema: Text },
    status: { column: 'integer', schema: Type.Integer() },
    duration_ms: { column: 'integer', schema: Type.Integer() },
    ip_address: { column: 'text', schema: TextOrNull },
    user_agent: { column: 'text', schema: TextOrNull },
    user_email: { column: 'text', schema: TextOrNull },
    key_id: { column: 'text', schema: TextOrNull },
    key_type: { column: 'text', schema: TextOrNull },
    source: { column: 'text', schema: Source },
    api_version: { column: 'text', schema: Text },
    idempotency_key: { column: 'text', schema: TextOrNull },
    /** The request whose answer this one got, because it had the same Idempotency-Key. */
    original_request: { column: 'text', schema: TextOrNull },
    replayed: { column: 'boolean', schema: Type.Boolean() },
    /** As they were sent, but for secrets. */
    request_body: { column: 'text', schema: TextOrNull },
    response_body: { column: 'text', schema: TextOrNull },
    error: { column: 'json', schema: nullable(Type.Object({})) },
    events: { column: 'text[]', schema: Type.Array(Text) },
  },
  filters: {
    ...exactly({
      method: oneOf('POST', 'DELETE'),
      path: Type.String({ minLength: 1, maxLength: 2_000 }),
      source: Source,
      idempotency_key: Type.String({ minLength: 1, maxLength: 255 }),
    }),
    status: { column: 'status', match: 'status', schema: Type.String({ pattern: '^[1-5](xx|\\d\\d)$' }) },
    key: {
      column: 'key_id',
      match: 'exact',
      schema: Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern }),
    },
  },
});

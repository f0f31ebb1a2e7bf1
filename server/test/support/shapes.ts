import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { words } from './versions.ts';

/*
 * The responses as the specification defines them: which members, and which may be null. Written from the specification and not from the
 * server's definitions, so that a mistake in those is found.
 */

const string = { type: 'string' };
const number = { type: 'number' };
const stringOrNull = { type: ['string', 'null'] };
const numberOrNull = { type: ['number', 'null'] };
const linkedId = { type: ['string', 'null'], pattern: '^[a-zA-Z0-9_]+$' };
const pairs = { type: 'object', additionalProperties: string };
const time = { type: 'integer', minimum: 0 };

const providerData = closed({
  type: { const: 'provider_a' },
  provider_a: closed({
    affordability: closed({ percentage: numberOrNull, status: stringOrNull }),
    credit_score: numberOrNull,
    notes: { type: ['array', 'null'], items: closed({ created: number, message: string }) },
    progress: numberOrNull,
    sanctions_passed: { type: ['boolean', 'null'] },
  }),
});

const automaticReference = closed({
  enabled: { type: 'boolean' },
  last_error: stringOrNull,
  outcome: stringOrNull,
  provider: { enum: ['provider_a', 'provider_b', 'provider_c', 'provider_d', null] },
  status: stringOrNull,
  provider_data: orNull(providerData),
});

const decision = closed({
  outcome: { enum: ['accept', 'consider', 'high_risk'] },
  reason: stringOrNull,
  decided_by: closed({
    type: { enum: ['user', 'api_key', 'agent'] },
    id: string,
    name: stringOrNull,
    role: { enum: ['owner', 'admin', 'developer', 'operator', 'viewer', null] },
  }),
  decided_at: time,
});

/** `account` comes with `Service-Context` only. A caller that expects it asks for it. */
const reference = closed({
  id: { type: 'string', pattern: '^ref_[0-9A-Za-z]{22}$' },
  object: { const: 'reference' },
  created: time,
  application: linkedId,
  automatic_reference: orNull(automaticReference),
  completed_at: { type: ['integer', 'null'] },
  customer: linkedId,
  metadata: pairs,
  outcome: { enum: ['accept', 'consider', 'high_risk', null] },
  decision: orNull(decision),
  reference_pdf: linkedId,
  earlier_reports: { type: 'array', items: { type: 'string', pattern: '^[a-zA-Z0-9_]+$' }, maxItems: 50 },
  status: { enum: ['pending', 'processing', 'complete', 'canceled'] },
  type: { const: 'customer' },
});

const actor = closed({
  type: { enum: ['user', 'api_key', 'agent', 'system'] },
  id: stringOrNull,
  name: stringOrNull,
  key_id: stringOrNull,
  key_type: { enum: ['secret', 'restricted', 'agent', null] },
});

const event = closed({
  id: { type: 'string', pattern: '^evt_[0-9A-Za-z]{22}$' },
  object: { const: 'event' },
  api_version: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  created: time,
  type: { type: 'string', pattern: '^[a-z_]+\\.[a-z_]+$' },
  data: closed({ object: { type: 'object' }, previous_attributes: { type: ['object', 'null'] } }),
  request: closed({
    id: { type: ['string', 'null'], pattern: '^req_[0-9A-Za-z]{22}$' },
    idempotency_key: stringOrNull,
    from_dashboard: { type: 'boolean' },
    customer_portal: { type: 'boolean' },
    actor: orNull(actor),
  }),
});

const day = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const dayOrNull = { ...day, type: ['string', 'null'] };
const timeOrNull = { type: ['integer', 'null'], minimum: 0 };
const ids = { type: 'array', items: { type: 'string', pattern: '^[a-zA-Z0-9_]+$' } };

const customer = closed({
  id: { type: 'string', pattern: '^cus_[0-9A-Za-z]{22}$' },
  object: { const: 'customer' },
  created: time,
  name: string,
  email: stringOrNull,
  phone: stringOrNull,
  date_of_birth: { type: ['string', 'null'], pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  addresses: {
    type: 'array',
    items: closed({
      line1: string,
      line2: stringOrNull,
      city: string,
      postal_code: string,
      country: string,
      from: stringOrNull,
      to: stringOrNull,
    }),
  },
  right_to_rent: orNull(
    closed({ status: { enum: ['unlimited', 'time_limited'] }, checked_on: day, expires_on: dayOrNull, files: ids }),
  ),
  metadata: pairs,
});

/** Without its secret, as lists, events, and keys that may only read show it. */
const webhookEndpoint = closed({
  id: { type: 'string', pattern: '^we_[0-9A-Za-z]{22}$' },
  object: { const: 'webhook_endpoint' },
  created: time,
  url: string,
  description: stringOrNull,
  enabled_events: { type: 'array', items: string, minItems: 1 },
  api_version: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  connected: { type: 'boolean' },
  status: { enum: ['enabled', 'disabled'] },
  disabled_reason: stringOrNull,
  metadata: pairs,
});

/** Without its secret, as everything shows it except the response that makes it. */
const apiKey = closed({
  id: { type: 'string', pattern: '^key_[0-9A-Za-z]{22}$' },
  object: { const: 'api_key' },
  created: time,
  type: { enum: ['secret', 'restricted', 'agent'] },
  approvals: { enum: ['none', 'sensitive', 'all_writes', null] },
  name: stringOrNull,
  permissions: { type: 'array', items: string, minItems: 1 },
  last_four: { type: 'string', pattern: '^[0-9A-Za-z]{4}$' },
  expires_at: { type: ['integer', 'null'] },
  last_used_at: { type: ['integer', 'null'] },
  created_by: { type: ['string', 'null'], pattern: '^(key|usr)_[0-9A-Za-z]{22}$' },
  status: { enum: ['active', 'expired', 'revoked'] },
});

const delivery = closed({
  id: { type: 'string', pattern: '^dlv_[0-9A-Za-z]{22}$' },
  object: { const: 'delivery' },
  created: time,
  event: { type: 'string', pattern: '^evt_[0-9A-Za-z]{22}$' },
  webhook_endpoint: { type: 'string', pattern: '^we_[0-9A-Za-z]{22}$' },
  type: { type: 'string', pattern: '^[a-z_]+\\.[a-z_]+$' },
  status: { enum: ['pending', 'delivered', 'failed', 'canceled'] },
  attempt_count: time,
  next_attempt_at: { type: ['integer', 'null'] },
  delivered_at: { type: ['integer', 'null'] },
  attempts: {
    type: 'array',
    items: closed({
      created: time,
      status: { type: ['integer', 'null'], minimum: 100, maximum: 999 },
      error: stringOrNull,
      duration_ms: time,
      response: stringOrNull,
      api_version: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    }),
  },
});

const account = closed({
  id: { type: 'string', pattern: '^acct_[0-9A-Za-z]{22}$' },
  object: { const: 'account' },
  created: time,
  name: string,
  api_version: { type: ['string', 'null'], pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  api_version_previous: { type: ['string', 'null'], pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  rollback_until: { type: ['integer', 'null'] },
  default_provider: { enum: ['provider_a', 'provider_b', 'provider_c', 'provider_d', null] },
  linked_records: { enum: ['open', 'strict'] },
  require_second_factor: { type: ['boolean', 'null'] },
  time_zone: string,
  rules: closed({
    ruleset: { enum: ['england', 'none'] },
    checks: { type: 'object', additionalProperties: { enum: ['error', 'warn', 'off'] } },
  }),
  invoice_prefix: string,
  year_end: string,
  letterhead: { type: ['object', 'null'] },
  payment_provider: { enum: ['simulator', null] },
  parent: { type: ['string', 'null'], pattern: '^acct_[0-9A-Za-z]{22}$' },
});

const countOfEach = (...names: string[]): object => closed(Object.fromEntries(names.map((name) => [name, time])));

const application = closed({
  id: { type: 'string', pattern: '^app_[0-9A-Za-z]{22}$' },
  object: { const: 'application' },
  created: time,
  customers: { type: 'array', items: { type: 'string', pattern: '^[a-zA-Z0-9_]+$' } },
  unit: linkedId,
  rent: orNull(closed({ amount: time, currency: string, interval: { enum: ['week', 'month', 'year'] } })),
  move_in_date: { type: ['string', 'null'], pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  references: closed({
    total: time,
    by_status: countOfEach('pending', 'processing', 'complete', 'canceled'),
    by_outcome: countOfEach('accept', 'consider', 'high_risk'),
    result: { enum: ['accept', 'consider', 'high_risk', null] },
  }),
  status: { enum: ['open', 'approved', 'rejected', 'withdrawn', 'converted'] },
  decision: orNull(
    closed({
      outcome: { enum: ['approved', 'rejected'] },
      reasons: { type: 'array', items: string },
      note: stringOrNull,
      automated: { type: 'boolean' },
      decided_at: time,
    }),
  ),
  review: orNull(
    closed({
      status: { enum: ['requested', 'upheld', 'changed'] },
      message: stringOrNull,
      note: stringOrNull,
      requested_at: time,
      completed_at: timeOrNull,
    }),
  ),
  guarantors: ids,
  tenancy: linkedId,
  checks: {
    type: 'array',
    items: closed({ id: string, message: string, since: time }),
  },
  approved_at: timeOrNull,
  rejected_at: timeOrNull,
  withdrawn_at: timeOrNull,
  converted_at: timeOrNull,
  metadata: pairs,
});

const storedFile = closed({
  id: { type: 'string', pattern: '^file_[0-9A-Za-z]{22}$' },
  object: { const: 'file' },
  created: time,
  purpose: string,
  filename: string,
  size: { type: 'integer', minimum: 1, maximum: 10 * 1024 * 1024 },
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  content_type: { enum: ['application/pdf', 'image/jpeg', 'image/png'] },
  customer: stringOrNull,
  reference: stringOrNull,
  metadata: pairs,
});

const log = closed({
  id: { type: 'string', pattern: '^req_[0-9A-Za-z]{22}$' },
  object: { const: 'log' },
  created: time,
  method: { enum: ['POST', 'DELETE'] },
  url: { type: 'string', pattern: '^/' },
  path: { type: 'string', pattern: '^/[^?]*$' },
  status: { type: 'integer', minimum: 200, maximum: 599 },
  duration_ms: time,
  ip_address: stringOrNull,
  user_agent: stringOrNull,
  user_email: stringOrNull,
  user_id: { type: ['string', 'null'], pattern: '^usr_[0-9A-Za-z]{22}$' },
  key_id: { type: ['string', 'null'], pattern: '^key_[0-9A-Za-z]{22}$' },
  key_type: { enum: ['secret', 'restricted', 'agent', null] },
  source: { enum: ['api', 'dashboard', 'portal'] },
  portal_session: { type: ['string', 'null'], pattern: '^psn_[0-9A-Za-z]{22}$' },
  api_version: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  idempotency_key: stringOrNull,
  original_request: { type: ['string', 'null'], pattern: '^req_[0-9A-Za-z]{22}$' },
  replayed: { type: 'boolean' },
  request_body: stringOrNull,
  response_body: stringOrNull,
  error: orNull({
    type: 'object',
    properties: { type: string, code: string, param: string },
    required: ['type', 'code'],
    additionalProperties: false,
  }),
  events: { type: 'array', items: { type: 'string', pattern: '^evt_[0-9A-Za-z]{22}$' } },
});

const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = {
  reference: ajv.compile(reference),
  event: ajv.compile(event),
  customer: ajv.compile(customer),
  webhook_endpoint: ajv.compile(webhookEndpoint),
  delivery: ajv.compile(delivery),
  api_key: ajv.compile(apiKey),
  account: ajv.compile(account),
  log: ajv.compile(log),
  application: ajv.compile(application),
  file: ajv.compile(storedFile),
};

/** Fails unless the response has exactly the members of the specification, each of a kind that it allows. */
export function expectShape(kind: keyof typeof validators, answer: unknown): void {
  const validate: ValidateFunction = validators[kind];
  expect(validate(answer) ? [] : validate.errors, `as a ${kind}: ${JSON.stringify(answer)}`).toEqual([]);
}

/** Fails unless it is a reference as this version shows it, with this file. */
export function expectReferenceIn(version: string, answer: Record<string, unknown>, fileId: string | null): void {
  const { file, notFile } = words[version]!;
  const { [file]: shown, ...rest } = answer;
  expect(answer).not.toHaveProperty(notFile);
  expect(shown).toBe(fileId);
  expectShape('reference', { ...rest, reference_pdf: shown });
}

/** An object that must have all of these members, and may have no others. */
function closed(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

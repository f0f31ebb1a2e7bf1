import type { ErrorCode } from '../../core/errors.ts';
import { operatorCommand } from '../../core/installation.ts';

/** A request that readers can send with curl. In a path, `ref_…` stands for an id. */
export interface ExampleRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Null sends no key. Without it, the request has a secret key. */
  key?: string | null;
  headers?: Record<string, string>;
  /** A body in JSON, or exactly this text. */
  body?: object | string;
  /** A body in a file, because it is too large for a page. */
  bodyFile?: { name: string; bytes: number };
}

/** A request that gets an error, the error, and a request that does not get it. */
export interface ErrorExample {
  /** The circumstances in which the wrong request gets the error. */
  when?: string;
  wrong: ExampleRequest;
  /** The parts of the error that differ between two requests with the same code. */
  error: {
    message: string;
    check?: string;
    param?: string;
    errors?: { code: ErrorCode; param: string; message: string }[];
  };
  /** What to change, in a sentence. */
  mend: string;
  right: ExampleRequest;
}

const list = { method: 'GET', path: '/v1/references' } as const;
const newReference = { application: 'app_1', customer: 'cus_1' };
const create = { method: 'POST', path: '/v1/references', body: newReference } as const;
const createWithKey = { ...create, headers: { 'Idempotency-Key': '3f0c6a1e-9d52-4a7b-8e61-5b0d2c7f4a10' } };

/** Errors that only people in the dashboard get. No program sends such requests, so they have no example. */
export const dashboardErrors = [
  'identity_provider_unavailable',
  'link_invalid',
  'origin_forbidden',
  'password_weak',
  'reauthentication_required',
  'second_factor_required',
  'second_factor_setup_required',
  'session_expired',
  'sign_in_failed',
  'too_many_attempts',
] as const satisfies ErrorCode[];

type ApiErrorCode = Exclude<ErrorCode, (typeof dashboardErrors)[number]>;

/** The example of each error. A test sends those that it can provoke, and compares the responses. */
export const errorExamples: Record<ApiErrorCode, ErrorExample> & Partial<Record<ErrorCode, ErrorExample>> = {
  account_invalid: {
    wrong: { ...list, headers: { 'Service-Context': 'acct_0000000000000000000000' } },
    error: {
      message:
        'The account acct_0000000000000000000000 does not exist, or is not connected to the account of this key.',
    },
    mend: 'Leave the header out to act on the account of your key. `GET /v1/accounts` lists the connected accounts.',
    right: list,
  },
  amount_exceeded: {
    when: 'The invoice has 90000 that is not credited yet.',
    wrong: {
      method: 'POST',
      path: '/v1/invoices/in_…/credit',
      body: { amount: 95_000, reason: 'The heating failed.' },
    },
    error: {
      param: 'amount',
      message: 'The invoice in_… has 90000 that is not credited yet. Send an `amount` of at most 90000.',
    },
    mend: 'Send at most the amount in the message.',
    right: {
      method: 'POST',
      path: '/v1/invoices/in_…/credit',
      body: { amount: 90_000, reason: 'The heating failed.' },
    },
  },
  api_key_expired: {
    when: 'The key in this example was revoked.',
    wrong: { ...list, key: 'rk_test_…' },
    error: {
      message: 'The key that ends with … has expired, was rolled or was revoked. Use the key that replaced it.',
    },
    mend: 'Send a key that is active.',
    right: list,
  },
  api_key_invalid: {
    wrong: { ...list, key: 'sk_test_abc' },
    error: {
      message: `The key sk_test_**** is not known here. Check that you copied all of it. \`${operatorCommand('new-key')}\` creates another.`,
    },
    mend: 'Copy the whole key, as the response that created it shows it.',
    right: list,
  },
  api_key_missing: {
    wrong: { ...list, key: null },
    error: { message: 'No API key was sent. Send it in the header `Authorization: Bearer <key>`.' },
    mend: 'Add the header `Authorization`.',
    right: list,
  },
  api_version_invalid: {
    wrong: { ...list, headers: { 'Service-Version': '2026-11' } },
    error: {
      message:
        '`Service-Version: 2026-11` is not a version of this API. Send one of 2026-11-01, 2026-03-01, 2025-09-01.',
    },
    mend: 'Send a date from the list of versions (`GET /v1/api_versions`).',
    right: { ...list, headers: { 'Service-Version': '2026-11-01' } },
  },
  approval_rejected: {
    when: 'A person has rejected the same request of this agent in the last hour.',
    wrong: { method: 'POST', path: '/v1/references/ref_…/cancel', key: 'ak_test_…' },
    error: {
      message:
        'A person has rejected this request (apr_…). Nothing was changed. It is refused for an hour. The reason: The applicant still waits for it.',
    },
    mend: 'Read the reason, and do something else. After an hour, the same request asks a person again.',
    right: { method: 'GET', path: '/v1/references/ref_…', key: 'ak_test_…' },
  },
  approval_required: {
    when: 'The key is of an agent, and has `approvals: sensitive`.',
    wrong: { method: 'POST', path: '/v1/references/ref_…/cancel', key: 'ak_test_…' },
    error: {
      message:
        'A person has to approve this request in the dashboard (apr_…). Nothing was changed. Send the same request again when it is approved.',
    },
    mend: 'Let a person approve it in the dashboard. Then send the same request again. Meanwhile, read its status.',
    right: { method: 'GET', path: '/v1/approval_requests/apr_…', key: 'ak_test_…' },
  },
  body_invalid: {
    wrong: { ...create, body: '{"application": "app_1",}' },
    error: {
      message:
        'The body is not valid JSON: Expected double-quoted property name in JSON at position 24 (line 1 column 25).',
    },
    mend: 'Correct the JSON. Here, a comma was too many.',
    right: { ...create, body: { application: 'app_1' } },
  },
  body_too_large: {
    wrong: { method: 'POST', path: '/v1/references', bodyFile: { name: 'large.json', bytes: 300_000 } },
    error: { message: 'The body has more than 256 kB, the limit. Send less.' },
    mend: 'Send less. Keep long texts in your own system, and send only their ids in `metadata`.',
    right: { ...create, body: { ...newReference, metadata: { note: 'note_17' } } },
  },
  callback_signature_invalid: {
    when: 'Only a referencing service sends such a request. This one has no signature.',
    wrong: { method: 'POST', path: '/provider_callbacks/provider_a/acct_…', key: null, body: {} },
    error: {
      message:
        'The signature of this callback is wrong for this account, or expired. Nothing was done. Check the shared secret and the clock.',
    },
    mend: 'Set the secret that the service gave you. The service then signs its callbacks with the same secret.',
    right: {
      method: 'POST',
      path: '/v1/account',
      body: {
        provider_credentials: { provider_a: { api_key: 'your_api_key', signing_secret: 'your_signing_secret' } },
      },
    },
  },
  check_failed: {
    when: 'The tenancy is assured, and the building is in England.',
    wrong: {
      method: 'POST',
      path: '/v1/tenancies/ten_…/give_notice',
      body: { by: 'landlord', served_on: '2027-01-04', ends_on: '2027-03-03', grounds: ['9'] },
    },
    error: {
      check: 'landlord_notice',
      message:
        'A notice on ground 9 needs 2 months (Housing Act 1988 s8(4AA), Schedule 2). Served on 2027-01-04, it can end on 2027-03-04 or later.',
      param: 'ends_on',
    },
    mend: 'Send a value that passes. The message names it.',
    right: {
      method: 'POST',
      path: '/v1/tenancies/ten_…/give_notice',
      body: { by: 'landlord', served_on: '2027-01-04', ends_on: '2027-03-04', grounds: ['9'] },
    },
  },
  content_type_unsupported: {
    wrong: { ...create, headers: { 'Content-Type': 'text/plain' } },
    error: { message: '`Content-Type: text/plain` is not supported. Send the body as `application/json`.' },
    mend: 'Send `Content-Type: application/json`.',
    right: create,
  },
  email_unconfigured: {
    when: 'The workflow has a step of the action `email`. The deployment is live, and has no mail server.',
    wrong: { method: 'POST', path: '/v1/workflows/wf_…/activate' },
    error: {
      message:
        'This workflow sends e-mails, and this deployment has no mail server. Set `TENURE_SMTP_URL` and `TENURE_EMAIL_FROM`, or remove the step.',
    },
    mend: 'Set up the mail server, or let the workflow send no e-mails.',
    right: {
      method: 'POST',
      path: '/v1/workflows/wf_…',
      body: { steps: [{ id: 'later', action: 'wait', seconds: 86400 }] },
    },
  },
  event_cursor_expired: {
    when: 'The event is older than the events that the server still stores.',
    wrong: { method: 'GET', path: '/v1/events/stream?after=evt_…' },
    error: {
      message:
        '`evt_…` is no longer stored: it is older than the retention time, or a restore has lost it. Later events may be gone, too. Open a stream without `after`. Then read the records that you need from their lists.',
      param: 'after',
    },
    mend: 'Open a new stream without `after`. Then read the records that you need from their lists.',
    right: { method: 'GET', path: '/v1/events/stream' },
  },
  headers_too_large: {
    when: 'The cookie in this example has 17,000 characters.',
    wrong: { ...list, headers: { Cookie: 'session=…' } },
    error: {
      message:
        'The request line and headers have more than 16 kB, or there are more than 100 headers. Send fewer or shorter headers.',
    },
    mend: 'Leave out what the server does not need. It reads no cookies.',
    right: list,
  },
  idempotency_key_in_use: {
    when: 'The first request with this key has no response yet.',
    wrong: createWithKey,
    error: {
      message:
        'A request with this Idempotency-Key is still running. Nothing was executed twice. Send the same request again to get its response.',
    },
    mend: 'Wait for the time in `Retry-After`. Then send exactly the same request with the same key.',
    right: createWithKey,
  },
  idempotency_key_invalid: {
    wrong: { ...create, headers: { 'Idempotency-Key': 'k'.repeat(260) } },
    error: {
      message:
        'The Idempotency-Key has 260 characters, or some that are not printable ASCII. Send 1 to 255 printable ASCII characters.',
    },
    mend: 'Send a random UUID.',
    right: createWithKey,
  },
  idempotency_key_reused: {
    when: 'An earlier request with this key created the reference of `cus_1`.',
    wrong: { ...createWithKey, body: { application: 'app_1', customer: 'cus_2' } },
    error: {
      message:
        'This Idempotency-Key was used for another request: the method, path, query, `Service-Context` or body differs. Use a new key.',
    },
    mend: 'Send a new key for a new operation.',
    right: {
      ...create,
      headers: { 'Idempotency-Key': 'c4b1d7a2-06e9-4f38-a5d3-91e0b6c2f7d8' },
      body: { application: 'app_1', customer: 'cus_2' },
    },
  },
  internal: {
    when: 'A defect of the server stopped the request.',
    wrong: createWithKey,
    error: { message: 'The server has an error, and nothing was changed. Please report the request id.' },
    mend: 'Report the request id. Then send the request again, with a new key.',
    right: { ...create, headers: { 'Idempotency-Key': 'c4b1d7a2-06e9-4f38-a5d3-91e0b6c2f7d8' } },
  },
  limit_reached: {
    when: 'The account already has 100 webhook endpoints.',
    wrong: { method: 'POST', path: '/v1/webhook_endpoints', body: { url: 'https://example.com/tenure' } },
    error: {
      message: 'This account already has 100 webhook_endpoints, the limit. Delete one that you no longer need.',
    },
    mend: 'Delete an endpoint that you no longer need. Then send the request again.',
    right: { method: 'DELETE', path: '/v1/webhook_endpoints/we_…' },
  },
  method_not_allowed: {
    wrong: { method: 'DELETE', path: '/v1/references/ref_…' },
    error: { message: '`/v1/references/ref_…` does not support DELETE. Use GET, HEAD, POST.' },
    mend: 'Use a method from the `Allow` header. References are canceled, not deleted.',
    right: { method: 'POST', path: '/v1/references/ref_…/cancel' },
  },
  mode_mismatch: {
    when: 'The deployment is a sandbox, and the key is a live key.',
    wrong: { ...list, key: 'sk_live_…' },
    error: {
      message:
        'The key sk_live_****… is for live mode, but this deployment is sandbox. Use a key of this deployment, or the address of the other one.',
    },
    mend: 'Send a test key to a sandbox, and a live key to a live deployment.',
    right: list,
  },
  overloaded: {
    when: 'The server is at one of its limits.',
    wrong: createWithKey,
    error: { message: 'The server has too much to do. Nothing was changed. Try again shortly.' },
    mend: 'Wait for the time in `Retry-After`. Then send exactly the same request with the same key.',
    right: createWithKey,
  },
  parameter_invalid: {
    wrong: { method: 'GET', path: '/v1/references?limit=500' },
    error: withFaults('parameter_invalid', { param: 'limit', message: '`limit` must be a whole number from 1 to 50.' }),
    mend: 'Send a value that the message allows. Read longer lists page by page.',
    right: { method: 'GET', path: '/v1/references?limit=50' },
  },
  parameter_missing: {
    wrong: { ...create, body: { customer: 'cus_1' } },
    error: withFaults('parameter_missing', { param: 'application', message: '`application` is required.' }),
    mend: 'Add the parameter.',
    right: create,
  },
  parameter_unknown: {
    wrong: { ...create, body: { aplication: 'app_1' } },
    error: withFaults(
      'parameter_unknown',
      { param: 'aplication', message: 'There is no parameter `aplication` here. Did you mean `application`?' },
      { code: 'parameter_missing', param: 'application', message: '`application` is required.' },
    ),
    mend: 'Correct the name.',
    right: { ...create, body: { application: 'app_1' } },
  },
  parameters_exclusive: {
    wrong: { method: 'GET', path: '/v1/references?offset=20&starting_after=ref_…' },
    error: { message: '`offset` and `starting_after` exclude each other. Send only one of them.', param: 'offset' },
    mend: 'Page with a cursor or with an offset.',
    right: { method: 'GET', path: '/v1/references?starting_after=ref_…' },
  },
  permission_denied: {
    when: 'The key in this example has only the permission `references.read`.',
    wrong: { ...create, key: 'rk_test_…' },
    error: {
      message: 'This key lacks the permission `references.write`. Give it that permission, or use another key.',
    },
    mend: 'Send a key with the permission.',
    right: create,
  },
  person_required: {
    wrong: { method: 'GET', path: '/v1/users' },
    error: { message: 'No API key may do this. A person who is signed in to the dashboard does it there.' },
    mend: 'Open the page of the team in the dashboard. A program can read which user made a change from the events.',
    right: { method: 'GET', path: '/v1/events' },
  },
  portal_session_invalid: {
    when: 'The session of the portal has ended.',
    wrong: {
      method: 'GET',
      path: '/v1/portal/me',
      key: null,
      headers: { Authorization: 'Bearer pst_00000000000000000000000000000000' },
    },
    error: { message: 'This link or session does not work any more. Ask your letting agent for a new link.' },
    mend: 'Make a new link with `POST /v1/portal_sessions`. Then open it, which gives a new token.',
    right: { method: 'GET', path: '/v1/portal_sessions' },
  },
  rate_limit: {
    when: 'The account has sent more than 100 requests within a second.',
    wrong: createWithKey,
    error: {
      message:
        'This account sends more than 100 requests a second. Wait for the time in `Retry-After`, and send fewer at once.',
    },
    mend: 'Wait for the time in `Retry-After`. Then send the same request again.',
    right: createWithKey,
  },
  record_in_use: {
    when: 'The building has a unit.',
    wrong: { method: 'DELETE', path: '/v1/buildings/bld_…' },
    error: {
      message:
        'The building bld_… has 1 unit, so it cannot be deleted. Delete its units first, or archive it: `{"archived": true}`.',
    },
    mend: 'Archive what other records need. It leaves the lists that you work with, and keeps its history.',
    right: { method: 'POST', path: '/v1/buildings/bld_…', body: { archived: true } },
  },
  request_invalid: {
    wrong: { method: 'GET', path: '/v1/references/50%' },
    error: { message: 'The path is not valid percent-encoded UTF-8.' },
    mend: 'Encode the path: `%25` stands for a percent sign. An id needs no encoding.',
    right: { method: 'GET', path: '/v1/references/ref_…' },
  },
  request_timeout: {
    when: 'The body of this request took more than 15 seconds to arrive.',
    wrong: createWithKey,
    error: { message: 'The request did not arrive completely in time. Send it again.' },
    mend: 'Send the whole body at once, over a connection that is fast enough.',
    right: createWithKey,
  },
  resource_missing: {
    wrong: { method: 'GET', path: '/v1/references/ref_1' },
    error: { message: 'There is no reference `ref_1` in this account.', param: 'id' },
    mend: 'Take the id from a response or from the list.',
    right: { method: 'GET', path: '/v1/references/ref_…' },
  },
  rollback_expired: {
    when: 'The upgrade of the account was more than 72 hours ago.',
    wrong: { method: 'POST', path: '/v1/account/api_version/rollback' },
    error: {
      message:
        'The upgrade from 2025-09-01 to 2026-11-01 could be rolled back until 1795493227 (Unix time), and is final now. To use the older version in a single request, send `Service-Version: 2025-09-01`.',
    },
    mend: 'Name the older version in the requests that need it.',
    right: { ...list, headers: { 'Service-Version': '2025-09-01' } },
  },
  route_unknown: {
    wrong: { method: 'GET', path: '/v1/reference' },
    error: { message: 'There is no route `GET /v1/reference`. Did you mean `/v1/references`?' },
    mend: 'Correct the path. The names of records are in the plural.',
    right: list,
  },
  status_transition_invalid: {
    when: 'The reference is complete.',
    wrong: { method: 'POST', path: '/v1/references/ref_…/cancel' },
    error: { message: 'The reference ref_… is complete. Only a pending or processing reference can be canceled.' },
    mend: 'Retrieve the reference, and let your code decide by its status.',
    right: { method: 'GET', path: '/v1/references/ref_…' },
  },
  unavailable: {
    when: 'The server cannot reach its database.',
    wrong: createWithKey,
    error: { message: 'The database cannot be reached now. Nothing was changed. Try again shortly.' },
    mend: 'Wait for the time in `Retry-After`. Then send exactly the same request with the same key.',
    right: createWithKey,
  },
  unit_occupied: {
    when: 'The tenancy is to start on 2027-02-01. Another one holds the unit until 2027-02-28.',
    wrong: { method: 'POST', path: '/v1/tenancies/ten_…/sign', body: { signed_on: '2027-01-10' } },
    error: {
      message:
        'The tenancy ten_… (signed) holds the unit unit_… from 2027-01-15 to 2027-02-28. Choose days on which it is free, or end or cancel ten_… first.',
      param: 'unit',
    },
    mend: 'Start after the other tenancy has ended.',
    right: { method: 'POST', path: '/v1/tenancies/ten_…', body: { start_date: '2027-03-01' } },
  },
};

/** Returns the request as a command for a shell. */
export function curlOf({ method, path, key, headers = {}, body, bodyFile }: ExampleRequest, publicUrl: string): string {
  const hasBody = body !== undefined || bodyFile !== undefined;
  const isQuoted = /[?&]/.test(path);
  const isPlain = method === 'GET' || (method === 'POST' && hasBody);
  const parts = [`curl ${isPlain ? '' : `-X ${method} `}${isQuoted ? `"${publicUrl}${path}"` : publicUrl + path}`];
  if (key !== null) parts.push(`-H "Authorization: Bearer ${key ?? 'sk_test_…'}"`);
  if (hasBody && headers['Content-Type'] === undefined) parts.push('-H "Content-Type: application/json"');
  for (const [name, value] of Object.entries(headers)) parts.push(`-H "${name}: ${value}"`);
  if (bodyFile) parts.push(`-d @${bodyFile.name}`);
  if (body !== undefined) parts.push(`-d '${typeof body === 'string' ? body : spaced(body)}'`);
  return parts.join(' \\\n  ');
}

/** Returns JSON on one line, with spaces, as a person would type it. */
function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

/** Returns an error of validation. It lists itself and the other faults of the request. */
function withFaults(
  code: ErrorCode,
  fault: { param: string; message: string },
  ...others: { code: ErrorCode; param: string; message: string }[]
): ErrorExample['error'] {
  return { ...fault, errors: [{ code, ...fault }, ...others] };
}

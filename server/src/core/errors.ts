import { operatorCommand } from './installation.ts';

/** The error types that clients distinguish. Each SDK error class is one of them. */
export type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'api_error';

interface CatalogueEntry {
  status: number;
  type: ErrorType;
  /** The text of the page at `/docs/errors/<code>`, for the person that must act. */
  explanation: string;
}

/** Every error of the API. No other code reaches a client. */
export const errorCatalogue = {
  account_invalid: {
    status: 403,
    type: 'permission_error',
    explanation:
      'The `Service-Context` header names an account that does not exist, or that is not connected to the account of your key. Both cases get the same error. Send the id of your key’s own account or of a connected one, or leave the header out. The status is 400 if the value is not an account id, or if you create an account while the header names a connected one. Your key could not act on that new account.',
  },
  amount_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The amount is more than is due, or more than is there. The message says the largest amount that would pass. Nothing was changed.',
  },
  api_key_expired: {
    status: 401,
    type: 'authentication_error',
    explanation: 'Your key has expired, was rolled, or was revoked. Use the key that replaced it, or create a new one.',
  },
  api_key_invalid: {
    status: 401,
    type: 'authentication_error',
    explanation: `This key does not exist here. Check that you copied the whole key. Its last six characters are a checksum that detects missing and mistyped characters. A new database has no earlier keys. \`${operatorCommand('new-key')}\` creates one.`,
  },
  api_key_missing: {
    status: 401,
    type: 'authentication_error',
    explanation: 'Send the header `Authorization: Bearer <key>` with every request.',
  },
  api_version_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The `Service-Version` header is not a version of this API. Send one of the dates in the message, or leave the header out to use your account’s version.',
  },
  approval_rejected: {
    status: 403,
    type: 'permission_error',
    explanation:
      'A person has rejected this request of an agent’s key. The message has the reason, if there is one. The same request is refused for an hour. Do something else, or ask the person. Nothing was changed.',
  },
  approval_required: {
    status: 403,
    type: 'permission_error',
    explanation:
      'This request of an agent’s key waits for a person. `approval_request` is its id, and `approval_url` its page in the dashboard. Send the same request again, with the same key and body, once it is approved: then it is executed. Until then, nothing is changed.',
  },
  body_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The body must be one JSON object in valid UTF-8. Duplicate keys, unpaired surrogates, NUL characters and more than 32 levels of nesting are refused, because programs read them differently. More than 1,000 members and items in all are refused, too. Correct the body and send it again.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    explanation:
      'A body can have up to 256 kB, a bank statement up to 1 MB, and any other file up to 10 MB. Send less.',
  },
  callback_signature_invalid: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'Referencing services sign their callbacks with a secret that they share with the account. This callback has no signature, an expired one, or one with another secret. Check the account’s `provider_credentials`, and the URL that the service calls. It must end with the id of the account.',
  },
  check_failed: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The law of the let forbids or voids this. `check` has the id of the check, and the message its source and the value that would pass. `GET /v1/rulesets/england` lists the checks. The account’s `rules` can make a check a warning, or turn it off.',
  },
  content_type_unsupported: {
    status: 415,
    type: 'invalid_request_error',
    explanation:
      'The content type or encoding of the body is not supported. Send JSON with `Content-Type: application/json`. Send a file as a form with `Content-Type: multipart/form-data` and its boundary. Do not compress the body.',
  },
  event_cursor_expired: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'You resumed a stream after an event that is no longer stored, so later events may be missing. Open a new stream without `Last-Event-ID` and `after`. Then read the records that you need from `GET /v1/references` and the other lists.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    explanation:
      'The request line and the headers can have up to 16 kB together, and up to 100 headers. Send fewer or shorter headers.',
  },
  email_unconfigured: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The workflow sends e-mails, and this deployment has no mail server. Set `TENURE_SMTP_URL` and `TENURE_EMAIL_FROM`, or remove the step. A sandbox needs no mail server.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'idempotency_error',
    explanation:
      'The first request with this `Idempotency-Key` is still running. Nothing was executed twice. Wait for the time in `Retry-After` and send the same request again to get its response.',
  },
  idempotency_key_invalid: {
    status: 400,
    type: 'idempotency_error',
    explanation:
      'An `Idempotency-Key` has 1 to 255 printable ASCII characters. Use a random UUID for each new operation.',
  },
  idempotency_key_reused: {
    status: 400,
    type: 'idempotency_error',
    explanation:
      'This `Idempotency-Key` was used in the last 24 hours for another request. The method, path, query, `Service-Context` or body differs. Use a new key for a new operation. To retry, send exactly the same request.',
  },
  identity_provider_unavailable: {
    status: 503,
    type: 'api_error',
    explanation:
      'The identity provider of your company did not answer, or cannot be used as it is set up. Try again later, or sign in by password, passkey or link. The log of the server has the reason for its operator.',
  },
  internal: {
    status: 500,
    type: 'api_error',
    explanation:
      'The server has an error, and nothing was changed. Please report the request id. You can safely retry with a new `Idempotency-Key`.',
  },
  limit_reached: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'Your account has the maximum number of records of this kind, which the message names. Delete one that you no longer need.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    explanation:
      'This path does not support the method. The `Allow` header lists the supported ones. Use POST to create and update records.',
  },
  link_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation: `This link to the dashboard was used, has expired, was revoked, or never existed. All get the same error. Ask for a new one: an owner or an admin makes it on the page of the team, and an operator with \`${operatorCommand('login-link')}\`.`,
  },
  mode_mismatch: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'You sent a test key (`sk_test_…`) to a live deployment, or a live key to a sandbox. Each deployment has its own address and its own keys. Use a key of this deployment.',
  },
  origin_forbidden: {
    status: 403,
    type: 'permission_error',
    explanation:
      'A request with the cookie of the dashboard did not come from the dashboard’s own pages, or its `Host` is not the one of this server. Set `TENURE_PUBLIC_URL` to the address that you open, and let a proxy pass `Host` on. Passkeys need a host name, such as `localhost`, and not an IP address. Programs use an API key.',
  },
  overloaded: {
    status: 503,
    type: 'api_error',
    explanation:
      'The server is at a limit: of waiting requests, request bodies, uploads, open streams, or large responses that clients have not read. Nothing was changed. Wait for the time in `Retry-After` and retry.',
  },
  parameter_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'A parameter has a wrong type, form or range. `param` names it, and the message says what is allowed. `errors` lists up to 20 faults, so that you can mend them together.',
  },
  parameter_missing: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'A required parameter is missing. `param` names it. Add it. `errors` lists up to 20 faults, so that you can mend them together.',
  },
  parameter_unknown: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'This operation does not have the parameter in `param`. Check its spelling. Unknown parameters are refused, so that you notice a typing error at once. `errors` lists up to 20 faults, so that you can mend them together.',
  },
  parameters_exclusive: {
    status: 400,
    type: 'invalid_request_error',
    explanation: 'Two parameters exclude each other. Send only one of them.',
  },
  password_weak: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The password can be guessed. It needs 15 characters, or 8 with a second factor, and must not be a common password or your name. Any characters are allowed.',
  },
  permission_denied: {
    status: 403,
    type: 'permission_error',
    explanation:
      'Your key or your role lacks the permission that the message names. Use another key, or create one with the permission. A person asks an owner or an admin of the account.',
  },
  person_required: {
    status: 403,
    type: 'permission_error',
    explanation:
      'Only a person that is signed in to the dashboard may do this, such as inviting a member of the team. No API key can.',
  },
  portal_session_invalid: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'The link to the portal was used, has expired, was ended, or never existed. Or the session of the portal has ended: an hour after its last request, eight hours after its beginning, or because it was ended. All get the same error. Ask the letting agent for a new link: `POST /v1/portal_sessions` makes it.',
  },
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    explanation:
      'You have reached a limit. Either too many requests came within a second, from your account or from an address without a valid key or signature. Or your account already has 2 MB of request bodies, 16 uploads or 50 streams at once. Or changes of one record waited for half a minute. Or your clients have not read large responses and downloads. Nothing was done. Wait for the time in `Retry-After`. The `RateLimit` header says how many requests are left.',
  },
  reauthentication_required: {
    status: 403,
    type: 'permission_error',
    explanation:
      'This change needs a fresh proof that you are at the keyboard. Enter your password or a code in the dialog of the dashboard. That counts for 15 minutes.',
  },
  record_in_use: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'Other records still need this one, so it cannot be deleted, archived or canceled. The message names them. End or move those first.',
  },
  request_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The server cannot read the request line, a header or the path. Or one of these headers came twice: `Host`, `Authorization`, `Service-Context`, `Service-Version`, `Content-Type`, `Idempotency-Key` or `Last-Event-ID`. Send it once, so that proxies and the server read the same value.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    explanation:
      'The request did not arrive completely within the time limit. Nothing was done. Send it again, faster.',
  },
  resource_missing: {
    status: 404,
    type: 'invalid_request_error',
    explanation:
      'This record does not exist in the account. Check the id, and that your key belongs to the account of the record. With status 400, the error is about a link in the body. `param` names the link, and the message says which ids are allowed.',
  },
  route_unknown: {
    status: 404,
    type: 'invalid_request_error',
    explanation: 'This path does not exist. Check it for typing errors. Every path of the API starts with `/v1/`.',
  },
  rollback_expired: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'You can roll back an upgrade of the API version for 72 hours. This time is over, so the upgrade is final. A single request can still name an older version in its `Service-Version` header.',
  },
  second_factor_required: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'The password or the link is right, and the user has a second factor. Send the same request again with `code`: six digits from the app, or a recovery code. A user without an app signs in with a passkey instead: `param` is then `passkey`.',
  },
  second_factor_setup_required: {
    status: 403,
    type: 'permission_error',
    explanation:
      'The account requires a second factor, and you have none yet. Set one up in the dashboard. Until then, nothing else is possible.',
  },
  session_expired: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'Your session in the dashboard has ended: by time, by a sign-out, or because your password, a factor or your role has changed. Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'The e-mail address, the password, the code or the passkey is wrong, or the user is disabled. All get the same error. An owner or an admin can make a link that sets a new password. For a sign-in by an identity provider, the message says what to do.',
  },
  status_transition_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The record’s current status does not allow this change. The message names both. Retrieve the record to see its status.',
  },
  too_many_attempts: {
    status: 429,
    type: 'rate_limit_error',
    explanation:
      'Ten attempts to sign in have failed within 15 minutes, from one address or to one user. Wait for the time in `Retry-After`. A browser in which the user has signed in before is counted apart.',
  },
  unavailable: {
    status: 503,
    type: 'api_error',
    explanation:
      'The database cannot be reached now. Wait for the time in `Retry-After` and send the same request again. With the same `Idempotency-Key` it is executed at most once. If `Service-Should-Retry` is false, the request had no key and may have been executed. Then check whether the change was made before you retry.',
  },
  unit_occupied: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'Another tenancy holds the unit on some of these days. The message names that tenancy. Choose other days or another unit, or end that tenancy first. Nothing was changed.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface ErrorDetails {
  /** The parameter at fault, nested ones in brackets: `metadata[order]`. */
  param?: string;
  /** The id of the failed check, for `check_failed`. */
  check?: string;
  /** The id of the approval request, for `approval_required` and `approval_rejected`. */
  approvalRequest?: string;
  /** Overrides the status of the code: a malformed `Service-Context` is 400, an unknown account in it 403. */
  status?: number;
  type?: ErrorType;
  /** Seconds to wait before a retry. */
  retryAfterSeconds?: number;
  /** Tells whether a client may retry the request, if the status does not tell it. */
  shouldRetry?: boolean;
  /** The other faults of the body or query, in order. Left out if the check stopped at this one. */
  otherFaults?: readonly ApiError[];
  /** The methods that a path supports, for 405. */
  allow?: string;
  cause?: unknown;
}

/** The client has disconnected. Its request needs no response. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client has disconnected.');
  }
}

/** An error response. Its message is for the person that must act: what failed, on what, what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly check: string | undefined;
  readonly approvalRequest: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly otherFaults: readonly ApiError[] | undefined;
  readonly allow: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // A quotation from a request may be cut within a character. JSON with half a character is unreadable for some parsers.
    super(message.toWellFormed(), { cause: details.cause });
    const entry = errorCatalogue[code];
    this.code = code;
    this.status = details.status ?? entry.status;
    this.type = details.type ?? entry.type;
    this.param = details.param?.toWellFormed();
    this.check = details.check;
    this.approvalRequest = details.approvalRequest;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.shouldRetry = details.shouldRetry;
    this.otherFaults = details.otherFaults;
    this.allow = details.allow;
  }
}

export function invalidParameter(param: string, message: string): ApiError {
  return new ApiError('parameter_invalid', message, { param });
}

/** Returns the refusal of a body that lacks a member which only some bodies need. */
export function missingParameter(param: string, message: string): ApiError {
  return new ApiError('parameter_missing', message, { param });
}

/** Returns a caught value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns the message of a caught value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the stack of a caught value, or its text if it has none. */
export function errorStack(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error);
}

/** The classes of error a client tells apart; each SDK error class is one of these. */
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
  /** What the page at `/docs/errors/<code>` tells the person who must act. */
  explanation: string;
}

/** Every error the API answers. The catalogue is closed: no other code reaches a client. */
export const errorCatalogue = {
  account_invalid: {
    status: 403,
    type: 'permission_error',
    explanation:
      'The Service-Context header names an account that does not exist or is not connected to the account of the key; the two are not told apart. Send the id of the key’s own account or of a connected one, or leave the header out. A value that is no account id at all gets status 400, and so does making an account while the header names a connected one: your key could not act on it.',
  },
  api_key_expired: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'The key was valid once, but has expired, was rolled, or was revoked. Use the key that replaced it, or make a new one.',
  },
  api_key_invalid: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'No such key exists here. Check that the whole key was copied: its last six characters are a checksum, so a missing or mistyped character is always noticed. With a fresh database every earlier key is gone; `npm run new-key` makes another.',
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
      'The Service-Version header must be exactly one of the dates that this server knows. Leave it out to use the version your account is pinned to.',
  },
  body_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The body must be one JSON object in valid UTF-8. Duplicate keys, unpaired surrogates, NUL characters and more than 32 levels of nesting are refused, because different programs read them differently.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    explanation: 'A body may have at most 256 kB, and a file at most 10 MB.',
  },
  callback_signature_invalid: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'Referencing services call back with a signature, made with the secret that they and the account share. This one has none, an old one, or one of another secret. Check the account’s `provider_credentials`, and the address that the service calls: it ends with the id of the account.',
  },
  content_type_unsupported: {
    status: 415,
    type: 'invalid_request_error',
    explanation:
      'Send the body as JSON with the header `Content-Type: application/json`, and a file as a form with `Content-Type: multipart/form-data` and its boundary. Other forms, and content encodings such as gzip, are not read.',
  },
  event_cursor_expired: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The stream of events was to go on behind an event that is older than all that are kept, so it is not known what came after it. Read what you need from GET /v1/references and the other lists, and begin a stream anew, without `Last-Event-ID` and `after`.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    explanation: 'The request line and headers together may have at most 16 kB, and be at most 1,000 headers.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'idempotency_error',
    explanation:
      'The first request with this Idempotency-Key is still running. Nothing was carried out twice. Wait for the time in Retry-After and send the same request again: you get the first one’s answer.',
  },
  idempotency_key_invalid: {
    status: 400,
    type: 'idempotency_error',
    explanation:
      'An Idempotency-Key is 1 to 255 printable ASCII characters. A random UUID for each new operation is a good one.',
  },
  idempotency_key_reused: {
    status: 400,
    type: 'idempotency_error',
    explanation:
      'The Idempotency-Key was used within the last 24 hours for another request: method, path, query, Service-Context or body differ. Use a new key for a new operation, and send exactly the same request when you repeat one.',
  },
  internal: {
    status: 500,
    type: 'api_error',
    explanation:
      'The fault is ours, and nothing was changed. Please report the request id. Repeating the request with a new Idempotency-Key is safe.',
  },
  limit_reached: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The account has as many records of this kind as it may have; the message says how many. Delete one that is not needed any more.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    explanation:
      'The path exists, but not with this method. The Allow header lists those it takes. Records are created and updated with POST.',
  },
  mode_mismatch: {
    status: 401,
    type: 'authentication_error',
    explanation:
      'A test key (`sk_test_…`) was sent to a live deployment, or a live key to a sandbox. Each deployment has its own address and its own keys.',
  },
  overloaded: {
    status: 503,
    type: 'api_error',
    explanation:
      'More requests are waiting, more or larger bodies are on their way, more uploads are, more streams are open, or more large responses are not read by their clients, than the server can carry out in reasonable time. Nothing was changed. Wait for the time in Retry-After and try again.',
  },
  parameter_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation: 'A parameter has a wrong type, form or range; `param` names it and the message says what is allowed.',
  },
  parameter_missing: {
    status: 400,
    type: 'invalid_request_error',
    explanation: 'A required parameter is missing; `param` names it.',
  },
  parameter_unknown: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'There is no such parameter here; `param` names it. Unknown parameters are refused so that a misspelt one is noticed at once.',
  },
  parameters_exclusive: {
    status: 400,
    type: 'invalid_request_error',
    explanation: 'Two parameters exclude each other; send only one of them.',
  },
  permission_denied: {
    status: 403,
    type: 'permission_error',
    explanation:
      'The key lacks the permission that the message names. Use another key, or give this one the permission.',
  },
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    explanation:
      'Too many requests came within a second: of one account, or from one address without a good key or signature; or an account has 2 MB of request bodies under way, 16 uploads on their way, or 50 streams open, already; or its clients have not read the large responses and downloads that it asked for. Nothing was done. Wait for the time in Retry-After; the RateLimit header tells how many requests are left.',
  },
  request_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The server cannot read the request line, a header or the path. Or a header came twice that may come once: Host, Authorization, Service-Context, Service-Version, Content-Type, Idempotency-Key or Last-Event-ID. Send it once, so that every program on the way reads the same.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    explanation: 'The request did not arrive completely within the time limit. Nothing was carried out.',
  },
  resource_missing: {
    status: 404,
    type: 'invalid_request_error',
    explanation:
      'No such record exists in this account. Check the id, and that the key belongs to the account that has the record. With status 400 it is about a link in the body: `param` names it, and the message says which ids it takes.',
  },
  route_unknown: {
    status: 404,
    type: 'invalid_request_error',
    explanation: 'There is no such path. Check it for typing errors; every path of the API starts with /v1/.',
  },
  rollback_expired: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'An upgrade of the account to a newer version of the API can be taken back for 72 hours. They are over, so the upgrade is final. A single request can still name an older version in its `Service-Version` header.',
  },
  status_transition_invalid: {
    status: 400,
    type: 'invalid_request_error',
    explanation:
      'The record’s present status does not allow this change; the message names both. Retrieve the record to see where it stands.',
  },
  unavailable: {
    status: 503,
    type: 'api_error',
    explanation:
      'The database cannot be reached just now. Wait for the time in Retry-After and send the same request again; with the same Idempotency-Key it is carried out at most once. Where Service-Should-Retry is false, the request had no key and may have been carried out: look first whether what it was to do is there.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface ErrorDetails {
  /** The parameter at fault, nested ones in brackets: `metadata[order]`. */
  param?: string;
  /** Where one code has two statuses: a malformed `Service-Context` is 400, an unknown account in it 403. */
  status?: number;
  type?: ErrorType;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** Whether the same request may be sent again, where that does not follow from the status. */
  shouldRetry?: boolean;
  /** The methods a path takes, for 405. */
  allow?: string;
  cause?: unknown;
}

/** An answer to the client other than success. Its message is for the person who must act: what failed, on what, what to try. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly allow: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // What it quotes of a request may have been cut within a character, and JSON must stay readable everywhere.
    super(message.toWellFormed(), { cause: details.cause });
    const entry = errorCatalogue[code];
    this.code = code;
    this.status = details.status ?? entry.status;
    this.type = details.type ?? entry.type;
    this.param = details.param?.toWellFormed();
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.shouldRetry = details.shouldRetry;
    this.allow = details.allow;
  }
}

export function invalidParameter(param: string, message: string): ApiError {
  return new ApiError('parameter_invalid', message, { param });
}

import type { ErrorCode, ErrorType, Fault } from './generated/versions.ts';

/** Marks the errors of this package. Two copies of the package recognize the errors of each other by it. */
const brand = Symbol.for('tenure.error');

/** An error of this package. Wrong arguments are a `TypeError` instead, before anything is sent. */
export class TenureError extends Error {
  override readonly name: string = 'TenureError';

  get [brand](): true {
    return true;
  }
}

/** What the server says about an error, and the facts of its response. */
interface ApiErrorDetails {
  message: string;
  status: number;
  headers: Headers;
  type?: unknown;
  code?: unknown;
  param?: unknown;
  check?: unknown;
  doc_url?: unknown;
  request_id?: unknown;
  request_log_url?: unknown;
  errors?: unknown;
}

/** The server refused a request, or failed. `code` is for programs, and `message` is for people. */
export class ApiError extends TenureError {
  override readonly name: string = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** Null if the response did not come from Tenure, but from a proxy for example. */
  readonly type: ErrorType | (string & {}) | null;
  /** Null if the response did not come from Tenure. */
  readonly code: ErrorCode | (string & {}) | null;
  /** The parameter at fault, with nested names in brackets, such as `metadata[order]`. */
  readonly param: string | null;
  /** The id of the failed check of the law, for `check_failed`. */
  readonly check: string | null;
  readonly docUrl: string | null;
  /** The id of the request, for its log and for support. */
  readonly requestId: string | null;
  /** The page of the request's log in the dashboard. */
  readonly requestLogUrl: string | null;
  /** All faults of the body or the query. The first is the error itself. Empty if the server stopped at the first one. */
  readonly errors: Fault[];
  /** The headers of the response. */
  readonly headers: Headers;

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.status = details.status;
    this.headers = details.headers;
    this.type = textOrNull(details.type);
    this.code = textOrNull(details.code);
    this.param = textOrNull(details.param);
    this.check = textOrNull(details.check);
    this.docUrl = textOrNull(details.doc_url);
    this.requestId = textOrNull(details.request_id) ?? details.headers.get('request-id');
    this.requestLogUrl = textOrNull(details.request_log_url);
    this.errors = Array.isArray(details.errors) ? details.errors : [];
  }
}

/** The API key is missing, wrong or expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** The API key lacks a permission, or may not act on the account. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** The request is wrong. `param` names the parameter if one is at fault. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** The `Idempotency-Key` is in use, or belongs to another request. */
export class IdempotencyError extends ApiError {
  override readonly name = 'IdempotencyError';
}

/** Too many requests at once. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** The server failed, or is overloaded. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** No complete response came. `cause` is the error of the connection. The server may have executed the request. */
export class ConnectionError extends TenureError {
  override readonly name = 'ConnectionError';
}

/** No complete response came in time. The server may have executed the request. */
export class TimeoutError extends TenureError {
  override readonly name = 'TimeoutError';
}

/** A webhook does not come from Tenure, is too old, or was changed on its way. */
export class SignatureVerificationError extends TenureError {
  override readonly name = 'SignatureVerificationError';
}

/** Tells whether a caught value is an error of this package. With a code, it must be the API's error of this code. */
export function isTenureError(error: unknown): error is TenureError;
export function isTenureError<Code extends ErrorCode>(error: unknown, code: Code): error is ApiError & { code: Code };
export function isTenureError(error: unknown, code?: string): boolean {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}

const classOfType: Record<ErrorType, new (details: ApiErrorDetails) => ApiError> = {
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  invalid_request_error: InvalidRequestError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  api_error: ServerError,
};

/** Makes the error for a response that is not successful. `text` is its body. */
export function apiErrorOf(response: Response, text: string): ApiError {
  const { status, headers } = response;
  // A browser hides the status of a redirect.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const message =
      'The server answered with a redirect, which is not followed: your API key could reach another server. Set `baseUrl` to the final address.';
    return new ApiError({ message, status, headers });
  }
  const told = errorIn(text);
  const message =
    typeof told.message === 'string'
      ? told.message
      : `The server answered with status ${status}, but without an error of Tenure. Check \`baseUrl\` and the proxies on the way.`;
  const type = Object.hasOwn(classOfType, String(told.type)) ? (told.type as ErrorType) : typeOfStatus(status);
  return new classOfType[type]({ ...told, message, status, headers });
}

/** Returns the `error` of a body, or an empty object if the body is something else. */
function errorIn(text: string): Record<string, unknown> {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'object' && error !== null ? { ...error } : {};
  } catch {
    return {};
  }
}

function typeOfStatus(status: number): ErrorType {
  if (status >= 500) return 'api_error';
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

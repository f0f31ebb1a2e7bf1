import { OverloadedError, type StoredResponse } from '../../commit/write-request.ts';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { maskSecrets } from '../../core/secrets/mask-secrets.ts';
import type { Resource } from '../../model/resource.ts';
import { awayMessage } from '../../db/away.ts';
import { awayCellOf, UnavailableError } from '../../db/pools.ts';
import { UnknownVersionError } from '../../versions/apply.ts';
import type { HttpContext } from '../context.ts';
import type { ReceivedRequest } from '../request.ts';

/** Converts an error to the one for the client. An unexpected error is `internal`, and its cause stays in the server's log. */
export function apiErrorOf(error: unknown, request: ReceivedRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OverloadedError && error.of === 'record') {
    return new ApiError(
      'rate_limit',
      'Too many changes of the same record wait. Nothing was changed. Wait until some have ended, and send fewer at once.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
  if (error instanceof OverloadedError && error.of === 'account') {
    return new ApiError(
      'rate_limit',
      'This account has too many large requests in progress. Nothing was changed. Wait until some have ended, and send fewer at once.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
  if (error instanceof OverloadedError) {
    return new ApiError('overloaded', 'The server has too much to do. Nothing was changed. Try again shortly.', {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
  if (error instanceof UnavailableError) {
    if (error.inDoubt) return outcomeUnknown(error, request);
    const cell = awayCellOf(error.cause);
    const message =
      cell === null
        ? 'The database cannot be reached now. Nothing was changed. Try again shortly.'
        : awayMessage('The account', cell);
    return new ApiError('unavailable', message, { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof UnknownVersionError) {
    const message = `${error.message} Nothing was changed. Try again: a process of that release may handle the request.`;
    return new ApiError('unavailable', message, { retryAfterSeconds: 1, cause: error });
  }
  return frameworkError(error) ?? internalError(error);
}

/**
 * Returns the error of an unknown commit outcome. Only a POST without an idempotency key is unsafe to retry. Deletions and callbacks are
 * idempotent.
 */
function outcomeUnknown(cause: UnavailableError, { route, idempotencyKey }: ReceivedRequest): ApiError {
  const shouldRetry = idempotencyKey !== null || route?.method !== 'POST';
  const advice = shouldRetry
    ? `Repeat the request${idempotencyKey === null ? '' : ' with the same Idempotency-Key'}: it is executed at most once.`
    : 'It had no Idempotency-Key, so a retry could execute it twice. Check whether the change was made before you retry. If it was not, send the request again, with an Idempotency-Key.';
  return new ApiError(
    'unavailable',
    `The database was lost during the commit, so it is not known whether the change was made. ${advice}`,
    { retryAfterSeconds: 1, shouldRetry, cause },
  );
}

/** Returns the same error for a record of another account and for one that does not exist. */
export function recordMissing({ object }: Resource, id: string, param = 'id'): ApiError {
  return new ApiError(
    'resource_missing',
    `There is no ${object} \`${id.slice(0, 80).toWellFormed()}\` in this account.`,
    { param },
  );
}

export function internalError(cause: unknown): ApiError {
  return new ApiError('internal', 'The server has an error, and nothing was changed. Please report the request id.', {
    cause,
  });
}

/** The most bytes of the listed faults. Most have about 100 bytes. One that quotes long names or many values has far more. */
const faultBytesMax = 8 * 1024;

/**
 * Returns the response for an error.
 *
 * @param isLogged whether the request leaves a log. The response then links the log's page in the dashboard.
 */
export function errorResponse(
  error: ApiError,
  requestId: string,
  { publicUrl, hasDashboard }: Pick<HttpContext['config'], 'publicUrl' | 'hasDashboard'>,
  { isLogged }: { isLogged: boolean },
): StoredResponse {
  const { type, otherFaults, approvalRequest: id } = error;
  const { message, ...own } = faultFacts(error);
  const facts = { type, ...own };
  const errors = otherFaults && withinBytes([error, ...otherFaults].map(faultFacts));
  const docUrl = `${publicUrl}/docs/errors/${error.code}`;
  const body = JSON.stringify({
    error: {
      ...facts,
      message,
      doc_url: docUrl,
      request_id: requestId,
      ...(id !== undefined && { approval_request: id }),
      ...(id !== undefined && hasDashboard && { approval_url: `${publicUrl}/dashboard/approvals/${id}` }),
      ...(isLogged && hasDashboard && { request_log_url: `${publicUrl}/dashboard/logs/${requestId}` }),
      ...(errors && { errors }),
    },
  });
  return { status: error.status, body, error: facts };
}

/** Returns one fault without secrets. Parameter and message can repeat what was sent, and are logged. */
function faultFacts({ code, check, param, message }: ApiError): {
  code: ErrorCode;
  check?: string;
  param?: string;
  message: string;
} {
  return {
    code,
    ...(check !== undefined && { check }),
    ...(param !== undefined && { param: maskSecrets(param) }),
    message: maskSecrets(message),
  };
}

/** Returns the first faults, as many as there is room for. */
function withinBytes(faults: readonly object[]): readonly object[] {
  let bytes = 0;
  const end = faults.findIndex((fault) => (bytes += Buffer.byteLength(JSON.stringify(fault))) > faultBytesMax);
  return end === -1 ? faults : faults.slice(0, Math.max(end, 1));
}

/** Converts the few errors that the HTTP framework finds before our own code. */
function frameworkError(error: unknown): ApiError | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : undefined;
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(
        'content_type_unsupported',
        'The `Content-Type` is not well formed. Send the body as `application/json`.',
      );
    case 'FST_ERR_BAD_URL':
      return new ApiError('request_invalid', 'The path is not valid percent-encoded UTF-8.');
    default:
      break;
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ApiError('request_invalid', `The request is not well formed: ${error.message}.`);
  }
  return null;
}

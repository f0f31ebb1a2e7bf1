import { OverloadedError, type StoredResponse } from '../../commit/write-request.ts';
import { ApiError } from '../../core/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { UnavailableError } from '../../db/pools.ts';
import { UnknownVersionError } from '../../versions/apply.ts';
import type { ReceivedRequest } from '../request.ts';

/** What went wrong as the client may know it. Whatever nobody foresaw is `internal`; its cause stays in the server's log. */
export function apiErrorOf(error: unknown, request: ReceivedRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OverloadedError && error.isOfAccount) {
    return new ApiError(
      'rate_limit',
      'This account has as many large requests under way as it can have at once. Nothing was changed. Wait until some have ended, and send fewer at once.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
  if (error instanceof OverloadedError) {
    return new ApiError(
      'overloaded',
      'The server has more to do than it can carry out in time. Nothing was changed; try again shortly.',
      {
        retryAfterSeconds: 1,
        cause: error,
      },
    );
  }
  if (error instanceof UnavailableError) {
    if (error.inDoubt) return fateUnknown(error, request);
    const message = 'The database cannot be reached just now. Nothing was changed; try again shortly.';
    return new ApiError('unavailable', message, { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof UnknownVersionError) {
    const message = `${error.message} Nothing was changed; try again, and a process of that release may answer.`;
    return new ApiError('unavailable', message, { retryAfterSeconds: 1, cause: error });
  }
  return frameworkError(error) ?? internalError(error);
}

/** Only a POST of the API without a key may do more when it is sent again: a deletion has nothing more to delete, and a callback tells the same. */
function fateUnknown(cause: UnavailableError, { route, idempotencyKey }: ReceivedRequest): ApiError {
  const shouldRetry = idempotencyKey !== null || route?.method !== 'POST';
  const advice = shouldRetry
    ? `Repeat the request${idempotencyKey === null ? '' : ' with the same Idempotency-Key'}: it is carried out at most once.`
    : 'It had no Idempotency-Key, so to repeat it could carry it out twice: look first whether what it was to do is there. If it is not, send it again, with an Idempotency-Key.';
  return new ApiError(
    'unavailable',
    `The database was lost while the change was being committed, so it is not known whether it took place. ${advice}`,
    { retryAfterSeconds: 1, shouldRetry, cause },
  );
}

/** In the same words whether the record is another account's or nobody's. */
export function recordMissing({ object }: Resource, id: string, param = 'id'): ApiError {
  return new ApiError(
    'resource_missing',
    `There is no ${object} \`${id.slice(0, 80).toWellFormed()}\` in this account.`,
    { param },
  );
}

export function internalError(cause: unknown): ApiError {
  return new ApiError(
    'internal',
    'Something went wrong on our side, and nothing was changed. Please report the request id.',
    { cause },
  );
}

/** The answer that tells the client about an error. */
export function errorAnswer(error: ApiError, requestId: string, publicUrl: string): StoredResponse {
  const { type, code, message, param } = error;
  const facts = { type, code, ...(param !== undefined && { param }) };
  const body = JSON.stringify({
    error: { ...facts, message, doc_url: `${publicUrl}/docs/errors/${code}`, request_id: requestId },
  });
  return { status: error.status, body, error: facts };
}

/** The few faults that the HTTP framework finds before our own code does. */
function frameworkError(error: unknown): ApiError | null {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
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
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError('request_invalid', `The request is not well formed: ${(error as Error).message}.`);
  }
  return null;
}

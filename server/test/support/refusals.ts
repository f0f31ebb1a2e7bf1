import { expect } from 'vitest';
import { latestVersion } from './versions.ts';
import type { ApiResponse, TestServer } from './server.ts';

export interface Refusal {
  status: number;
  type: string;
  code: string;
  /** The parameter at fault; absent if there is none. */
  param?: string;
  /** Words that the message must have, so that its reader can act. */
  says?: string | RegExp;
  /** The version of the response; the latest, unless the account or the request has another one. */
  version?: string;
}

/** The kinds of refusal, as the API's table of errors defines them. */
export const refusals = {
  keyMissing: { status: 401, type: 'authentication_error', code: 'api_key_missing' },
  limitReached: { status: 400, type: 'invalid_request_error', code: 'limit_reached' },
  keyInvalid: { status: 401, type: 'authentication_error', code: 'api_key_invalid' },
  keyExpired: { status: 401, type: 'authentication_error', code: 'api_key_expired' },
  modeMismatch: { status: 401, type: 'authentication_error', code: 'mode_mismatch' },
  personRequired: { status: 403, type: 'permission_error', code: 'person_required' },
  permission: { status: 403, type: 'permission_error', code: 'permission_denied' },
  accountMalformed: { status: 400, type: 'invalid_request_error', code: 'account_invalid' },
  accountUnknown: { status: 403, type: 'permission_error', code: 'account_invalid' },
  idUnknown: { status: 404, type: 'invalid_request_error', code: 'resource_missing', param: 'id' },
  routeUnknown: { status: 404, type: 'invalid_request_error', code: 'route_unknown' },
  methodNotAllowed: { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  version: { status: 400, type: 'invalid_request_error', code: 'api_version_invalid' },
  contentType: { status: 415, type: 'invalid_request_error', code: 'content_type_unsupported' },
  bodyTooLarge: { status: 413, type: 'invalid_request_error', code: 'body_too_large' },
  bodyInvalid: { status: 400, type: 'invalid_request_error', code: 'body_invalid' },
  requestInvalid: { status: 400, type: 'invalid_request_error', code: 'request_invalid' },
  headersTooLarge: { status: 431, type: 'invalid_request_error', code: 'headers_too_large' },
  transition: { status: 400, type: 'invalid_request_error', code: 'status_transition_invalid' },
  idempotencyForm: { status: 400, type: 'idempotency_error', code: 'idempotency_key_invalid' },
  idempotencyReused: { status: 400, type: 'idempotency_error', code: 'idempotency_key_reused' },
  idempotencyInUse: { status: 409, type: 'idempotency_error', code: 'idempotency_key_in_use' },
  rateLimit: { status: 429, type: 'rate_limit_error', code: 'rate_limit' },
  overloaded: { status: 503, type: 'api_error', code: 'overloaded' },
  unavailable: { status: 503, type: 'api_error', code: 'unavailable' },
  internal: { status: 500, type: 'api_error', code: 'internal' },
} as const satisfies Record<string, Refusal>;

export function missing(param: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: 'parameter_missing', param };
}

export function invalid(param: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: 'parameter_invalid', param };
}

export function unknown(param: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: 'parameter_unknown', param };
}

export function exclusive(param: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: 'parameters_exclusive', param };
}

const retried = new Set(['idempotency_key_in_use', 'rate_limit', 'overloaded', 'unavailable']);

/** Expects this refusal, with all that the contract promises of every refusal. */
export function expectRefusal(response: ApiResponse, refusal: Refusal): void {
  const { errors, request_log_url: logUrl, ...error } = response.body?.error ?? {};
  const { says, status, version = latestVersion, ...facts } = refusal;
  const wanted = {
    ...facts,
    message: expect.any(String),
    doc_url: expect.stringMatching(new RegExp(`^https?://[^/]+/docs/errors/${refusal.code}$`)),
    request_id: response.headers.get('request-id'),
  };
  expect({ status: response.status, error }, response.text).toEqual({ status, error: wanted });
  expect(Object.keys(response.body)).toEqual(['error']);
  expect(response.headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(response.headers.get('service-version')).toBe(version);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const retry = retried.has(refusal.code);
  expect(response.headers.get('service-should-retry')).toBe(String(retry));
  if (retry) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  else expect(response.headers.get('retry-after')).toBeNull();
  // A person reads it, and every JSON parser must accept it: a lone half of an emoji is not accepted.
  expect(error.message).toMatch(/^[^a-z].* .*[.?)]$/s);
  expect(error.message.isWellFormed(), error.message).toBe(true);
  if (says !== undefined) expect(error.message).toMatch(says);
  if (errors !== undefined) expectFaults(errors, error);
  if (logUrl !== undefined) {
    expect([401, 429, 503]).not.toContain(status);
    expect(logUrl).toMatch(new RegExp(`^https?://[^/]+/dashboard/logs/${error.request_id}$`));
  }
}

/** Expects a list of faults that begins with the error itself. A refusal lists none if the server stopped at the first fault. */
function expectFaults(errors: Record<string, string>[], { code, param, message }: Record<string, string>): void {
  expect(code).toMatch(/^parameter_/);
  expect(errors[0]).toStrictEqual({ code, param, message });
  expect(errors.length).toBeLessThanOrEqual(20);
  expect(new Set(errors.map((fault) => fault.param)).size).toBe(errors.length);
  expect(errors.every((fault) => fault.message!.isWellFormed() && fault.param!.isWellFormed())).toBe(true);
}

/** Returns the error's link to its docs, on the test server. The server believes that it has another port. */
export function docUrlOn(server: TestServer, response: ApiResponse): string {
  return server.url + new URL(String(response.body.error.doc_url)).pathname;
}

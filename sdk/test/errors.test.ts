import { describe, expect, expectTypeOf, test } from 'vitest';
import { errorCatalogue, type ErrorCode as ServerErrorCode } from '../../server/src/core/errors.ts';
import * as sdk from '../src/index.ts';
import { errorBody, scripted, type Step } from './scripted.ts';

const classes: Record<string, new (...given: never[]) => sdk.ApiError> = {
  authentication_error: sdk.AuthenticationError,
  permission_error: sdk.PermissionError,
  invalid_request_error: sdk.InvalidRequestError,
  idempotency_error: sdk.IdempotencyError,
  rate_limit_error: sdk.RateLimitError,
  api_error: sdk.ServerError,
};

/** Returns the error of a call that gets this response. */
async function errorFor(status: number, body: unknown, headers: Record<string, string> = {}): Promise<sdk.ApiError> {
  const { tenure } = scripted([{ status, body, headers }], { maxRetries: 0 });
  const error: unknown = await tenure.account.retrieve().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(sdk.ApiError);
  return error as sdk.ApiError;
}

/** A response whose body would never end, and the bytes that were taken from it. */
function endless(status: number): { step: Step; taken: () => number } {
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  let taken = 0;
  const step: Step = async () =>
    new Response(
      new ReadableStream({
        pull(body) {
          taken += piece.byteLength;
          body.enqueue(piece);
        },
      }),
      { status },
    );
  return { step, taken: () => taken };
}

describe('an error of the API', () => {
  test.each(Object.entries(errorCatalogue))('has its class and its code when the code is %s', async (code, entry) => {
    const error = await errorFor(entry.status, errorBody(entry.type, code));
    expect(error).toBeInstanceOf(classes[entry.type]!);
    expect(error).toBeInstanceOf(sdk.TenureError);
    expect(error).toMatchObject({
      name: classes[entry.type]!.name,
      message: `It failed with ${code}.`,
      code,
      type: entry.type,
      status: entry.status,
      param: null,
      docUrl: 'http://x/docs',
      errors: [],
      requestId: 'req_1',
    });
    expect(sdk.isTenureError(error, code as sdk.ErrorCode)).toBe(true);
    expect(sdk.isTenureError(error, 'never_heard_of' as sdk.ErrorCode)).toBe(false);
  });

  test('keeps what the server says beside the catalogue', async () => {
    const body = {
      error: {
        type: 'new_error',
        code: 'new_code',
        message: 'New.',
        param: 'a[b]',
        request_log_url: 'http://x/logs',
        errors: [{ code: 'new_code', message: 'New.' }],
      },
    };
    expect(await errorFor(418, body, { 'request-id': 'req_2' })).toMatchObject({
      name: 'InvalidRequestError',
      type: 'new_error',
      code: 'new_code',
      message: 'New.',
      param: 'a[b]',
      requestId: 'req_2',
      requestLogUrl: 'http://x/logs',
      errors: [{ code: 'new_code', message: 'New.' }],
    });
  });

  test.each([
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'InvalidRequestError'],
    [429, 'RateLimitError'],
    [502, 'ServerError'],
  ])('has the class of its status when a proxy answers %d', async (status, name) => {
    for (const body of [
      '<html>',
      '',
      '{}',
      '[]',
      'null',
      '{"error":"no"}',
      '{"error":null}',
      '{"error":{"type":"toString"}}',
    ]) {
      const error = await errorFor(status, body);
      expect([error.name, error.code, error.status]).toEqual([name, null, status]);
      expect(error.message).toContain(String(status));
    }
  });
});

describe('a body without an end', () => {
  test('fails without a retry when it exceeds every response of the server', async () => {
    const { step, taken } = endless(200);
    const { tenure, sent } = scripted([step]);
    await expect(tenure.account.retrieve()).rejects.toThrow(/more than 64 MB/);
    expect(sent).toHaveLength(1);
    expect(taken()).toBeLessThan(68 * 1024 * 1024);
  });

  test('keeps the status when it is the body of an error', async () => {
    const { step } = endless(400);
    const { tenure } = scripted([step]);
    await expect(tenure.account.retrieve()).rejects.toMatchObject({ name: 'InvalidRequestError', status: 400 });
  });
});

test('recognizes errors of this package, and of another copy of it', () => {
  expect(sdk.isTenureError(new sdk.TenureError('a'))).toBe(true);
  expect(sdk.isTenureError(new sdk.SignatureVerificationError('a'))).toBe(true);
  expect(sdk.isTenureError({ [Symbol.for('tenure.error')]: true, code: 'internal' }, 'internal')).toBe(true);
  for (const other of [new Error('a'), null, undefined, 'internal', { code: 'internal' }]) {
    expect(sdk.isTenureError(other)).toBe(false);
    expect(sdk.isTenureError(other, 'internal')).toBe(false);
  }
});

test('narrows the type of an error by its code', () => {
  const caught: unknown = null;
  if (sdk.isTenureError(caught)) expectTypeOf(caught).toEqualTypeOf<sdk.TenureError>();
  if (sdk.isTenureError(caught, 'resource_missing')) {
    expectTypeOf(caught.code).toExtend<'resource_missing'>();
    expectTypeOf(caught.requestId).toEqualTypeOf<string | null>();
  }
  // Both catalogues have the same codes.
  expectTypeOf<sdk.ErrorCode>().toEqualTypeOf<ServerErrorCode>();
});

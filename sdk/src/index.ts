export { Tenure, type TenureConfig, type Webhooks } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  isTenureError,
  PermissionError,
  RateLimitError,
  ServerError,
  SignatureVerificationError,
  TenureError,
  TimeoutError,
} from './errors.ts';
export { EventStream } from './event-stream.ts';
export { operations, type Operation, type OperationTable } from './generated/operations.ts';
export { newestVersion } from './generated/versions.ts';
export type * from './generated/versions.ts';
export { ListPromise, type List } from './lists.ts';
export {
  maskKey,
  TenurePromise,
  type ApiResponse,
  type Fetch,
  type RequestInfo,
  type RequestOptions,
  type ResponseInfo,
} from './transport.ts';
export type { ConstructEventOptions, RawBody } from './webhooks.ts';

import type { Route } from '../route.ts';
import type { Piece } from './published.ts';
import { idPatternOf } from './schemas.ts';

/** The headers of responses, by name. Some are in every response. */
const ofResponses: Record<string, Piece> = {
  'Request-Id': {
    description: 'The id of the request, and of its log if it has one. Name it when you ask for support.',
    required: true,
    schema: { type: 'string', pattern: idPatternOf('req') },
  },
  'Service-Version': {
    description: 'The version of the response. A replay has the version of the first response.',
    required: true,
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
  RateLimit: {
    description:
      'Only with a rate limit: the number of requests left (`r`), and the seconds until the limit is full again (`t`).',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'Only with a rate limit: the number of requests (`q`) that the account may send in a window of `w` seconds.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Original-Request': {
    description: 'On a replay: the id of the request that was executed.',
    schema: { type: 'string', pattern: idPatternOf('req') },
  },
  'Service-Should-Retry': {
    description:
      '`true` if a retry may get another response: for 409, 429 and 503. It is `false` if the request had no `Idempotency-Key` and may have been executed.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'Retry-After': {
    description: 'Wait so many seconds before you retry.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
};

const ofRequests: Record<string, Piece> = {
  'Service-Version': {
    description: 'The version of the request and its response. The default is the version of your key’s account.',
    schema: { type: 'string' },
  },
  'Service-Context': {
    description: 'The account to act upon: the key’s own, or one connected to it. Objects then have `account`.',
    schema: { type: 'string', pattern: idPatternOf('acct') },
  },
  'Service-Reason': {
    description:
      'Why an agent wants this, for the person that approves the request. Up to 500 characters in UTF-8. Only keys of agents need it.',
    schema: { type: 'string', maxLength: 500 },
  },
  'Idempotency-Key': {
    description: 'Makes the request safe to retry: it is executed once. Use a random UUID for each operation.',
    schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
  },
};

const ofStreams: Record<string, Piece> = {
  'Last-Event-ID': {
    description:
      'Resumes after the event with this id, the last one that you have. `beginning` stands before all stored events. It takes precedence over `after`.',
    schema: { type: 'string', pattern: `^beginning$|${idPatternOf('evt')}` },
  },
};

const ofDeliveries: Record<string, Piece> = {
  'Service-Signature': {
    description:
      '`t=<unix seconds>,v1=<hex>`: an HMAC-SHA256 over `<t>.<raw body>`. Its key is the whole `signing_secret`.',
    schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' },
  },
  'Service-Version': {
    description: 'The version of the body: the endpoint’s own.',
    schema: { type: 'string' },
  },
  'Service-Event-Id': {
    description: 'The id of the event. Use it to detect duplicates.',
    schema: { type: 'string', pattern: idPatternOf('evt') },
  },
  'Service-Delivery-Id': {
    description: 'The id of the delivery. It is the same at every attempt.',
    schema: { type: 'string', pattern: idPatternOf('dlv') },
  },
  'Service-Attempt': {
    description: 'The number of the attempt, from 1.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
};

/** Returns the headers of responses, for the components of a document. */
export function headerComponents(): Record<string, Piece> {
  return Object.fromEntries(Object.entries(ofResponses).map(([name, header]) => [componentName(name), header]));
}

/** Returns the headers of requests and deliveries, for the components of a document of this version. */
export function parameterComponents(version: string): Record<string, Piece> {
  const parameters = (headers: Record<string, Piece>, prefix: string, required: boolean): [string, Piece][] =>
    Object.entries(headers).map(([name, header]) => [
      prefix + componentName(name),
      { name, in: 'header', required, ...header, ...(name === 'Service-Version' && { example: version }) },
    ]);
  return Object.fromEntries([
    ...parameters({ ...ofRequests, ...ofStreams }, '', false),
    ...parameters(ofDeliveries, 'Delivered', true),
  ]);
}

/** Returns a `$ref` for each header of every response, and for these. */
export function responseHeaders(...names: string[]): Record<string, Piece> {
  const all = ['Request-Id', 'Service-Version', 'RateLimit', 'RateLimit-Policy', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]));
}

/** Returns the headers of a stored response, if one can answer a repetition of the request. The portal knows no idempotency keys. */
export function replayHeaders({ method, portalFeatures }: Route): string[] {
  return method === 'POST' && !portalFeatures ? ['Idempotent-Replayed', 'Original-Request'] : [];
}

/** Returns a `$ref` for each of these headers of requests. */
export function requestHeaders(...names: string[]): Piece[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${componentName(name)}` }));
}

/** Returns a `$ref` for each header of deliveries. */
export function deliveryHeaders(): Piece[] {
  return Object.keys(ofDeliveries).map((name) => ({ $ref: `#/components/parameters/Delivered${componentName(name)}` }));
}

function componentName(header: string): string {
  return header.replaceAll('-', '');
}

import { idPatternOf, type Piece } from './schemas.ts';

/** What every answer bears, and those that only some have, by their names. */
const ofAnswers: Record<string, Piece> = {
  'Request-Id': {
    description: 'The id of the request: the one to name when you ask about it, and the id of its log if it has one.',
    required: true,
    schema: { type: 'string', pattern: idPatternOf('req') },
  },
  'Service-Version': {
    description: 'The version of the answer. A replay has the version of the first answer.',
    required: true,
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
  RateLimit: {
    description: 'Where a rate limit is set: how many requests are left (`r`) until it fills up (`t`, in seconds).',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Where a rate limit is set: how many requests (`q`) the account may send in how many seconds (`w`).',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` where the answer is the stored one of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Original-Request': {
    description: 'On a replay: the request that was carried out.',
    schema: { type: 'string', pattern: idPatternOf('req') },
  },
  'Service-Should-Retry': {
    description:
      '`true` where the same request may have another answer later: 409, 429 and 503, unless it had no `Idempotency-Key` and may have been carried out.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'Retry-After': {
    description: 'After how many seconds a retry makes sense.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
};

const ofRequests: Record<string, Piece> = {
  'Service-Version': {
    description: 'The version to answer in. Without it, the one that the account of the key is pinned to.',
    schema: { type: 'string' },
  },
  'Service-Context': {
    description: 'The account to act upon: the key’s own, or one connected to it. Objects then have `account`.',
    schema: { type: 'string', pattern: idPatternOf('acct') },
  },
  'Idempotency-Key': {
    description:
      'Makes the request safe to repeat: it is carried out once. A random UUID for each operation is a good one.',
    schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
  },
};

const ofStreams: Record<string, Piece> = {
  'Last-Event-ID': {
    description: 'Go on behind the event of this id: the last one that you have. It goes before `after`.',
    schema: { type: 'string', pattern: idPatternOf('evt') },
  },
};

const ofDeliveries: Record<string, Piece> = {
  'Service-Signature': {
    description:
      '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256, keyed with the whole `signing_secret`, over `<t>.<raw body>`.',
    schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' },
  },
  'Service-Version': {
    description: 'The version of the body: the endpoint’s own.',
    schema: { type: 'string' },
  },
  'Service-Event-Id': {
    description: 'The event: an event that comes twice has it twice.',
    schema: { type: 'string', pattern: idPatternOf('evt') },
  },
  'Service-Delivery-Id': {
    description: 'This delivery of the event; the same at every attempt.',
    schema: { type: 'string', pattern: idPatternOf('dlv') },
  },
  'Service-Attempt': {
    description: 'Which attempt this is, from 1.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
};

/** The headers of answers, for the components of a document. */
export function headerComponents(): Record<string, Piece> {
  return Object.fromEntries(Object.entries(ofAnswers).map(([name, header]) => [componentName(name), header]));
}

/** The headers of requests and of deliveries, for the components of a document of this version. */
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

/** References to what every answer bears, and to these. */
export function answerHeaders(...names: string[]): Record<string, Piece> {
  const all = ['Request-Id', 'Service-Version', 'RateLimit', 'RateLimit-Policy', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]));
}

/** References to these headers of requests. */
export function requestHeaders(...names: string[]): Piece[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${componentName(name)}` }));
}

/** References to the headers of deliveries. */
export function deliveryHeaders(): Piece[] {
  return Object.keys(ofDeliveries).map((name) => ({ $ref: `#/components/parameters/Delivered${componentName(name)}` }));
}

function componentName(header: string): string {
  return header.replaceAll('-', '');
}

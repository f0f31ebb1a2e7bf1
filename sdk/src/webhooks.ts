import { SignatureVerificationError } from './errors.ts';
import type { ApiVersion, EventOf, newestVersion } from './generated/versions.ts';

export { SignatureVerificationError };

/** The bytes of a webhook as they arrived, or their text. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export interface ConstructEventOptions<V extends ApiVersion> {
  /** How far the time of the signature may be from this clock, in both directions. The default is 300 s. */
  toleranceSeconds?: number | undefined;
  /** The API version of the endpoint. It chooses the type of the event. */
  apiVersion?: V | undefined;
}

/** Signatures of a header that are tried. Each costs a hash of the body. */
const signaturesMax = 10;

/**
 * Checks the signature of a webhook, and returns its event.
 *
 * @param rawBody the body before any parser: `await request.text()`, or the Buffer of `express.raw()`.
 * @param header the header `Service-Signature`.
 * @param secret the `signing_secret` of the endpoint, `whsec_…`.
 * @throws {SignatureVerificationError} if the webhook does not come from Tenure, is too old, or was changed.
 */
export async function constructEvent<V extends ApiVersion = typeof newestVersion>(
  rawBody: RawBody,
  header: string | null | undefined,
  secret: string,
  { toleranceSeconds = 300 }: ConstructEventOptions<V> = {},
): Promise<EventOf[V]> {
  const body = bytesOf(rawBody);
  const { timestamp, signatures } = partsOf(header);
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  // A tolerance that is no number passes nothing.
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw new SignatureVerificationError(
      `The webhook was signed ${Math.abs(Math.round(ageSeconds))} s ${ageSeconds > 0 ? 'ago' : 'ahead'}, and ${toleranceSeconds} s are allowed. It is a replay, or a clock is wrong.`,
    );
  }
  const key = await keyOf(secret, 'verify');
  const signed = signedBytes(timestamp, body);
  for (const signature of signatures) {
    if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(new TextDecoder().decode(body));
  }
  throw new SignatureVerificationError(
    'No signature fits. Check that the secret is the `whsec_…` of this endpoint, and that the body is raw: no parser or proxy may change a byte.',
  );
}

/**
 * Signs a body as Tenure does, for the tests of a receiver. Returns the header `Service-Signature`.
 *
 * @param options.timestamp seconds since the Unix epoch. The default is now.
 */
export async function signTestHeader(
  rawBody: RawBody,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000) }: { timestamp?: number | undefined } = {},
): Promise<string> {
  const key = await keyOf(secret, 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(String(timestamp), bytesOf(rawBody)));
  const hex = Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0'));
  return `t=${timestamp},v1=${hex.join('')}`;
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  // A view of another realm, such as a test environment, is no instance of this one's classes.
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer as ArrayBuffer, rawBody.byteOffset, rawBody.byteLength);
  }
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody as ArrayBuffer);
  throw new TypeError(
    'The body must be raw, a string or bytes, but it was parsed or is missing. Take the body before any JSON parser, such as by `express.raw({ type: "application/json" })`.',
  );
}

/** Reads `t=<seconds>,v1=<hex>,…`. Other schemes than `v1` are passed over. */
function partsOf(header: unknown): { timestamp: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = typeof header === 'string' ? header.split(',') : [];
  const valuesOf = (start: string): string[] =>
    parts.filter((part) => part.startsWith(start)).map((part) => part.slice(start.length));
  const [timestamp = '', ...others] = valuesOf('t=');
  const signatures = valuesOf('v1=').filter((hex) => /^[0-9a-f]{64}$/.test(hex));
  if (!/^\d{1,12}$/.test(timestamp) || others.length > 0 || !signatures.length || signatures.length > signaturesMax) {
    throw new SignatureVerificationError(
      'The header `Service-Signature` is missing or malformed. It has the form `t=<seconds>,v1=<hex>`.',
    );
  }
  return {
    timestamp,
    signatures: signatures.map((hex) => Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16))),
  };
}

function keyOf(secret: unknown, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The signing secret is missing.');
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${timestamp}.`);
  const bytes = new Uint8Array(start.length + body.length);
  bytes.set(start);
  bytes.set(body, start.length);
  return bytes;
}

import { createHmac } from 'node:crypto';

/**
 * Returns the `Service-Signature` of a delivery (spec, authentication). It is HMAC-SHA256 in lower-case hex over `<timestamp>.<body>`. The
 * key is the whole text of the signing secret, `whsec_` included.
 */
export function signatureHeader(signingSecret: string, timestampSeconds: number, body: Uint8Array): string {
  const signature = createHmac('sha256', signingSecret).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `t=${timestampSeconds},v1=${signature}`;
}

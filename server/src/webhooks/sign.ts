import { createHmac } from 'node:crypto';

/**
 * The `Service-Signature` of a delivery (spec, authentication): HMAC-SHA256 in lower-case hex, keyed with the whole text of the
 * signing secret, `whsec_` included, over `<timestamp>.<body>`.
 */
export function signatureHeader(signingSecret: string, timestampSeconds: number, body: Uint8Array): string {
  const signature = createHmac('sha256', signingSecret).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `t=${timestampSeconds},v1=${signature}`;
}

import { createHash } from 'node:crypto';
import type { OpenContents } from '../../route.ts';

export const pdf = 'application/pdf';

/** Returns a printed document as a download. */
export function printed(filename: string, bytes: Buffer): OpenContents {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { filename, contentType: pdf, size: bytes.length, sha256, bytes };
}

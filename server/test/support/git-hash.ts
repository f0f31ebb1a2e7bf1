import { hash } from 'node:crypto';

/** Returns Git's id of a file with these bytes. It proves that files of another project are unchanged. */
export function gitHashOf(bytes: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
}

import { hash } from 'node:crypto';

/** Git's id of a file of these bytes, by which files of another project are known to be unchanged. */
export function gitHashOf(bytes: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
}

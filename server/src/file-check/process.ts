import { findFault } from './pdf.ts';
import { remakePicture, shrinkPicture } from './picture.ts';
import { FileRefusal } from './refusal.ts';

/* The process that opens uploaded files. It gets a file, its bytes in pieces, and null. It replies once. */

/** A file whose bytes follow. */
export interface FileToCheck {
  contentType: string;
  /** The largest result, in bytes. */
  bytesMax: number;
  /** The largest sides of a picture that is made smaller, in dots. */
  fit?: { width: number; height: number };
}

/** The reply: the reason against the file, what to store in its place, or why it could not be checked. Null stands for the file itself. */
export type Checked = { refusal: string } | { bytes: Buffer | null } | { fault: string };

let file: FileToCheck | null = null;
let pieces: Buffer[] = [];

process.on('message', (message: FileToCheck | Buffer | null) => {
  if (Buffer.isBuffer(message)) pieces.push(message);
  else if (message !== null) [file, pieces] = [message, []];
  else if (file) {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    void check(file, bytes).then((checked) => process.send!(checked));
  }
});
// Without the server there is no more work.
process.on('disconnect', () => process.exit());

async function check({ contentType, bytesMax, fit }: FileToCheck, bytes: Buffer): Promise<Checked> {
  try {
    if (fit) return { bytes: await shrinkPicture(bytes, contentType, fit) };
    if (contentType.startsWith('image/')) return { bytes: await remakePicture(bytes, contentType, bytesMax) };
    const refusal = findFault(bytes);
    return refusal === null ? { bytes: null } : { refusal };
  } catch (error) {
    if (error instanceof FileRefusal) return { refusal: error.message };
    // Such as a platform without the library.
    return { fault: (error as Error).stack ?? String(error) };
  }
}

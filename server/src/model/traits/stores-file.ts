import { defineTrait } from '../trait.ts';

/** The file of a record. `POST /v1/<path>` uploads it, and `GET /v1/<path>/{id}/contents` returns it. */
export interface Contents {
  /** The largest size, in bytes. */
  bytesMax: number;
  contentType: string;
  /** The required type, for error messages: `a PDF`. */
  description: string;
  /** Returns whether the first and the last kilobyte have the right type. The client's name and type of the file do not count. */
  isValid(head: Buffer, tail: Buffer): boolean;
}

export const storesFile = defineTrait<Contents>();

import { defineTrait } from '../trait.ts';

/** Bytes of one type, which a record holds. They come with `POST /v1/<path>`, and `GET /v1/<path>/{id}/contents` answers them. */
export interface Contents {
  /** The largest size, in bytes. */
  bytesMax: number;
  contentType: string;
  /** What it must be, for a client that sent something else: `a PDF`. */
  description: string;
  /** Judges by the first and the last kilobyte, and not by the name and type that the sender gave. */
  isValid(head: Buffer, tail: Buffer): boolean;
}

export const storesFile = defineTrait<Contents>();

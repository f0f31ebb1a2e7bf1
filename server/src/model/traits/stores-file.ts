import type { NonEmpty } from '../../core/arrays.ts';
import { defineTrait } from '../trait.ts';

/** A type of file that a route accepts. The client's name and type of the file do not count. */
export interface FileType {
  contentType: string;
  /** Returns whether a file with this first kilobyte is meant to have the type. The first type that fits is taken. */
  beginsAs(head: Buffer): boolean;
  /** Returns whether a file with this last kilobyte is complete. */
  endsAs(tail: Buffer): boolean;
  /**
   * Tells what becomes of the bytes. If they are `kept`, they are stored as they are. If they are `inspected`, a file with active content is
   * refused. If they are `remade`, a new picture without metadata is stored.
   */
  handling: 'kept' | 'inspected' | 'remade';
}

/** The file of a record. `POST /v1/<path>` uploads it, and `GET /v1/<path>/{id}/contents` returns it. */
export interface Contents {
  /** The largest size, in bytes. */
  bytesMax: number;
  types: NonEmpty<FileType>;
  /** The accepted types, for error messages: `a PDF`. */
  description: string;
}

export const storesFile = defineTrait<Contents>();

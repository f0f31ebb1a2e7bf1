import type { Caller } from '../callers/caller.ts';
import type { StoredRecord } from '../record.ts';
import type { Change, OperationDocs } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** A file that is read and not kept. */
export interface ImportedFile {
  bytes: Uint8Array;
  filename: string;
  /** In hex. */
  sha256: string;
}

/** Runs a plain read. Each name has one text. */
export type ReadRows = <Row extends Record<string, unknown>>(statement: {
  name: string;
  text: string;
  values: unknown[];
}) => Promise<Row[]>;

/** A record that is made from a file: an import of payments. The bytes are read, and not kept. */
export interface FileImport {
  /** The path of the upload: `payments/import` for `POST /v1/payments/import`. */
  path: string;
  permission: string;
  docs: OperationDocs & { summary: string };
  /** The largest file, in bytes. */
  bytesMax: number;
  contentType: string;
  /** The required type, for error messages: `a PDF`. */
  description: string;
  /**
   * Decides what the file makes. It reads what it compares the file with, and writes nothing.
   *
   * @param made the new record without its own fields.
   * @throws {ApiError}
   */
  decide(
    made: StoredRecord,
    file: ImportedFile,
    caller: Caller,
    read: ReadRows,
  ): Promise<Pick<Change<StoredRecord>, 'after' | 'also'>>;
}

export const importsFile = defineTrait<FileImport>();

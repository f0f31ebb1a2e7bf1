import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { SealedFiles } from '../commit/sealed-files.ts';
import type { ByteCeiling } from '../core/limits/byte-budget.ts';
import type { Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { IdMaker } from '../core/ids.ts';
import type { Pool } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Resource } from '../model/resource.ts';
import type { ApiVersions } from '../versions/apply.ts';

/** What the steps of an erasure share. */
export interface ErasureContext {
  committer: Committer;
  /** Reads long history through its own pool, so that it does not block sign-ins. */
  database: { listers: Pool };
  reader: Reader;
  /** Keeps the files that legal duties need. */
  sealedFiles: SealedFiles;
  encryption: Encryption;
  readRecord: RecordReader;
  /** Removes the person from the texts that a search compares. */
  searchIndex: { renew(accountId: string, ids: readonly string[]): Promise<void> };
  resources: readonly Resource[];
  versions: ApiVersions;
  clock: Clock;
  ids: IdMaker;
  log: Logger;
  /** The memory of the process. */
  memory: ByteCeiling;
}

/** Records or files that one change erases. The bytes go with the files, and other changes are waiting. */
const recordsAtOnce = 10;

/** Yields the ids of the records of one change after another. */
export function* pagesOf(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += recordsAtOnce) yield ids.slice(at, at + recordsAtOnce);
}

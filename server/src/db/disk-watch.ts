import type { Logger } from 'pino';
import { errorMessage } from '../core/errors.ts';

/** Milliseconds that a full disk counts as full after the last error. Clients and duties write more often. */
const fullForMs = 60_000;

/** Milliseconds between two lines of the log about it. */
const logEveryMs = 60_000;

const diskFull = '53100';

/** What an operator does about a full disk. */
export const diskFullAdvice =
  'The disk of the database is full. Make room or enlarge the disk, and never delete files of PostgreSQL. See "A full disk" in docs/guides/operations.md.';

/** Notices that PostgreSQL has no room left on its disk. Reads continue, and every write that needs room fails. */
export class DiskWatch {
  readonly #log: Logger;
  #fullAtMs = -Infinity;
  #loggedAtMs = -Infinity;
  /** The errors since the start. */
  errors = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get isFull(): boolean {
    return performance.now() - this.#fullAtMs < fullForMs;
  }

  /** Looks at an error of PostgreSQL, on any connection. */
  observe(error: { code?: string | undefined; message?: string | undefined }): void {
    if (error.code !== diskFull) return;
    this.errors++;
    const nowMs = performance.now();
    this.#fullAtMs = nowMs;
    if (nowMs - this.#loggedAtMs < logEveryMs) return;
    this.#loggedAtMs = nowMs;
    this.#log.error({ code: error.code, message: error.message }, diskFullAdvice);
  }
}

/** Returns whether an error says that a disk is full: of PostgreSQL, of the system, or the text of either. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return (
    [diskFull, 'ENOSPC', 'EDQUOT'].includes(String(code)) || errorMessage(error).includes('No space left on device')
  );
}

/** A failure of the embedded database. The message is one line for the operator. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';
}

/** Returns the last messages, the fatal ones if there are any. */
export function oneLine(messages: string[]): string {
  const lines = messages.map((line) => line.trim()).filter((line) => line !== '');
  const fatal = lines.filter((line) => /^(FATAL|PANIC)/.test(line));
  return (fatal.length > 0 ? fatal : lines).slice(-3).join(' / ').replace(/\.$/, '') || 'no message';
}

/** Returns the code of a system or PostgreSQL error, such as ENOENT or 57P03, or else its text. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** Tells whether the disk or the user's quota is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
}

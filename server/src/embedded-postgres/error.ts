/** The embedded database cannot do what was asked. The message is one line for the person who must act. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';
}

/** The last messages, the fatal ones if there are any. */
export function oneLine(messages: string[]): string {
  const lines = messages.map((line) => line.trim()).filter((line) => line !== '');
  const fatal = lines.filter((line) => /^(FATAL|PANIC)/.test(line));
  return (fatal.length > 0 ? fatal : lines).slice(-3).join(' / ').replace(/\.$/, '') || 'no message';
}

/** The code of a system or PostgreSQL error, such as ENOENT or 57P03; its text where it has none. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the disk is full, or the part of it that the user may have. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
}

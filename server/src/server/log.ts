import pino, { type DestinationStream, type Logger } from 'pino';
import { isOutage, UnavailableError } from '../db/pools.ts';

/** Opens the log of a process: a line of JSON for each entry. */
export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: shownError } }, destination);
}

/** Leaves out the stacks of an outage, and keeps its causes. While the database restarts, each duty fails again and again. */
function shownError(error: unknown): unknown {
  const shown = pino.stdSerializers.err(error as Error);
  if (!isOutage(error)) return shown;
  // Of a host with several addresses, each one has an error, and the whole has no message.
  const messages = [
    shown.message,
    ...(shown.aggregateErrors ?? []).map(({ message }: { message: string }) => message),
  ].filter(Boolean);
  const { code } = (error instanceof UnavailableError ? error.cause : error) as { code?: string };
  return { type: shown.type, message: messages.join('; '), code };
}

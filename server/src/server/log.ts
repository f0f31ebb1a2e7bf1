import pino, { type DestinationStream, type Logger } from 'pino';
import { isOutage } from '../db/pools.ts';

/** Opens the log of a process: a line of JSON for each entry. */
export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: shownError } }, destination);
}

/** Leaves out the stack of an outage. While the database restarts, each duty fails again and again. */
function shownError(error: unknown): unknown {
  if (!isOutage(error)) return pino.stdSerializers.err(error as Error);
  const { name, message, code } = error as Error & { code?: string };
  return { type: name, message, code };
}

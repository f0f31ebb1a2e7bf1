import type { Logger } from 'pino';
import type { Tracing } from '../core/tracing.ts';
import { readTracingSettings } from './settings.ts';

/**
 * Starts tracing if the environment has an address for traces. Otherwise it loads nothing. It never throws: a server must not fail
 * because of its traces.
 *
 * @param product names the release, for every span.
 */
export async function openTracing(
  environment: Readonly<Record<string, string | undefined>>,
  product: { version: string; role: string; mode: string },
  log: Logger,
): Promise<Tracing | null> {
  const { settings, warnings } = readTracingSettings(environment);
  for (const warning of warnings) log.warn(warning);
  if (!settings) return null;
  try {
    const { OtlpTracing } = await import('./otlp-tracing.ts');
    return new OtlpTracing(settings, product, log);
  } catch (error) {
    log.warn({ err: error }, 'tracing could not be started');
    return null;
  }
}

import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { SpanFate } from '../core/tracing.ts';

/** Spans that wait or are on their way: some megabytes. The rest is dropped, so that an absent collector costs no memory. */
const spansMax = 4_096;

/** Spans of an export, and the milliseconds between two. As in the specification. */
const exportMax = 512;
const exportEveryMs = 5_000;
const exportTimeoutMs = 10_000;

/** The code of a successful export. Its name is in a package that nothing else here needs. */
const succeeded = 0;

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Passes spans to the exporter in the background, and counts what becomes of them. */
export class BoundedExport implements SpanProcessor {
  readonly counts: Record<SpanFate, number> = { exported: 0, failed: 0, dropped: 0 };
  readonly #inner: SpanProcessor;
  #held = 0;
  #isFailing = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#inner = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            this.#exported(spans.length, result, log);
            done(result);
          }),
        shutdown: () => exporter.shutdown(),
        forceFlush: async () => exporter.forceFlush?.(),
      },
      // Never reached, because spans are dropped and counted here first.
      maxQueueSize: spansMax,
      maxExportBatchSize: exportMax,
      scheduledDelayMillis: exportEveryMs,
      exportTimeoutMillis: exportTimeoutMs,
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & 1) === 0) return;
    if (this.#held >= spansMax) {
      this.counts.dropped++;
      return;
    }
    this.#held++;
    this.#inner.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #exported(spans: number, { code, error }: ExportResult, log: Logger): void {
    const number: number = code;
    const hasFailed = number !== succeeded;
    this.#held -= spans;
    this.counts[hasFailed ? 'failed' : 'exported'] += spans;
    if (hasFailed === this.#isFailing) return;
    this.#isFailing = hasFailed;
    // Only once: the collector may be away for days. The error's message could have the address, which may contain a password.
    if (hasFailed) log.warn({ code: codeOf(error) }, 'traces cannot be exported');
    else log.info('traces are exported again');
  }
}

/** The code of a broken connection, or the status of the collector's response. */
function codeOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : 'unknown';
}

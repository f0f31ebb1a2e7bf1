import { Counter, type Registry } from 'prom-client';
import type { SpanFate, Tracing } from '../core/tracing.ts';

/** Shows what became of the spans of traces. Without tracing, all numbers are 0. */
export function watchSpans(registers: Registry[], spans: Pick<Tracing, 'counts'> | null): void {
  const none: Record<SpanFate, number> = { exported: 0, failed: 0, dropped: 0 };
  const counter: Counter<'result'> = new Counter({
    name: 'tenure_trace_spans_total',
    help: 'Spans of traces, by `result`: `exported`, `failed` (the collector did not take them) or `dropped` (too many waited for it).',
    labelNames: ['result'],
    registers,
    collect() {
      counter.reset();
      for (const [result, count] of Object.entries(spans?.counts ?? none)) counter.inc({ result }, count);
    },
  });
}

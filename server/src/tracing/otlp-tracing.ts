import { setTimeout as delay } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type {
  AttemptSpan,
  BatchSpan,
  DeliveryFacts,
  DeliverySpan,
  EventSpan,
  RequestSpan,
  SpanFate,
  TraceParent,
  Tracing,
} from '../core/tracing.ts';
import { BoundedExport } from './bounded-export.ts';
import type { TracingSettings } from './settings.ts';

/** Milliseconds for the last export. A process that stops must not wait long for a collector that is away. */
const stopTimeoutMs = 2_000;

/** The methods that the conventions name. Any other is `_OTHER`, so that clients cannot make names of spans. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Records traces with the SDK of OpenTelemetry, and exports them by OTLP over HTTP. It registers nothing globally. */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #export: BoundedExport;
  /** The spans of requests under way, which batches link. */
  readonly #requests = new Map<TraceParent, Span>();

  constructor(
    { url, headers, sampler, resource }: TracingSettings,
    product: { version: string; role: string; mode: string },
    log: Logger,
  ) {
    this.#export = new BoundedExport(new OTLPTraceExporter({ url, headers: { ...headers } }), log);
    const ownResource = {
      'service.version': product.version,
      'tenure.role': product.role,
      'tenure.mode': product.mode,
      ...resource,
    };
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(resourceFromAttributes(ownResource)),
      sampler: withLinked(samplerOf(sampler)),
      spanProcessors: [this.#export],
    });
    this.#tracer = this.#provider.getTracer('tenure', product.version);
  }

  get counts(): Readonly<Record<SpanFate, number>> {
    return this.#export.counts;
  }

  beginRequest({ method, traceParent }: { method: string; traceParent: string | undefined }): RequestSpan {
    const knownMethod = knownMethods.has(method) ? method : '_OTHER';
    const span = this.#begin(knownMethod, SpanKind.SERVER, contextOf(traceParent, { isRemote: true }), {
      'http.request.method': knownMethod,
      'url.scheme': 'http',
    });
    const position = positionOf(span);
    this.#requests.set(position, span);
    return {
      position,
      end: ({ id, accountId, route, status }) => {
        this.#requests.delete(position);
        if (route !== undefined) span.updateName(`${knownMethod} ${route}`).setAttribute('http.route', route);
        if (id !== undefined) span.setAttribute('tenure.request.id', id);
        if (accountId) span.setAttribute('tenure.account.id', accountId);
        if (status !== null) span.setAttribute('http.response.status_code', status);
        // By the conventions, a 4xx is an error of the client only.
        if (status === null || status >= 500) fail(span, status === null ? 'client_disconnected' : String(status));
        span.end();
      },
    };
  }

  beginBatch(members: readonly (TraceParent | null)[]): BatchSpan {
    const requests = members.filter((member) => member !== null);
    const isOfOne = members.length === 1 && requests.length === 1;
    const span = this.#begin(
      'commit batch',
      SpanKind.INTERNAL,
      isOfOne ? contextOf(requests[0]) : ROOT_CONTEXT,
      {
        'tenure.batch.mutations': members.length,
      },
      isOfOne ? [] : linksTo(requests),
    );
    // A trace shows the links of its own spans. So the request needs one, too, to lead to its batch.
    if (!isOfOne) {
      for (const request of requests) this.#requests.get(request)?.addLink({ context: span.spanContext() });
    }
    const inBatch = trace.setSpan(ROOT_CONTEXT, span);
    return {
      follow: (statement, result) => this.#followStatement(inBatch, statement, result),
      end(result) {
        span.setAttribute('tenure.commit.result', result);
        if (result !== 'committed' && result !== 'members_refused') fail(span, result);
        span.end();
      },
    };
  }

  beginEvent(event: { id: string; type: string; accountId: string }, request: TraceParent | null): EventSpan {
    const span = this.#begin(event.type, SpanKind.PRODUCER, contextOf(request), {
      'tenure.event.id': event.id,
      'tenure.event.type': event.type,
      'tenure.account.id': event.accountId,
    });
    return { position: positionOf(span), end: () => span.end() };
  }

  beginDelivery({ id, accountId, endpointId, eventId, attemptCount, traceParent }: DeliveryFacts): DeliverySpan {
    const span = this.#begin('deliver', SpanKind.CONSUMER, contextOf(traceParent), {
      'tenure.delivery.id': id,
      'tenure.delivery.attempt': attemptCount + 1,
      'tenure.webhook_endpoint.id': endpointId,
      'tenure.event.id': eventId,
      'tenure.account.id': accountId,
    });
    const inDelivery = trace.setSpan(ROOT_CONTEXT, span);
    return {
      beginAttempt: () => this.#beginAttempt(inDelivery, attemptCount),
      end(ending) {
        span.setAttribute('tenure.delivery.result', ending);
        span.end();
      },
    };
  }

  async stop(): Promise<void> {
    const stopped = this.#provider.shutdown().catch(() => {});
    await Promise.race([stopped, delay(stopTimeoutMs, undefined, { ref: false })]);
  }

  #begin(name: string, kind: SpanKind, parent: Context, attributes: Attributes, links: Link[] = []): Span {
    return this.#tracer.startSpan(name, { kind, attributes, links }, parent);
  }

  #followStatement(inBatch: Context, name: string, result: Promise<unknown>): void {
    // The names of prepared statements say what they do, such as `insert_events`.
    const summary = name.replaceAll('_', ' ');
    const span = this.#begin(summary, SpanKind.CLIENT, inBatch, {
      'db.system.name': 'postgresql',
      'db.query.summary': summary,
    });
    result.then(
      () => span.end(),
      (error: unknown) => {
        const { code } = error as { code?: unknown };
        if (typeof code === 'string') span.setAttribute('db.response.status_code', code);
        // The message may have values of the row.
        fail(span, typeof code === 'string' ? code : '_OTHER');
        span.end();
      },
    );
  }

  /** The conventions also want the address. It is left out, because the secret of a receiver can be in it. */
  #beginAttempt(inDelivery: Context, attemptCount: number): AttemptSpan {
    const span = this.#begin('POST', SpanKind.CLIENT, inDelivery, {
      'http.request.method': 'POST',
      ...(attemptCount > 0 && { 'http.request.resend_count': attemptCount }),
    });
    return {
      end({ status, error }) {
        if (status !== null) span.setAttribute('http.response.status_code', status);
        if (error !== null) fail(span, error);
        else if (status !== null && status >= 400) fail(span, String(status));
        span.end();
      },
    };
  }
}

/** Marks a span as failed. It has no message, because messages can contain data. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

function samplerOf({ root, isParentBased }: TracingSettings['sampler']): Sampler {
  const sampler = rootSamplerOf(root);
  // Each span of a trace that began here is recorded as its parent is, with each sampler.
  const callers = isParentBased ? {} : { remoteParentSampled: sampler, remoteParentNotSampled: sampler };
  return new ParentBasedSampler({ root: sampler, ...callers });
}

function rootSamplerOf(root: TracingSettings['sampler']['root']): Sampler {
  if (root === 'all') return new AlwaysOnSampler();
  return root === 'none' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(root.share);
}

/**
 * Lets a span with links be recorded exactly if one of these is recorded. Only batches have links. Otherwise a recorded request would lack
 * its batch, and requests that are not recorded would leave one.
 */
function withLinked(sampler: Sampler): Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      if (links.length === 0) return sampler.shouldSample(context, traceId, name, kind, attributes, links);
      const isSampled = links.some((link) => isRecorded(link.context));
      return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
    },
    toString: () => sampler.toString(),
  };
}

function isRecorded({ traceFlags }: SpanContext): boolean {
  return (traceFlags & 1) === 1;
}

/** Returns links to the requests that are recorded. If none is, returns links to all, which tell that to the sampler. */
function linksTo(requests: readonly TraceParent[]): Link[] {
  const links = requests.map((request) => spanContextOf(request)).filter((context) => context !== null);
  const recorded = links.filter(isRecorded);
  return (recorded.length > 0 ? recorded : links).map((context) => ({ context }));
}

/** @param from.isRemote whether another program has begun the parent. */
function contextOf(position: TraceParent | null | undefined, { isRemote = false } = {}): Context {
  const parent = spanContextOf(position);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote }) : ROOT_CONTEXT;
}

/** Version 00 has four parts. A later version may have more after them, and begins with these. */
const traceParentForm = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

function spanContextOf(position: TraceParent | null | undefined): SpanContext | null {
  const [, version, traceId, spanId, flags, rest] = traceParentForm.exec(position ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === '00' && rest !== undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

function positionOf(span: Span): TraceParent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

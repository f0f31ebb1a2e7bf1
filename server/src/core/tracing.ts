/**
 * A position in a trace, in the form of the header `traceparent` (W3C Trace Context). It is passed on even if its trace is not recorded,
 * because it says so.
 */
export type TraceParent = string;

/**
 * Records traces for the operator. No call waits, and none throws. A process without tracing has null in its place, and loads nothing. A
 * trace leaves the machine. So the facts are ids, names and numbers, without data of persons and without secrets.
 */
export interface Tracing {
  /** How many spans were exported or lost so far. */
  readonly counts: Readonly<Record<SpanFate, number>>;
  /** Begins the span of a request. */
  beginRequest(request: {
    method: string;
    /** The header `traceparent` as it came. An invalid one begins a new trace. */
    traceParent: string | undefined;
  }): RequestSpan;
  /**
   * Begins the span of a batch. That of a single mutation belongs to its request. Of several, the batch has a trace of its own, which is
   * linked with each request.
   *
   * @param members the request of each mutation. Null for a mutation of the server itself.
   */
  beginBatch(members: readonly (TraceParent | null)[]): BatchSpan;
  /** Begins the span of an event, which ends when it is durable. */
  beginEvent(event: { id: string; type: string; accountId: string }, request: TraceParent | null): EventSpan;
  /** Begins the span of one try to make a delivery. */
  beginDelivery(delivery: DeliveryFacts): DeliverySpan;
  /** Exports what is left, within a time limit. Later spans are lost. */
  stop(): Promise<void>;
}

/** `failed`: the collector did not take the span. `dropped`: too many spans waited for it. */
export type SpanFate = 'exported' | 'failed' | 'dropped';

export interface RequestSpan {
  readonly position: TraceParent;
  /** Ends the span. `status` is null if the client disconnected before the response. */
  end(response: {
    id: string | undefined;
    accountId: string | undefined;
    route: string | undefined;
    status: number | null;
  }): void;
}

export interface BatchSpan {
  /** Begins the span of a statement that has been sent. It ends when the result settles. */
  follow(statement: string, result: Promise<unknown>): void;
  /** Ends the span with the result of the batch. */
  end(result: string): void;
}

export interface EventSpan {
  readonly position: TraceParent;
  /** Ends the span. That of an event that was not committed is never exported. */
  end(): void;
}

export interface DeliveryFacts {
  id: string;
  accountId: string;
  endpointId: string;
  eventId: string;
  /** Attempts before this one. */
  attemptCount: number;
  /** The event, or the request that wants the delivery. Null if it was made without tracing. */
  traceParent: TraceParent | null;
}

export interface DeliverySpan {
  /** Begins the span of the attempt, from the request to the end of the response. */
  beginAttempt(): AttemptSpan;
  end(ending: string): void;
}

export interface AttemptSpan {
  end(reply: { status: number | null; error: string | null }): void;
}

import { isStored, type Answered, type Operation, type OperationKind } from '../history.ts';
import { previousValues, textOf, type JsonObject } from '../json.ts';
import type { Observation, ObservedList } from '../observe.ts';
import { withoutWebhooks, type Evidence, type WebhookEvidence } from './evidence.ts';

interface CallOptions {
  key?: string | null;
  /** Executed, but the response was lost in the crash. */
  unanswered?: boolean;
}

/**
 * A history made by hand. Each call adds one request and what a correct server makes of it. A test then corrupts one thing. The story
 * computes only ids and times, so that the judge is not tested with its own rules.
 */
export class Story {
  readonly operations: Operation[] = [];
  /** Oldest first. */
  readonly events: JsonObject[] = [];
  readonly records = new Map<string, JsonObject>();
  readonly outages: { fromMs: number; toMs: number }[] = [];
  earlier: Observation | null = null;
  /** No endpoint subscribes, until a story says so. */
  webhooks: WebhookEvidence = { ...withoutWebhooks(), attemptsMax: 3, readAtMs: 0 };
  #number = 0;
  #nowMs = 0;

  /** Creates a reference. */
  create(told: CallOptions = {}): { operation: Operation; id: string } {
    const operation = this.#operation('create_reference', '/v1/references', {}, told.key);
    operation.body = { application: 'app_1', metadata: { made_by: operation.id } };
    const id = this.#id('ref');
    this.change(operation, id, this.#newReference(id, operation.body), told);
    return { operation, id };
  }

  /** Adds an update that made these changes. */
  update(id: string, body: JsonObject, changes: JsonObject, told: CallOptions = {}): Operation {
    const operation = this.#operation('update_reference', `/v1/references/${id}`, body, told.key);
    const before = this.records.get(id)!;
    this.change(operation, id, { ...before, ...this.#besides(before, changes), ...changes }, told);
    return operation;
  }

  /** Returns the members that change with an outcome or a report. */
  #besides(before: JsonObject, { outcome, reference_pdf: pdf }: JsonObject): JsonObject {
    const { reference_pdf: replaced = null } = before;
    return {
      ...(outcome !== undefined && {
        decision: {
          outcome,
          reason: null,
          decided_by: { type: 'api_key', id: 'key_1', name: null, role: null },
          decided_at: this.#seconds,
        },
      }),
      ...(pdf !== undefined && pdf !== replaced && replaced !== null && { earlier_reports: [replaced] }),
    };
  }

  /** Sets an outcome, which completes the reference. */
  complete(id: string, told: CallOptions = {}): Operation {
    return this.update(
      id,
      { outcome: 'accept' },
      { outcome: 'accept', status: 'complete', completed_at: this.#seconds },
      told,
    );
  }

  /** Cancels the reference. */
  cancel(id: string, told: CallOptions = {}): Operation {
    const operation = this.#operation('cancel_reference', `/v1/references/${id}/cancel`, null, told.key);
    this.change(operation, id, { ...this.records.get(id)!, status: 'canceled' }, told);
    return operation;
  }

  /** Reads the present state. */
  retrieve(id: string): Operation {
    const operation = this.#operation('retrieve_reference', `/v1/references/${id}`, null, null);
    this.answer(operation, { status: 200, text: JSON.stringify(this.records.get(id)) });
    return operation;
  }

  /** Adds an update that was executed and refused. */
  refuse(id: string, body: JsonObject, told: CallOptions = {}): Operation {
    const operation = this.#operation('update_reference', `/v1/references/${id}`, body, told.key);
    this.answer(operation, { status: 400, text: errorText('status_transition_invalid') });
    return operation;
  }

  /** Sends the same operation again, with the same response. */
  repeat(operation: Operation): Answered {
    const event = this.events.find((candidate) => textOf(candidate, 'request', 'idempotency_key') === operation.key)!;
    const first = operation.calls.map(({ result }) => result).find((result) => isStored(result));
    const text = first?.text ?? JSON.stringify((event.data as JsonObject).object);
    const originalRequest = first?.originalRequest ?? first?.requestId ?? textOf(event, 'request', 'id');
    return this.answer(operation, { status: first?.status ?? 200, text, replayed: true, originalRequest });
  }

  /** Changes the record to `after`, with events and a response unless that was lost. Without an operation, the server did it. */
  change(operation: Operation | null, id: string, after: JsonObject, { unanswered = false }: CallOptions = {}): void {
    const before = this.records.get(id);
    const requestId = operation && this.#id('req');
    this.records.set(id, after);
    const verb =
      before && before.status !== after.status
        ? { complete: 'completed', canceled: 'canceled' }[textOf(after, 'status')]
        : null;
    if (!before) this.#event('created', after, null, operation, requestId);
    else if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.#event('updated', after, previousValues(before, after), operation, requestId);
    }
    if (verb) this.#event(verb, after, null, operation, requestId);
    if (!operation) return;
    if (unanswered) this.#call(operation, { kind: 'unanswered', reason: 'ECONNRESET' });
    else this.answer(operation, { status: 200, text: JSON.stringify(after), requestId: requestId! });
  }

  /** Adds a request and its response. */
  answer(operation: Operation, answer: { status: number; text: string } & Partial<Answered>): Answered {
    const whole: Answered = {
      kind: 'answered',
      requestId: this.#id('req'),
      version: '2026-11-01',
      replayed: false,
      originalRequest: null,
      ...answer,
    };
    this.#call(operation, whole);
    return whole;
  }

  /** Returns the evidence for the judge. */
  evidence(): Evidence {
    return {
      operations: this.operations,
      outages: this.outages,
      earlier: this.earlier,
      observation: this.observation(),
      webhooks: this.webhooks,
    };
  }

  /** Returns what the API shows. */
  observation(): Observation {
    return {
      references: listOf('/v1/references', [...this.records.values()].reverse()),
      customers: listOf('/v1/customers', []),
      events: listOf('/v1/events', [...this.events].reverse()),
      deliveries: [],
    };
  }

  get #seconds(): number {
    return 1_000 + this.#number;
  }

  #operation(kind: OperationKind, path: string, body: JsonObject | null, key: string | null | undefined): Operation {
    const id = `op-${++this.#number}`;
    const method = kind === 'retrieve_reference' ? 'GET' : 'POST';
    const operation = {
      id,
      round: 1,
      kind,
      method,
      path,
      body,
      key: key === undefined ? `key ${id}` : key,
      calls: [],
    } as Operation;
    this.operations.push(operation);
    return operation;
  }

  #call(operation: Operation, result: Operation['calls'][number]['result']): void {
    operation.calls.push({ sentMs: this.#nowMs + 1, endedMs: this.#nowMs + 9, result });
    this.#nowMs += 10;
  }

  #newReference(id: string, body: JsonObject): JsonObject {
    return {
      id,
      object: 'reference',
      created: this.#seconds,
      application: body.application!,
      automatic_reference: null,
      completed_at: null,
      customer: null,
      metadata: body.metadata!,
      outcome: null,
      decision: null,
      reference_pdf: null,
      earlier_reports: [],
      status: 'pending',
      type: 'customer',
    };
  }

  #event(
    verb: string,
    object: JsonObject,
    previous: JsonObject | null,
    operation: Operation | null,
    requestId: string | null,
  ): void {
    this.events.push({
      id: this.#id('evt'),
      object: 'event',
      api_version: '2026-11-01',
      created: this.#seconds,
      type: `reference.${verb}`,
      data: { object, previous_attributes: previous },
      request: { id: requestId, idempotency_key: operation?.key ?? null },
    });
  }

  #id(prefix: string): string {
    return `${prefix}_${String(++this.#number).padStart(6, '0')}`;
  }
}

/** Returns an error's body, with the parts that the judge reads. */
export function errorText(code: string): string {
  return JSON.stringify({ error: { code, message: 'As the API words it.' } });
}

export function listOf(path: string, items: JsonObject[]): ObservedList {
  return { path, items, counts: [items.length], filteredCounts: [] };
}

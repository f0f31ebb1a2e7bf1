import { setTimeout as delay } from 'node:timers/promises';
import { attemptsAtOnce, type Reply } from './forwarder.ts';

/** The pauses before the second, third and fourth attempt, in milliseconds. */
export const retryPausesMs = [1_000, 5_000, 30_000];

/** Events in memory. At this limit, the stream is not read until there is room. */
const heldMax = 1_000;

/** What happened in an attempt. */
export interface AttemptResult {
  reply: Reply;
  number: number;
  durationMs: number;
  /** The pause before the next attempt, or null if this was the last one. */
  retryInMs: number | null;
}

interface Held<E> {
  event: E;
  recordId: string;
  /** The position before the event. */
  before: string | null;
  attempts: number;
}

/** Makes one attempt for an event. */
export type MakeAttempt<E> = (event: E, number: number) => Promise<Reply>;

/**
 * Forwards events in the order of the stream, at most eight at once. Events of one record go one after another. If one fails, it is tried
 * again, and the later events of its record wait.
 */
export class Engine<E extends { id: string }> {
  readonly #attempt: MakeAttempt<E>;
  readonly #onResult: (event: E, result: AttemptResult) => void;
  readonly #pausesMs: readonly number[];
  /** Events that are not done with, in the order of the stream. */
  readonly #held = new Map<string, Held<E>>();
  /** Records with an event that is being sent, or that waits for its next attempt. */
  readonly #busy = new Set<string>();
  #free = attemptsAtOnce;
  readonly #stopping = new AbortController();
  #onRoom: (() => void) | null = null;
  readonly counts = { forwarded: 0, failed: 0 };

  constructor(parts: {
    attempt: MakeAttempt<E>;
    onResult: (event: E, result: AttemptResult) => void;
    pausesMs?: readonly number[];
  }) {
    this.#attempt = parts.attempt;
    this.#onResult = parts.onResult;
    this.#pausesMs = parts.pausesMs ?? retryPausesMs;
  }

  /** Returns the position before the earliest event that is not done with. Undefined if there is none. */
  get position(): string | null | undefined {
    const first = this.#held.values().next();
    return first.done ? undefined : first.value.before;
  }

  get isIdle(): boolean {
    return this.#held.size === 0;
  }

  /** Takes an event. Returns when there is room for the next one. */
  async add(event: E, recordId: string, before: string | null): Promise<void> {
    this.#held.set(event.id, { event, recordId, before, attempts: 0 });
    this.#beginAttempts();
    if (this.#held.size >= heldMax) await new Promise<void>((resolve) => (this.#onRoom = resolve));
  }

  /** Begins no more attempts, and waits for those under way. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping.abort();
    this.#onRoom?.();
    const until = Date.now() + waitMs;
    while (this.#free < attemptsAtOnce && Date.now() < until) await delay(20);
  }

  /** The earliest events go first, so that a kill of the command leaves few later ones to repeat. */
  #beginAttempts(): void {
    for (const held of this.#held.values()) {
      if (this.#free === 0 || this.#stopping.signal.aborted) return;
      if (this.#busy.has(held.recordId)) continue;
      this.#busy.add(held.recordId);
      this.#free--;
      void this.#forward(held);
    }
  }

  async #forward(held: Held<E>): Promise<void> {
    const { event, recordId } = held;
    const number = ++held.attempts;
    const startedMs = performance.now();
    const reply = await this.#attempt(event, number);
    this.#free++;
    const isDone = reply.status !== null && reply.status >= 200 && reply.status < 300 && reply.error === null;
    const retryInMs = isDone ? null : (this.#pausesMs[number - 1] ?? null);
    if (retryInMs === null) {
      this.counts[isDone ? 'forwarded' : 'failed']++;
      this.#held.delete(event.id);
    }
    this.#onResult(event, { reply, number, durationMs: performance.now() - startedMs, retryInMs });
    if (retryInMs !== null) {
      this.#beginAttempts();
      await delay(retryInMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
    this.#busy.delete(recordId);
    this.#beginAttempts();
    if (this.#held.size >= heldMax) return;
    this.#onRoom?.();
    this.#onRoom = null;
  }
}

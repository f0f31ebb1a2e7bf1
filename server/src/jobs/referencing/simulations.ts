import { setTimeout as delay } from 'node:timers/promises';
import type { Committer } from '../../commit/committer.ts';
import { decidingOf } from '../../core/change.ts';
import type { Clock } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { Provider } from '../../core/providers.ts';
import type { StoredRecord } from '../../core/resource.ts';
import type { Pool } from '../../db/database.ts';
import type { RecordReader } from '../../db/records.ts';
import { reference } from '../../resources/reference/index.ts';
import type { ReferenceRecord } from '../../resources/reference/record.ts';
import { advance, complete, fail, note } from '../../simulator/force.ts';

/** A worker takes it up at once; where none runs, nobody waits for ever. */
const takenUpMsMax = 5_000;
const lookEveryMs = 20;

interface SimulationContext {
  committer: Committer;
  database: { readers: Pool };
  readRecord: RecordReader;
  clock: Clock;
}

/** What the test helpers can have a simulated service do, by their names. */
const effects: Readonly<
  Record<string, (pool: Pool, provider: Provider, id: string, nowMs: number, input: object) => Promise<boolean>>
> = {
  advance: (pool, provider, id, nowMs) => advance(pool, provider, id, nowMs),
  complete: (pool, provider, id, nowMs, input) =>
    complete(pool, provider, id, nowMs, (input as { outcome?: 'accept' }).outcome),
  fail: (pool, provider, id, nowMs, input) =>
    fail(pool, provider, id, nowMs, (input as { code?: string }).code ?? 'provider_error'),
  note: (pool, provider, id, nowMs, input) => note(pool, provider, id, nowMs, (input as { message: string }).message),
};

/** Has the simulated services of a sandbox do what a test wants to see. */
export class Simulations {
  readonly #context: SimulationContext;
  readonly #simulated: readonly Provider[];

  constructor(context: SimulationContext, simulated: readonly Provider[]) {
    this.#context = context;
    this.#simulated = simulated;
  }

  /**
   * Resolves when the reference shows what its service did then, or after five seconds.
   *
   * @throws {ApiError} `status_transition_invalid` if no simulated service is carrying it out.
   */
  async play(record: StoredRecord, effect: string, input: object): Promise<void> {
    const current = record as ReferenceRecord;
    const provider = current.automatic_reference?.provider;
    const { database, clock } = this.#context;
    const isPlayed =
      provider !== null &&
      provider !== undefined &&
      this.#simulated.includes(provider) &&
      (await effects[effect]!(database.readers, provider, current.id, clock.nowMs(), input));
    if (!isPlayed) {
      throw new ApiError(
        'status_transition_invalid',
        `No simulated service is carrying the reference ${current.id} out just now: it is ${current.status}, and its \`automatic_reference\` is ${current.automatic_reference ? `with ${provider}` : 'null'}.`,
      );
    }
    await this.#taken(current);
  }

  async #taken(current: ReferenceRecord): Promise<void> {
    const { committer, readRecord, clock } = this.#context;
    const { account_id: accountId, id } = current;
    await committer.commitOwn({
      accountId,
      touches: [id],
      decide: async () => {
        const now = (await readRecord(reference, accountId, id)) as ReferenceRecord;
        // It is shown at once, however lately something was.
        const order = now.provider_order && { ...now.provider_order, due_at_ms: clock.nowMs(), shown_at_ms: 0 };
        const after = { ...now, provider_order: order };
        return decidingOf(reference, now, { after });
      },
    });
    const startedMs = performance.now();
    for (;;) {
      const now = (await readRecord(reference, accountId, id)) as ReferenceRecord;
      const dueAtMs = now.provider_order?.due_at_ms ?? null;
      // The service calls back too, which wants one look more.
      const isTaken = dueAtMs === null || dueAtMs > clock.nowMs();
      if (isTaken || performance.now() - startedMs > takenUpMsMax) return;
      await delay(lookEveryMs);
    }
  }
}

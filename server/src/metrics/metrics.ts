import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import type { DiskWatch } from '../db/disk-watch.ts';
import type { Database } from '../db/pools.ts';
import { gaugeOnScrape } from './gauge-on-scrape.ts';
import { CommitMetrics } from './commits.ts';
import { DatabaseMetrics } from './database.ts';
import { DeliveryMetrics } from './deliveries.ts';
import { watchDisk } from './disk.ts';
import { DutyMetrics } from './duties.ts';
import { EmailMetrics } from './emails.ts';
import { HeldBytesMetrics, type HeldBytes, type HeldKind } from './held-bytes.ts';
import { watchProcess } from './process.ts';
import { watchPools } from './pools.ts';
import { RequestMetrics } from './requests.ts';
import { ServiceStepMetrics } from './service-steps.ts';
import { watchSpans } from './spans.ts';

/**
 * The metrics for the operator, in the text format of Prometheus (exposition format 0.0.4). Each part of the server reports its own. Only
 * numbers are kept, and every set of labels is closed.
 */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly requests: RequestMetrics;
  readonly commits: CommitMetrics;
  readonly deliveries: DeliveryMetrics;
  readonly duties: DutyMetrics;
  readonly referencing: ServiceStepMetrics;
  readonly collecting: ServiceStepMetrics;
  readonly emails: EmailMetrics;
  readonly #heldBytes: HeldBytesMetrics;
  readonly #database: DatabaseMetrics;
  readonly #registry = new Registry();
  readonly #stopWatching: () => void;

  constructor(parts: {
    database: Database;
    disk: DiskWatch;
    clock: Clock;
    realClock: Clock;
    log: Logger;
    /** Null without tracing. */
    spans: Pick<Tracing, 'counts'> | null;
    product: { version: string; mode: string; role: string };
  }) {
    const { database, disk, clock, realClock, log, spans, product } = parts;
    const registers = [this.#registry];
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_build_info',
        help: 'Always 1. Its labels name the release, the mode and the role of this process.',
        labelNames: ['version', 'mode', 'role'],
      },
      (gauge) => gauge.set(product, 1),
    );
    watchDisk(registers, disk);
    this.requests = new RequestMetrics(registers);
    this.commits = new CommitMetrics(registers);
    this.deliveries = new DeliveryMetrics(registers);
    this.referencing = new ServiceStepMetrics(registers, {
      name: 'tenure_referencing_step_duration_seconds',
      help: 'Steps of automatic references and how long they took, by `provider`, `step` (`submit`, `invite`, `read`, `stop`) and `result`: `done`, `busy` (the service has too much to do) or `failed`. The last step of a reference includes printing its report.',
    });
    this.collecting = new ServiceStepMetrics(registers, {
      name: 'tenure_collecting_step_duration_seconds',
      help: 'Steps of payments at their gateways and how long they took, by `provider`, `step` (`start`, `look`, `cancel`, `refund`) and `result`: `done`, `busy` (the gateway has too much to do) or `failed`.',
    });
    this.emails = new EmailMetrics(registers);
    this.#database = new DatabaseMetrics(registers, { pool: database.watchers, clock, realClock, log });
    this.duties = new DutyMetrics(registers, realClock);
    this.#heldBytes = new HeldBytesMetrics(registers);
    watchSpans(registers, spans);
    watchPools(registers, database);
    this.#stopWatching = watchProcess(registers);
  }

  /** Returns all metrics as they are now. Takes at most two seconds; values that the database does not return in time are left out. */
  async text(): Promise<string> {
    await this.#database.look();
    return this.#registry.metrics();
  }

  /** Shows this budget from now on, under its kind of work. */
  holdsBytes(kind: HeldKind, budget: HeldBytes): void {
    this.#heldBytes.watch(kind, budget);
  }

  stop(): void {
    this.#stopWatching();
  }
}

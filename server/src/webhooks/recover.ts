import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import type { SystemDecision } from '../commit/write-request.ts';
import { toDecision } from '../model/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { firstIdAt, timeOfId, type IdMaker } from '../core/ids.ts';
import type { RequestedDelivery } from '../model/resource.ts';
import { recoveriesLockKey, withLockIfFree } from '../db/advisory-locks.ts';
import { isHere } from '../db/away.ts';
import { withClient, type Connection, type Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { disabledSince } from '../resources/webhooks/disabling.ts';
import { webhookEndpoint } from '../resources/webhooks/webhook_endpoint.ts';
import type { WebhookEndpointRecord } from '../resources/webhooks/endpoint-record.ts';
import { ended, recovery, type RecoveryRecord } from '../resources/webhooks/recovery.ts';

/** Deliveries or events that one transaction looks at. */
const pageSize = 1_000;

/** Seconds of events that one statement looks through. It limits the work when the endpoint wants few of them. */
const lookedThroughSeconds = 6 * 3600;

/** Milliseconds for which a turn looks through history that the endpoint has received. Otherwise a long one would keep out other endpoints. */
const usualSearchMs = 500;

/** Recoveries a round. The others have their turn in the next one, so recoveries that wait for a receiver block no others. */
const recoveriesAtOnce = 20;

interface RecoveryContext {
  committer: Committer;
  connection: Connection;
  /** Reads long history through its own pool, so that it does not block sign-ins. */
  database: { listers: Pool };
  readRecord: RecordReader;
  ids: IdMaker;
  clock: Clock;
  log: Logger;
}

/**
 * Executes recoveries: sends again what an endpoint missed. One transaction writes a page and the position it reached. So a process that
 * resumes after a crash sends nothing twice and leaves nothing out. Endpoints take turns, and an endpoint's recoveries run one after the
 * other. The next page waits until this process has made the first attempts of the last page. A receiver that was down is thus not flooded.
 */
export class Recoveries {
  readonly #context: RecoveryContext;
  readonly #stopping: AbortSignal | undefined;
  readonly #searchMs: number;
  /** The deliveries of each recovery's last page. */
  readonly #underWay = new Map<string, DeliveryRange>();
  /** How far each recovery has found nothing missed after its position. After a restart, it looks there again. */
  readonly #searched = new Map<string, string>();
  /** The last endpoint that had its turn; empty to begin with the first. */
  #lastEndpointId = '';

  /** @param stopping ends the search of a long history, because a stop of the server must not wait for it. */
  constructor(context: RecoveryContext, stopping?: AbortSignal, searchMs = usualSearchMs) {
    this.#context = context;
    this.#stopping = stopping;
    this.#searchMs = searchMs;
  }

  /** Advances some recoveries in turn, unless another process does. Each sends a page, or searches for one for a while. */
  async advance(): Promise<void> {
    const { connection, database } = this.#context;
    if ((await readPending(database.listers, '')).length === 0) {
      this.#underWay.clear();
      this.#searched.clear();
      return;
    }
    // The lock keeps two recoveries of one endpoint from sending the same event at the same time.
    await withClient(connection, (client) =>
      withLockIfFree(client, recoveriesLockKey, async () => {
        const pending = await readPending(database.listers, this.#lastEndpointId);
        const last = pending.length === recoveriesAtOnce ? pending.at(-1) : undefined;
        this.#lastEndpointId = last?.webhook_endpoint ?? '';
        for (const { account_id: accountId, id } of pending) {
          if (this.#stopping?.aborted) return;
          await this.#advanceOne(accountId, id).catch((error: unknown) => {
            if (this.#stopping?.aborted) return;
            this.#context.log.warn({ err: error, recovery: id }, 'a recovery could not advance; it is retried');
          });
        }
      }),
    );
  }

  async #advanceOne(accountId: string, id: string): Promise<void> {
    const { committer, readRecord, database } = this.#context;
    const underWay = this.#underWay.get(id);
    if (underWay !== undefined && (await isUnderWay(database.listers, accountId, underWay))) return;
    this.#underWay.delete(id);
    await committer.commitAsSystem({
      accountId,
      locks: [id],
      decide: async () => {
        const current = await readRecord(recovery, accountId, id);
        if (current?.status !== 'pending') return null;
        const endpoint = await readRecord(webhookEndpoint, accountId, current.webhook_endpoint);
        return this.#decidePage(current, endpoint);
      },
    });
  }

  async #decidePage(current: RecoveryRecord, endpoint: WebhookEndpointRecord | null): Promise<SystemDecision | null> {
    const { clock, ids } = this.#context;
    const nowSeconds = toSeconds(clock.nowMs());
    if (!endpoint || endpoint.status === 'disabled') {
      return toDecision(recovery, current, ended(current, 'canceled', nowSeconds));
    }
    const page = await this.#nextPage(current, endpoint);
    if (page === 'later') return null;
    this.#searched.delete(current.id);
    if (!page) return toDecision(recovery, current, ended(current, 'completed', nowSeconds));
    const deliveries = page.missed.map(({ event, event_account: eventAccountId, type }): RequestedDelivery => ({
      id: ids.make('dlv'),
      eventId: event,
      type,
      eventAccountId,
      accountId: endpoint.account_id,
      endpointId: endpoint.id,
      enablement: endpoint.enablement,
      isResend: false,
    }));
    const [first, last] = [deliveries.at(0), deliveries.at(-1)];
    if (first && last) this.#underWay.set(current.id, { endpointId: endpoint.id, first: first.id, last: last.id });
    const after = { ...current, resent: current.resent + deliveries.length, position: page.position };
    return { ...toDecision(recovery, current, { after }), deliveries };
  }

  /**
   * Returns the next page to send, with its position, or null if there is nothing more. First come the deliveries that did not succeed,
   * then the events from the time the endpoint was disabled. Returns `later` if the time of the turn is over before a page is found.
   */
  async #nextPage(
    { id, since, position: reached }: RecoveryRecord,
    endpoint: WebhookEndpointRecord,
  ): Promise<Page | 'later' | null> {
    const { listers } = this.#context.database;
    const untilMs = performance.now() + this.#searchMs;
    const isOver = (searched: string): boolean => {
      this.#searched.set(id, searched);
      return performance.now() >= untilMs;
    };
    const searched = this.#searched.get(id) ?? '';
    // Deliveries come before events, also by their ids.
    const position = searched > reached ? searched : reached;
    // Later deliveries were not asked for, and include the recovery's own.
    const madeAtMs = timeOfId(id);
    for (let after = position || firstIdAt('dlv', since * 1000); after.startsWith('dlv_');) {
      this.#stopping?.throwIfAborted();
      const page = await readUndelivered(listers, endpoint, after, firstIdAt('dlv', madeAtMs));
      after = page.position;
      if (page.missed.length > 0) return page;
      if (isOver(after)) return 'later';
    }
    for (const { from, to } of disabledSince(endpoint, since, toSeconds(madeAtMs))) {
      for (let begin = from; begin <= to; begin += lookedThroughSeconds) {
        // A time in seconds also covers events from just before the endpoint was made.
        const beginning = firstIdAt('evt', Math.max(begin * 1000, timeOfId(endpoint.id)));
        const after = position > beginning ? position : beginning;
        const before = firstIdAt('evt', Math.min(begin + lookedThroughSeconds, to + 1) * 1000);
        if (after >= before) continue;
        this.#stopping?.throwIfAborted();
        const missed = await readUnqueued(listers, endpoint, after, before);
        const last = missed.at(-1);
        if (last) return { missed, position: last.event };
        if (isOver(before)) return 'later';
      }
    }
    return null;
  }
}

/** An event that the endpoint has missed. */
interface Missed {
  event: string;
  event_account: string;
  type: string;
}

interface Page {
  missed: Missed[];
  /** The last id that was looked at; `evt_` after all deliveries. */
  position: string;
}

/** The deliveries of one page, with consecutive ids. */
interface DeliveryRange {
  endpointId: string;
  first: string;
  last: string;
}

interface PendingRecovery {
  account_id: string;
  id: string;
  webhook_endpoint: string;
}

/** Returns the oldest pending recovery of each of the next endpoints. */
async function readPending(pool: Pool, after: string): Promise<PendingRecovery[]> {
  const { rows } = await pool.query<PendingRecovery>({
    name: 'pending_recoveries',
    text: `
      select distinct on (webhook_endpoint) account_id, id, webhook_endpoint
      from recoveries
      where status = 'pending' and webhook_endpoint > $1 and ${isHere('recoveries.account_id')}
      order by webhook_endpoint, id
      limit ${recoveriesAtOnce}`,
    values: [after],
  });
  return rows;
}

/** Tells whether a delivery of this page still waits for its first attempt. */
async function isUnderWay(pool: Pool, accountId: string, { endpointId, first, last }: DeliveryRange): Promise<boolean> {
  const { rows } = await pool.query({
    name: 'recovery_under_way',
    text: `
      select
      from webhook_queue
      where account_id = $1 and id >= $2 and id <= $3 and webhook_endpoint = $4 and attempt_count = 0
      limit 1`,
    values: [accountId, first, last, endpointId],
  });
  return rows.length > 0;
}

/**
 * Returns the next deliveries whose event the endpoint has not received. None of the event's deliveries to it succeeded or is pending. Of
 * those made before the recovery, each is the event's newest.
 */
async function readUndelivered(
  pool: Pool,
  { account_id: accountId, id: endpointId }: WebhookEndpointRecord,
  after: string,
  before: string,
): Promise<Page> {
  const { rows } = await pool.query<Missed & { id: string; is_missed: boolean }>({
    name: 'undelivered',
    text: `
      with page as materialized (
        select id, event, coalesce(event_account, account_id) as event_account, type
        from webhook_deliveries
        where account_id = $1 and webhook_endpoint = $2 and id > $3 and id < $4
        order by id
        limit ${pageSize}
      )
      select
        page.*,
        not exists (
          select
          from webhook_attempts attempt
          where attempt.account_id = $1 and attempt.delivery_id = page.id and attempt.outcome = 'delivered'
        )
        and not exists (
          select
          from webhook_deliveries other
          where other.account_id = $1
            and other.event = page.event
            and other.webhook_endpoint = $2
            and (
              other.id > page.id and other.id < $4
              or exists (select from webhook_queue queue where queue.account_id = $1 and queue.id = other.id)
              or exists (
                select
                from webhook_attempts attempt
                where attempt.account_id = $1 and attempt.delivery_id = other.id and attempt.outcome = 'delivered'
              )
            )
        ) as is_missed
      from page
      order by page.id`,
    values: [accountId, endpointId, after, before],
  });
  const last = rows.length === pageSize ? rows.at(-1) : undefined;
  return { missed: rows.filter((row) => row.is_missed), position: last?.id ?? 'evt_' };
}

/** Returns the next events of a time that the endpoint wants and that never had a delivery to it. */
async function readUnqueued(
  pool: Pool,
  { account_id: accountId, id: endpointId, connected, enabled_events: names }: WebhookEndpointRecord,
  after: string,
  before: string,
): Promise<Missed[]> {
  const { rows } = await pool.query<Missed>({
    name: 'unqueued',
    text: `
      with owner as materialized (
        select $1 as account_id where not $3
        union all
        select id from accounts where parent = $1 and account_id = id and $3
      )
      select missed.event, owner.account_id as event_account, missed.type
      from owner
      cross join lateral (
        select event.id as event, event.type
        from events event
        where event.account_id = owner.account_id
          and event.id > $5
          and event.id < $6
          and $4::text[] && array['*', event.type, split_part(event.type, '.', 1) || '.*']
          -- A ping goes only to the endpoint for which it was requested.
          and event.type <> 'webhook_endpoint.pinged'
          and not exists (
            select
            from webhook_deliveries delivery
            where delivery.account_id = $1 and delivery.event = event.id and delivery.webhook_endpoint = $2
          )
        order by event.id
        limit ${pageSize}
      ) missed
      order by missed.event
      limit ${pageSize}`,
    values: [accountId, endpointId, connected, names, after, before],
  });
  return rows;
}

import { onlyRow } from './only-row.ts';
import type { Reader } from './reader.ts';

/** The columns with counts. */
export const activityCounts = [
  'requests_2xx',
  'requests_4xx',
  'requests_5xx',
  'events',
  'delivered',
  'failed',
] as const;

/** The counts of an interval, with its begin in seconds. */
export type ActivityRow = { start: number } & Record<(typeof activityCounts)[number], number>;

export const minuteSeconds = 60;
export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;

/** Returns the time from which the counts of each minute are kept, in seconds. Before it, each hour has one count. */
export function minutesKeptFrom(nowSeconds: number): number {
  return startOf(nowSeconds - 2 * daySeconds, hourSeconds);
}

/** Returns the time from which counts are kept at all, in seconds. */
export function hoursKeptFrom(nowSeconds: number): number {
  return startOf(nowSeconds - 90 * daySeconds, daySeconds);
}

/** Returns the begin of the interval of this length, in UTC. All times are in seconds. */
export function startOf(time: number, intervalSeconds: number): number {
  return Math.floor(time / intervalSeconds) * intervalSeconds;
}

/** What counts. */
export interface ActivityScope {
  accountId: string;
  /** The endpoint whose attempts count. Null for everything. */
  endpointId: string | null;
  /**
   * Whether attempts about accounts below this one count, too. If not, attempts of deleted endpoints do not count either. The server no
   * longer knows which accounts those were about.
   */
  hasAccountsBelow: boolean;
}

/** Reads the counts of each interval from `since` on and before `until` that has some. Both times are the begin of an interval. */
export async function readActivity(
  reader: Reader,
  wanted: ActivityScope & { since: number; until: number; intervalSeconds: number },
): Promise<ActivityRow[]> {
  const { accountId, endpointId, hasAccountsBelow, since, until, intervalSeconds } = wanted;
  const columns = ['start', ...activityCounts].join(', ');
  const isWanted = [
    'account_id = $1 and start >= $2 and start < $3',
    ...(endpointId === null ? [] : ['webhook_endpoint = $5']),
    ...(hasAccountsBelow ? [] : [isOfAccountItself]),
  ].join(' and ');
  return reader.query<ActivityRow>({
    name: `read_${endpointId === null ? '' : 'endpoint_'}activity${hasAccountsBelow ? '' : '_of_account_itself'}`,
    text: `
      select start / $4 * $4 as start, ${activityCounts.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
      from (
        select ${columns} from activity where ${isWanted}
        union all
        select ${columns} from activity_deltas where ${isWanted}
      ) counted
      group by start / $4`,
    values: [accountId, since, until, intervalSeconds, ...(endpointId === null ? [] : [endpointId])],
  });
}

/** An SQL condition of a count. Requests and events have no endpoint. */
const isOfAccountItself = `(
  webhook_endpoint = '' or webhook_endpoint in (select id from webhook_endpoints where account_id = $1 and not connected)
)`;

/** The median and the 95th percentile of durations, in milliseconds. Null if there were none. */
export interface Latency {
  p50: number | null;
  p95: number | null;
}

const latestMax = 1_000;

/** Reads the latency of the account's last 1,000 logged requests. */
export async function readRequestLatency(reader: Reader, accountId: string): Promise<Latency> {
  const rows = await reader.query<Latency>({
    name: 'read_request_latency',
    text: latencyOf(`
      select duration_ms from request_logs where account_id = $1 order by id desc limit ${latestMax}`),
    values: [accountId],
  });
  return onlyRow(rows);
}

/** Reads the latency of the last 1,000 attempts, of the newest deliveries first. Those about accounts below are left out after that. */
export async function readAttemptLatency(
  reader: Reader,
  { accountId, endpointId, hasAccountsBelow }: ActivityScope,
): Promise<Latency> {
  const counts = `outcome <> 'interrupted' order by delivery_id desc, started_at_ms desc limit ${latestMax}`;
  const ofScope = hasAccountsBelow ? '' : '_of_account_itself';
  const rows = await reader.query<Latency>(
    endpointId === null
      ? {
          name: `read_attempt_latency${ofScope}`,
          text: latencyOf(`
            select duration_ms
            from (
              select delivery_id, duration_ms from webhook_attempts where account_id = $1 and ${counts}
            ) newest
            ${hasAccountsBelow ? '' : `cross join lateral (${ownDelivery}) own`}`),
          values: [accountId],
        }
      : {
          name: `read_endpoint_latency${ofScope}`,
          text: latencyOf(`
            select duration_ms
            from (
              select id, event_account
              from webhook_deliveries
              where account_id = $1 and webhook_endpoint = $2
              order by id desc
              limit ${latestMax}
            ) newest
            cross join lateral (
              select *
              from webhook_attempts
              where account_id = $1 and delivery_id = newest.id
              -- Look each delivery up. A join could read all attempts of the account.
              offset 0
            ) attempts
            where ${hasAccountsBelow ? '' : 'event_account is null and '}${counts}`),
          values: [accountId, endpointId],
        },
  );
  return onlyRow(rows);
}

/** Finds the delivery of an attempt if its event belongs to the account itself. */
const ownDelivery = `
  select
  from webhook_deliveries
  where account_id = $1 and id = newest.delivery_id and event_account is null
  -- Look each delivery up. A join could read all deliveries of the account.
  offset 0`;

function latencyOf(durations: string): string {
  return `
    select
      percentile_disc(0.5) within group (order by duration_ms) as p50,
      percentile_disc(0.95) within group (order by duration_ms) as p95
    from (${durations}) latest`;
}

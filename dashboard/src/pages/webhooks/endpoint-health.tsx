import type { UseQueryResult } from '@tanstack/react-query';
import { use, type ReactNode } from 'react';
import type { Activity, ActivityPoint, RequestOptions, Tenure } from 'tenure';
import { BarChart, Details, ErrorState, Skeleton, Time, TimeContext } from '@tenure/ui';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { failingSince } from '../deliveries/attempt-words.ts';
import styles from './webhooks.module.css';

/** How an endpoint has done in the last 24 hours. */
export interface EndpointHealth {
  activity: Activity;
  pending: number;
  /** Null unless the last attempt failed. */
  failing: { at: number; isExact: boolean } | null;
}

/** The newest deliveries, whose attempts tell since when an endpoint fails. */
const newestDeliveries = 20;

/** Reads how an endpoint does. Rows and pages that show it share one reading. */
export function useHealth(id: string): UseQueryResult<EndpointHealth> {
  const refusal = useRefusal('logs.read');
  return useRead(healthRead, { id }, { isOn: refusal === null, refreshMs: () => 15_000 });
}

const healthRead = defineRead(async (tenure, { id }: { id: string }, options): Promise<EndpointHealth> => {
  const activity = await tenure.activity.retrieve({ webhook_endpoint: id, interval: 'hour' }, options);
  const { count: pending } = await tenure.webhookEndpoints
    .listDeliveries(id, { status: 'pending', limit: 1 }, options)
    .page();
  const { failed } = sumOf(activity.data);
  if (failed === 0 && pending === 0) return { activity, pending, failing: null };
  return { activity, pending, failing: await readFailing(tenure, id, options) };
});

/** Reads since when all attempts of an endpoint have failed. Null if its last one has not. */
export async function readFailing(
  tenure: Tenure,
  id: string,
  options: RequestOptions,
): Promise<EndpointHealth['failing']> {
  const newest = await tenure.webhookEndpoints.listDeliveries(id, { limit: newestDeliveries }, options).page();
  return failingSince(
    newest.data.flatMap(({ attempts }) => attempts),
    !newest.has_more,
  );
}

/** The counts of all intervals together. */
function sumOf(points: readonly ActivityPoint[]): { delivered: number; failed: number } {
  const sum = { delivered: 0, failed: 0 };
  for (const { attempts } of points) {
    sum.delivered += attempts.delivered;
    sum.failed += attempts.failed;
  }
  return sum;
}

/** The share of attempts of the last 24 hours that delivered their event, with a mark for each hour. */
export function SuccessBar({ id }: { id: string }): ReactNode {
  const { data } = useHealth(id);
  if (data === undefined) return '–';
  const { delivered, failed } = sumOf(data.activity.data);
  const share = shareText(delivered, failed);
  return (
    <span className={styles.success}>
      <Strip
        points={data.activity.data}
        label={`${delivered.toLocaleString()} attempts delivered and ${failed.toLocaleString()} failed in 24 hours`}
      />
      <span className={styles.share}>{share ?? 'no attempts'}</span>
    </span>
  );
}

/** Returns the share of delivered attempts, rounded down: a failure never shows as 100 %. */
function shareText(delivered: number, failed: number): string | null {
  if (delivered + failed === 0) return null;
  return `${(Math.floor((delivered / (delivered + failed)) * 1000) / 10).toLocaleString()} %`;
}

const mark = { width: 3, gap: 1, height: 18 };

/** A mark for each hour. Its lower part is the share of failed attempts. */
function Strip({ points, label }: { points: readonly ActivityPoint[]; label: string }): ReactNode {
  const width = points.length * (mark.width + mark.gap);
  return (
    <svg width={width} height={mark.height} viewBox={`0 0 ${width} ${mark.height}`} role="img" aria-label={label}>
      {points.map(({ start, attempts: { delivered, failed } }, index) => {
        const all = delivered + failed;
        const bad = all === 0 ? 0 : Math.max(3, (failed / all) * mark.height) * Number(failed > 0);
        const place = { x: index * (mark.width + mark.gap), width: mark.width };
        if (all === 0) return <rect key={start} className={styles.none} {...place} y={mark.height - 2} height={2} />;
        return (
          <g key={start}>
            <rect className={styles.delivered} {...place} y={0} height={mark.height - bad} />
            <rect className={styles.failed} {...place} y={mark.height - bad} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}

export function LatencyCell({ id }: { id: string }): ReactNode {
  const { data } = useHealth(id);
  return data === undefined ? '–' : latencyText(data.activity);
}

function latencyText({ latency: { attempts } }: Activity): string {
  if (attempts.p50 === null || attempts.p95 === null) return '–';
  return `${attempts.p50.toLocaleString()} / ${attempts.p95.toLocaleString()} ms`;
}

export function PendingCell({ id }: { id: string }): ReactNode {
  const { data } = useHealth(id);
  return data === undefined ? '–' : data.pending.toLocaleString();
}

export function FailingCell({ id }: { id: string }): ReactNode {
  const { data } = useHealth(id);
  return data?.failing ? <FailingSince failing={data.failing} /> : '–';
}

function FailingSince({ failing: { at, isExact } }: { failing: NonNullable<EndpointHealth['failing']> }): ReactNode {
  return (
    <span className={styles.failingText}>
      {!isExact && 'at least '}
      <Time at={at} />
    </span>
  );
}

/** The attempts of the last 24 hours, and how long they took. */
export function HealthDetails({ id }: { id: string }): ReactNode {
  const refusal = useRefusal('logs.read');
  const { data, error, refetch } = useHealth(id);
  const { zone } = use(TimeContext);
  if (refusal !== null) return <p className={styles.quiet}>{refusal}.</p>;
  if (error) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={6} />;
  const { activity, pending, failing } = data;
  const { delivered, failed } = sumOf(activity.data);
  return (
    <div className={styles.health}>
      <Details
        items={[
          ['Success', shareText(delivered, failed)],
          ['Attempts', `${delivered.toLocaleString()} delivered, ${failed.toLocaleString()} failed`],
          ['p50 / p95', latencyText(activity)],
          ['Pending', pending.toLocaleString()],
          ['Failing since', failing && <FailingSince key="failing" failing={failing} />],
        ]}
      />
      <BarChart
        label="Attempts by hour"
        points={activity.data}
        nameOf={({ start }) => hourName(start, zone)}
        series={[
          { name: 'delivered', tone: 'good', value: ({ attempts }) => attempts.delivered },
          { name: 'failed', tone: 'bad', value: ({ attempts }) => attempts.failed },
        ]}
      />
    </div>
  );
}

function hourName(start: number, zone: 'local' | 'utc'): string {
  return new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(start * 1000);
}

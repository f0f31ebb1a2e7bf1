import type { UseQueryResult } from '@tanstack/react-query';
import { use, type ReactNode } from 'react';
import type { Activity, ActivityPoint, Latency } from 'tenure';
import { BarChart, ErrorState, TimeContext, type Series } from '@tenure/ui';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { Section } from '../../shell/page.tsx';
import styles from './home.module.css';

const requestSeries: Series<ActivityPoint>[] = [
  { name: 'succeeded (2xx)', tone: 'good', value: ({ requests }) => requests?.['2xx'] ?? 0 },
  { name: 'refused (4xx)', tone: 'warn', value: ({ requests }) => requests?.['4xx'] ?? 0 },
  { name: 'failed (5xx)', tone: 'bad', value: ({ requests }) => requests?.['5xx'] ?? 0 },
];

const attemptSeries: Series<ActivityPoint>[] = [
  { name: 'delivered', tone: 'good', value: ({ attempts }) => attempts.delivered },
  { name: 'failed', tone: 'bad', value: ({ attempts }) => attempts.failed },
];

const lastDayRead = defineRead((tenure, _, options) => tenure.activity.retrieve({ interval: 'hour' }, options));

/** Reads the activity of the last 24 hours. */
export function useLastDay({ isOn }: { isOn: boolean }): UseQueryResult<Activity> {
  return useRead(lastDayRead, {}, { isOn });
}

/** Requests and attempts by the hour, and how long the latest took. */
export function LastDay({ activity: { data, error, refetch } }: { activity: UseQueryResult<Activity> }): ReactNode {
  return (
    <Section title="Last 24 hours">
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && data !== undefined && (
        <div className={styles.charts}>
          <Chart
            title="Requests"
            note="POST and DELETE only, as in the logs."
            points={data.data}
            series={requestSeries}
            latency={data.latency.requests}
          />
          <Chart
            title="Delivery attempts"
            note="Repeated attempts count, too."
            points={data.data}
            series={attemptSeries}
            latency={data.latency.attempts}
          />
        </div>
      )}
    </Section>
  );
}

function Chart(props: {
  title: string;
  note: string;
  points: readonly ActivityPoint[];
  series: Series<ActivityPoint>[];
  latency: Latency | null;
}): ReactNode {
  const { title, note, points, series, latency } = props;
  const { zone } = use(TimeContext);
  const hour = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  });
  return (
    <article className={styles.chart} aria-label={title}>
      <h3>{title}</h3>
      <dl className={styles.figures}>
        {series.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{points.reduce((sum, point) => sum + value(point), 0).toLocaleString()}</dd>
          </div>
        ))}
        <div>
          <dt>p50</dt>
          <dd>{milliseconds(latency?.p50)}</dd>
        </div>
        <div>
          <dt>p95</dt>
          <dd>{milliseconds(latency?.p95)}</dd>
        </div>
      </dl>
      <BarChart
        label={`${title} in the last 24 hours`}
        points={points}
        series={series}
        nameOf={({ start }) => hour.format(start * 1000)}
      />
      <p className={styles.note}>{note} p50 and p95 are of the last 1,000.</p>
    </article>
  );
}

function milliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${value.toLocaleString()} ms`;
}

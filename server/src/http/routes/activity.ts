import { Type, type TSchema } from 'typebox';
import { findKnown } from '../../core/arrays.ts';
import { toSeconds } from '../../core/clock.ts';
import { invalidParameter } from '../../core/errors.ts';
import { idLengthMax, idPattern } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import {
  daySeconds,
  hourSeconds,
  hoursKeptFrom,
  minuteSeconds,
  minutesKeptFrom,
  readActivity,
  readAttemptLatency,
  readRequestLatency,
  startOf,
  type ActivityRow,
} from '../../db/activity.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { Query, ReadRoute } from '../route.ts';
import { requireOwnKey } from './records/load-record.ts';

const intervals = { minute: minuteSeconds, hour: hourSeconds, day: daySeconds };
type IntervalName = keyof typeof intervals;

/** Enough for a chart, and a small response. */
const pointsMax = 200;
const pointsDefault = 24;

const Interval = named('ActivityInterval', 'The length of an interval.', oneOf('minute', 'hour', 'day'));
const Count = (description: string): TSchema => Type.Integer({ minimum: 0, description });
const Time = (description: string): TSchema => Type.Integer({ minimum: 0, maximum: 9_999_999_999, description });

const Latency = named(
  'Latency',
  'The median and the 95th percentile, in milliseconds.',
  closedObject({
    p50: described(nullable(Type.Integer()), 'The median. Null if there were none.'),
    p95: described(nullable(Type.Integer()), 'The 95th percentile. Null if there were none.'),
  }),
);

const Activity = closedObject({
  object: Type.Literal('activity', { description: 'The kind of the object.' }),
  interval: described(Interval, 'The length of each interval.'),
  since: Type.Integer({ description: 'The begin of the first interval, in seconds since the Unix epoch.' }),
  until: Type.Integer({ description: 'The end of the last interval, in seconds since the Unix epoch.' }),
  data: Type.Array(
    named(
      'ActivityPoint',
      'The counts of an interval.',
      closedObject({
        start: Type.Integer({ description: 'The begin of the interval, in seconds since the Unix epoch.' }),
        requests: described(
          nullable(
            closedObject({
              '2xx': Count('Requests that succeeded.'),
              '4xx': Count('Requests that were refused.'),
              '5xx': Count('Requests that failed.'),
            }),
          ),
          'The logged requests by the class of their status: POST and DELETE. Those with 401 or 429, and most with 503, have no log. Null with `webhook_endpoint`.',
        ),
        events: described(
          nullable(Type.Integer({ minimum: 0 })),
          'The number of events. Null with `webhook_endpoint`.',
        ),
        attempts: described(
          closedObject({
            delivered: Count('Attempts that delivered an event.'),
            failed: Count('Attempts that failed, even if a later one succeeded.'),
          }),
          'The attempts to deliver events, by the time when they began.',
        ),
      }),
    ),
    { description: 'Every interval, the oldest first.' },
  ),
  latency: described(
    closedObject({
      requests: described(nullable(Latency), 'The last 1,000 logged requests. Null with `webhook_endpoint`.'),
      attempts: described(Latency, 'The last 1,000 attempts of the newest deliveries.'),
    }),
    'How long the latest requests and attempts took, whenever they were.',
  ),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

/** Returns `GET /v1/activity`: requests, events and attempts by time, for charts. */
export function activityRoute(context: HttpContext): ReadRoute {
  return {
    method: 'GET',
    operationId: 'activity_retrieve',
    docs: {
      summary: 'Retrieve activity',
      description:
        'Counts requests, events and delivery attempts in each minute, hour or day (UTC). The response also has the latency of the latest requests and attempts. Only POST and DELETE requests count, because only they have logs. The counts of requests equal those of the logs. Minutes are kept for 48 hours, and hours for 90 days. With `webhook_endpoint`, only the attempts of that endpoint count.',
    },
    response: {
      kind: 'object',
      name: 'Activity',
      schema: Activity,
      example: {
        object: 'activity',
        interval: 'hour',
        since: 1_795_233_600,
        until: 1_795_237_200,
        data: [
          {
            start: 1_795_233_600,
            requests: { '2xx': 41, '4xx': 2, '5xx': 0 },
            events: 57,
            attempts: { delivered: 55, failed: 3 },
          },
        ],
        latency: { requests: { p50: 4, p95: 11 }, attempts: { p50: 31, p95: 240 } },
      },
    },
    path: '/v1/activity',
    permission: 'logs.read',
    object: 'activity',
    expandable: null,
    query: {
      since: Time(`The first interval has this time. The default is ${pointsDefault} intervals before \`until\`.`),
      until: Time('The last interval is before this time, or has it. The default is now.'),
      interval: described(
        Interval,
        `The length of an interval. The default is \`hour\`. A response has at most ${pointsMax} intervals.`,
      ),
      webhook_endpoint: Type.String({
        minLength: 1,
        maxLength: idLengthMax,
        pattern: idPattern,
        description:
          'Counts only the attempts of this endpoint, even if it was deleted. With `Service-Context` of a connected account, a deleted endpoint has no counts.',
      }),
    },
    read: (request, query) => activityOf(context, request, query),
  };
}

async function activityOf(context: HttpContext, request: ApiRequest, query: Query): Promise<JsonObject> {
  const { lister, listQueue, clock } = context;
  const { accountId, hasServiceContext, principal } = request;
  const range = rangeOf(query, toSeconds(clock.nowMs()));
  const endpointId = query.webhook_endpoint === undefined ? null : String(query.webhook_endpoint);
  const isWhole = endpointId === null;
  if (endpointId !== null) await requireReachable(context, request, endpointId);
  // A platform's key reaches the accounts directly below its own, but none below those.
  const scope = { accountId, endpointId, hasAccountsBelow: accountId === principal.accountId };
  // Like a list, because a day has many rows.
  const { rows, latency } = await listQueue.run(request.payer, request.memory!, async () => ({
    rows: await readActivity(lister, { ...scope, ...range, intervalSeconds: intervals[range.interval] }),
    latency: {
      requests: isWhole ? { ...(await readRequestLatency(lister, accountId)) } : null,
      attempts: { ...(await readAttemptLatency(lister, scope)) },
    },
  }));
  return {
    object: 'activity',
    ...range,
    data: pointsOf(range, rows, isWhole),
    latency,
    ...(hasServiceContext && { account: accountId }),
  };
}

/** @throws {ApiError} `account_invalid` if only keys of the endpoint's own account may read it. */
async function requireReachable(context: HttpContext, request: ApiRequest, endpointId: string): Promise<void> {
  const endpoints = findKnown(context.resources, ({ object }) => object === 'webhook_endpoint');
  const endpoint = await context.readRecord(endpoints, request.accountId, endpointId);
  if (endpoint) requireOwnKey(endpoints, endpoint, request);
}

interface Range {
  interval: IntervalName;
  /** The begin of the first interval, in seconds. */
  since: number;
  /** The end of the last interval, in seconds. */
  until: number;
}

/** @throws {ApiError} `parameter_invalid` if the range is empty, has too many intervals, or begins before the counts that are kept. */
function rangeOf(query: Query, nowSeconds: number): Range {
  const interval = (query.interval ?? 'hour') as IntervalName;
  const seconds = intervals[interval];
  // The present second belongs to it.
  const wantedUntil = Number(query.until ?? nowSeconds + 1);
  const until = Math.ceil(wantedUntil / seconds) * seconds;
  const since = query.since === undefined ? until - pointsDefault * seconds : startOf(Number(query.since), seconds);
  if (query.since !== undefined && Number(query.since) >= wantedUntil)
    throw invalidParameter('since', '`since` must be before `until`.');
  const points = (until - since) / seconds;
  if (points > pointsMax) {
    throw invalidParameter(
      'since',
      `This range has ${points} intervals of one ${interval}, but a response has at most ${pointsMax}. Send a longer \`interval\` or a shorter range.`,
    );
  }
  const isMinute = interval === 'minute';
  const keptFrom = isMinute ? minutesKeptFrom(nowSeconds) : hoursKeptFrom(nowSeconds);
  if (since < keptFrom) {
    throw invalidParameter(
      query.since === undefined ? 'until' : 'since',
      isMinute
        ? `Minutes are kept for 48 hours, so the range must begin at ${keptFrom} or later. For an earlier time, send \`interval=hour\`.`
        : `Activity is kept for 90 days, so the range must begin at ${keptFrom} or later.`,
    );
  }
  return { interval, since, until };
}

function pointsOf({ interval, since, until }: Range, rows: readonly ActivityRow[], isWhole: boolean): JsonObject[] {
  const byStart = new Map(rows.map((row) => [row.start, row]));
  const points: JsonObject[] = [];
  for (let start = since; start < until; start += intervals[interval]) {
    const row = byStart.get(start);
    points.push({
      start,
      requests: isWhole
        ? { '2xx': row?.requests_2xx ?? 0, '4xx': row?.requests_4xx ?? 0, '5xx': row?.requests_5xx ?? 0 }
        : null,
      events: isWhole ? (row?.events ?? 0) : null,
      attempts: { delivered: row?.delivered ?? 0, failed: row?.failed ?? 0 },
    });
  }
  return points;
}

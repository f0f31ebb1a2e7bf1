import type { Change } from '../../model/resource.ts';
import type { DisabledSpan, WebhookEndpointRecord } from './record.ts';

const dayMs = 24 * 3600 * 1000;

/**
 * How long, how often and on how many days every attempt must have failed before an endpoint is disabled: long enough for whoever is
 * away over a long weekend, and never by a few attempts that happened to fail.
 */
export const failingLimits = { durationMs: 5 * dayMs, attempts: 20, days: 3 };

/** Attempts to an endpoint since the last one that succeeded; those that failed by our own fault are not among them. */
export interface Failures {
  /** When the first of them began. */
  sinceMs: number;
  /** When the last of them began. */
  lastMs: number;
  attempts: number;
  /** In UTC. */
  days: number;
}

/** Whether an endpoint has failed for so long that nobody can be expected to mend it while we go on. */
export function isGivenUp({ sinceMs, lastMs, attempts, days }: Failures): boolean {
  return (
    lastMs - sinceMs >= failingLimits.durationMs && attempts >= failingLimits.attempts && days >= failingLimits.days
  );
}

/** Disables an endpoint by the server's own decision. */
export function disableFailing(
  current: WebhookEndpointRecord,
  { sinceMs, attempts, days }: Failures,
  nowSeconds: number,
): Change<WebhookEndpointRecord> {
  const since = new Date(sinceMs).toISOString().slice(0, 10);
  const reason = `Every attempt since ${since} has failed: ${attempts} attempts on ${days} days. Enable it again once it answers, and send what it missed with \`recover\`.`;
  return { after: { ...withStatus(current, 'disabled', nowSeconds), disabled_reason: reason }, verb: 'disabled' };
}

/** Older ones are forgotten: whoever is switched on and off so often misses nothing by it. */
const spansMax = 100;

/** The endpoint with this status, and what follows from it. */
export function withStatus(
  current: WebhookEndpointRecord,
  status: WebhookEndpointRecord['status'],
  nowSeconds: number,
): WebhookEndpointRecord {
  if (status === current.status) return current;
  if (status === 'disabled') {
    const begun: DisabledSpan = { from: nowSeconds, to: null };
    return { ...current, status, disabled_spans: [...current.disabled_spans, begun].slice(-spansMax) };
  }
  return {
    ...current,
    status,
    enablement: current.enablement + 1,
    disabled_reason: null,
    disabled_spans: current.disabled_spans.map(({ from, to }) => ({ from, to: to ?? nowSeconds })),
  };
}

/**
 * An event has its id before it is committed, and the endpoint its new status before that is; so what was committed while it was disabled
 * can have an id of a moment before or after. A commit whose fate is in doubt is looked for this long.
 */
const aroundSeconds = 30;

/**
 * The times within this one that events can have for which nothing was queued because it was disabled, in seconds since the Unix epoch.
 * There are events around them for which something was.
 */
export function disabledSince(
  { created, disabled_spans }: WebhookEndpointRecord,
  since: number,
  until: number,
): { from: number; to: number }[] {
  return disabled_spans
    .map(({ from, to }) => ({
      from: Math.max(from - aroundSeconds, created, since),
      to: Math.min((to ?? until) + aroundSeconds, until),
    }))
    .filter(({ from, to }) => from <= to);
}

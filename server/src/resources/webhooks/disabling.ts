import type { Change } from '../../model/resource.ts';
import type { DisabledSpan, WebhookEndpointRecord } from './endpoint-record.ts';

const dayMs = 24 * 3600 * 1000;

/**
 * An endpoint is disabled after failures over this time, of so many attempts, on so many days. The time covers a long weekend. The two
 * counts prevent that a few failed attempts disable an endpoint.
 */
export const failingLimits = { durationMs: 5 * dayMs, attempts: 20, days: 3 };

/** Failed attempts to an endpoint since the last success. Attempts that failed by our own fault do not count. */
export interface Failures {
  /** When the first one began. */
  sinceMs: number;
  /** When the last one began. */
  lastMs: number;
  attempts: number;
  /** Days in UTC. */
  days: number;
}

/** Returns whether an endpoint has failed for so long that it is to be disabled. */
export function isGivenUp({ sinceMs, lastMs, attempts, days }: Failures): boolean {
  return (
    lastMs - sinceMs >= failingLimits.durationMs && attempts >= failingLimits.attempts && days >= failingLimits.days
  );
}

/** Disables a failing endpoint automatically. */
export function disableFailing(
  current: WebhookEndpointRecord,
  { sinceMs, attempts, days }: Failures,
  nowSeconds: number,
): Change<WebhookEndpointRecord> {
  const since = new Date(sinceMs).toISOString().slice(0, 10);
  const reason = `Every attempt since ${since} has failed: ${attempts} attempts on ${days} days. Enable it again when it works, and replay the missed events with \`recover\`.`;
  return { after: { ...withStatus(current, 'disabled', nowSeconds), disabled_reason: reason }, verbs: ['disabled'] };
}

/** Older spans are forgotten. An endpoint that is switched so often does not need them. */
const spansMax = 100;

/** Returns the endpoint with this status, and updates what follows from it. */
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
 * Extends a disabled span at both ends, in seconds. Events and status changes get their times before their commit. So an event that was
 * committed during the span can have an id from shortly before or after it. The server looks this long for a commit with an unknown
 * outcome.
 */
const aroundSeconds = 30;

/**
 * Returns the times of events that may lack a delivery because the endpoint was disabled. Only times from `since` to `until` count, in
 * seconds since the Unix epoch. Some events in these times have a delivery.
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

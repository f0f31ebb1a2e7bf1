import { createHmac } from 'node:crypto';
import type { Arrival } from '../history.ts';
import { sameJson, textOf, type Json, type JsonObject } from '../json.ts';
import type { Endpoint } from '../webhooks.ts';
import type { Evidence, Report, WebhookEvidence } from './evidence.ts';
import { canExplain, findWays, type Way } from './ways.ts';

/**
 * Judges deliveries. Every event reaches every endpoint that subscribed to it, signed and as the API shows it. What the API shows of its
 * deliveries is true. Only a failed attempt, or one that a kill left unknown, is sent again.
 */
export function judgeDeliveries(evidence: Evidence, report: Report): void {
  for (const way of findWays(evidence)) {
    judgeEvent(way, report);
    for (const arrival of way.arrivals) {
      judgeSignature(way, arrival, report);
      judgeHeaders(way, arrival, report);
    }
    if (way.isOwed && way.deliveries.length === 0) {
      report('event_not_delivered', way.about, `The event (${typeOf(way)}) has no delivery to the endpoint.`);
    }
    // A delivery cannot be judged without its event. Another rule reports the missing event.
    if (way.event) for (const delivery of way.deliveries) judgeEnd(evidence.webhooks, way, delivery, report);
    judgeAttempts(evidence.webhooks, way, report);
    judgeDuplicates(evidence.webhooks, way, report);
  }
}

/** Counts of deliveries, which show how much was judged. */
export interface DeliveryCounts {
  deliveries: number;
  failed: number;
  /** Attempts after the first one, as the API shows them. */
  retries: number;
  /** Requests whose outcome a kill left unknown, so that they came again. */
  duplicates: number;
}

export function countDeliveries(evidence: Evidence): DeliveryCounts {
  const ways = findWays(evidence);
  const deliveries = ways.flatMap((way) => way.deliveries);
  const attempted = deliveries.filter(({ attempts }) => (attempts as JsonObject[]).length > 0);
  const sum = (of: (way: Way) => number): number => ways.reduce((total, way) => total + of(way), 0);
  return {
    deliveries: deliveries.length,
    failed: deliveries.filter(({ status }) => status === 'failed').length,
    retries: sum(({ attempts }) => attempts.length) - attempted.length,
    duplicates: sum(({ untold }) => untold.length),
  };
}

/** The greatest age of a signature, in seconds. It is fresh at each attempt, but a busy machine can be late. */
const signatureAgeMaxSeconds = 10;

/** Before the end, younger attempts need not be visible yet. */
const toldWithinMs = 5_000;

/** Expects the endpoint to have subscribed to the event. What is sent must equal what the API shows, except for its version. */
function judgeEvent(way: Way, report: Report): void {
  const wrong = (message: string): void => report('delivery_without_event', way.about, message);
  if (!way.event) return wrong('The API does not show the event.');
  const isAsked = way.isWanted || (way.arrivals.length === 0 && way.deliveries.length === 0);
  if (!isAsked) wrong(`The endpoint subscribes to ${way.endpoint.enabledEvents.join()} and got ${typeOf(way)}.`);
  const { api_version: _, ...shown } = way.event;
  const other = way.arrivals.find(({ body }) => !sameJson(body ?? undefined, shown));
  if (other) wrong(`The receiver got ${other.bytes.toString('utf8')}, but the API shows ${JSON.stringify(shown)}.`);
}

function judgeSignature({ about, endpoint }: Way, arrival: Arrival, report: Report): void {
  const header = headerOf(arrival, 'service-signature');
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const isRight = time !== undefined && signature === sign(endpoint, time, arrival.bytes);
  if (!isRight) return report('bad_signature', about, `The signature "${header}" does not match the body.`);
  const ageSeconds = arrival.arrivedAtSeconds - Number(time);
  if (ageSeconds < -1 || ageSeconds > signatureAgeMaxSeconds) {
    report('bad_signature', about, `The signature's time is ${ageSeconds} s before the request's.`);
  }
}

function sign({ signingSecret }: Endpoint, time: string, bytes: Buffer): string {
  return createHmac('sha256', signingSecret).update(`${time}.`).update(bytes).digest('hex');
}

function judgeHeaders({ about, endpoint, deliveries }: Way, arrival: Arrival, report: Report): void {
  const expected: [string, RegExp | string][] = [
    ['content-type', 'application/json'],
    ['user-agent', /^Tenure\/\d+\.\d+\.\d+/],
    ['service-version', endpoint.apiVersion],
    ['service-event-id', textOf(arrival.body ?? undefined, 'id')],
    // The API may not know the delivery. Another rule reports that.
    ['service-delivery-id', deliveries[0] ? textOf(deliveries[0], 'id') : /./],
    ['service-attempt', /^[1-9]\d*$/],
  ];
  for (const [name, value] of expected) {
    const header = headerOf(arrival, name);
    const isRight = typeof value === 'string' ? header === value : value.test(header);
    if (!isRight) report('wrong_headers', about, `A request has the header ${name}: ${header}; expected ${value}.`);
  }
}

/** Expects a delivery to end when the receiver has the event, or after all attempts were refused. */
function judgeEnd(
  { attemptsMax, isOver }: WebhookEvidence,
  way: Way,
  { id, status, attempts }: JsonObject,
  report: Report,
): void {
  const notDelivered = (why: string): void =>
    report('event_not_delivered', way.about, `The delivery ${textOf({ id: id! }, 'id')} (${typeOf(way)}) ${why}.`);
  const count = (attempts as JsonObject[]).length;
  const isReceived = way.arrivals.some(isAccepted);
  switch (status) {
    case 'delivered':
      if (!isReceived) notDelivered('is shown as delivered, but the receiver has accepted no request');
      else if (!way.attempts.some(({ told }) => isSuccess(told))) notDelivered('is delivered without an attempt');
      return;
    case 'failed':
      if (count !== attemptsMax) notDelivered(`failed after ${count} attempts, not ${attemptsMax}`);
      else if (way.attempts.some(({ told }) => isSuccess(told)))
        notDelivered('failed although the receiver accepted it');
      return;
    case 'pending':
      if (isOver) notDelivered(`is still pending, after ${count} attempts`);
      return;
    default:
      notDelivered(`is ${JSON.stringify(status)}, after ${count} attempts`);
  }
}

/** Expects each attempt that the API shows to be a request that the receiver got, with the receiver's response. */
function judgeAttempts(
  { cuts }: WebhookEvidence,
  { about, endpoint, deliveries, attempts, arrivals }: Way,
  report: Report,
): void {
  const untrue = (message: string): void => report('attempt_untrue', about, message);
  for (const { told, arrival } of attempts) {
    if (!arrival && !cuts.some((cut) => canExplainNone(cut, told))) {
      const replies = arrivals.map(({ reply }) => JSON.stringify(reply)).join(' ') || 'no request';
      untrue(`The API shows the attempt ${JSON.stringify(told)}, but the receiver had: ${replies}.`);
    } else if (told.api_version !== endpoint.apiVersion) {
      untrue(`The attempt ${JSON.stringify(told)} names another version than its request had.`);
    }
  }
  for (const delivery of deliveries) {
    const count = (delivery.attempts as JsonObject[]).length;
    if (delivery.attempt_count !== count) {
      untrue(`The API counts ${JSON.stringify(delivery.attempt_count)} attempts, but shows ${count}.`);
    }
  }
}

/** Expects a kill that explains each request unknown to the API. Nothing explains a request after a delivery. */
function judgeDuplicates(webhooks: WebhookEvidence, way: Way, report: Report): void {
  const duplicate = (message: string): void => report('duplicate_without_reason', way.about, message);
  if (way.deliveries.length > 1) {
    duplicate(`The API shows ${way.deliveries.length} deliveries of the event to the endpoint.`);
  }
  for (const arrival of way.untold) {
    if (!webhooks.isOver && arrival.endedMs > webhooks.readAtMs - toldWithinMs) continue;
    if (!webhooks.kills.some((kill) => canExplain(kill, arrival))) {
      const kills = webhooks.kills.map(({ fromMs, toMs }) => `${Math.round(fromMs)}-${Math.round(toMs)} ms`).join(', ');
      duplicate(`The request number ${describe(arrival)} has no attempt, and no kill was near (kills: ${kills}).`);
    }
  }
  const delivered = way.attempts.find(({ told, arrival }) => arrival && isSuccess(told))?.arrival;
  const late = delivered && way.arrivals.find((arrival) => arrival.arrivedMs > delivered.endedMs);
  if (late)
    duplicate(`The request number ${describe(late)} came after the successful one, number ${describe(delivered)}.`);
}

/** The errors of attempts while receivers cannot be reached. */
const errorsOfACut = new Set<Json>(['connection_refused', 'connection_closed', 'timeout', 'unreachable']);

/** Whether an attempt unknown to the receivers was made while none could be reached. */
function canExplainNone(
  cut: WebhookEvidence['cuts'][number],
  { status, error, created, duration_ms: durationMs }: JsonObject,
): boolean {
  if (status !== null || !errorsOfACut.has(error!)) return false;
  const endedSeconds = Number(created) + 1 + Number(durationMs) / 1_000;
  return Number(created) <= cut.toSeconds + 1 && endedSeconds >= cut.fromSeconds - 1;
}

function isAccepted({ reply }: Arrival): boolean {
  return reply.kind === 'answered' && reply.status === 200;
}

function isSuccess({ status, error }: JsonObject): boolean {
  return status === 200 && error === null;
}

function describe(arrival: Arrival): string {
  const { arrivedMs, reply } = arrival;
  return `${headerOf(arrival, 'service-attempt')} (at ${Math.round(arrivedMs)} ms, ${JSON.stringify(reply)})`;
}

function typeOf({ event }: Way): string {
  return textOf(event ?? undefined, 'type') || 'not shown';
}

function headerOf({ headers }: Arrival, name: string): string {
  return headers[name]?.join() ?? '';
}

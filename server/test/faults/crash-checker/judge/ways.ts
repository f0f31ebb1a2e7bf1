import type { Arrival, Cut, Kill } from '../history.ts';
import { textOf, type Json, type JsonObject } from '../json.ts';
import type { Endpoint } from '../webhooks.ts';
import type { Evidence, WebhookEvidence } from './evidence.ts';

/** An event and an endpoint: what the API shows of the deliveries, and what the receiver got. */
export interface Way {
  /** Names the event and the endpoint. */
  about: string;
  endpoint: Endpoint;
  /** Null if the API shows no such event. */
  event: JsonObject | null;
  /** Whether the endpoint subscribed to this type of event. */
  isWanted: boolean;
  /** Whether it is wanted and newer than the endpoint. */
  isOwed: boolean;
  /** As the API shows them; more than one is a fault. */
  deliveries: JsonObject[];
  /** The attempts of all its deliveries, oldest first. */
  attempts: Attempt[];
  /** Oldest first. */
  arrivals: Arrival[];
  /** Arrivals without an attempt in the API. */
  untold: Arrival[];
}

/** An attempt as the API shows it. */
export interface Attempt {
  told: JsonObject;
  /** The request of this attempt; null if the receiver got none that fits. */
  arrival: Arrival | null;
}

/** Joins what belongs together. Leaves out events that are older than the evidence. */
export function findWays(evidence: Evidence): Way[] {
  return evidence.webhooks.endpoints.flatMap((endpoint) => findWaysTo(endpoint, evidence));
}

function findWaysTo(endpoint: Endpoint, { observation, webhooks }: Evidence): Way[] {
  const events = new Map(observation.events.items.map((event) => [textOf(event, 'id'), event]));
  const madeBy = observation.events.items.find((event) => isCreationOf(endpoint, event));
  const ways = new Map<string, Way>();
  const wayOf = (eventId: string): Way => {
    const known = ways.get(eventId);
    if (known) return known;
    const event = events.get(eventId) ?? null;
    const isWanted = event !== null && matches(textOf(event, 'type'), endpoint.enabledEvents);
    const way: Way = {
      about: `${eventId} to ${endpoint.id}`,
      endpoint,
      event,
      isWanted,
      // Ids sort by creation time.
      isOwed: isWanted && eventId > textOf(madeBy, 'id'),
      deliveries: [],
      attempts: [],
      arrivals: [],
      untold: [],
    };
    ways.set(eventId, way);
    return way;
  };

  const isOld = (eventId: string): boolean => numberOf(events.get(eventId)?.created) < webhooks.sinceSeconds;
  for (const eventId of events.keys()) if (!isOld(eventId)) wayOf(eventId);
  for (const delivery of observation.deliveries.flatMap(({ items }) => items)) {
    if (delivery.webhook_endpoint === endpoint.id) wayOf(textOf(delivery, 'event')).deliveries.push(delivery);
  }
  for (const arrival of webhooks.arrivals) {
    if (arrival.receiver !== endpoint.receiver) continue;
    const eventId = textOf(arrival.body ?? undefined, 'id');
    if (!isOld(eventId)) wayOf(eventId).arrivals.push(arrival);
  }
  for (const way of ways.values()) matchAttempts(way, webhooks);
  return [...ways.values()];
}

function isCreationOf({ id }: Endpoint, event: JsonObject): boolean {
  return event.type === 'webhook_endpoint.created' && textOf(event, 'data', 'object', 'id') === id;
}

function matches(type: string, enabledEvents: readonly string[]): boolean {
  const [object] = type.split('.');
  return enabledEvents.some((name) => name === '*' || name === type || name === `${object}.*`);
}

/** The server's clock differs from the checker's by up to this many seconds. */
const clockDifferenceSeconds = 1;

/** A response travels for up to this long, in milliseconds. */
const answerUnderWayMs = 100;

/**
 * Matches each attempt to the request of its time with the same response. If no response was complete, the attempt number must match. A dead
 * process may have sent the same attempt a second earlier. Then the request that no kill explains has the attempt.
 */
function matchAttempts(way: Way, { cuts, kills }: WebhookEvidence): void {
  const left = new Set(way.arrivals);
  for (const { attempts } of way.deliveries) {
    (attempts as JsonObject[]).forEach((told, index) => {
      const fitting = [...left].filter((candidate) => isAttempt(candidate, told, index + 1, cuts));
      const survived = fitting.find((candidate) => !kills.some((kill) => canExplain(kill, candidate)));
      const arrival = survived ?? fitting[0] ?? null;
      if (arrival) left.delete(arrival);
      way.attempts.push({ told, arrival });
    });
  }
  way.untold = [...left];
}

function isAttempt(arrival: Arrival, told: JsonObject, number: number, cuts: readonly Cut[]): boolean {
  const { arrivedAtSeconds, reply, headers } = arrival;
  const fromSeconds = numberOf(told.created);
  // It began at some time in that second.
  const toSeconds = fromSeconds + 1 + numberOf(told.duration_ms) / 1_000;
  const isEarlier = arrivedAtSeconds < fromSeconds - clockDifferenceSeconds;
  if (isEarlier || !(arrivedAtSeconds <= toSeconds + clockDifferenceSeconds)) return false;
  if (reply.kind === 'answered' && told.status === reply.status) {
    return told.error === null && told.response === reply.text;
  }
  // A response can be lost with the connection.
  const isLost = reply.kind === 'dropped' || cuts.some((cut) => isWithin(arrival, cut));
  const isSameNumber = headers['service-attempt']?.join() === String(number);
  if (reply.kind === 'hung') return told.status === reply.status && told.error === 'timeout' && isSameNumber;
  return isLost && told.status === null && told.error === 'connection_closed' && isSameNumber;
}

/** The server records a receiver's response at once. On a busy machine that takes up to this long, in milliseconds. */
const unwrittenMs = 2_000;

/** A request of a dead process can still arrive after this long, in milliseconds. */
const underWayMs = 200;

/** Returns whether a process died between the request and the record of its outcome. */
export function canExplain(kill: Kill, { arrivedMs, endedMs }: Arrival): boolean {
  return arrivedMs <= kill.toMs + underWayMs && endedMs >= kill.fromMs - unwrittenMs;
}

function isWithin({ arrivedMs, endedMs }: Arrival, cut: Cut): boolean {
  return arrivedMs <= cut.toMs && endedMs >= cut.fromMs - answerUnderWayMs;
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : NaN;
}

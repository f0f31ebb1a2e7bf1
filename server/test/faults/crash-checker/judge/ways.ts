import type { Arrival, Cut } from '../history.ts';
import { textOf, type Json, type JsonObject } from '../json.ts';
import type { Endpoint } from '../webhooks.ts';
import type { Evidence } from './evidence.ts';

/** An event's way to an endpoint: what the API tells of it, and what the receiver got. */
export interface Way {
  /** The event and the endpoint. */
  about: string;
  endpoint: Endpoint;
  /** Null if the API shows no such event. */
  event: JsonObject | null;
  /** The endpoint asked for this type of event. */
  isWanted: boolean;
  /** Wanted, and made after the endpoint. */
  isOwed: boolean;
  /** As the API tells them; more than one is a fault. */
  deliveries: JsonObject[];
  /** The attempts of all its deliveries, oldest first. */
  attempts: Attempt[];
  /** Oldest first. */
  arrivals: Arrival[];
  /** Those of which no attempt tells. */
  untold: Arrival[];
}

/** An attempt as the API tells it. */
export interface Attempt {
  told: JsonObject;
  /** The request that it was; null if the receiver got none that fits. */
  arrival: Arrival | null;
}

/** Puts together what belongs together; events older than the evidence reaches are left out. */
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
      // Ids sort by the time they were made.
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
  for (const way of ways.values()) matchAttempts(way, webhooks.cuts);
  return [...ways.values()];
}

function isCreationOf({ id }: Endpoint, event: JsonObject): boolean {
  return event.type === 'webhook_endpoint.created' && textOf(event, 'data', 'object', 'id') === id;
}

function matches(type: string, enabledEvents: readonly string[]): boolean {
  const [object] = type.split('.');
  return enabledEvents.some((name) => name === '*' || name === type || name === `${object}.*`);
}

/** The server's clock is not exactly the checker's. */
const clockDifferenceSeconds = 1;

/** An answer is on its way for as long. */
const answerUnderWayMs = 100;

/** Each attempt is the request of its time whose answer it tells; where there was no whole answer, its number tells. */
function matchAttempts(way: Way, cuts: readonly Cut[]): void {
  const left = new Set(way.arrivals);
  for (const { attempts } of way.deliveries) {
    (attempts as JsonObject[]).forEach((told, index) => {
      const arrival = [...left].find((candidate) => isAttempt(candidate, told, index + 1, cuts)) ?? null;
      if (arrival) left.delete(arrival);
      way.attempts.push({ told, arrival });
    });
  }
  way.untold = [...left];
}

function isAttempt(arrival: Arrival, told: JsonObject, number: number, cuts: readonly Cut[]): boolean {
  const { arrivedAtSeconds, reply, headers } = arrival;
  const fromSeconds = numberOf(told.created);
  // It was begun at some time in that second.
  const toSeconds = fromSeconds + 1 + numberOf(told.duration_ms) / 1_000;
  const isEarlier = arrivedAtSeconds < fromSeconds - clockDifferenceSeconds;
  if (isEarlier || !(arrivedAtSeconds <= toSeconds + clockDifferenceSeconds)) return false;
  if (reply.kind === 'answered' && told.status === reply.status) {
    return told.error === null && told.response === reply.text;
  }
  // What was answered can be lost with the connection.
  const isLost = reply.kind === 'dropped' || cuts.some((cut) => isWithin(arrival, cut));
  const isSameNumber = headers['service-attempt']?.join() === String(number);
  if (reply.kind === 'hung') return told.status === reply.status && told.error === 'timeout' && isSameNumber;
  return isLost && told.status === null && told.error === 'connection_closed' && isSameNumber;
}

function isWithin({ arrivedMs, endedMs }: Arrival, cut: Cut): boolean {
  return arrivedMs <= cut.toMs && endedMs >= cut.fromMs - answerUnderWayMs;
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : NaN;
}

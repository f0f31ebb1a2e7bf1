import { timeOfId, type Id } from '../../../src/core/ids.ts';
import { keyLifetimeMs } from '../../../src/commit/statements/idempotency-keys.ts';
import type { Asked, Wish } from './wishes.ts';
import type { World } from './world.ts';

/** A promise that was broken. */
export interface Violation {
  rule: string;
  about: string;
  message: string;
}

/** All that is left of a world in the database. */
interface Found {
  logs: {
    id: string;
    status: number;
    body: string;
    events: string[];
    key: string | null;
    original: string | null;
    wish: number;
  }[];
  events: { id: string; type: string; object: string; request: string }[];
  keys: { key: string; request: string }[];
  records: { id: string; object: string; count: string | null }[];
  counts: Record<string, number>;
  deliveries: { id: string; event: string; endpoint: string; is_pending: boolean }[];
  attempts: { delivery: string; outcome: string; started_at_ms: number }[];
}

/** Reads a world and compares it with the responses to clients and the requests at receivers. */
export const judge = {
  statement: (accountId: string) => ({
    name: 'simulation_found',
    text: `
      select json_build_object(
        'logs', array(
          select json_build_object('id', id, 'status', status, 'body', response_body, 'events', events, 'key', idempotency_key,
            'original', original_request, 'wish', (request_body::json ->> 'wish')::integer)
          from request_logs where account_id = $1 order by id),
        'events', array(
          select json_build_object('id', id, 'type', type, 'object', object_id, 'request', request::json ->> 'id')
          from events where account_id = $1),
        'keys', array(
          select json_build_object('key', key, 'request', request_id)
          from idempotency_keys where account_id = $1),
        'records', array(
          select json_build_object('id', id, 'object', 'customer', 'count', metadata::json ->> 'count')
          from customers where account_id = $1
          union all
          select json_build_object('id', id, 'object', 'reference') from tenant_references where account_id = $1),
        'counts', (
          select json_object_agg(object, total)
          from (select object, sum(delta) as total from count_deltas where account_id = $1 and dimension = '' group by object) each),
        'deliveries', array(
          select json_build_object('id', id, 'event', delivery.event, 'endpoint', delivery.webhook_endpoint,
            'is_pending', queue.id is not null)
          from webhook_deliveries delivery left join webhook_queue queue using (account_id, id) where account_id = $1),
        'attempts', array(
          select json_build_object('delivery', delivery_id, 'outcome', outcome, 'started_at_ms', started_at_ms)
          from webhook_attempts where account_id = $1 order by delivery_id, started_at_ms)
      )::text as found`,
    values: [accountId],
  }),

  world(world: World, found: Found): Violation[] {
    const violations: Violation[] = [];
    const report: Report = (rule, about, message) => violations.push({ rule, about, message });
    judgeAnswers(world, found, report);
    judgeCommits(found, report);
    judgeKeys(world, found, report);
    judgeRecords(found, report);
    judgeDeliveries(world, found, report);
    judgeArrivals(world, found, report);
    return violations;
  },
};

type Report = (rule: string, about: string, message: string) => void;

/** Expects each response to be true. A final one is stored with its log, and a request that was not executed left nothing. */
function judgeAnswers(world: World, { logs }: Found, report: Report): void {
  const logOf = new Map(logs.map((log) => [log.id, log]));
  const judgeOne = (wish: Wish, { requestId, told }: Asked): void => {
    const log = logOf.get(requestId);
    switch (told?.kind) {
      case 'answered':
        if (!log)
          return report('acknowledged_and_lost', requestId, `Wish ${wish.number} got a response, but has no log.`);
        if (log.status !== told.status || log.body !== told.body || log.original !== told.original)
          report(
            'other_answer',
            requestId,
            `The response was ${told.status} ${told.body}, but ${log.status} ${log.body} is stored.`,
          );
        if (told.original !== null && logOf.get(told.original)?.body !== told.body)
          report('other_replay', requestId, `It repeats ${told.original}, which got another response.`);
        return;
      case 'in_use':
      case 'unavailable':
        if (log) report('refused_and_written', requestId, `Wish ${wish.number} got ${told.kind}, but was executed.`);
        return;
      case 'fault':
        return report('unexpected_fault', requestId, told.message);
      default:
    }
  };
  for (const wish of world.wishes) for (const asked of wish.asked) judgeOne(wish, asked);
}

/** Expects a request's log, its events and its record together, or none of them. */
function judgeCommits({ logs, events, records, keys }: Found, report: Report): void {
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const known = new Set(records.map(({ id }) => id));
  const listed = new Set(logs.flatMap((log) => log.events));
  for (const log of logs) {
    for (const id of log.events) {
      const event = eventOf.get(id);
      if (event?.request !== log.id)
        report('log_without_event', log.id, `${id} is missing, or belongs to another request.`);
      else if (!known.has(event.object)) report('event_without_record', id, `${event.object} is missing.`);
    }
  }
  for (const { id, request } of events)
    if (!listed.has(id)) report('event_without_log', id, `The log of ${request} does not list it.`);
  const logIds = new Set(logs.map(({ id }) => id));
  for (const { key, request } of keys)
    if (!logIds.has(request)) report('key_without_log', key, `${request} is missing.`);
}

/** Expects one execution of a key within its day. The stored key must name the last request that was executed. */
function judgeKeys(world: World, { logs, keys }: Found, report: Report): void {
  const stored = new Map(keys.map((row) => [row.key, row]));
  for (const { key, asked } of world.wishes) {
    if (key === null) continue;
    const runs = logs.filter((log) => log.key === key && log.original === null);
    runs.sort((one, other) => timeOfId(one.id as Id) - timeOfId(other.id as Id));
    const timesMs = runs.map(({ id }) => timeOfId(id as Id));
    for (const [index, timeMs] of timesMs.entries()) {
      if (index > 0 && timeMs - timesMs[index - 1]! < keyLifetimeMs)
        report('key_ran_twice', key, `${runs.map(({ id }) => id).join(', ')} are less than a day apart.`);
    }
    const row = stored.get(key);
    const last = runs.at(-1);
    const wasPurged = last && timesMs.at(-1)! + keyLifetimeMs < world.nowMs;
    if (last && row?.request !== last.id && (row || !wasPurged))
      report('key_not_kept', key, `${last.id} was executed, but the key stands for ${row?.request ?? 'no request'}.`);
    if (row && !asked.some(({ requestId }) => requestId === row.request))
      report('key_of_another', key, `The key stands for ${row.request}, which is no request of this wish.`);
  }
}

/** Expects no update to be lost or made twice, and counts to match the rows. */
function judgeRecords({ logs, events, records, counts }: Found, report: Report): void {
  for (const { id, object, count } of records) {
    const own = events.filter((event) => event.object === id);
    const made = own.filter(({ type }) => type.endsWith('.created')).length;
    if (made !== 1) report('record_made_otherwise', id, `The record has ${made} events of its creation.`);
    const updates = own.filter(({ type }) => type === 'customer.updated').length;
    if (object === 'customer' && Number(count ?? 0) !== updates)
      report('lost_update', id, `The record has ${updates} updates, but its count is ${count}.`);
    for (const ending of ['reference.completed', 'reference.canceled'])
      if (own.filter(({ type }) => type === ending).length > 1)
        report('ended_twice', id, `The record has ${ending} more than once.`);
  }
  const real = {
    customer: records.filter(({ object }) => object === 'customer').length,
    reference: records.filter(({ object }) => object === 'reference').length,
    event: events.length,
    log: logs.length,
  };
  for (const [object, there] of Object.entries(real)) {
    const counted = counts?.[object] ?? 0;
    if (counted !== there) report('wrong_count', object, `The count is ${counted}, but there are ${there}.`);
  }
}

/**
 * Expects one delivery of each event to each endpoint that subscribed to it. Each delivery has arrived, or has visibly failed after its
 * schedule.
 */
function judgeDeliveries(world: World, { events, deliveries, attempts }: Found, report: Report): void {
  const there = new Set(deliveries.map(({ event, endpoint }) => placeOf(event, endpoint)));
  if (there.size !== deliveries.length)
    report('delivery_made_twice', world.accountId, 'An event has two deliveries to an endpoint.');
  let wanted = 0;
  for (const { id, type } of events) {
    for (const { endpointId, enabledEvents } of world.receivers) {
      if (!enabledEvents.some((name) => name === '*' || name === type || name === `${type.split('.')[0]}.*`)) continue;
      wanted++;
      if (!there.has(placeOf(id, endpointId)))
        report('delivery_missing', placeOf(id, endpointId), `${type} has no delivery.`);
    }
  }
  if (wanted < deliveries.length)
    report('delivery_unwanted', world.accountId, `There are ${deliveries.length} deliveries instead of ${wanted}.`);
  world.count('events', events.length);
  world.count('deliveries', deliveries.length);
  for (const { id, event, endpoint, is_pending: isPending } of deliveries) {
    const outcomes = attempts.filter(({ delivery }) => delivery === id).map(({ outcome }) => outcome);
    const arrivals = world.receivers.find(({ endpointId }) => endpointId === endpoint)!.arrivals;
    const isTaken = arrivals.some((arrival) => arrival.deliveryId === id && arrival.isTaken);
    const failures = outcomes.filter((outcome) => outcome === 'to_be_retried' || outcome === 'failed').length;
    if (isPending)
      report(
        'delivery_never_over',
        placeOf(event, endpoint),
        `The delivery is still pending after: ${outcomes.join(', ')}.`,
      );
    else if (outcomes.includes('delivered')) {
      if (!isTaken)
        report(
          'delivered_to_nobody',
          placeOf(event, endpoint),
          'The API shows it as delivered, but its receiver has not taken it.',
        );
    } else if (!outcomes.includes('failed')) {
      report(
        'delivery_vanished',
        placeOf(event, endpoint),
        `The delivery is over with these outcomes: ${outcomes.join(', ') || 'none'}.`,
      );
    } else if (failures <= world.scheduleSeconds.length) {
      report('given_up_early', placeOf(event, endpoint), `The delivery failed after ${failures} attempts.`);
    } else world.count('failed visibly');
  }
}

function placeOf(event: string, endpoint: string): string {
  return `${event} to ${endpoint}`;
}

/**
 * Expects arrivals to be signed and wanted. An attempt may repeat only if its claim had run out or a stop interrupted it. There may be as
 * many repeats as such uncounted attempts. A request can be slow, so this counts claims and does not compare arrivals with them.
 */
function judgeArrivals(world: World, { deliveries, attempts }: Found, report: Report): void {
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const { endpointId, arrivals } of world.receivers) {
    for (const { deliveryId, eventId, isSigned } of arrivals) {
      const delivery = deliveryOf.get(deliveryId);
      if (delivery?.event !== eventId || delivery.endpoint !== endpointId)
        report('arrival_of_nothing', deliveryId, `${eventId} came to ${endpointId}, but there is no such delivery.`);
      if (!isSigned) report('bad_signature', deliveryId, 'The signature does not match the body.');
    }
    for (const [deliveryId, own] of Map.groupBy(arrivals, (arrival) => arrival.deliveryId)) {
      const repeats = own.length - new Set(own.map(({ attempt }) => attempt)).size;
      if (repeats === 0) continue;
      world.count('repeated attempts', repeats);
      const claims = world.claimsOf(deliveryId);
      const runOut = claims.filter(
        ({ untilMs }, index) => index + 1 < claims.length && claims[index + 1]!.atMs >= untilMs,
      );
      const cutOff = attempts.filter(({ delivery, outcome }) => delivery === deliveryId && outcome === 'interrupted');
      if (repeats > runOut.length + cutOff.length)
        report(
          'sent_while_claimed',
          deliveryId,
          `There are ${repeats} repeats, but only ${runOut.length} claims ran out.`,
        );
    }
  }
}

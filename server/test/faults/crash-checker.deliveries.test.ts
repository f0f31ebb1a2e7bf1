import { beforeEach, describe, expect, test } from 'vitest';
import { textOf, type JsonObject } from './crash-checker/json.ts';
import { DeliveryStory, sign, type ToldDelivery } from './crash-checker/judge/delivery-story.ts';
import { judge } from './crash-checker/judge/judge.ts';

let story: DeliveryStory;
let event: JsonObject;

/** Returns the findings of the judge, as pairs of rule and of event and endpoint. */
function findings(): string[] {
  return judge(story.evidence()).map(({ rule, about }) => `${rule} ${about}`);
}

function notDelivered(): string[] {
  return [`event_not_delivered ${textOf(event, 'id')} to we_references`];
}

beforeEach(() => {
  story = new DeliveryStory();
  story.deliverToBoth(story.event());
  event = story.event();
  story.deliver(event, story.all);
});

describe('correct deliveries', () => {
  test('accepts deliveries that succeeded, at once or later', () => {
    story.deliver(event, story.references, 500, 'dropped', 200);
    expect(findings()).toEqual([]);
  });

  test('accepts a delivery that failed after all attempts', () => {
    story.deliver(event, story.references, 'dropped', 500, 500);
    expect(findings()).toEqual([]);
  });

  test('accepts a repeated request when the server was killed during the first', () => {
    story.deliver(event, story.references, 500, 'killed', 200);
    expect(findings()).toEqual([]);
  });

  test('accepts a repeated request when the server was killed before it recorded the response', () => {
    const { attempts, arrivals, delivery } = story.deliver(event, story.references, 200, 200);
    attempts.shift();
    delivery.attempt_count = 1;
    const killedAtMs = arrivals[0]!.endedMs + 500;
    story.kills.push({ fromMs: killedAtMs, toMs: killedAtMs + 5 });
    expect(findings()).toEqual([]);
  });

  test('accepts a request that was dropped before a kill and dropped again', () => {
    const { attempts, arrivals, delivery } = story.deliver(event, story.references, 'dropped', 'dropped', 200);
    attempts.shift();
    delivery.attempt_count = 2;
    arrivals[1]!.headers['service-attempt'] = ['1'];
    story.kills.push({ fromMs: arrivals[0]!.endedMs + 10, toMs: arrivals[0]!.endedMs + 20 });
    expect(findings()).toEqual([]);
  });

  test('accepts an event for one endpoint when only that endpoint subscribed to it', () => {
    story.deliver(event, story.references);
    story.deliver(madeEvent(story, 'webhook_endpoint.created', 'we_other'), story.all);
    expect(findings()).toEqual([]);
  });

  test('accepts an event without a delivery when it is older than the endpoint', () => {
    const made = madeEvent(story, 'webhook_endpoint.created', 'we_references');
    made.id = 'evt_999999';
    story.deliver(made, story.all);
    expect(findings()).toEqual([]);
  });

  test.each(['connection_refused', 'connection_closed', 'timeout', 'unreachable'])(
    'accepts an attempt with the error %s when no receiver could be reached',
    (error) => {
      const { attempts, arrivals } = story.deliver(event, story.references, 'dropped', 200);
      cut(arrivals[0]!);
      story.arrivals.splice(story.arrivals.indexOf(arrivals[0]!), 1);
      attempts[0]!.error = error;
      expect(findings()).toEqual([]);
    },
  );

  test('accepts lost responses when no receiver could be reached', () => {
    const { attempts, arrivals } = story.deliver(event, story.references, 500, 200, 200);
    cut(arrivals[0]!);
    cut(arrivals[1]!);
    story.arrivals.splice(story.arrivals.indexOf(arrivals[0]!), 1);
    Object.assign(attempts[0]!, { status: null, error: 'connection_refused', response: null });
    Object.assign(attempts[1]!, { status: null, error: 'connection_closed', response: null });
    expect(findings()).toEqual([]);
  });

  test('accepts running deliveries, and skips older ones', () => {
    story.deliver(event, story.references, 'killed').delivery.status = 'pending';
    story.kills.length = 0;
    story.webhooks = { ...story.webhooks, isOver: false, readAtMs: story.arrivals.at(-1)!.endedMs + 100 };
    expect(findings()).toEqual([]);
    story.deliveries.length = 0;
    story.webhooks = { ...story.webhooks, sinceSeconds: 2_000_000 };
    expect(findings()).toEqual([]);
  });
});

describe('event_not_delivered', () => {
  test('reports an event without a delivery', () => {
    expect(findings()).toEqual(notDelivered());
  });

  test('reports an event without a delivery when the receiver got it', () => {
    story.deliver(event, story.references, 500, 200);
    story.deliveries.pop();
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery that never ends', () => {
    story.deliver(event, story.references, 500).delivery.status = 'pending';
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery that was canceled', () => {
    story.deliver(event, story.references, 500).delivery.status = 'canceled';
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery that failed before all attempts', () => {
    story.deliver(event, story.references, 500, 500);
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery that failed although the receiver accepted it', () => {
    story.deliver(event, story.references, 500, 500, 200).delivery.status = 'failed';
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery shown as delivered when no request came', () => {
    const { arrivals } = story.deliver(event, story.references);
    story.arrivals.splice(story.arrivals.indexOf(arrivals[0]!), 1);
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery shown as delivered when the receiver refused it', () => {
    story.deliver(event, story.references, 500).delivery.status = 'delivered';
    expect(findings()).toEqual(notDelivered());
  });

  test('reports a delivery whose successful attempt is lost', () => {
    const { attempts, delivery } = story.deliver(event, story.references, 500, 200);
    attempts.pop();
    delivery.attempt_count = 1;
    expect(findings()).toEqual(notDelivered());
  });
});

describe('delivery_without_event', () => {
  test('reports a request of an event that does not exist', () => {
    story.deliver(event, story.references);
    const { about } = story.deliver({ ...event, id: 'evt_unknown' }, story.references);
    expect(findings()).toEqual([`delivery_without_event ${about}`]);
  });

  test('reports a request without an event and a delivery', () => {
    story.deliver(event, story.references);
    story.arrive({ ...event, id: 'evt_unknown' }, 'reliable', 'dlv_unknown', 1, 200);
    expect(findings()).toEqual(['delivery_without_event evt_unknown to we_all']);
  });

  test('reports a request of an event that the endpoint did not subscribe to', () => {
    story.deliver(event, story.references);
    const other = madeEvent(story, 'webhook_endpoint.created', 'we_other');
    story.deliver(other, story.all);
    const { about } = story.deliver(other, story.references);
    expect(findings()).toEqual([`delivery_without_event ${about}`]);
  });

  test.each<[string, (body: JsonObject) => JsonObject]>([
    ['another snapshot', (body) => ({ ...body, data: { object: {}, previous_attributes: null } })],
    ['a member more', (body) => ({ ...body, api_version: '2026-11-01' })],
    ['a member less', ({ request: _request, ...body }) => body],
  ])('reports a request that has %s than the API shows', (_, spoil) => {
    const { about, arrivals } = story.deliver(event, story.references);
    story.replaceBody(arrivals[0]!, spoil(arrivals[0]!.body!));
    expect(findings()).toEqual([`delivery_without_event ${about}`]);
  });

  test('reports a request that is no event', () => {
    story.deliver(event, story.references);
    story.replaceBody(story.arrive(event, 'reliable', 'dlv_unknown', 1, 200), { hello: 'world' });
    expect(findings()).toContain('delivery_without_event  to we_all');
  });
});

describe('attempt_untrue', () => {
  test('reports an attempt with another status than the response', () => {
    const told = story.deliver(event, story.references, 500, 200);
    told.attempts[0]!.status = 503;
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt with another body than the response', () => {
    const told = story.deliver(event, story.references, 500, 200);
    told.attempts[0]!.response = 'answer 0';
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test.each(['connection_refused', 'timeout', 'interrupted'])(
    'reports an attempt with the error %s that did not happen',
    (error) => {
      const told = story.deliver(event, story.references, 'dropped', 200);
      told.attempts[0]!.error = error;
      expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
    },
  );

  test('reports an attempt with an error when it got a response', () => {
    const told = story.deliver(event, story.references, 500, 200);
    Object.assign(told.attempts[0]!, { status: null, error: 'connection_closed', response: null });
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test.each(['tls_failed', 'address_forbidden', 'host_unresolved', 'response_invalid', 'interrupted'])(
    'reports an attempt with the error %s during a cut, because no cut causes it',
    (error) => {
      const told = story.deliver(event, story.references, 'dropped', 200);
      cut(told.arrivals[0]!);
      story.arrivals.splice(story.arrivals.indexOf(told.arrivals[0]!), 1);
      told.attempts[0]!.error = error;
      expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
    },
  );

  test('reports an attempt with another number than its request', () => {
    const told = story.deliver(event, story.references, 'dropped', 200);
    told.arrivals[0]!.headers['service-attempt'] = ['2'];
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt at another time than its request', () => {
    const told = story.deliver(event, story.references, 500, 200);
    told.attempts[0]!.created = told.arrivals[0]!.arrivedAtSeconds + 5;
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt that was never made', () => {
    const told = story.deliver(event, story.references, 500, 500, 200);
    story.arrivals.splice(story.arrivals.indexOf(told.arrivals[1]!), 1);
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt with a response when no receiver could be reached', () => {
    const told = story.deliver(event, story.references, 500, 200);
    cut(told.arrivals[0]!);
    story.arrivals.splice(story.arrivals.indexOf(told.arrivals[0]!), 1);
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt that is shown twice', () => {
    const told = story.deliver(event, story.references, 500, 200);
    told.attempts.unshift(told.attempts[0]!);
    told.delivery.attempt_count = 3;
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt in another version than its request', () => {
    const told = story.deliver(event, story.references);
    told.attempts[0]!.api_version = '2025-09-01';
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });

  test('reports an attempt that is not counted', () => {
    const told = story.deliver(event, story.references, 500, 200);
    told.delivery.attempt_count = 1;
    expect(findings()).toEqual([`attempt_untrue ${told.about}`]);
  });
});

describe('duplicate_without_reason', () => {
  test('reports a request without an attempt when there was no kill', () => {
    const told = story.deliver(event, story.references, 'killed', 200);
    story.kills.length = 0;
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test.each([
    ['long before a kill', 2_500],
    ['after a kill', -500],
  ])('reports a request without an attempt when it came %s', (_, laterMs) => {
    const told = story.deliver(event, story.references, 'killed', 200);
    story.kills[0] = { fromMs: story.kills[0]!.fromMs + laterMs, toMs: story.kills[0]!.fromMs + laterMs };
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test('reports a request whose attempt is lost', () => {
    const told = story.deliver(event, story.references, 500, 500, 200);
    told.attempts.shift();
    told.delivery.attempt_count = 2;
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test('reports a request whose attempt is lost as soon as the attempt must be visible', () => {
    const told = story.deliver(event, story.references, 500, 500, 200);
    told.attempts.shift();
    told.delivery.attempt_count = 2;
    story.webhooks = { ...story.webhooks, isOver: false, readAtMs: told.arrivals[0]!.endedMs + 6_000 };
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test('accepts a dropped request of a dead process when its successor drops the same attempt a second later', () => {
    const told = story.deliver(event, story.references, 'dropped', 200);
    const [dropped] = told.arrivals;
    const ofDeadProcess = { ...dropped!, headers: { ...dropped!.headers } };
    for (const name of ['arrivedMs', 'endedMs'] as const) ofDeadProcess[name] -= 1_000;
    ofDeadProcess.arrivedAtSeconds -= 1;
    sign(ofDeadProcess, 'whsec_story', ofDeadProcess.arrivedAtSeconds);
    story.arrivals.splice(story.arrivals.indexOf(dropped!), 0, ofDeadProcess);
    story.kills.push({ fromMs: ofDeadProcess.endedMs + 10, toMs: ofDeadProcess.endedMs + 60 });
    expect(findings()).toEqual([]);
    story.kills.length = 0;
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test('reports a request after a successful delivery, even when there was a kill', () => {
    const told = story.deliver(event, story.references, 200, 'killed');
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });

  test('reports two deliveries of one event', () => {
    const told = story.deliver(event, story.references);
    const { arrivals, delivery } = story.deliver(event, story.references);
    arrivals[0]!.headers['service-delivery-id'] = [textOf(told.delivery, 'id')];
    delivery.attempts = [];
    delivery.attempt_count = 0;
    expect(findings()).toEqual([`duplicate_without_reason ${told.about}`]);
  });
});

describe('bad_signature', () => {
  let told: ToldDelivery;

  beforeEach(() => {
    told = story.deliver(event, story.references);
  });

  test.each<[string, (told: ToldDelivery) => void]>([
    ['a missing signature', ({ arrivals }) => delete arrivals[0]!.headers['service-signature']],
    [
      'a signature with another secret',
      ({ arrivals }) => sign(arrivals[0]!, 'whsec_other', arrivals[0]!.arrivedAtSeconds),
    ],
    [
      'a signature that is too old',
      ({ arrivals }) => sign(arrivals[0]!, 'whsec_story', arrivals[0]!.arrivedAtSeconds - 30),
    ],
    [
      'a signature of the future',
      ({ arrivals }) => sign(arrivals[0]!, 'whsec_story', arrivals[0]!.arrivedAtSeconds + 5),
    ],
    [
      'a signature of other bytes',
      ({ arrivals }) => (arrivals[0]!.bytes = Buffer.concat([arrivals[0]!.bytes, Buffer.of(32)])),
    ],
  ])('reports %s', (_, spoil) => {
    spoil(told);
    expect(findings()).toEqual([`bad_signature ${told.about}`]);
  });
});

describe('wrong_headers', () => {
  test.each([
    'content-type',
    'user-agent',
    'service-version',
    'service-event-id',
    'service-delivery-id',
    'service-attempt',
  ])('reports a wrong header %s', (name) => {
    const { about, arrivals } = story.deliver(event, story.references);
    arrivals[0]!.headers[name] = ['0'];
    expect(findings()).toEqual([`wrong_headers ${about}`]);
  });
});

/** Makes an event of a record that the checker does not make itself. Only `*` matches it. */
function madeEvent({ events }: DeliveryStory, type: string, id: string): JsonObject {
  const [object] = type.split('.');
  const made: JsonObject = {
    id: `evt_1${events.length}`,
    object: 'event',
    api_version: '2026-11-01',
    created: 1_000,
    type,
    data: { object: { id, object: object! }, previous_attributes: null },
    request: { id: 'req_made', idempotency_key: null },
  };
  events.push(made);
  return made;
}

/** Marks a cut of the receivers around this request. */
function cut({ arrivedMs, endedMs, arrivedAtSeconds }: ToldDelivery['arrivals'][number]): void {
  story.cuts.push({
    fromMs: arrivedMs,
    toMs: endedMs,
    fromSeconds: arrivedAtSeconds,
    toSeconds: arrivedAtSeconds,
  });
}

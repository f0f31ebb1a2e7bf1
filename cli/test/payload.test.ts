import { expect, test } from 'vitest';
import { Renderings } from '../../server/src/webhooks/payload.ts';
import { resources } from '../../server/src/resources/index.ts';
import { ApiVersions } from '../../server/src/versions/apply.ts';
import { apiVersions } from '../../server/src/versions/index.ts';
import { catalogue } from '../src/catalogue.ts';
import { bodyOf, type StreamedEvent } from '../src/listen/payload.ts';

const versions = new ApiVersions(apiVersions);

/** Every event type, stored in the shape of each version. */
const cases = catalogue().eventTypes.flatMap((type) =>
  versions.dates.flatMap((stored) => versions.dates.map((shown) => ({ type, stored, shown }))),
);

test('has the bytes of a delivery for every event type, stored shape and version', () => {
  expect(cases.length).toBeGreaterThan(31 * 9 - 1);
  for (const { type, stored, shown } of cases) {
    const event = versions.convert(exampleEvent(type), versions.newest, stored);
    const { id, created, data, request } = event as unknown as {
      id: string;
      created: number;
      data: unknown;
      request: unknown;
    };
    // A new one, because the cache knows events by their ids.
    const delivered = new Renderings(versions).renderAnew(
      { id, created, type, data: JSON.stringify(data), request: JSON.stringify(request), shapeVersion: stored },
      shown,
      null,
    );
    // As `render` and `messageOf` of the server make the message of a stream.
    const newest = versions.convert({ ...event, api_version: shown }, stored, versions.newest);
    const message = JSON.stringify(versions.convert(newest, versions.newest, shown));
    const streamed = JSON.parse(message) as StreamedEvent;
    expect(bodyOf(streamed).toString('utf8'), `${type}, stored in ${stored}, in ${shown}`).toBe(
      delivered.toString('utf8'),
    );
  }
});

/** An event with the example of its kind of record. Odd names, texts and numbers show whether a byte changes. */
function exampleEvent(type: string): Parameters<typeof versions.convert>[0] {
  const object = type.replace(/\..*/, '');
  const resource = resources.find((each) => each.object === object);
  const record = {
    id: 'rec_1',
    object,
    ...JSON.parse(JSON.stringify(resource?.docs?.example?.record ?? {})),
    reference_pdf: 'file_1',
    metadata: { '10': 'b', '9': 'a', 'é\u2028"\\/': '\ud83c\udfe0 £ <script>', constructor: 'x' },
    number: 1e21,
    small: -1.5e-9,
  };
  return {
    id: 'evt_0VbZr1fe00bS0eOQrul9Xo',
    object: 'event',
    created: 1_795_234_027,
    type,
    data: { object: record, previous_attributes: type.endsWith('.updated') ? { reference_pdf: null } : null },
    request: {
      id: 'req_1',
      idempotency_key: 'k',
      from_dashboard: false,
      customer_portal: false,
      actor: { type: 'api_key', id: 'key_1', name: null, key_id: 'key_1', key_type: 'secret' },
    },
  };
}

import { describe, expectTypeOf, test } from 'vitest';
import { Tenure, type EventOf, type RequestOptions } from '../src/index.ts';
import type { Reference as OldReference } from '../src/generated/2025-09-01.ts';
import type { newestVersion, Reference } from '../src/generated/versions.ts';
import { constructEvent } from '../src/webhooks.ts';
import { testKey } from './scripted.ts';

// TypeScript checks this file in `npm run types`. At run time, the functions below are not called.

const tenure = new Tenure(testKey);
const old = new Tenure({ apiKey: testKey, apiVersion: '2025-09-01' });

describe('a client', () => {
  test('has the types of the newest version unless another one is chosen', () => {
    expectTypeOf(tenure).toEqualTypeOf<Tenure>();
    expectTypeOf(new Tenure({ apiKey: testKey })).toEqualTypeOf<Tenure>();
    expectTypeOf<Awaited<ReturnType<typeof tenure.references.retrieve>>>().toEqualTypeOf<Reference>();
  });

  test('has the types of its version in resources, events and webhooks', () => {
    expectTypeOf(old).toEqualTypeOf<Tenure<'2025-09-01'>>();
    expectTypeOf<Awaited<ReturnType<typeof old.references.retrieve>>>().toEqualTypeOf<OldReference>();
    const verified = () => old.webhooks.constructEvent('{}', '', 'whsec_1');
    expectTypeOf<Awaited<ReturnType<typeof verified>>>().toEqualTypeOf<EventOf['2025-09-01']>();
    const following = () => old.events.stream().next();
    expectTypeOf<Awaited<ReturnType<typeof following>>>().toEqualTypeOf<IteratorResult<EventOf['2025-09-01'], void>>();
  });

  test('knows no version that the package does not', () => {
    // @ts-expect-error -- The type is what is tested.
    expectTypeOf(() => new Tenure({ apiKey: testKey, apiVersion: '1999-01-01' })).toBeFunction();
    expectTypeOf<RequestOptions['apiVersion']>().toEqualTypeOf<string | undefined>();
  });
});

const newestEvent = () => constructEvent('{}', '', 'whsec_1');
const olderEvent = () => constructEvent('{}', '', 'whsec_1', { apiVersion: '2026-03-01' });

test('gives an event in the version of the endpoint when that is named', () => {
  expectTypeOf<Awaited<ReturnType<typeof newestEvent>>>().toEqualTypeOf<EventOf[typeof newestVersion]>();
  expectTypeOf<Awaited<ReturnType<typeof olderEvent>>>().toEqualTypeOf<EventOf['2026-03-01']>();
});

async function* outcomes(): AsyncGenerator<string | null> {
  for await (const event of tenure.events.stream()) {
    switch (event.type) {
      case 'reference.completed':
        expectTypeOf(event.data.object).toEqualTypeOf<Reference>();
        yield event.data.object.outcome;
        break;
      default:
        yield event.id;
    }
  }
}

test('narrows an event of a stream by its type', () => {
  expectTypeOf(outcomes).toBeFunction();
});

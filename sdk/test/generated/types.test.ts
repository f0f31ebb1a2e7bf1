import { describe, expectTypeOf, test } from 'vitest';
import type { ApiVersion, EventOf, EventType, ErrorCode, ResourcesOf } from '../../src/generated/versions.ts';
import type { ErrorCode as CodeOfServer } from '../../../server/src/core/errors.ts';
import type * as Newest from '../../src/generated/2026-11-01.ts';
import type * as Oldest from '../../src/generated/2025-09-01.ts';

// TypeScript checks this file in `npm run types`. At run time, the functions below are not called.

type Answer<Method extends (...args: never[]) => PromiseLike<unknown>> = Awaited<ReturnType<Method>>;
type ReferenceOf<Version extends ApiVersion> = Answer<ResourcesOf[Version]['references']['retrieve']>;
type PageOf<Version extends ApiVersion> = Answer<ResourcesOf[Version]['references']['list']>;
type UpdateOf<Version extends ApiVersion> = Parameters<ResourcesOf[Version]['references']['update']>[1];
type RequestOf<Version extends ApiVersion> = EventOf[Version]['request'];

describe('the types of a version', () => {
  test('have `pdf` of a reference only when the version has it', () => {
    expectTypeOf<ReferenceOf<'2025-09-01'>['pdf']>().toEqualTypeOf<string | Oldest.File | null>();
    expectTypeOf<ReferenceOf<'2025-09-01'>>().not.toHaveProperty('reference_pdf');
    expectTypeOf<ReferenceOf<'2026-03-01'>>().toHaveProperty('reference_pdf');
    expectTypeOf<ReferenceOf<'2026-03-01'>>().not.toHaveProperty('pdf');
    expectTypeOf<ReferenceOf<'2026-11-01'>>().toHaveProperty('reference_pdf');
    expectTypeOf<ReferenceOf<'2026-11-01'>>().not.toHaveProperty('pdf');
    expectTypeOf<UpdateOf<'2025-09-01'>>().toHaveProperty('pdf');
    expectTypeOf<UpdateOf<'2025-09-01'>>().not.toHaveProperty('reference_pdf');
    expectTypeOf<UpdateOf<'2026-11-01'>>().toHaveProperty('reference_pdf');
  });

  test('have `total_count` of a list only when the version has it', () => {
    expectTypeOf<PageOf<'2025-09-01'>>().toHaveProperty('total_count').toEqualTypeOf<number>();
    expectTypeOf<PageOf<'2025-09-01'>>().not.toHaveProperty('count');
    expectTypeOf<PageOf<'2026-03-01'>>().toHaveProperty('count').toEqualTypeOf<number>();
    expectTypeOf<PageOf<'2026-03-01'>>().not.toHaveProperty('total_count');
    expectTypeOf<PageOf<'2026-11-01'>>().toHaveProperty('count').toEqualTypeOf<number>();
    expectTypeOf<PageOf<'2026-11-01'>>().not.toHaveProperty('total_count');
  });

  test('have the request of an event as an id only when the version is older than 2026-11-01', () => {
    expectTypeOf<RequestOf<'2025-09-01'>>().toEqualTypeOf<string | null>();
    expectTypeOf<RequestOf<'2026-03-01'>>().toEqualTypeOf<string | null>();
    expectTypeOf<RequestOf<'2026-11-01'>['idempotency_key']>().toEqualTypeOf<string | null>();
  });

  test('reach through other types when only an inner type differs', () => {
    type Completed = Extract<EventOf['2025-09-01'], { type: 'reference.completed' }>;
    expectTypeOf<Completed['data']['object']>().toEqualTypeOf<Oldest.Reference>();
    expectTypeOf<Oldest.ReferenceList['data']>().toEqualTypeOf<Oldest.Reference[]>();
    expectTypeOf<Oldest.Building>().toEqualTypeOf<Newest.Building>();
  });
});

describe('an event', () => {
  test('has the record of its type when `type` is compared', () => {
    expectTypeOf(recordOf).toBeFunction();
  });

  test('has a record of the kind that its type names when any type is compared', () => {
    expectTypeOf<Misplaced<EventOf['2025-09-01']>>().toBeNever();
    expectTypeOf<Misplaced<EventOf['2026-03-01']>>().toBeNever();
    expectTypeOf<Misplaced<EventOf['2026-11-01']>>().toBeNever();
    expectTypeOf<EventOf['2025-09-01']['type']>().toEqualTypeOf<EventType>();
    expectTypeOf<EventOf['2026-03-01']['type']>().toEqualTypeOf<EventType>();
    expectTypeOf<EventOf['2026-11-01']['type']>().toEqualTypeOf<EventType>();
  });
});

/** The types of events that cannot be narrowed to a record of the kind before the dot. */
type Misplaced<Event> = Event extends { type: infer Type; data: { object: { object: infer Kind } } }
  ? Type extends `${Kind & string}.${string}`
    ? never
    : Type
  : 'no event';

describe('the codes of errors', () => {
  test('are those of the server when the documents are up to date', () => {
    expectTypeOf<ErrorCode>().toEqualTypeOf<CodeOfServer>();
  });

  test('allow a code of a later release when a response has one', () => {
    expectTypeOf<'code_of_tomorrow'>().toExtend<Newest.Error['error']['code']>();
    expectTypeOf<'code_of_tomorrow'>().not.toExtend<ErrorCode>();
  });
});

describe('an open enum', () => {
  test('completes its known values and accepts others when a response has it', () => {
    expectTypeOf<Newest.Reference['outcome']>().toEqualTypeOf<Newest.Outcome | (string & {}) | null>();
    expectTypeOf<Newest.Outcome>().toEqualTypeOf<'accept' | 'consider' | 'high_risk'>();
  });
});

describe('a link', () => {
  test('is an id or a record when it can be expanded', () => {
    expectTypeOf<Newest.Reference['application']>().toEqualTypeOf<string | Newest.Application | null>();
    expectTypeOf<Newest.Reference['customer']>().toEqualTypeOf<
      string | Newest.Customer | Newest.DeletedCustomer | null
    >();
  });
});

describe('the parameters of a method', () => {
  test('accept what the documents have when a call is written', () => {
    expectTypeOf(acceptedCalls).toBeFunction();
  });

  test('refuse unknown, missing and wrong ones when a call is written', () => {
    expectTypeOf(refusedCalls).toBeFunction();
  });
});

function recordOf(event: EventOf['2026-11-01']): unknown {
  if (event.type === 'reference.completed') expectTypeOf(event.data.object).toEqualTypeOf<Newest.Reference>();
  if (event.type === 'customer.deleted') expectTypeOf(event.data.object.object).toEqualTypeOf<'customer'>();
  // @ts-expect-error -- No event has this type.
  if (event.type === 'reference.exploded') return null;
  switch (event.type) {
    case 'file.created':
      return event.data.object.sha256;
    default:
      return event.data.object.id;
  }
}

function acceptedCalls(tenure: ResourcesOf['2026-11-01']): void {
  void tenure.references.create({ application: 'app_1' });
  void tenure.references.create(
    { application: 'app_1', customer: null, metadata: { branch: 'york' }, expand: ['application'] },
    { idempotencyKey: 'key' },
  );
  void tenure.references.list();
  void tenure.references.list({ created: { gte: 1, lt: 2 }, outcome: 'accept', limit: undefined });
  void tenure.references.retrieve('ref_1', { expand: ['customer'] });
  void tenure.references.update('ref_1', { outcome: 'consider' });
  void tenure.references.cancel('ref_1');
  void tenure.applications.create();
  void tenure.applications.delete('app_1', { idempotencyKey: 'key' });
  void tenure.files.create({ file: new Blob([]), purpose: 'reference_report' });
  void tenure.files.retrieve('file_1', {}, { idempotencyKey: 'key' });
  void tenure.account.apiVersionPreview({ to: '2026-11-01' });
  void tenure.testHelpers.clock.advance({ seconds: 3600 });
  expectTypeOf(tenure.files.contents('file_1')).resolves.toEqualTypeOf<Response>();
  expectTypeOf(tenure.events.stream()).toExtend<AsyncIterable<Newest.Event>>();
  expectTypeOf(tenure.references.list()).toExtend<AsyncIterable<Newest.Reference>>();
}

function refusedCalls(tenure: ResourcesOf['2026-11-01']): void {
  // @ts-expect-error -- `application` is required.
  void tenure.references.create({});
  // @ts-expect-error -- The parameters are required, because `application` is.
  void tenure.references.create();
  // @ts-expect-error -- The parameter is misspelt.
  void tenure.references.create({ application: 'app_1', custumer: 'cus_1' });
  // @ts-expect-error -- A nested parameter is misspelt.
  void tenure.references.create({ application: 'app_1', automatic_reference: { enable: true } });
  // @ts-expect-error -- The request of a verdict is no open enum.
  void tenure.references.update('ref_1', { outcome: 'acept' });
  // @ts-expect-error -- An update without changes is a mistake.
  void tenure.references.update('ref_1');
  // @ts-expect-error -- The id is required.
  void tenure.references.retrieve();
  // @ts-expect-error -- The bound is misspelt.
  void tenure.references.list({ created: { ge: 1 } });
  // @ts-expect-error -- The second argument has parameters. Options are the third.
  void tenure.references.cancel('ref_1', { idempotencyKey: 'key' });
  // @ts-expect-error -- The operation has no parameters yet.
  void tenure.buildings.retrieve('bld_1', { expand: ['unit'] });
  // @ts-expect-error -- A path is no file.
  void tenure.files.create({ file: 'report.pdf', purpose: 'reference_report' });
  // @ts-expect-error -- The version calls it `count`.
  void tenure.references.list().then((page) => page.total_count);
}

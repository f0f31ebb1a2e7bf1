import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json-diff.ts';
import { lookInEvent, matchesAll, mayMatch, type Filter } from '../../../src/workflows/rules/filters.ts';

const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const scalar = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), day);
const ordered = fc.oneof(fc.tuple(fc.integer(), fc.integer()), fc.tuple(day, day), fc.tuple(fc.string(), fc.string()));

function eventWith(value: Json, previous?: JsonObject): JsonObject {
  return { id: 'evt_1', type: 'unit.updated', data: { object: { value }, previous_attributes: previous ?? null } };
}

function matches(value: Json, filter: Omit<Filter, 'path'>, previous?: JsonObject): boolean {
  return matchesAll([{ path: 'data.object.value', ...filter }], (path) =>
    lookInEvent(eventWith(value, previous), path),
  );
}

const lookAtNull = (path: string) => lookInEvent(eventWith(null), path);

describe('a filter', () => {
  test('says the opposite with ne when eq matches', () => {
    fc.assert(
      fc.property(scalar, scalar, (value, wanted) => {
        expect(matches(value, { op: 'eq', value: wanted })).toBe(!matches(value, { op: 'ne', value: wanted }));
        expect(matches(value, { op: 'eq', value })).toBe(true);
      }),
    );
  });

  test('never matches when the text of the event excludes it', () => {
    const value = fc.oneof(scalar, fc.constantFrom('accept', 'a.b@c.example', 'with "quotes"', 'é', ''));
    const filters = fc.array(
      fc.record({ path: fc.constant('data.object.value'), op: fc.constantFrom('eq', 'ne'), value }),
    );
    fc.assert(
      fc.property(value, filters, (of, wanted) => {
        const event = eventWith(of);
        if (matchesAll(wanted, (path) => lookInEvent(event, path)))
          expect(mayMatch(wanted, JSON.stringify(event.data))).toBe(true);
      }),
    );
    const accepted = [{ path: 'data.object.value', op: 'eq', value: 'accept' }] as const;
    expect(mayMatch(accepted, JSON.stringify(eventWith('refuse').data))).toBe(false);
  });

  test('matches with in exactly when one of the values is equal', () => {
    fc.assert(
      fc.property(scalar, fc.array(scalar), (value, wanted) => {
        const isOne = wanted.some((one) => matches(value, { op: 'eq', value: one }));
        expect(matches(value, { op: 'in', value: wanted })).toBe(isOne);
      }),
    );
  });

  test('compares numbers and days like JavaScript, when both are of one type', () => {
    fc.assert(
      fc.property(ordered, ([value, wanted]) => {
        expect(matches(value, { op: 'gt', value: wanted })).toBe(value > wanted);
        expect(matches(value, { op: 'gte', value: wanted })).toBe(value >= wanted);
        expect(matches(value, { op: 'lt', value: wanted })).toBe(value < wanted);
        expect(matches(value, { op: 'lte', value: wanted })).toBe(value <= wanted);
      }),
    );
  });

  test('has no order when the types differ', () => {
    for (const op of ['gt', 'gte', 'lt', 'lte'] as const) {
      expect(matches('5', { op, value: 5 })).toBe(false);
      expect(matches(null, { op, value: 0 })).toBe(false);
    }
  });

  test.each([
    [{ value: 'old' }, true],
    [{ value: null }, true],
    [{ other: 1 }, false],
    [undefined, false],
  ])(
    'knows with changed whether the update has changed the member when the earlier values are %j',
    (previous, isChanged) => {
      expect(matches('new', { op: 'changed' }, previous)).toBe(isChanged);
      expect(matches('new', { op: 'changed', value: false }, previous)).toBe(!isChanged);
    },
  );

  test('treats a missing member like null', () => {
    for (const path of ['data.object.value', 'data.object.missing', 'data.object.value.deeper', 'data.object.length']) {
      expect(matchesAll([{ path, op: 'exists' }], lookAtNull)).toBe(false);
      expect(matchesAll([{ path, op: 'exists', value: false }], lookAtNull)).toBe(true);
      expect(matchesAll([{ path, op: 'eq', value: null }], lookAtNull)).toBe(true);
    }
  });

  test('finds items of lists by their position, and no inherited members', () => {
    const event = { data: { object: { customers: ['cus_1', 'cus_2'] }, previous_attributes: null } };
    expect(lookInEvent(event, 'data.object.customers.1').value).toBe('cus_2');
    for (const path of ['data.object.customers.length', 'data.object.constructor', 'data.object.customers.2'])
      expect(lookInEvent(event, path).value).toBeUndefined();
  });
});

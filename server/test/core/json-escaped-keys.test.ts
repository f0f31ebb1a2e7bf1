import { describe, expect, test } from 'vitest';
import { parseJsonObject } from '../../src/http/json.ts';

/**
 * In some versions of V8 `JSON.parse` reads a key that is spelt with an escape as another one that has a backslash, if it has
 * seen that one at the same place of a similar object before (nodejs/node#63785). One client's key would become another's.
 * These tests spoil JSON.parse for their whole process, so they have a file of their own.
 */
describe('a key that is spelt with an escape', () => {
  test.each([
    ['\\', '\\n', '\n'],
    ['\\', '\\u00e9', 'é'],
    ['\\', '\\"', '"'],
    ['floor\\', 'floor\\t', 'floor\t'],
    ['\\u', '\\u0041\\u0042', 'AB'],
  ])('is what it says, whatever was read before: after %j, %s', (before, spelling, key) => {
    expect(read(`{"order":"1",${JSON.stringify(before)}:"2"}`)).toEqual(['order', before]);
    expect(read(`{"order":"1","${spelling}":"2"}`)).toEqual(['order', key]);
  });
});

function read(text: string): string[] {
  return Object.keys(parseJsonObject(new TextEncoder().encode(text)).value);
}

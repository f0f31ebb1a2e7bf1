import { expect, test } from 'vitest';
import { placeGroups, JobPlaces } from '../../src/core/limits/job-places.ts';

const limits = { all: 4, ofTree: 3 };
const first = { accountId: 'acct_1', rootId: 'acct_1' };
const connected = { accountId: 'acct_2', rootId: 'acct_1' };
const other = { accountId: 'acct_3', rootId: 'acct_3' };

test('leaves a place to other trees when the accounts of one tree have all of its own', () => {
  const places = new JobPlaces('mail', limits);
  expect([first, connected, first].map((payer) => places.take(payer) !== null)).toEqual([true, true, true]);
  expect(places.take(connected)).toBeNull();
  const crowded = places.crowdedGroups();
  expect(placeGroups('mail', 'acct_1').some((group) => crowded.includes(group))).toBe(true);
  expect(placeGroups('mail', 'acct_2').some((group) => crowded.includes(group))).toBe(true);
  expect(placeGroups('mail', 'acct_3').some((group) => crowded.includes(group))).toBe(false);
  expect(places.take(other)).not.toBeNull();
});

test('leaves places of the tree to its other accounts when one account has all of its own', () => {
  const places = new JobPlaces('mail', { ...limits, ofAccount: 2 });
  const free = places.take(first);
  places.take(first);
  expect(places.take(first)).toBeNull();
  expect(places.crowdedGroups()).toEqual(['mail acct_1']);
  expect(places.take(connected)).not.toBeNull();
  free!();
  expect(places.take(first)).not.toBeNull();
});

test('names an account without a place only while its tree is full', () => {
  const places = new JobPlaces('mail', limits);
  const free = places.take(first);
  places.take(first);
  places.take(first);
  expect(places.take(connected)).toBeNull();
  expect(places.crowdedGroups()).toContain('mail acct_2');
  free!();
  expect(places.crowdedGroups()).toEqual([]);
});

test('names the service when no place is free, and takes a place again when one is freed', () => {
  const places = new JobPlaces('mail', limits);
  const free = places.take(first);
  for (const payer of [connected, first, other]) places.take(payer);
  expect(places.take(other)).toBeNull();
  expect(places.crowdedGroups()).toEqual(['mail']);
  free!();
  expect(places.crowdedGroups()).toEqual([]);
  expect(places.take(first)).not.toBeNull();
});

test('leaves the last places to trees without one when a few trees have the others', () => {
  const places = new JobPlaces('mail', { all: 4, ofTree: 3, forOthers: 2 });
  const free = places.take(first);
  places.take(other);
  expect([first, connected, other].map((payer) => places.take(payer))).toEqual([null, null, null]);
  expect(places.crowdedGroups().toSorted()).toEqual(['mail acct_1', 'mail acct_2', 'mail acct_3']);
  expect(places.take({ accountId: 'acct_4', rootId: 'acct_4' })).not.toBeNull();
  free!();
  expect(places.take(connected)).not.toBeNull();
  expect(places.take({ accountId: 'acct_5', rootId: 'acct_5' })).not.toBeNull();
  expect(places.crowdedGroups()).toEqual(['mail']);
});

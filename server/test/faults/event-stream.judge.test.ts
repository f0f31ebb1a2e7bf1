import { expect, test } from 'vitest';
import type { JsonObject } from './crash-checker/json.ts';
import { judgeStreams } from './event-stream/judge.ts';

const [made, first, second, other] = [
  eventOf(1, 'reference.created', 'a', null),
  eventOf(2, 'reference.updated', 'b', 'a'),
  eventOf(3, 'reference.updated', 'c', 'b'),
  eventOf(4, 'reference.created', 'x', null, 'ref_2'),
];
const all = [made, first, second, other];

test('accepts followers that have everything in one order', () => {
  expect(judgeStreams(all, [all, all])).toEqual([]);
  const fair = [made, other, first, second];
  expect(judgeStreams(all, [fair, fair])).toEqual([]);
  expect(judgeStreams([], [[], []])).toEqual([]);
});

test.each<[string, JsonObject[], string[]]>([
  ['a missed event', [made, first, second], ['event_missed']],
  ['a missed event in the middle', [made, second, other], ['event_missed', 'other_order', 'changes_out_of_order']],
  ['an event that came again', [...all, other], ['event_repeated', 'other_order']],
  [
    'an event that no client made',
    [...all, eventOf(5, 'customer.created', '', null)],
    ['event_unknown', 'other_order'],
  ],
  ['another order than that of the other follower', [made, first, other, second], ['other_order']],
  ['a later change first', [made, second, first, other], ['other_order', 'changes_out_of_order']],
])('reports %s', (_, received, rules) => {
  const found = judgeStreams(all, [all, received]);
  expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(rules));
  expect(new Set(found.map(({ about }) => about))).toEqual(new Set(['follower 1']));
});

test('reports changes in the wrong order when all followers have that order', () => {
  const wrong = [made, second, first, other];
  const found = judgeStreams(all, [wrong, wrong]);
  expect(found.map(({ rule }) => rule)).toEqual(Array(4).fill('changes_out_of_order'));
});

function eventOf(number: number, type: string, step: string, before: string | null, id = 'ref_1'): JsonObject {
  const previous = before === null ? null : { metadata: { step: before } };
  return { id: `evt_${number}`, type, data: { object: { id, metadata: { step } }, previous_attributes: previous } };
}

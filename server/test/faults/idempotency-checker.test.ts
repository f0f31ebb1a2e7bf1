import { beforeEach, describe, expect, test } from 'vitest';
import type { Answered, Operation } from './crash-checker/history.ts';
import type { JsonObject } from './crash-checker/json.ts';
import { errorText, Story } from './crash-checker/judge/story.ts';
import { judgeIdempotency } from './idempotency-checker/judge.ts';

let story: Story;
let id: string;

/** What the judge finds, as pairs of rule and key, operation or record. */
function findings(): string[] {
  const { operations, observation, outages } = story.evidence();
  return judgeIdempotency(operations, observation, outages).map(({ rule, about }) => `${rule} ${about}`);
}

beforeEach(() => {
  story = new Story();
  ({ id } = story.create());
});

const pdf = { reference_pdf: 'file_1' };
const reused = { status: 400, text: errorText('idempotency_key_reused') };
const unavailable = { status: 503, text: errorText('unavailable') };
const inUse = { status: 409, text: errorText('idempotency_key_in_use') };

/** Another wish with the same key, and what it was told. */
function misuse({ key }: Operation, told: { status: number; text: string } & Partial<Answered>): Operation {
  const operation = story.refuse(id, { reference_pdf: 'file_9' }, { key });
  operation.calls.pop();
  story.answer(operation, told);
  return operation;
}

/** As if the operation's latest call had been under way at the same time as another one's first. */
function atTheTimeOf(other: Operation, operation: Operation): void {
  const { sentMs, endedMs } = other.calls[0]!;
  operation.calls.push({ ...operation.calls.pop()!, sentMs, endedMs });
}

function swapIds(left: JsonObject, right: JsonObject): void {
  [left.id, right.id] = [right.id!, left.id!];
}

describe('finds nothing wrong with', () => {
  test('an answer that was lost, a twin that was told to wait, a replay, and another wish that was refused', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.answer(operation, inUse);
    atTheTimeOf(operation, operation);
    story.repeat(operation);
    misuse(operation, reused);
    story.repeat(operation);
    expect(findings()).toEqual([]);
  });

  test('a misuser who was first, so that the others are refused', () => {
    const first = story.update(id, { reference_pdf: 'file_9' }, { reference_pdf: 'file_9' });
    misuse(first, reused);
    story.repeat(first);
    expect(findings()).toEqual([]);
  });

  test('stored refusals, and an update that changes nothing', () => {
    story.complete(id);
    const refused = story.refuse(id, { status: 'processing' });
    const { requestId: originalRequest, status, text } = refused.calls[0]!.result as Answered;
    story.answer(refused, { status, text, replayed: true, originalRequest });
    story.update(id, {}, {});
    expect(findings()).toEqual([]);
  });

  test('the remains of a killed process, which can hold a key for a moment', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.answer(operation, inUse);
    story.repeat(operation);
    expect(findings()).toEqual([]);
  });

  test('processes whose clocks differ, so that the ids of events tell another order', () => {
    story.update(id, pdf, pdf);
    story.complete(id);
    const [, first, second, completed] = story.events;
    swapIds(first!, second!);
    expect(findings()).toEqual([]);
    // Now an event of the other process is between the two of one request.
    swapIds(first!, completed!);
    expect(findings()).toEqual([]);
  });

  test('a 503 while the database was down', () => {
    const operation = story.complete(id);
    story.answer(operation, unavailable);
    story.outages.push({ fromMs: operation.calls[1]!.endedMs, toMs: Infinity });
    expect(findings()).toEqual([]);
  });

  test('a call that nobody listened to', () => {
    const operation = story.complete(id);
    operation.calls.unshift({ sentMs: 0, endedMs: 1, result: { kind: 'unanswered', reason: 'ECONNREFUSED' } });
    expect(findings()).toEqual([]);
  });
});

describe('one effect a key: finds', () => {
  test('a key that took effect twice', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    story.change(operation, id, { ...story.records.get(id)!, ...pdf });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('a key that was executed again, although nothing changed by it', () => {
    const operation = story.complete(id);
    story.answer(operation, { status: 200, text: JSON.stringify(story.records.get(id)) });
    expect(findings()).toEqual([`two_effects ${operation.id}`]);
  });

  test('a key that took effect for two wishes', () => {
    const operation = story.update(id, pdf, pdf);
    story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' }, { key: operation.key });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('another wish that was refused, and took effect all the same', () => {
    const operation = story.update(id, pdf, pdf);
    const other = misuse(operation, reused);
    story.change(other, id, { ...story.records.get(id)!, reference_pdf: 'file_9' }, { unanswered: true });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('a stored refusal that took effect', () => {
    const operation = story.update(id, pdf, pdf);
    Object.assign(operation.calls[0]!.result, { status: 400, text: errorText('status_transition_invalid') });
    expect(findings()).toContain(`effect_of_refusal ${operation.id}`);
  });

  test('events of another request than the one that was answered', () => {
    const operation = story.update(id, pdf, pdf);
    story.events.at(-1)!.request = { id: 'req_other', idempotency_key: operation.key };
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });
});

describe('one answer a key: finds', () => {
  test.each([
    ['other bytes', { text: '{}' }],
    ['another status', { status: 404 }],
    ['another version', { version: '2020-01-01' }],
    ['another original', { originalRequest: 'req_other' }],
    ['no original', { originalRequest: null }],
  ])('a replay with %s', (_, change) => {
    const operation = story.complete(id);
    Object.assign(story.repeat(operation), change);
    expect(findings()).toContain(`wrong_replay ${operation.id}`);
  });

  test('a replay that does not say that it is one', () => {
    const operation = story.complete(id);
    story.repeat(operation).replayed = false;
    expect(findings()).toContain(`two_effects ${operation.id}`);
  });

  test('a replay of what nobody can have executed', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.repeat(operation);
    operation.calls.shift();
    expect(findings()).toEqual([`wrong_replay ${operation.id}`]);
  });

  test('a replay whose original was told something else', () => {
    const operation = story.update(id, {}, {}, { unanswered: true });
    const { requestId: originalRequest } = story.answer(operation, inUse);
    story.answer(operation, {
      status: 200,
      text: JSON.stringify(story.records.get(id)),
      replayed: true,
      originalRequest,
    });
    expect(findings()).toEqual([`wrong_replay ${operation.id}`]);
  });

  test('an answer that is not what its event shows', () => {
    const operation = story.complete(id);
    const text = JSON.stringify({ ...story.records.get(id)!, outcome: 'consider' });
    Object.assign(operation.calls[0]!.result, { text });
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });

  test('a key that never got an answer', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    expect(findings()).toEqual([`never_answered ${operation.id}`]);
  });

  test('a fault of the server', () => {
    const operation = story.complete(id);
    story.answer(operation, { status: 500, text: errorText('internal') });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });
});

describe('misuse: finds', () => {
  test('another wish that gets the stored answer', () => {
    const operation = story.complete(id);
    const { requestId, text } = operation.calls[0]!.result as Answered;
    misuse(operation, { status: 200, text, replayed: true, originalRequest: requestId });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('the own wish refused as another one', () => {
    const operation = story.complete(id);
    story.answer(operation, reused);
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });

  test('another wish refused before the key was used at all', () => {
    const operation = story.complete(id);
    const other = misuse(operation, reused);
    operation.calls[0]!.sentMs = other.calls[0]!.endedMs + 1;
    operation.calls[0]!.endedMs = other.calls[0]!.endedMs + 2;
    expect(findings()).toContain(`unexpected_answer ${other.id}`);
  });
});

describe('one order: finds', () => {
  test('a lost update: two changes of one state', () => {
    story.update(id, pdf, pdf);
    const before = story.records.get(id)!;
    story.update(id, { outcome: 'accept', status: 'processing' }, { outcome: 'accept', status: 'processing' });
    story.records.set(id, before);
    story.update(id, { status: 'processing' }, { status: 'processing' });
    expect(findings()).toEqual([`broken_chain ${id}`]);
  });

  test('changes in another order than they were answered', () => {
    const first = story.update(id, pdf, pdf);
    const second = story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    [first.calls[0], second.calls[0]] = [
      { ...first.calls[0]!, ...timesOf(second) },
      { ...second.calls[0]!, ...timesOf(first) },
    ];
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('a change that somebody had the answer of before an earlier one was sent', () => {
    const first = story.update(id, pdf, pdf);
    const second = story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    story.repeat(second);
    // The replay came early; the answer of the request itself may have come late.
    Object.assign(second.calls[1]!, { sentMs: 1, endedMs: 2 });
    Object.assign(second.calls[0]!, { sentMs: 0 });
    expect(first.calls[0]!.sentMs).toBeGreaterThan(2);
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('a refusal that no state of its time explains', () => {
    const early = story.refuse(id, { status: 'processing' });
    story.complete(id);
    expect(findings()).toEqual([`wrong_answer ${early.id}`]);
  });

  test('an answer without a change, in a state that was over', () => {
    const before = story.records.get(id)!;
    story.complete(id);
    const operation = story.update(id, {}, {});
    Object.assign(operation.calls[0]!.result, { text: JSON.stringify(before) });
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('an event that is lost', () => {
    story.update(id, pdf, pdf);
    story.complete(id);
    story.events.splice(1, 1);
    expect(findings()).toEqual([`lost_event ${id}`]);
  });
});

describe('503: finds', () => {
  test.each([
    ['one of a time when the database was there', unavailable],
    ['one of another kind, although the database was down', { status: 503, text: errorText('overloaded') }],
  ])('%s', (what, told) => {
    const operation = story.complete(id);
    story.answer(operation, told);
    if (what.includes('down')) story.outages.push({ fromMs: 0, toMs: 1_000 });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });

  test('one that was sent after the database was back', () => {
    const operation = story.complete(id);
    story.answer(operation, unavailable);
    story.outages.push({ fromMs: 0, toMs: operation.calls[1]!.sentMs - 1 });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });
});

describe('in use: finds', () => {
  test('a key in use without a twin', () => {
    const operation = story.complete(id);
    story.answer(operation, inUse);
    expect(findings()).toEqual([`unexpected_answer ${operation.key}`]);
  });

  test('twins that were all refused for each other', () => {
    const operation = story.complete(id);
    story.answer(operation, inUse);
    story.answer(operation, inUse);
    Object.assign(operation.calls[2]!, timesOfCall(operation.calls[1]!));
    expect(findings()).toEqual([`unexpected_answer ${operation.key}`]);
  });

  test('a key in use long after its process was killed', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.answer(operation, inUse);
    story.repeat(operation);
    for (const call of operation.calls.slice(1)) {
      call.sentMs += 10_000;
      call.endedMs += 10_000;
    }
    expect(findings()).toEqual([`unexpected_answer ${operation.key}`]);
  });
});

function timesOf(operation: Operation): { sentMs: number; endedMs: number } {
  return timesOfCall(operation.calls[0]!);
}

function timesOfCall({ sentMs, endedMs }: { sentMs: number; endedMs: number }): { sentMs: number; endedMs: number } {
  return { sentMs, endedMs };
}

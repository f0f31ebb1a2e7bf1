import { beforeEach, describe, expect, test } from 'vitest';
import type { Answered, Operation } from './crash-checker/history.ts';
import type { JsonObject } from './crash-checker/json.ts';
import { errorText, Story } from './crash-checker/judge/story.ts';
import { judgeIdempotency } from './idempotency-checker/judge.ts';

let story: Story;
let id: string;

/** Returns the findings of the judge, as pairs of rule and of key, operation or record. */
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

/** Adds another wish with the same key, and its response. */
function misuse({ key }: Operation, told: { status: number; text: string } & Partial<Answered>): Operation {
  const operation = story.refuse(id, { reference_pdf: 'file_9' }, { key });
  operation.calls.pop();
  story.answer(operation, told);
  return operation;
}

/** Makes the operation's latest call overlap another operation's first call. */
function atTheTimeOf(other: Operation, operation: Operation): void {
  const { sentMs, endedMs } = other.calls[0]!;
  operation.calls.push({ ...operation.calls.pop()!, sentMs, endedMs });
}

function swapIds(left: JsonObject, right: JsonObject): void {
  [left.id, right.id] = [right.id!, left.id!];
}

describe('correct histories', () => {
  test('accepts a lost response, a twin that waited, a replay, and another wish that was refused', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.answer(operation, inUse);
    atTheTimeOf(operation, operation);
    story.repeat(operation);
    misuse(operation, reused);
    story.repeat(operation);
    expect(findings()).toEqual([]);
  });

  test('accepts refusals of the other requests when a misused key came first', () => {
    const first = story.update(id, { reference_pdf: 'file_9' }, { reference_pdf: 'file_9' });
    misuse(first, reused);
    story.repeat(first);
    expect(findings()).toEqual([]);
  });

  test('accepts stored refusals, and an update that changes nothing', () => {
    story.complete(id);
    const refused = story.refuse(id, { status: 'processing' });
    const { requestId: originalRequest, status, text } = refused.calls[0]!.result as Answered;
    story.answer(refused, { status, text, replayed: true, originalRequest });
    story.update(id, {}, {});
    expect(findings()).toEqual([]);
  });

  test('accepts a key in use for a moment after its process was killed', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.answer(operation, inUse);
    story.repeat(operation);
    expect(findings()).toEqual([]);
  });

  test('accepts event ids in another order when the clocks of processes differ', () => {
    story.update(id, pdf, pdf);
    story.complete(id);
    const [, first, second, completed] = story.events;
    swapIds(first!, second!);
    expect(findings()).toEqual([]);
    // Puts an event of the other process between the two events of one request.
    swapIds(first!, completed!);
    expect(findings()).toEqual([]);
  });

  test('accepts a 503 while the database was down', () => {
    const operation = story.complete(id);
    story.answer(operation, unavailable);
    story.outages.push({ fromMs: operation.calls[1]!.endedMs, toMs: Infinity });
    expect(findings()).toEqual([]);
  });

  test('accepts a call when no process listened', () => {
    const operation = story.complete(id);
    operation.calls.unshift({ sentMs: 0, endedMs: 1, result: { kind: 'unanswered', reason: 'ECONNREFUSED' } });
    expect(findings()).toEqual([]);
  });
});

describe('one effect for each key', () => {
  test('reports a key that took effect twice', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    story.change(operation, id, { ...story.records.get(id)!, ...pdf });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('reports a key that was executed again without a change', () => {
    const operation = story.complete(id);
    story.answer(operation, { status: 200, text: JSON.stringify(story.records.get(id)) });
    expect(findings()).toEqual([`two_effects ${operation.id}`]);
  });

  test('reports a key that took effect for two wishes', () => {
    const operation = story.update(id, pdf, pdf);
    story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' }, { key: operation.key });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('reports another wish that took effect although it was refused', () => {
    const operation = story.update(id, pdf, pdf);
    const other = misuse(operation, reused);
    story.change(other, id, { ...story.records.get(id)!, reference_pdf: 'file_9' }, { unanswered: true });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('reports a stored refusal that took effect', () => {
    const operation = story.update(id, pdf, pdf);
    Object.assign(operation.calls[0]!.result, { status: 400, text: errorText('status_transition_invalid') });
    expect(findings()).toContain(`effect_of_refusal ${operation.id}`);
  });

  test('reports events of another request than the executed one', () => {
    const operation = story.update(id, pdf, pdf);
    story.events.at(-1)!.request = { id: 'req_other', idempotency_key: operation.key };
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });
});

describe('one response for each key', () => {
  test.each([
    ['other bytes', { text: '{}' }],
    ['another status', { status: 404 }],
    ['another version', { version: '2020-01-01' }],
    ['another original', { originalRequest: 'req_other' }],
    ['no original', { originalRequest: null }],
  ])('reports a replay with %s', (_, change) => {
    const operation = story.complete(id);
    Object.assign(story.repeat(operation), change);
    expect(findings()).toContain(`wrong_replay ${operation.id}`);
  });

  test('reports a replay that is not marked as one', () => {
    const operation = story.complete(id);
    story.repeat(operation).replayed = false;
    expect(findings()).toContain(`two_effects ${operation.id}`);
  });

  test('reports a replay when no request can have been executed', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    story.repeat(operation);
    operation.calls.shift();
    expect(findings()).toEqual([`wrong_replay ${operation.id}`]);
  });

  test('reports a replay whose original got another response', () => {
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

  test('reports a response that differs from its event', () => {
    const operation = story.complete(id);
    const text = JSON.stringify({ ...story.records.get(id)!, outcome: 'consider' });
    Object.assign(operation.calls[0]!.result, { text });
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });

  test('reports a key that never got a response', () => {
    const operation = story.update(id, pdf, pdf, { unanswered: true });
    expect(findings()).toEqual([`never_answered ${operation.id}`]);
  });

  test('reports a server error', () => {
    const operation = story.complete(id);
    story.answer(operation, { status: 500, text: errorText('internal') });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });
});

describe('misuse', () => {
  test('reports another wish that gets the stored response', () => {
    const operation = story.complete(id);
    const { requestId, text } = operation.calls[0]!.result as Answered;
    misuse(operation, { status: 200, text, replayed: true, originalRequest: requestId });
    expect(findings()).toContain(`two_effects ${operation.key}`);
  });

  test('reports a wish that is refused as another one', () => {
    const operation = story.complete(id);
    story.answer(operation, reused);
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });

  test('reports another wish that is refused before the first use of the key', () => {
    const operation = story.complete(id);
    const other = misuse(operation, reused);
    operation.calls[0]!.sentMs = other.calls[0]!.endedMs + 1;
    operation.calls[0]!.endedMs = other.calls[0]!.endedMs + 2;
    expect(findings()).toContain(`unexpected_answer ${other.id}`);
  });
});

describe('one order', () => {
  test('reports a lost update: two changes of one state', () => {
    story.update(id, pdf, pdf);
    const before = story.records.get(id)!;
    story.update(id, { outcome: 'accept', status: 'processing' }, { outcome: 'accept', status: 'processing' });
    story.records.set(id, before);
    story.update(id, { status: 'processing' }, { status: 'processing' });
    expect(findings()).toEqual([`broken_chain ${id}`]);
  });

  test('reports changes in another order than their responses', () => {
    const first = story.update(id, pdf, pdf);
    const second = story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    [first.calls[0], second.calls[0]] = [
      { ...first.calls[0]!, ...timesOf(second) },
      { ...second.calls[0]!, ...timesOf(first) },
    ];
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('reports a change whose response came before an earlier change was sent', () => {
    const first = story.update(id, pdf, pdf);
    const second = story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    story.repeat(second);
    // The replay came early. The response of the request itself may have come late.
    Object.assign(second.calls[1]!, { sentMs: 1, endedMs: 2 });
    Object.assign(second.calls[0]!, { sentMs: 0 });
    expect(first.calls[0]!.sentMs).toBeGreaterThan(2);
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('reports a refusal that no state of its time explains', () => {
    const early = story.refuse(id, { status: 'processing' });
    story.complete(id);
    expect(findings()).toEqual([`wrong_answer ${early.id}`]);
  });

  test('reports a response without a change, in a state that was over', () => {
    const before = story.records.get(id)!;
    story.complete(id);
    const operation = story.update(id, {}, {});
    Object.assign(operation.calls[0]!.result, { text: JSON.stringify(before) });
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test('reports an event that is lost', () => {
    story.update(id, pdf, pdf);
    story.complete(id);
    story.events.splice(1, 1);
    expect(findings()).toEqual([`lost_event ${id}`]);
  });
});

describe('503', () => {
  test.each([
    ['a 503 from a time when the database was up', unavailable],
    ['another 503 while the database was down', { status: 503, text: errorText('overloaded') }],
  ])('reports %s', (what, told) => {
    const operation = story.complete(id);
    story.answer(operation, told);
    if (what.includes('down')) story.outages.push({ fromMs: 0, toMs: 1_000 });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });

  test('reports a 503 that was sent after the database was back', () => {
    const operation = story.complete(id);
    story.answer(operation, unavailable);
    story.outages.push({ fromMs: 0, toMs: operation.calls[1]!.sentMs - 1 });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });
});

describe('key in use', () => {
  test('reports a key in use without a twin', () => {
    const operation = story.complete(id);
    story.answer(operation, inUse);
    expect(findings()).toEqual([`unexpected_answer ${operation.key}`]);
  });

  test('reports twins that were all refused for each other', () => {
    const operation = story.complete(id);
    story.answer(operation, inUse);
    story.answer(operation, inUse);
    Object.assign(operation.calls[2]!, timesOfCall(operation.calls[1]!));
    expect(findings()).toEqual([`unexpected_answer ${operation.key}`]);
  });

  test('reports a key in use long after its process was killed', () => {
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

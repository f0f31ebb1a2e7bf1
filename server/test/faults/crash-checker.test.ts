import { beforeEach, describe, expect, test } from 'vitest';
import { textOf, type JsonObject } from './crash-checker/json.ts';
import { judge } from './crash-checker/judge/judge.ts';
import { errorText, Story } from './crash-checker/judge/story.ts';

let story: Story;
let id: string;

/** Returns the findings of the judge, as pairs of rule and of record, operation or list. */
function findings(): string[] {
  return judge(story.evidence()).map(({ rule, about }) => `${rule} ${about}`);
}

beforeEach(() => {
  story = new Story();
  ({ id } = story.create());
});

describe('correct histories', () => {
  test('accepts a history with every kind of change', () => {
    story.update(id, { status: 'processing' }, { status: 'processing' });
    story.update(id, { metadata: { a: 'x' } }, { metadata: { made_by: 'op-1', a: 'x' } });
    story.update(id, { metadata: { a: '' } }, { metadata: { made_by: 'op-1' } });
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.complete(id);
    story.update(id, { outcome: 'high_risk' }, { outcome: 'high_risk' });
    story.update(id, { outcome: 'high_risk' }, {});
    story.refuse(id, { status: 'processing' });
    story.retrieve(id);
    story.cancel(story.create().id);
    expect(findings()).toEqual([]);
  });

  test('accepts lost responses that a retry with the key found', () => {
    const create = story.create({ unanswered: true });
    story.repeat(create.operation);
    story.repeat(story.complete(id, { unanswered: true }));
    expect(findings()).toEqual([]);
  });

  test('accepts requests without a key that took effect once or not at all', () => {
    story.create({ key: null, unanswered: true });
    story.update(id, { metadata: { changed_by: 'op-8' } }, {}, { key: null, unanswered: true });
    story.cancel(id, { key: null, unanswered: true });
    expect(findings()).toEqual([]);
  });

  test('accepts a twin that was told to wait, and a replay', () => {
    const operation = story.complete(id);
    const { sentMs, endedMs } = operation.calls[0]!;
    story.answer(operation, { status: 409, text: errorText('idempotency_key_in_use') });
    operation.calls[1] = { ...operation.calls[1]!, sentMs, endedMs };
    story.repeat(operation);
    expect(findings()).toEqual([]);
  });

  test('accepts 503 when the database was down', () => {
    story.outages.push({ fromMs: 10, toMs: 1_000 });
    const operation = story.update(id, { reference_pdf: 'file_1' }, {}, { unanswered: true });
    story.answer(operation, { status: 503, text: errorText('unavailable') });
    story.change(operation, id, { ...story.records.get(id)!, reference_pdf: 'file_1' });
    expect(findings()).toEqual([]);
  });
});

describe('records', () => {
  test('reports a confirmed record that is lost', () => {
    const { id: lostId } = story.create();
    story.records.delete(lostId);
    expect(findings()).toEqual([`lost_record ${lostId}`]);
  });

  test('reports a confirmed record that is lost with its events', () => {
    const { id: lostId } = story.create();
    story.records.delete(lostId);
    story.events.pop();
    expect(findings()).toEqual([`lost_record ${lostId}`]);
  });

  test('reports a record that is lost when only a read had shown it', () => {
    const { id: lostId } = story.create({ key: null, unanswered: true });
    story.earlier = story.observation();
    story.records.delete(lostId);
    story.events.pop();
    expect(findings()).toEqual([`lost_record ${lostId}`]);
  });

  test('reports a record that was made twice', () => {
    const { operation } = story.create({ key: null, unanswered: true });
    const copyId = 'ref_copy';
    const copy = { ...[...story.records.values()].at(-1)!, id: copyId };
    story.change(operation, copyId, copy, { unanswered: true });
    expect(findings()).toEqual([`duplicated_record ${copyId}`]);
  });

  test('reports a record that is listed twice', () => {
    const { references } = story.observation();
    const evidence = story.evidence();
    evidence.observation.references = { ...references, items: [...references.items, ...references.items], counts: [2] };
    expect(judge(evidence)).toMatchObject([{ rule: 'duplicated_record', about: id }]);
  });

  test('reports a record that no client asked for', () => {
    const { operation, id: unaskedId } = story.create();
    story.operations.splice(story.operations.indexOf(operation), 1);
    expect(findings()).toEqual([`unasked_record ${unaskedId}`]);
  });

  test('reports a count that is not the number of records', () => {
    const evidence = story.evidence();
    evidence.observation.references.counts = [2];
    expect(judge(evidence)).toMatchObject([{ rule: 'wrong_count', about: '/v1/references' }]);
  });

  test('reports a count of a filtered list that is not the number of matches', () => {
    const evidence = story.evidence();
    evidence.observation.references.filteredCounts = [{ field: 'status', value: 'pending', count: 0 }];
    expect(judge(evidence)).toMatchObject([{ rule: 'wrong_count', about: '/v1/references' }]);
  });
});

describe('events', () => {
  test.each([
    ['of the creation', 0],
    ['of an update in the middle', 1],
    ['of the last update', 2],
  ])('reports a lost event %s', (_, index) => {
    story.update(id, { metadata: { a: 'x' } }, { metadata: { made_by: 'op-1', a: 'x' } });
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.retrieve(id);
    story.events.splice(index, 1);
    expect(findings()).toEqual([`lost_event ${id}`]);
  });

  test('reports a lost event that follows the updated event', () => {
    story.complete(id);
    story.events.pop();
    expect(findings()).toEqual([`lost_event ${id}`]);
  });

  test('reports a lost updated event before the one that follows it', () => {
    story.complete(id);
    story.events.splice(1, 1);
    expect(findings()).toEqual([`lost_event ${id}`]);
  });

  test('reports an event that was seen before and is lost', () => {
    story.change(story.update(id, {}, {}, { key: null, unanswered: true }), id, { ...story.records.get(id)! });
    story.earlier = story.observation();
    story.events.length = 0;
    expect(findings()).toEqual([`lost_event ${id}`]);
  });

  test('reports an event that was seen before and has changed', () => {
    story.earlier = structuredClone(story.observation());
    story.events[0]!.created = 999;
    expect(findings()).toEqual([`changed_event ${id}`]);
  });

  test.each([
    ['of the creation', 0],
    ['of an update', 1],
    ['that follows the updated event', 2],
  ])('reports a duplicated event %s', (_, index) => {
    story.complete(id);
    story.events.splice(index + 1, 0, { ...story.events[index]!, id: `${textOf(story.events[index], 'id')}a` });
    expect(findings()).toEqual([`duplicated_event ${id}`]);
  });

  test('reports an event that is listed twice', () => {
    story.events.push(story.events[0]!);
    expect(findings()).toEqual([`duplicated_event ${id}`]);
  });

  test('reports a change that no client asked for', () => {
    const operation = story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.operations.splice(story.operations.indexOf(operation), 1);
    expect(findings()).toEqual([`unasked_event ${id}`]);
  });

  test('reports previous attributes that differ from the state before', () => {
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    (story.events[1]!.data as JsonObject).previous_attributes = { reference_pdf: 'file_1' };
    expect(findings()).toEqual([`broken_chain ${id}`]);
  });

  test('reports previous attributes that did not change', () => {
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    (story.events[1]!.data as JsonObject).previous_attributes = { reference_pdf: null, status: 'pending' };
    expect(findings()).toEqual([`broken_chain ${id}`]);
  });
});

describe('effects', () => {
  test('reports two effects of one key', () => {
    const body = { metadata: { a: 'x' } };
    const operation = story.update(id, body, { metadata: { made_by: 'op-1', a: 'x' } }, { unanswered: true });
    story.update(id, { metadata: { a: '' } }, { metadata: { made_by: 'op-1' } });
    story.change(operation, id, { ...story.records.get(id)!, metadata: { made_by: 'op-1', a: 'x' } });
    expect(findings()).toEqual([`two_effects ${operation.id}`]);
  });

  test('reports a key that was executed again, even without a change', () => {
    const operation = story.complete(id);
    story.answer(operation, { status: 200, text: JSON.stringify(story.records.get(id)) });
    expect(findings()).toEqual([`two_effects ${operation.id}`]);
  });

  test('reports an effect of a refused request', () => {
    const operation = story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    operation.calls[0]!.result = {
      ...operation.calls[0]!.result,
      status: 400,
      text: errorText('status_transition_invalid'),
    } as never;
    expect(findings()).toContain(`effect_of_refusal ${operation.id}`);
  });

  test('reports an effect of a replay', () => {
    const operation = story.complete(id);
    const { requestId } = story.repeat(operation);
    story.change(operation, id, { ...story.records.get(id)!, reference_pdf: 'file_1' }, { unanswered: true });
    story.events.at(-1)!.request = { id: requestId, idempotency_key: operation.key };
    expect(findings()).toContain(`effect_of_refusal ${operation.id}`);
  });

  test('reports an effect of a request when its response says that nothing was changed', () => {
    story.outages.push({ fromMs: 0, toMs: 1_000 });
    const operation = story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    const text = '{"error":{"code":"unavailable","message":"Nothing was changed."}}';
    operation.calls[0]!.result = { ...operation.calls[0]!.result, status: 503, text } as never;
    expect(findings()).toContain(`effect_of_refusal ${operation.id}`);
  });

  test('reports a confirmed update that is lost from the events and the record', () => {
    const before = story.records.get(id)!;
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.records.set(id, before);
    story.events.pop();
    expect(findings()).toEqual([`lost_update ${id}`]);
  });

  test('reports an update that is in the events but lost from the record', () => {
    const before = story.records.get(id)!;
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.records.set(id, before);
    expect(findings()).toEqual([`lost_update ${id}`]);
  });

  test('reports an update that another one overwrote without reading it', () => {
    story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    story.update(id, { metadata: { a: 'x' } }, { reference_pdf: null, metadata: { made_by: 'op-1', a: 'x' } });
    expect(findings()).toEqual([expect.stringContaining('wrong_effect')]);
  });

  test('reports a transition that the state forbids', () => {
    story.complete(id);
    story.cancel(id);
    expect(findings()).toEqual([`impossible_transition ${id}`]);
  });

  test('reports a transition by the server that no reference can make', () => {
    story.cancel(id);
    story.change(null, id, { ...story.records.get(id)!, status: 'pending' });
    expect(findings()).toEqual([`impossible_transition ${id}`]);
  });

  test('reports a change that is not the requested one', () => {
    const operation = story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_2' });
    expect(findings()).toEqual([`wrong_effect ${operation.id}`]);
  });
});

describe('responses', () => {
  test('reports a replay with other bytes', () => {
    const operation = story.complete(id);
    const call = operation.calls.length;
    story.repeat(operation);
    const result = operation.calls[call]!.result as { text: string };
    result.text = result.text.replace('{', '{ ');
    expect(findings()).toEqual([`wrong_replay ${operation.id}`]);
  });

  test('reports a replay that names another original', () => {
    const operation = story.complete(id);
    story.repeat(operation).originalRequest = 'req_other';
    expect(findings()).toEqual([`wrong_replay ${operation.id}`]);
  });

  test('reports a response that differs from its event', () => {
    const operation = story.complete(id);
    (operation.calls[0]!.result as { text: string }).text = JSON.stringify({
      ...story.records.get(id)!,
      outcome: 'consider',
    });
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });

  test('reports a refusal that no state explains', () => {
    const operation = story.refuse(id, { outcome: 'accept' });
    expect(findings()).toEqual([`wrong_answer ${operation.id}`]);
  });

  test('reports a read of a state that was over', () => {
    story.complete(id);
    const stale = story.retrieve(id);
    const created = (story.events[0]!.data as JsonObject).object;
    (stale.calls[0]!.result as { text: string }).text = JSON.stringify(created);
    expect(findings()).toEqual([`wrong_answer ${stale.id}`]);
  });

  test('reports updates in another order than their responses', () => {
    const first = story.update(id, { reference_pdf: 'file_1' }, { reference_pdf: 'file_1' });
    const second = story.update(id, { reference_pdf: 'file_2' }, { reference_pdf: 'file_2' });
    [first.calls[0]!.sentMs, second.calls[0]!.sentMs] = [second.calls[0]!.sentMs, first.calls[0]!.sentMs];
    [first.calls[0]!.endedMs, second.calls[0]!.endedMs] = [second.calls[0]!.endedMs, first.calls[0]!.endedMs];
    expect(findings()).toEqual([`wrong_order ${id}`]);
  });

  test.each([
    ['the response 500', 500, 'internal'],
    ['a 503 while the database was up', 503, 'unavailable'],
    ['a 409 without a twin', 409, 'idempotency_key_in_use'],
  ])('reports %s', (_, status, code) => {
    const operation = story.complete(id);
    story.answer(operation, { status, text: errorText(code) });
    expect(findings()).toEqual([`unexpected_answer ${operation.id}`]);
  });

  test('reports a key that never got a response', () => {
    const { operation } = story.create({ unanswered: true });
    expect(findings()).toEqual([`never_answered ${operation.id}`]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkHistory, smallestFailure, type Model, type Observed } from './linearizability/checker.ts';
import { referenceModel, resultOf, type Result, type Wish } from './linearizability/reference-model.ts';

/** A register that refuses `add` from `limit` on. A refused `add` with an effect can then be seen. */
type Input = 'read' | { write: number } | 'add';
const limit = 3;

const register: Model<number, Input, number | 'refused'> = {
  initial: 0,
  textOf: String,
  apply(state, input, result) {
    const { told, after } = registerAnswer(state, input);
    return result === null || result === told ? after : null;
  },
};

type Operation = Observed<Input, number | 'refused'>;

describe('linearizable histories', () => {
  test.each<[string, Operation[]]>([
    ['an empty history', []],
    ['operations one after the other', [at(0, 1, { write: 5 }, 5), at(2, 3, 'read', 5)]],
    [
      'a read beside a write that sees it, and one that does not',
      [at(0, 9, { write: 5 }, 5), at(1, 2, 'read', 0), at(3, 4, 'read', 5)],
    ],
    [
      'a response that came later than that of a later operation',
      [at(0, 9, { write: 1 }, 1), at(1, 8, { write: 2 }, 2), at(10, 11, 'read', 1)],
    ],
    ['a write that happened when its response was lost', [at(0, 1, { write: 5 }, null), at(2, 3, 'read', 5)]],
    [
      'a write that happened much later when its response was lost',
      [at(0, 1, { write: 5 }, null), at(2, 3, 'read', 0), at(4, 5, 'read', 5)],
    ],
    [
      'a write that never happened when its response was lost',
      [at(0, 1, { write: 5 }, null), at(2, 3, 'read', 0), at(4, 5, { write: 1 }, 1), at(6, 7, 'read', 1)],
    ],
    ['a refusal that only a lost write explains', [at(0, 1, { write: 3 }, null), at(2, 3, 'add', 'refused')]],
    ['operations that touch in time', [at(0, 1, { write: 5 }, 5), at(1, 2, 'read', 0)]],
  ])('accepts %s', (_, history) => {
    expect(checkHistory(register, history)).toBe('linearizable');
  });
});

describe('histories without an order', () => {
  test.each<[string, Operation[]]>([
    ['a stale read', [at(0, 1, { write: 5 }, 5), at(2, 3, 'read', 0)]],
    ['a read that goes back', [at(0, 9, { write: 5 }, 5), at(1, 2, 'read', 5), at(3, 4, 'read', 0)]],
    ['a lost update', [at(0, 2, 'add', 1), at(1, 3, 'add', 1)]],
    ['an update that was confirmed and not executed', [at(0, 1, 'add', 1), at(2, 3, 'read', 0)]],
    ['an effect after a refusal', [at(0, 1, { write: 3 }, 3), at(2, 3, 'add', 'refused'), at(4, 5, 'read', 4)]],
    ['a refusal without a reason', [at(0, 1, { write: 2 }, 2), at(2, 3, 'add', 'refused')]],
    ['a value from nowhere', [at(0, 1, 'read', 7)]],
    ['a lost write that happened before it was sent', [at(0, 1, 'read', 5), at(2, 3, { write: 5 }, null)]],
    [
      'a lost write that happened twice',
      [
        at(0, 1, { write: 5 }, null),
        at(2, 3, { write: 1 }, 1),
        at(4, 5, 'read', 5),
        at(6, 7, { write: 2 }, 2),
        at(8, 9, 'read', 5),
      ],
    ],
  ])('reports %s', (_, history) => {
    expect(checkHistory(register, history)).toBe('not_linearizable');
  });
});

describe('any history', () => {
  test('accepts responses from one order with overlaps', () => {
    fc.assert(
      fc.property(sequentialRun(40), (history) => {
        expect(checkHistory(register, history)).toBe('linearizable');
      }),
      { numRuns: 1_000 },
    );
  });

  test('judges like a search of every order', () => {
    let failing = 0;
    fc.assert(
      fc.property(sequentialRun(6), fc.nat(5), fc.integer({ min: 0, max: 4 }), (history, index, result) => {
        const spoiled = history.map((operation, number) =>
          number === index && operation.result !== null ? { ...operation, result } : operation,
        );
        const isRight = someOrderFits(spoiled);
        failing += Number(!isRight);
        expect(checkHistory(register, spoiled)).toBe(isRight ? 'linearizable' : 'not_linearizable');
      }),
      { numRuns: 3_000 },
    );
    expect(failing).toBeGreaterThan(500);
  });

  test('reduces a failing history to a part that still fails', () => {
    fc.assert(
      fc.property(sequentialRun(6), fc.nat(5), (history, index) => {
        const spoiled = history.map((operation, number) =>
          number === index ? { ...operation, result: 99 } : operation,
        );
        fc.pre(spoiled.length > index);
        const smallest = smallestFailure(register, spoiled);
        expect(checkHistory(register, smallest)).toBe('not_linearizable');
        expect(smallest.filter(({ result }) => result !== null)).toEqual([spoiled[index]]);
      }),
      { numRuns: 300 },
    );
  });

  test('returns undecided when a search takes too long', () => {
    expect(checkHistory(register, [at(0, 1, { write: 5 }, 5), at(0, 1, 'read', 5)], 1)).toBe('undecided');
  });
});

describe('reference', () => {
  const create: Wish = { kind: 'create', body: null, key: 'made' };
  const accept: Wish = { kind: 'update', body: { outcome: 'accept' }, key: null };
  const processing: Wish = { kind: 'update', body: { status: 'processing' }, key: null };
  const retrieve: Wish = { kind: 'retrieve', body: null, key: null };
  const cancel: Wish = { kind: 'cancel', body: null, key: 'canceled' };
  const refused = answered(400, { error: { code: 'status_transition_invalid' } });

  test.each<[string, [Wish, Result | null][]]>([
    [
      'that is completed and refuses later changes',
      [
        [create, reference()],
        [processing, reference({ status: 'processing' })],
        [accept, reference({ status: 'complete', outcome: 'accept', completed_at: 1 })],
        [processing, refused],
        [cancel, refused],
        [cancel, { ...refused, replayed: true }],
      ],
    ],
    [
      'whose first response was lost',
      [
        [create, null],
        [create, { ...reference(), replayed: true }],
        [create, { ...reference(), replayed: true }],
      ],
    ],
    [
      'that is canceled and changes only its metadata',
      [
        [create, reference()],
        [cancel, reference({ status: 'canceled' })],
        [accept, refused],
        [{ ...accept, body: { metadata: { a: 'x', b: '' } } }, reference({ status: 'canceled', metadata: { a: 'x' } })],
        [cancel, { ...reference({ status: 'canceled' }), replayed: true }],
        [retrieve, reference({ status: 'canceled', metadata: { a: 'x' } })],
      ],
    ],
  ])('accepts a reference %s', (_, steps) => {
    expect(checkHistory(referenceModel('ref_1'), oneByOne(steps))).toBe('linearizable');
  });

  test.each<[string, [Wish, Result | null][]]>([
    [
      'a key that has two effects',
      [
        [create, reference()],
        [cancel, reference({ status: 'canceled' })],
        [cancel, refused],
      ],
    ],
    [
      'a replay with other bytes',
      [
        [create, reference()],
        [create, { ...reference({ created: 2 }), replayed: true }],
      ],
    ],
    [
      'a replay that is not marked as one',
      [
        [create, reference()],
        [create, reference()],
      ],
    ],
    ['a replay without an earlier request', [[create, { ...reference(), replayed: true }]]],
    [
      'another wish that gets the stored response',
      [
        [create, reference()],
        [
          { ...accept, key: 'made' },
          { ...reference(), replayed: true },
        ],
      ],
    ],
    [
      'a reference that was made twice',
      [
        [create, reference()],
        [create, { ...reference({ id: 'ref_2' }), replayed: true }],
      ],
    ],
    [
      'an outcome without its time',
      [
        [create, reference()],
        [accept, reference({ status: 'complete', outcome: 'accept' })],
      ],
    ],
    ['a server error', [[create, answered(500, { error: { code: 'internal' } })]]],
  ])('reports %s', (_, steps) => {
    expect(checkHistory(referenceModel('ref_1'), oneByOne(steps))).toBe('not_linearizable');
  });

  function reference(members: Record<string, unknown> = {}): Result {
    const fresh = {
      id: 'ref_1',
      status: 'pending',
      outcome: null,
      reference_pdf: null,
      metadata: {},
      completed_at: null,
    };
    return answered(200, { object: 'reference', ...fresh, ...members });
  }
});

function answered(status: number, body: object): Result {
  const answer = { requestId: 'req_1', version: '2026-11-01', replayed: false, originalRequest: null };
  return resultOf({ kind: 'answered', status, text: JSON.stringify(body), ...answer });
}

function oneByOne(steps: [Wish, Result | null][]): Observed<Wish, Result>[] {
  return steps.map(([input, result], index) => ({ input, result, sentMs: 2 * index, endedMs: 2 * index + 1 }));
}

function at(sentMs: number, endedMs: number, input: Input, result: number | 'refused' | null): Operation {
  return { input, sentMs, endedMs, result };
}

function registerAnswer(state: number, input: Input): { told: number | 'refused'; after: number } {
  if (input === 'read') return { told: state, after: state };
  if (input === 'add') {
    return state >= limit ? { told: 'refused', after: state } : { told: state + 1, after: state + 1 };
  }
  return { told: input.write, after: input.write };
}

/** Makes operations that happened one after the other, each somewhere in a span that overlaps others. Some results are lost. */
function sequentialRun(maxLength: number): fc.Arbitrary<Operation[]> {
  const input = fc.oneof(
    fc.constant<Input>('read'),
    fc.constant<Input>('add'),
    fc.record({ write: fc.integer({ min: 0, max: 4 }) }),
  );
  const step = fc.record({ input, earlier: fc.nat(4), later: fc.nat(4), isLost: fc.integer({ min: 0, max: 9 }) });
  return fc.array(step, { minLength: 1, maxLength }).map((steps) => {
    let state = 0;
    return steps.map(({ input: wish, earlier, later, isLost }, index) => {
      const { told, after } = registerAnswer(state, wish);
      // Some operations with a lost result never happen.
      if (isLost !== 0) state = after;
      return at(index - earlier, index + later + 0.5, wish, isLost <= 1 ? null : told);
    });
  });
}

/** Tries everything: each order of each choice of the operations that happened. */
function someOrderFits(left: readonly Operation[], state = 0): boolean {
  if (left.every(({ result }) => result === null)) return true;
  return left.some((operation) => {
    const isTooEarly = left.some(({ endedMs, result }) => result !== null && endedMs < operation.sentMs);
    if (isTooEarly) return false;
    const { told, after } = registerAnswer(state, operation.input);
    if (operation.result !== null && operation.result !== told) return false;
    return someOrderFits(
      left.filter((other) => other !== operation),
      after,
    );
  });
}

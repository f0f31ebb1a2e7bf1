/*
 * Checks whether a history of operations on one object is linearizable (Herlihy and Wing 1990). Each operation must have happened in one
 * moment between its request and its response, as a sequential model allows. The search is that of Wing and Gong, as in Porcupine. It
 * remembers visited states as in Lowe, "Testing for linearizability" (2017).
 */

/** The behaviour of an object under one operation after the other. Pure; states are never changed. */
export interface Model<State, Input, Result> {
  initial: State;
  /**
   * @param result the response; null if it is not known.
   * @returns the state afterwards, or null if this input cannot have this result in this state.
   */
  apply(state: State, input: Input, result: Result | null): State | null;
  /** Returns the same text for the same state, and another text for any other. */
  textOf(state: State): string;
}

/** An operation as its client saw it. Times are those of one monotonic clock. */
export interface Observed<Input, Result> {
  input: Input;
  sentMs: number;
  /** Ignored if the result is not known. */
  endedMs: number;
  /** Null if it is not known. Then the operation may have taken effect at any time after it was sent, or never. */
  result: Result | null;
}

/** `undecided` if the search needs more steps than are allowed. */
export type Verdict = 'linearizable' | 'not_linearizable' | 'undecided';

/** A history of a hundred operations needs some hundred steps. This bounds one with too few known results. */
const stepsMaxDefault = 5_000_000;

const stepsMaxOfPart = 20_000;

/** The fewer results are known, the longer the search. A result stays known if the search without it takes longer than this. */
const stepsMaxOfLess = 5_000;

const lostTogetherTried = [0, 1, 2, 4];

/** A place in the list of all calls and returns by time. A return has no operation to try. */
interface Entry<State, Input, Result> {
  operation: Observed<Input, Result> | null;
  /** The return of a call, if it has one. */
  returned: Entry<State, Input, Result> | null;
  number: bigint;
  atMs: number;
  previous: Entry<State, Input, Result> | null;
  next: Entry<State, Input, Result> | null;
}

/** Judges the history of one object. Objects are independent, so each can be judged alone. */
export function checkHistory<State, Input, Result>(
  model: Model<State, Input, Result>,
  operations: readonly Observed<Input, Result>[],
  stepsMax: number = stepsMaxDefault,
): Verdict {
  // A few lost operations in a row explain most histories. Only a search with all of them can refute one.
  const isExplained = lostTogetherTried.some(
    (lostTogetherMax) => search(model, operations, stepsMax, lostTogetherMax).verdict === 'linearizable',
  );
  return isExplained ? 'linearizable' : search(model, operations, stepsMax).verdict;
}

/**
 * @param lostTogetherMax how many operations with unknown results may happen in a row.
 * @returns also the time of the response that no order explains.
 */
function search<State, Input, Result>(
  model: Model<State, Input, Result>,
  operations: readonly Observed<Input, Result>[],
  stepsMax: number,
  lostTogetherMax = Infinity,
): { verdict: Verdict; stuckAtMs: number } {
  let stuckAtMs = -Infinity;
  const head = listOf<State, Input, Result>(operations);
  let answersLeft = operations.filter(({ result }) => result !== null).length;
  let state = model.initial;
  let done = 0n;
  const tried = new Set<string>();
  const taken: { entry: Entry<State, Input, Result>; before: State; lostBefore: number }[] = [];
  let lostTogether = 0;
  let entry = head.next;
  // Operations with a response must have happened and are tried first. The others are tried only if that leads nowhere.
  let isAmongAnswered = true;
  for (let step = 0; answersLeft > 0; step++) {
    if (step >= stepsMax) return { verdict: 'undecided', stuckAtMs };
    if (entry?.operation) {
      const { operation } = entry;
      if ((operation.result !== null) !== isAmongAnswered) {
        entry = entry.next;
        continue;
      }
      const after = model.apply(state, operation.input, operation.result);
      if (after !== null && isWorthTrying(entry, after)) {
        taken.push({ entry, before: state, lostBefore: lostTogether });
        lostTogether = isAmongAnswered ? 0 : lostTogether + 1;
        state = after;
        done |= 1n << entry.number;
        if (operation.result !== null) answersLeft--;
        lift(entry);
        entry = head.next;
        isAmongAnswered = true;
      } else {
        entry = entry.next;
      }
      continue;
    }
    if (isAmongAnswered && lostTogether < lostTogetherMax) {
      entry = head.next;
      isAmongAnswered = false;
      continue;
    }
    // This operation has its response and has not happened yet, so an earlier choice was wrong.
    if (entry) stuckAtMs = Math.max(stuckAtMs, entry.atMs);
    const last = taken.pop();
    if (!last) return { verdict: 'not_linearizable', stuckAtMs };
    state = last.before;
    lostTogether = last.lostBefore;
    done &= ~(1n << last.entry.number);
    if (last.entry.operation!.result !== null) answersLeft++;
    unlift(last.entry);
    entry = last.entry.next;
    isAmongAnswered = last.entry.operation!.result !== null;
  }
  return { verdict: 'linearizable', stuckAtMs };

  function isWorthTrying(call: Entry<State, Input, Result>, after: State): boolean {
    const text = model.textOf(after);
    // An operation that may never have happened, and would change nothing, need not happen.
    if (call.operation!.result === null && text === model.textOf(state)) return false;
    const together = isAmongAnswered || lostTogetherMax === Infinity ? 0 : lostTogether + 1;
    const configuration = `${(done | (1n << call.number)).toString(36)} ${together} ${text}`;
    if (tried.has(configuration)) return false;
    tried.add(configuration);
    return true;
  }
}

/**
 * Reduces a failing history to a small part that still fails. Drops all that was sent after the impossible response. Of the rest, keeps
 * only the results that contradict each other, and treats the others as unknown.
 */
export function smallestFailure<State, Input, Result>(
  model: Model<State, Input, Result>,
  operations: readonly Observed<Input, Result>[],
): Observed<Input, Result>[] {
  const fails = (some: readonly Observed<Input, Result>[], stepsMax: number): boolean =>
    checkHistory(model, some, stepsMax) === 'not_linearizable';
  const { stuckAtMs } = search(model, operations, stepsMaxDefault);
  const endsMs = operations.map(({ endedMs }) => endedMs).filter((endedMs) => endedMs >= stuckAtMs);
  const endMs = endsMs
    .sort((left, right) => left - right)
    .find((untilMs) => fails(knownUntil(operations, untilMs), stepsMaxOfPart));
  let smallest = knownUntil(operations, endMs ?? Infinity);
  for (const operation of smallest.filter(({ result }) => result !== null)) {
    const without = smallest.map((other) => (other === operation ? { ...other, result: null } : other));
    if (fails(without, stepsMaxOfLess)) smallest = without;
  }
  return smallest;
}

/** Returns what was known at a time. A later response to a running operation could depend on later requests, so it counts as unknown. */
function knownUntil<Input, Result>(
  operations: readonly Observed<Input, Result>[],
  untilMs: number,
): Observed<Input, Result>[] {
  return operations
    .filter(({ sentMs }) => sentMs <= untilMs)
    .map((operation) => (operation.endedMs > untilMs ? { ...operation, result: null } : operation));
}

/** @returns the head, which is no entry itself. */
function listOf<State, Input, Result>(operations: readonly Observed<Input, Result>[]): Entry<State, Input, Result> {
  const entries: Entry<State, Input, Result>[] = [];
  operations.forEach((operation, index) => {
    const { sentMs, endedMs, result } = operation;
    const common = { number: BigInt(index), previous: null, next: null };
    const returned = result === null ? null : { operation: null, returned: null, atMs: endedMs, ...common };
    entries.push({ operation, returned, atMs: sentMs, ...common });
    if (returned) entries.push(returned);
  });
  // At the same moment, calls come before returns, so that they overlap.
  entries.sort((left, right) => left.atMs - right.atMs || Number(!left.operation) - Number(!right.operation));
  const head: Entry<State, Input, Result> = {
    operation: null,
    returned: null,
    number: -1n,
    atMs: -Infinity,
    previous: null,
    next: null,
  };
  let last = head;
  for (const entry of entries) {
    entry.previous = last;
    last.next = entry;
    last = entry;
  }
  return head;
}

/** Removes an operation that has now happened from the list. */
function lift<State, Input, Result>(call: Entry<State, Input, Result>): void {
  for (const entry of [call, call.returned]) {
    if (!entry) continue;
    entry.previous!.next = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
  }
}

/** Puts it back in its place. */
function unlift<State, Input, Result>(call: Entry<State, Input, Result>): void {
  for (const entry of [call.returned, call]) {
    if (!entry) continue;
    entry.previous!.next = entry;
    if (entry.next) entry.next.previous = entry;
  }
}

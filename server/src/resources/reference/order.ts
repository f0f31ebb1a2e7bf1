import type { Static } from 'typebox';
import { isErased } from '../../model/change.ts';
import { sameJson, type Json, type JsonObject } from '../../core/json-diff.ts';
import { invalidParameter } from '../../core/errors.ts';
import { notSetUp } from '../../core/providers.ts';
import type { Caller } from '../../model/caller.ts';
import type { Change, RecordChange } from '../../model/resource.ts';
import type { Looks, ProviderOrder, ReferenceRecord } from './record.ts';
import type { AutomaticReferenceInput } from './shape.ts';

/*
 *                 submit              read ⟲ until it is done
 *  nothing yet ───────────▶ ordered ───────────────────────────▶ complete ─── read, when the provider calls again,
 *       │                      │                                               or daily for a week if it never calls
 *       │ overruled, canceled, erased
 *       ▼                      ▼
 *    nothing                 stop ───▶ stopped ─── read, and only kept, when the provider calls again
 *
 * What a provider says moves the reference as long as nobody has ended it. A provider that cannot be asked never fails the person: that is
 * said in `last_error`, and it is asked again.
 */

/** What a provider says of an order; see `Progress` of the providers. */
export interface ProviderWord {
  orderId: string;
  status: string;
  outcome: { words: string; verdict: NonNullable<ReferenceRecord['outcome']> } | null;
  data: NonNullable<AutomaticReference['provider_data']>['provider_a'] | null;
  problem: { code: string; message: string } | null;
}

type AutomaticReference = NonNullable<ReferenceRecord['automatic_reference']>;

/** What changes with a step; all else is mere progress. */
const stepMembers = ['status', 'outcome', 'last_error'] as const;

export type OrderStep = 'submit' | 'read' | 'stop';

/** After so many failures in a row nobody asks any more (contract: failures of a provider). */
export const failuresMax = 10;

/** Mere progress is shown no more often. */
const shownEveryMs = 5_000;

const lateWordsMax = 20;

const noLooks: Looks = { asked: 0, answered: 0, failed: 0 };

/** The order of a new reference, which is to be made at once. */
export function newOrder(nowSeconds: number): ProviderOrder {
  return { id: null, due_at_ms: nowSeconds * 1000, failures: 0, shown_at_ms: 0, stopped: false, later: [] };
}

/** Settles which service will be asked. A sandbox always has one: its simulators. */
export function decideAutomaticReference(
  input: Static<typeof AutomaticReferenceInput> | null,
  caller: Caller,
): Pick<ReferenceRecord, 'automatic_reference' | 'provider_order'> {
  if (!input) return { automatic_reference: null, provider_order: null };
  const enabled = input.enabled ?? true;
  const fallback = caller.account.default_provider ?? (caller.mode === 'sandbox' ? 'provider_a' : null);
  const provider = input.provider ?? (enabled ? fallback : null);
  if (enabled && !provider) {
    throw invalidParameter(
      'automatic_reference[provider]',
      'No referencing provider is set: send `automatic_reference[provider]`, or set a default provider for the account.',
    );
  }
  const fault = enabled && provider ? notSetUp(provider, caller.referencingServices) : null;
  if (fault !== null) throw invalidParameter('automatic_reference[provider]', fault);
  const status = enabled ? 'queued' : null;
  return {
    automatic_reference: { enabled, last_error: null, outcome: null, provider, status, provider_data: null },
    provider_order: enabled ? newOrder(caller.nowSeconds) : null,
  };
}

/** What is to be done about the order now; null if nothing is. */
export function nextStepOf(reference: ReferenceRecord): OrderStep | null {
  const { automatic_reference: automatic, provider_order: order } = reference;
  if (!automatic || !order) return null;
  if (isOpen(reference)) return automatic.status === 'failed' ? null : order.id === null ? 'submit' : 'read';
  // What the provider has an order of and we do not. To order it again tells its id, and then it is stopped.
  if (order.id === null) return order.called && !order.stopped ? 'submit' : null;
  return automatic.status === 'done' || order.stopped ? 'read' : 'stop';
}

/** The provider has called: it is asked what there is, as soon as there is something to show. */
export function heard(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> {
  const { provider_order: order } = current;
  if (!order) return { after: current };
  if (order.id === null) {
    // What has no order yet is looked at right after it has one.
    const atMs = isOpen(current) || order.stopped ? order.due_at_ms : nowMs;
    return order.called
      ? { after: current }
      : { after: { ...current, provider_order: { ...order, called: true, due_at_ms: atMs } } };
  }
  if (nextStepOf(current) === null) return { after: current };
  const soonMs = isOpen(current) ? Math.max(nowMs, order.shown_at_ms + shownEveryMs) : nowMs;
  const wanted = order.due_at_ms;
  if (wanted !== null && wanted > nowMs && wanted <= soonMs) return { after: current };
  // What is due may be under way, with an answer that is older than this call: another time wants another look.
  const dueAtMs = wanted !== null && wanted <= nowMs ? wanted + 1 : soonMs;
  return { after: { ...current, provider_order: { ...order, due_at_ms: dueAtMs } } };
}

/** Has the provider asked now, because a test helper waits for what it says: `looks.asked` is the number of this look. */
export function askForLook(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> {
  const { provider_order: order } = current;
  if (!order || nextStepOf(current) === null) return { after: current };
  const looks = order.looks ?? noLooks;
  const wanted = { ...order, due_at_ms: nowMs, looks: { ...looks, asked: looks.asked + 1 } };
  return { after: { ...current, provider_order: wanted } };
}

/** What a decision about an answer of the provider must know besides the reference. */
export interface Asked {
  nowMs: number;
  /** The last look that a test helper had asked for when the step began; 0 if none was. */
  look: number;
  /** When the step was due that asked; if it is another time now, somebody wants the next one then. */
  dueAtMs: number | null;
  /** When to look again if nothing is heard. */
  lookAgainAtMs: number;
  /** When to look again after it is done; null if it would call, or was asked often enough. */
  lateLookAtMs: number | null;
}

/**
 * The provider has said how the order stands.
 *
 * @param report makes the file of the report, for an order that is done.
 */
export function recordWord(
  current: ReferenceRecord,
  word: ProviderWord,
  asked: Asked,
  report: RecordChange | null,
): Change<ReferenceRecord> {
  const before = current.provider_order!;
  const isAwaited = asked.look > (before.looks?.answered ?? 0);
  const known = { ...before, id: word.orderId, failures: 0, ...looked(before, { answered: asked.look }) };
  if (!isOpen(current)) return recordLate(current, { ...known, due_at_ms: asked.lateLookAtMs }, word, asked.nowMs);

  const order = { ...known, due_at_ms: nextLook(current, asked) };
  const automaticBefore = current.automatic_reference!;
  const automatic = saidBy(automaticBefore, word);
  const after = { ...current, automatic_reference: automatic, provider_order: order };
  if (word.status === 'done' && word.outcome) {
    return {
      after: {
        ...after,
        // A call that came while the report was made may be about a change of mind.
        provider_order: {
          ...order,
          due_at_ms: before.due_at_ms === asked.dueAtMs ? asked.lateLookAtMs : before.due_at_ms,
        },
        status: 'complete',
        completed_at: Math.floor(asked.nowMs / 1000),
        outcome: current.outcome ?? word.outcome.verdict,
        reference_pdf: current.reference_pdf ?? report?.after?.id ?? null,
      },
      verb: 'completed',
      // One that nothing links to would be found by nobody who erases the person.
      ...(report && current.reference_pdf === null && { also: [report] }),
    };
  }
  if (hasEnded(word.status)) return { after: { ...after, provider_order: { ...order, due_at_ms: null } } };
  const status = word.status === 'queued' || word.status === 'invited' ? current.status : 'processing';
  const isStep = status !== current.status || stepMembers.some((name) => automatic[name] !== automaticBefore[name]);
  const isNew = isStep || !sameJson(automatic, automaticBefore);
  const showAtMs = isStep || isAwaited ? asked.nowMs : order.shown_at_ms + shownEveryMs;
  if (isNew && asked.nowMs < showAtMs) {
    return { after: { ...current, provider_order: { ...order, due_at_ms: Math.min(order.due_at_ms, showAtMs) } } };
  }
  return { after: { ...after, status, provider_order: isNew ? { ...order, shown_at_ms: asked.nowMs } : order } };
}

/** The provider could not be asked, which is told and tried again. */
export function recordFailure(
  current: ReferenceRecord,
  fault: { code: string; message: string },
  { nowMs, retryAtMs, look }: { nowMs: number; retryAtMs: number; look: number },
): Change<ReferenceRecord> {
  const order = { ...current.provider_order!, ...looked(current.provider_order!, { failed: look }) };
  const failures = order.failures + 1;
  const isGivenUp = failures >= failuresMax;
  const failed = { ...order, failures, due_at_ms: isGivenUp ? null : retryAtMs };
  // Of what somebody else has ended nothing more is shown.
  if (!isOpen(current))
    return { after: { ...current, provider_order: { ...failed, stopped: order.stopped || isGivenUp } } };
  const automatic = current.automatic_reference!;
  return {
    after: {
      ...current,
      automatic_reference: {
        ...automatic,
        last_error: wordsOf(fault),
        status: isGivenUp ? 'failed' : automatic.status,
      },
      provider_order: { ...failed, shown_at_ms: nowMs },
    },
  };
}

/** The provider has too much to do; it is asked again then, and nothing has failed. */
export function recordBusy(current: ReferenceRecord, retryAtMs: number): Change<ReferenceRecord> {
  return { after: { ...current, provider_order: { ...current.provider_order!, due_at_ms: retryAtMs } } };
}

/** Nobody works on it any more. */
export function recordStopped(current: ReferenceRecord): Change<ReferenceRecord> {
  return {
    after: { ...current, provider_order: { ...current.provider_order!, stopped: true, due_at_ms: null, failures: 0 } },
  };
}

/** Somebody has ended the reference: its provider is told to stop, and what it has said stays. */
export function stopProvider(reference: ReferenceRecord, nowSeconds: number): ReferenceRecord {
  const { automatic_reference: automatic, provider_order: order } = reference;
  if (!automatic?.enabled || !order || automatic.status === 'done') return reference;
  return {
    ...reference,
    automatic_reference: { ...automatic, status: automatic.status === 'failed' ? 'failed' : 'canceled' },
    // What is being ordered at this moment is stopped as soon as its order is known.
    provider_order: { ...order, failures: 0, due_at_ms: order.id === null && !order.called ? null : nowSeconds * 1000 },
  };
}

/** What is left of it when the person is erased. */
export function withoutLateWords(order: Json): Json {
  return order === null ? null : { ...(order as JsonObject), later: [] };
}

function isOpen(reference: ReferenceRecord): boolean {
  return (reference.status === 'pending' || reference.status === 'processing') && !isErased(reference);
}

/** Notes that a look was taken. Nothing is kept of an order that no test helper waits for. */
function looked({ looks }: ProviderOrder, taken: Partial<Looks>): { looks?: Looks } {
  return looks ? { looks: { ...looks, ...taken } } : {};
}

function hasEnded(status: string): boolean {
  return status === 'failed' || status === 'canceled';
}

/** A callback that came meanwhile has asked for another time. */
function nextLook({ provider_order: order }: ReferenceRecord, { dueAtMs, lookAgainAtMs }: Asked): number {
  const wanted = order!.due_at_ms;
  return wanted === null || wanted === dueAtMs ? lookAgainAtMs : Math.min(wanted, lookAgainAtMs);
}

/** What `automatic_reference` tells then. */
function saidBy(automatic: AutomaticReference, word: ProviderWord): AutomaticReference {
  const { status, outcome, data, problem } = word;
  return {
    ...automatic,
    // One that ended without a verdict has failed, whoever ended it: the reference waits for a person.
    status: hasEnded(status) ? 'failed' : status,
    outcome: outcome?.words ?? automatic.outcome,
    last_error: problem ? wordsOf(problem) : hasEnded(status) ? wordsOf(endedEarly) : null,
    provider_data: data ? { type: 'provider_a', provider_a: data } : automatic.provider_data,
  };
}

const endedEarly = {
  code: 'ended_by_provider',
  message: 'The provider has ended the check without a verdict. Set an outcome yourself, or cancel the reference.',
};

/** What is said of a reference that has ended: its provider can correct itself, and anybody else's end stands. */
function recordLate(
  current: ReferenceRecord,
  order: ProviderOrder,
  word: ProviderWord,
  nowMs: number,
): Change<ReferenceRecord> {
  const wasDone = current.automatic_reference!.status === 'done';
  if (isErased(current))
    return { after: { ...current, provider_order: { ...order, due_at_ms: wasDone || order.stopped ? null : nowMs } } };
  if (wasDone) {
    const isCorrection = word.status === 'done' && word.outcome !== null;
    const automatic = isCorrection ? saidBy(current.automatic_reference!, word) : current.automatic_reference;
    return { after: { ...current, automatic_reference: automatic, provider_order: order } };
  }
  const late = { heard: Math.floor(nowMs / 1000), status: word.status, outcome: word.outcome?.words ?? null };
  const last = order.later.at(-1);
  const isNews = !last || last.status !== late.status || last.outcome !== late.outcome;
  return {
    after: {
      ...current,
      provider_order: {
        ...order,
        // An order that was made while somebody ended the reference.
        due_at_ms: order.stopped ? null : nowMs,
        later: isNews ? [...order.later, late].slice(-lateWordsMax) : order.later,
      },
    },
  };
}

function wordsOf({ code, message }: { code: string; message: string }): string {
  return `${code}: ${message}`.slice(0, 500).toWellFormed();
}

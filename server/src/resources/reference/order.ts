import type { Static } from 'typebox';
import { isErased } from '../../model/change.ts';
import { isObject, sameJson, type Json } from '../../core/json-diff.ts';
import { invalidParameter } from '../../core/errors.ts';
import { notReady, notSetUp, type Provider } from '../../core/vocabulary/providers.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Change, RecordChange } from '../../model/resource.ts';
import { adviceFor, errorText } from './advice.ts';
import type { ContactChanges, Looks, ProviderOrder, ReferenceRecord } from './record.ts';
import type { AutomaticReferenceInput } from './shape.ts';

/*
 *                submit              read ⟲ until done
 *      new ─────────────────▶ ordered ─────────────────────▶ complete
 *       │                        │
 *       │ overruled, canceled, erased
 *       ▼                        ▼
 *    nothing                   stop ───▶ stopped
 *
 * A complete order is read again after a callback, or daily for a week if the provider sends none. A stopped order is read again after a
 * callback, and its reports are only stored.
 *
 * If the person's e-mail address changes, the provider is told (`invite`), and sends its invitation there.
 *
 * The provider's reports move the reference until a client ends it. A failed request to the provider never fails the person. `last_error`
 * shows it, and the server retries.
 */

/** A provider's report on an order. See `Progress` of the providers. */
export interface ProviderStatus {
  orderId: string;
  status: string;
  outcome: { words: string; verdict: NonNullable<ReferenceRecord['outcome']> } | null;
  data: NonNullable<AutomaticReference['provider_data']>['provider_a'] | null;
  problem: { code: string; message: string } | null;
}

type AutomaticReference = NonNullable<ReferenceRecord['automatic_reference']>;

/** Members that change with a step. All others are mere progress. */
const stepMembers = ['status', 'outcome', 'last_error'] as const;

export type OrderStep = 'submit' | 'invite' | 'read' | 'stop';

/** The server gives up after so many failures in a row. */
export const failuresMax = 10;

/** Mere progress is shown at most this often, in milliseconds. */
const shownEveryMs = 5_000;

/** Milliseconds by which a step can begin before its time, because processes and the database have clocks of their own. */
const skewMs = 1_000;

const lateWordsMax = 20;

const noContactChanges: ContactChanges = { made: 0, told: 0 };

const noLooks: Looks = { asked: 0, answered: 0, failed: 0 };

/** Returns the order of a new reference. It is due at once. */
export function newOrder(nowSeconds: number): ProviderOrder {
  return { id: null, due_at_ms: nowSeconds * 1000, failures: 0, shown_at_ms: 0, stopped: false, later: [] };
}

/** Chooses the provider. A sandbox always has one: a simulator. */
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
      'No referencing provider is set. Send `automatic_reference[provider]`, or set a default provider for the account.',
    );
  }
  const fault = enabled && provider ? orderFault(provider, caller) : null;
  if (fault !== null) throw invalidParameter('automatic_reference[provider]', fault);
  const status = enabled ? 'queued' : null;
  return {
    automatic_reference: { enabled, last_error: null, outcome: null, provider, status, provider_data: null },
    provider_order: enabled ? newOrder(caller.nowSeconds) : null,
  };
}

/** Says why the account cannot order from the provider. A sandbox also takes orders that wait for credentials. */
function orderFault(provider: Provider, { mode, account, referencingServices }: Caller): string | null {
  return mode === 'live'
    ? notReady(provider, referencingServices, account.providers_with_credentials)
    : notSetUp(provider, referencingServices);
}

/** Returns the order of a reference that a provider works on. */
export function providerOrderOf({ id, provider_order: order }: ReferenceRecord): ProviderOrder {
  if (!order) throw new Error(`Bug! ${id} has no order.`);
  return order;
}

function automaticReferenceOf({ id, automatic_reference: automatic }: ReferenceRecord): AutomaticReference {
  if (!automatic) throw new Error(`Bug! ${id} has no automatic reference.`);
  return automatic;
}

/** Returns the next provider step, or null. */
export function nextStepOf(reference: ReferenceRecord): OrderStep | null {
  const { automatic_reference: automatic, provider_order: order } = reference;
  if (!automatic || !order) return null;
  if (isOpen(reference)) {
    if (automatic.status === 'failed') return null;
    return order.id === null ? 'submit' : isContactOutdated(order) ? 'invite' : 'read';
  }
  // The provider has an order whose id we do not know. A second submit returns the id, and then the order is stopped.
  if (order.id === null) return order.called && !order.stopped ? 'submit' : null;
  return automatic.status === 'done' || order.stopped ? 'read' : 'stop';
}

/** Schedules a read after a callback: as soon as progress may be shown again. */
export function onCallback(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> {
  const { provider_order: order } = current;
  if (!order) return { after: current };
  if (order.id === null) {
    // An order without an id is read right after it gets one.
    const atMs = isOpen(current) || order.stopped ? order.due_at_ms : nowMs;
    return order.called
      ? { after: current }
      : { after: { ...current, provider_order: { ...order, called: true, due_at_ms: atMs } } };
  }
  if (nextStepOf(current) === null) return { after: current };
  const soonMs = isOpen(current) ? Math.max(nowMs, order.shown_at_ms + shownEveryMs) : nowMs;
  const wanted = order.due_at_ms;
  // A due read may already run, and its response may be older than this callback. A different time causes another read.
  const mayRun = wanted !== null && wanted <= nowMs + skewMs;
  if (wanted !== null && !mayRun && wanted <= soonMs) return { after: current };
  const dueAtMs = mayRun ? wanted + 1 : soonMs;
  return { after: { ...current, provider_order: { ...order, due_at_ms: dueAtMs } } };
}

/**
 * Schedules the next step now, because a person has removed what stopped it. Failures count anew, so a check that was given up goes on. A
 * person that repeats this calls the service no more often than progress is shown.
 */
export function askAnew(current: ReferenceRecord, nowMs: number): ReferenceRecord {
  const order = providerOrderOf(current);
  const automatic = automaticReferenceOf(current);
  const dueAtMs = Math.max(nowMs, order.shown_at_ms + shownEveryMs);
  const isGoingOn = automatic.status !== 'failed';
  const status = isGoingOn ? automatic.status : current.status === 'pending' ? 'queued' : 'in_progress';
  return {
    ...current,
    automatic_reference: { ...automatic, status },
    provider_order: {
      ...order,
      failures: 0,
      due_at_ms: isGoingOn && order.due_at_ms !== null ? Math.min(order.due_at_ms, dueAtMs) : dueAtMs,
    },
  };
}

/** Tells whether the server has given up a check after too many failures. A check that its provider has ended is not given up. */
export function isGivenUp({ automatic_reference: automatic, provider_order: order }: ReferenceRecord): boolean {
  return automatic?.status === 'failed' && order !== null && order.failures >= failuresMax;
}

/** Records that the provider is about to learn of the order. Null if the reference needs no order any more. */
export function beginOrder(current: ReferenceRecord): Change<ReferenceRecord> | null {
  if (nextStepOf(current) !== 'submit') return null;
  const order = providerOrderOf(current);
  return { after: order.begun ? current : { ...current, provider_order: { ...order, begun: true } } };
}

/** Schedules the provider to be told of the person's new e-mail address. An order that has not begun is made with the new one. */
export function requestInvitation(current: ReferenceRecord, nowMs: number): ReferenceRecord {
  const { automatic_reference: automatic, provider_order: order } = current;
  if (!order || !automatic?.enabled || !isOpen(current)) return current;
  if (order.id === null && !order.begun && !order.called) return current;
  const { made, told } = order.contact ?? noContactChanges;
  const changed = { ...order, contact: { made: made + 1, told } };
  // A check that was given up waits for a retry.
  if (automatic.status === 'failed') return { ...current, provider_order: changed };
  const wanted = order.due_at_ms;
  if (order.id === null) {
    // The service may have refused the former address.
    const soonMs = Math.max(nowMs, order.shown_at_ms + shownEveryMs);
    const dueAtMs = order.failures > 0 && wanted !== null ? Math.min(wanted, soonMs) : wanted;
    return { ...current, provider_order: { ...changed, due_at_ms: dueAtMs } };
  }
  // A step under way has the former address. A different time causes another step.
  const dueAtMs = wanted !== null && wanted <= nowMs ? wanted + 1 : nowMs;
  return { ...current, provider_order: { ...changed, due_at_ms: dueAtMs } };
}

/** Records that the provider has the person's e-mail address of the time when `seen` was read. The order is read next. */
export function recordInvited(current: ReferenceRecord, seen: ReferenceRecord, nowMs: number): Change<ReferenceRecord> {
  const order = providerOrderOf(current);
  const { made, told } = order.contact ?? noContactChanges;
  const contact = { made, told: Math.max(told, seen.provider_order?.contact?.made ?? 0) };
  const dueAtMs = Math.max(nowMs, (order.due_at_ms ?? 0) + 1);
  return { after: { ...current, provider_order: { ...order, contact, failures: 0, due_at_ms: dueAtMs } } };
}

/** Schedules a read now, because a test helper waits for it. `looks.asked` is its number. */
export function requestRead(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> {
  const { provider_order: order } = current;
  if (!order || nextStepOf(current) === null) return { after: current };
  const looks = order.looks ?? noLooks;
  const wanted = { ...order, due_at_ms: nowMs, looks: { ...looks, asked: looks.asked + 1 } };
  return { after: { ...current, provider_order: wanted } };
}

/** The circumstances of a request to the provider, for the decision about its response. */
export interface ReadContext {
  nowMs: number;
  /** The last read that a test helper had requested when the step began. 0 if there was none. */
  look: number;
  /** When the step was due. If the order has another time now, another step was requested for that time. */
  dueAtMs: number | null;
  /** When the step began. One that began long before its time does not stand for the step of that time. */
  begunAtMs: number;
  /** When to read again without a callback. */
  nextReadAtMs: number;
  /** When to read again after the order is done. Null if the provider sends callbacks, or was asked often enough. */
  lateReadAtMs: number | null;
  /** Whether the provider sends its invitation to a new address. The default is true. */
  repeatsInvitations?: boolean;
}

/**
 * Records the provider's report on the order.
 *
 * @param report the change that makes the file of the report, for an order that is done.
 */
export function applyStatus(
  current: ReferenceRecord,
  latest: ProviderStatus,
  read: ReadContext,
  report: RecordChange | null,
): Change<ReferenceRecord> {
  const before = providerOrderOf(current);
  const isAwaited = read.look > (before.looks?.answered ?? 0);
  const known = { ...before, id: latest.orderId, failures: 0, ...withReads(before, { answered: read.look }) };
  if (!isOpen(current)) return recordLate(current, { ...known, due_at_ms: read.lateReadAtMs }, latest, read.nowMs);

  const order = { ...known, due_at_ms: nextReadTime(before, read) };
  const automaticBefore = automaticReferenceOf(current);
  const automatic = withStatus(automaticBefore, latest, read);
  const after = { ...current, automatic_reference: automatic, provider_order: order };
  if (latest.status === 'done' && latest.outcome) {
    return {
      after: {
        ...after,
        // A callback during the creation of the report may announce a changed verdict.
        provider_order: {
          ...order,
          due_at_ms: isAnswered(before, read) ? read.lateReadAtMs : before.due_at_ms,
        },
        status: 'complete',
        completed_at: Math.floor(read.nowMs / 1000),
        outcome: current.outcome ?? latest.outcome.verdict,
        reference_pdf: current.reference_pdf ?? report?.after?.id ?? null,
      },
      verbs: ['completed'],
      // An erasure would not find a file without a link.
      ...(report && current.reference_pdf === null && { also: [report] }),
    };
  }
  if (hasEnded(latest.status)) return { after: { ...after, provider_order: { ...order, due_at_ms: null } } };
  const status = latest.status === 'queued' || latest.status === 'invited' ? current.status : 'processing';
  const isStep = status !== current.status || stepMembers.some((name) => automatic[name] !== automaticBefore[name]);
  const isNew = isStep || !sameJson(automatic, automaticBefore);
  const showAtMs = isStep || isAwaited ? read.nowMs : order.shown_at_ms + shownEveryMs;
  if (isNew && read.nowMs < showAtMs) {
    return { after: { ...current, provider_order: { ...order, due_at_ms: Math.min(order.due_at_ms, showAtMs) } } };
  }
  return { after: { ...after, status, provider_order: isNew ? { ...order, shown_at_ms: read.nowMs } : order } };
}

/** Records a failed request to the provider, and schedules a retry. */
export function recordFailure(
  current: ReferenceRecord,
  fault: { code: string; message: string },
  { nowMs, retryAtMs, look, dueAtMs }: { nowMs: number; retryAtMs: number } & Pick<ReadContext, 'look' | 'dueAtMs'>,
): Change<ReferenceRecord> {
  const before = providerOrderOf(current);
  const order = { ...before, ...withReads(before, { failed: look }) };
  const failures = order.failures + 1;
  const isLast = failures >= failuresMax;
  // A callback during the request shows that the provider works again.
  const wanted = before.due_at_ms === dueAtMs ? null : before.due_at_ms;
  const againAtMs = wanted === null ? retryAtMs : Math.min(retryAtMs, Math.max(wanted, nowMs + shownEveryMs));
  const failed = { ...order, failures, due_at_ms: isLast ? null : againAtMs };
  // A reference that a client has ended shows no further errors.
  if (!isOpen(current))
    return { after: { ...current, provider_order: { ...failed, stopped: order.stopped || isLast } } };
  const automatic = automaticReferenceOf(current);
  return {
    after: {
      ...current,
      automatic_reference: {
        ...automatic,
        last_error: errorText(fault, adviceFor(fault.code, { isGivenUp: isLast })),
        status: isLast ? 'failed' : automatic.status,
      },
      provider_order: { ...failed, shown_at_ms: nowMs },
    },
  };
}

/** Schedules a retry because the provider is busy. This is not a failure. */
export function recordBusy(current: ReferenceRecord, retryAtMs: number): Change<ReferenceRecord> {
  return { after: { ...current, provider_order: { ...providerOrderOf(current), due_at_ms: retryAtMs } } };
}

/** Records that the provider has stopped the order. */
export function recordStopped(current: ReferenceRecord): Change<ReferenceRecord> {
  return {
    after: { ...current, provider_order: { ...providerOrderOf(current), stopped: true, due_at_ms: null, failures: 0 } },
  };
}

/** Schedules the stop of the order, because the reference has ended. Earlier reports stay. */
export function stopProvider(reference: ReferenceRecord, nowSeconds: number): ReferenceRecord {
  const { automatic_reference: automatic, provider_order: order } = reference;
  if (!automatic?.enabled || !order || automatic.status === 'done') return reference;
  return {
    ...reference,
    automatic_reference: { ...automatic, status: automatic.status === 'failed' ? 'failed' : 'canceled' },
    // An order that is being submitted now is stopped as soon as its id is known.
    provider_order: { ...order, failures: 0, due_at_ms: order.id === null && !order.called ? null : nowSeconds * 1000 },
  };
}

/** Removes personal data from an order when the person is erased. */
export function withoutLateWords(order: Json): Json {
  return isObject(order) ? { ...order, later: [] } : order;
}

function isOpen(reference: ReferenceRecord): boolean {
  return (reference.status === 'pending' || reference.status === 'processing') && !isErased(reference);
}

/** Returns the reads of test helpers with this one. Other orders store no reads. */
function withReads({ looks }: ProviderOrder, taken: Partial<Looks>): { looks?: Looks } {
  return looks ? { looks: { ...looks, ...taken } } : {};
}

/** Tells whether the provider has an earlier e-mail address of the person. */
function isContactOutdated({ contact }: ProviderOrder): boolean {
  return contact !== undefined && contact.told < contact.made;
}

function hasEnded(status: string): boolean {
  return status === 'failed' || status === 'canceled';
}

/** Returns the time of the next read. A callback may have set an earlier one meanwhile. */
function nextReadTime(order: ProviderOrder, read: ReadContext): number {
  const { nowMs, nextReadAtMs: lookAgainAtMs } = read;
  const wanted = order.due_at_ms;
  if (isContactOutdated(order)) return Math.max(nowMs, (wanted ?? 0) + 1);
  // A callback came before the id of the order did, so its news was not read.
  if (order.id === null && order.called) return Math.min(lookAgainAtMs, nowMs + shownEveryMs);
  if (wanted === null || isAnswered(order, read)) return lookAgainAtMs;
  // The step of this time is still wanted. A different time puts its job into the queue.
  return Math.min(wanted === read.dueAtMs ? wanted + 1 : wanted, lookAgainAtMs);
}

/** Tells whether the read is the one that the order waits for. */
function isAnswered({ due_at_ms: wanted }: ProviderOrder, { dueAtMs, begunAtMs }: ReadContext): boolean {
  return wanted === dueAtMs && (wanted === null || begunAtMs >= wanted - skewMs);
}

/** Returns `automatic_reference` after a report. */
function withStatus(
  automatic: AutomaticReference,
  latest: ProviderStatus,
  { repeatsInvitations = true }: Pick<ReadContext, 'repeatsInvitations'> = {},
): AutomaticReference {
  const { status, outcome, data, problem } = latest;
  const obstacle = problem ?? (hasEnded(status) ? endedEarly : null);
  return {
    ...automatic,
    // A check that ended without a verdict has failed. The reference waits for a person.
    status: hasEnded(status) ? 'failed' : status,
    outcome: outcome?.words ?? automatic.outcome,
    last_error: obstacle && errorText(obstacle, adviceFor(obstacle.code, { repeatsInvitations })),
    provider_data: data ? { type: 'provider_a', provider_a: data } : automatic.provider_data,
  };
}

const endedEarly = {
  code: 'ended_by_provider',
  message: 'The provider has ended the check without a verdict.',
};

/** Records a report on a reference that has ended. A provider can correct its own verdict, but not an end by a client. */
function recordLate(
  current: ReferenceRecord,
  order: ProviderOrder,
  latest: ProviderStatus,
  nowMs: number,
): Change<ReferenceRecord> {
  const automaticBefore = automaticReferenceOf(current);
  const wasDone = automaticBefore.status === 'done';
  if (isErased(current))
    return { after: { ...current, provider_order: { ...order, due_at_ms: wasDone || order.stopped ? null : nowMs } } };
  if (wasDone) {
    const isCorrection = latest.status === 'done' && latest.outcome !== null;
    const automatic = isCorrection ? withStatus(automaticBefore, latest) : automaticBefore;
    return { after: { ...current, automatic_reference: automatic, provider_order: order } };
  }
  const late = { heard: Math.floor(nowMs / 1000), status: latest.status, outcome: latest.outcome?.words ?? null };
  const last = order.later.at(-1);
  const isNews = !last || last.status !== late.status || last.outcome !== late.outcome;
  return {
    after: {
      ...current,
      provider_order: {
        ...order,
        // The order was submitted while a client ended the reference.
        due_at_ms: order.stopped ? null : nowMs,
        later: isNews ? [...order.later, late].slice(-lateWordsMax) : order.later,
      },
    },
  };
}

import { changesUnseen, eventsOf, isGone, mentionedIds, type EventFacts } from '../model/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { sameJson, type Json, type JsonObject } from '../core/json-diff.ts';
import { timeOfId, type Id, type IdMaker } from '../core/ids.ts';
import type { TraceParent } from '../core/tracing.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import { fieldOf, type StoredRecord } from '../model/record.ts';
import type { RequestedDelivery, Resource, RecordChange } from '../model/resource.ts';
import type {
  StoredResponse,
  Claim,
  ClockAdvance,
  WriteDecision,
  EventShape,
  Guard,
  WriteRequest,
  RequestFacts,
} from './write-request.ts';
import { shownActor, system, userOf, type Actor } from '../model/callers/principal.ts';
import { daybreak, withNextOn } from '../model/traits/daybreak.ts';
import { receivesDeliveries } from '../model/traits/receives-deliveries.ts';
import { scheduled } from '../model/traits/scheduled.ts';
import { silent } from '../model/traits/silent.ts';

/** A decided mutation as rows to write. Its ids are made once, so a batch that is sent again writes the same rows. */
export interface BatchEntry {
  accountId: string;
  response: StoredResponse | null;
  inserts: RecordWrite[];
  updates: KnownRecordWrite[];
  deletes: KnownRecordWrite[];
  /** Records that must be as the decision saw them, besides those that it changes. */
  guards: Guard[];
  events: EventRow[];
  /** Requested deliveries, besides those of the events to subscribed endpoints. */
  deliveries: readonly RequestedDelivery[];
  /** Endpoints that get no more deliveries. Their pending ones are canceled. */
  silencedEndpoints: string[];
  /** Jobs about the changed records, with the time of each. */
  jobs: JobRow[];
  clockAdvance: ClockAdvance | null;
  log: LogRow | null;
  claim: Claim | null;
  counts: CountDelta[];
  /** The place of its request in a trace. Null without a request or without tracing. */
  traceParent: TraceParent | null;
  /** The approximate memory that it holds: its texts, and the records in its events. */
  bytes: number;
}

/** A record to write, or the last state of one to delete. `before` is the state that the decision saw. */
export interface RecordWrite {
  resource: Resource;
  before: StoredRecord | null;
  record: StoredRecord;
}

/** A write to a record that exists. */
export interface KnownRecordWrite extends RecordWrite {
  before: StoredRecord;
}

export interface EventRow {
  id: Id<'evt'>;
  created: number;
  type: string;
  objectId: string;
  mentions: string[];
  data: string;
  request: string;
  actor: Actor;
  /** The API version whose shape `data` and `request` have. */
  shapeVersion: string;
  /** Whether every subscribed endpoint gets it. */
  isForSubscribers: boolean;
  /** Its own place in a trace, which its deliveries continue. Null without tracing. */
  traceParent: TraceParent | null;
}

export interface JobRow {
  job: string;
  groups: readonly string[];
  /** The record that the job is about. Each record has at most one job. */
  id: string;
  dueAtMs: number;
}

export interface LogRow {
  facts: RequestFacts;
  response: StoredResponse;
  requestedMs: number;
  durationMs: number;
  events: string[];
  mentions: string[];
  /** Ids that its events do not mention; see `mentionsBeyond`. */
  alsoMentions: string[];
}

export interface CountDelta {
  object: string;
  dimension: string;
  value: string;
  delta: number;
}

/** What `prepareEntry` needs to make rows. */
export interface RowFactory {
  ids: IdMaker;
  clock: Clock;
  realClock: Clock;
  eventShape: () => EventShape;
  /** Finds, in a text, the ids of records that can hold personal data. */
  personalDataIds: RegExp;
}

/** Returns all rows that follow from a decision: record writes, events, log, claim and counts. */
export function prepareEntry(
  writeRequest: WriteRequest,
  decision: WriteDecision,
  { ids, clock, realClock, eventShape, personalDataIds }: RowFactory,
): BatchEntry {
  const { request, accountId } = writeRequest;
  const entry: BatchEntry = {
    accountId,
    response: decision.response,
    inserts: [],
    updates: [],
    deletes: [],
    guards: [],
    events: [],
    deliveries: decision.deliveries ?? [],
    silencedEndpoints: [],
    jobs: [],
    clockAdvance: decision.clockAdvance ?? null,
    log: null,
    claim: null,
    counts: [],
    traceParent: request?.traceParent ?? null,
    bytes: 0,
  };
  const shape = eventShape();
  const actor = request?.actor ?? writeRequest.actor ?? system;
  const causedBy = eventRequest(request, actor);
  const moment = { nowSeconds: toSeconds(clock.nowMs()), realSeconds: toSeconds(realClock.nowMs()) };
  const mentions = new Set<string>();
  requireOneChangeEach(decision.changes);
  for (const decided of decision.changes) {
    const change = withNextDay(decided);
    const isSilent = silent.has(change.resource);
    const events = isSilent ? [] : eventsOf(change, moment);
    if (events.length === 0 && !isSilent && !changesUnseen(change)) continue;
    addWrite(entry, change);
    if (!isSilent) addRecordCounts(entry.counts, change);
    addJob(entry.jobs, change);
    if (change.before && silences(change)) entry.silencedEndpoints.push(change.before.id);
    const lastEventId = change.before && change.after ? change.eventId : undefined;
    for (const [index, event] of events.entries()) {
      const ownId = index === events.length - 1 ? lastEventId : undefined;
      const row = eventRow(change.resource, event, { causedBy, actor, shape, ids, ownId });
      entry.events.push(row);
      for (const id of row.mentions) mentions.add(id);
      addTotal(entry.counts, 'event', 1);
      const shown = shownActor(actor);
      addCounts(entry.counts, 'event', { type: event.type, actor_type: shown?.type, actor_id: shown?.id }, 1);
    }
  }
  entry.guards = guardsOf(decision, entry);
  if (request && decision.response) {
    entry.log = {
      facts: request,
      response: decision.response,
      requestedMs: timeOfId(request.id),
      // Keep the duration within its column if the clock was set meanwhile.
      durationMs: Math.min(Math.max(0, clock.nowMs() - request.startedMs), 2 ** 31 - 1),
      events: entry.events.map(({ id }) => id),
      mentions: [...mentions],
      alsoMentions: mentionsBeyond(mentions, request, decision.response, personalDataIds),
    };
    entry.claim = decision.leavesKeyFree ? null : writeRequest.claim;
    addTotal(entry.counts, 'log', 1);
    const { status, error } = decision.response;
    const counted = {
      method: request.method,
      status: String(status),
      source: actor.source,
      key_id: actor.key?.id,
      user_id: userOf(actor)?.id,
      portal_session: actor.type === 'portal_session' ? actor.id : undefined,
      error_code: error?.code,
    };
    addCounts(entry.counts, 'log', counted, 1);
  }
  entry.bytes = bytesOf(entry);
  return entry;
}

/** @throws if a decision changes one record twice: the statements would write one change and lose the other. */
function requireOneChangeEach(changes: readonly RecordChange[]): void {
  if (changes.length < 2) return;
  const ids = new Set<string>();
  for (const { before, after } of changes) {
    const { id } = after ?? before;
    if (ids.has(id)) throw new Error(`Bug! A decision changes ${id} twice.`);
    ids.add(id);
  }
}

/** An estimate, in bytes, for a row and its columns besides the measured texts. */
const rowBytes = 1024;

function bytesOf({ inserts, updates, deletes, events, log }: BatchEntry): number {
  let bytes = rowBytes * (1 + inserts.length + updates.length + deletes.length);
  // Count twice: the record in the event is also held beside it.
  for (const { data } of events) bytes += 2 * Buffer.byteLength(data);
  for (const { resource, record } of inserts) bytes += 2 * hiddenBytesOf(record, hiddenTextsOf(resource));
  for (const { resource, record } of updates)
    bytes +=
      2 *
      hiddenBytesOf(
        record,
        hiddenTextsOf(resource).filter((name) => !resource.fields[name]!.fixed),
      );
  if (!log) return bytes;
  const { facts, response } = log;
  bytes += Buffer.byteLength(response.body) + Buffer.byteLength(facts.body ?? '');
  if (response.secret)
    bytes += Buffer.byteLength(response.secret.redactedBody) + 2 * response.secret.encryptedBody.length;
  return bytes;
}

/** Returns the fields whose texts can be long, and are in no event. */
const hiddenTextsOf = oncePerKind((resource): readonly string[] =>
  Object.keys(resource.fields).filter((name) => {
    const { column, shown } = resource.fields[name]!;
    return column === 'json' && shown !== undefined;
  }),
);

/** A run of a workflow has a copy of its steps, which can have a quarter of a megabyte. */
function hiddenBytesOf(record: StoredRecord, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) bytes += Buffer.byteLength(JSON.stringify(fieldOf(record, name) ?? null));
  return bytes;
}

/**
 * Finds the ids of records that a log mentions and its events do not. A response may show such records whole, or a rejected request may
 * name them. Erasure finds a person's logs by these ids.
 */
function mentionsBeyond(
  known: ReadonlySet<string>,
  { path, body, actor }: RequestFacts,
  response: StoredResponse,
  personalDataIds: RegExp,
): string[] {
  const found = [path, body ?? '', response.body].flatMap((text): string[] => text.match(personalDataIds) ?? []);
  // The path of a request in the portal does not name its person, and a refusal has no events.
  if (actor.customerId !== undefined) found.push(actor.customerId);
  return [...new Set(found)].filter((id) => !known.has(id));
}

/**
 * Returns each guarded record once. A write from the same revision checks the same. A write from another revision does not: a sum read
 * the record later. Then the guard refuses the batch, and the decision is made again.
 */
function guardsOf({ guards = [] }: WriteDecision, { updates, deletes }: BatchEntry): Guard[] {
  const checked = new Set([...updates, ...deletes].map(({ before }) => `${before.id} ${before.revision}`));
  return guards.filter(({ record: { id, revision } }) => {
    const key = `${id} ${revision}`;
    return !checked.has(key) && checked.add(key);
  });
}

/** Returns the records and keys that only one entry of a batch may have. */
export function exclusiveKeys(entry: BatchEntry): string[] {
  const keys = [...entry.updates, ...entry.deletes].map(({ record }) => lockKey(record));
  if (entry.claim) keys.push(entry.claim.name);
  return keys;
}

/** Returns the records that several entries of a batch may guard, if none of them changes these. */
export function sharedKeys(entry: BatchEntry): string[] {
  const own = new Set(exclusiveKeys(entry));
  return entry.guards.map(({ record }) => lockKey(record)).filter((key) => !own.has(key));
}

function lockKey({ account_id: accountId, id }: Pick<StoredRecord, 'account_id' | 'id'>): string {
  return `${accountId} ${id}`;
}

/** Sets the next day on which the record may change, so that no decision can forget it. */
function withNextDay(change: RecordChange): RecordChange {
  const rule = daybreak.of(change.resource);
  if (!rule || !change.after || change.after === change.before) return change;
  return { ...change, after: withNextOn(change.after, rule) };
}

function addWrite(entry: BatchEntry, { resource, before, after }: RecordChange): void {
  if (!before) entry.inserts.push({ resource, before, record: after });
  else if (!after) entry.deletes.push({ resource, before, record: before });
  else if (after !== before) {
    requireFixed(resource, before, after);
    entry.updates.push({ resource, before, record: after });
  }
}

/** @throws if a decision changes a value that never changes: the update would lose the change. */
function requireFixed({ object, fields }: Resource, before: StoredRecord, after: StoredRecord): void {
  for (const name in fields)
    if (fields[name]!.fixed && !sameJson(fieldOf(before, name) as Json, fieldOf(after, name) as Json))
      throw new Error(`Bug! A decision changes \`${name}\` of a ${object}, which never changes.`);
}

/** Adds a job if the change schedules one. It replaces the record's waiting job. */
function addJob(jobs: JobRow[], { resource, before, after }: RecordChange): void {
  const schedule = scheduled.of(resource);
  if (!schedule || !after) return;
  const dueAtMs = schedule.dueAtMs(after);
  if (dueAtMs === null || (before && schedule.dueAtMs(before) === dueAtMs)) return;
  jobs.push({ job: schedule.job, groups: schedule.groups(after), id: after.id, dueAtMs });
}

/** Tells whether a change disables or deletes a webhook endpoint, so that it gets no more deliveries. Enabling it again starts afresh. */
function silences({ resource, before, after }: RecordChange): boolean {
  const target = receivesDeliveries.of(resource);
  return target !== undefined && before !== null && (!after || !target.isOpen(after));
}

function eventRow(
  resource: Resource,
  event: EventFacts,
  {
    causedBy,
    actor,
    shape,
    ids,
    ownId,
  }: { causedBy: JsonObject; actor: Actor; shape: EventShape; ids: IdMaker; ownId: Id<'evt'> | undefined },
): EventRow {
  const id = ownId ?? ids.make('evt');
  const { data, request } = shape.of({
    object: 'event',
    data: { object: event.object, previous_attributes: event.previousAttributes },
    request: causedBy,
  });
  return {
    id,
    created: toSeconds(timeOfId(id)),
    type: event.type,
    objectId: event.objectId,
    mentions: mentionedIds(resource, event),
    data: JSON.stringify(data),
    request: JSON.stringify(request),
    actor,
    shapeVersion: shape.version,
    isForSubscribers: ownId === undefined,
    traceParent: null,
  };
}

/** Returns the event's `request` (spec, event): the actor and the request that caused it. */
function eventRequest(request: RequestFacts | null, actor: Actor): JsonObject {
  const { source } = actor;
  const shown = shownActor(actor);
  return {
    id: request?.id ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    from_dashboard: source === 'dashboard',
    customer_portal: source === 'portal',
    actor: shown && {
      type: shown.type,
      id: shown.id,
      name: shown.name,
      key_id: shown.key?.id ?? null,
      key_type: shown.key?.type ?? null,
    },
  };
}

function addRecordCounts(counts: CountDelta[], { resource, before, after }: RecordChange): void {
  // Lists omit an erased person.
  const [was, is] = [before, after].map((record) => (record && isGone(resource, record) ? null : record));
  if (was) addCounts(counts, resource.object, countedValues(resource, was), -1);
  if (is) addCounts(counts, resource.object, countedValues(resource, is), 1);
  if (!was && is) addTotal(counts, resource.object, 1);
  if (was && !is) addTotal(counts, resource.object, -1);
}

function addTotal(counts: CountDelta[], object: string, delta: number): void {
  counts.push({ object, dimension: '', value: '', delta });
}

function countedValues(resource: Resource, record: StoredRecord): Record<string, unknown> {
  return Object.fromEntries((resource.counted ?? []).map((name) => [name, fieldOf(record, name)]));
}

function addCounts(counts: CountDelta[], object: string, values: Record<string, unknown>, delta: number): void {
  for (const [dimension, value] of Object.entries(values)) {
    if (typeof value === 'string') counts.push({ object, dimension, value, delta });
  }
}

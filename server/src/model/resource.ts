import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { JsonObject } from '../core/json-diff.ts';
import type { ErrorCode } from '../core/errors.ts';
import { idPattern, type Id, type IdPrefix } from '../core/ids.ts';
import type { Sensitivity } from './callers/approvals.ts';
import type { Caller } from './callers/caller.ts';
import type { EmailToSend } from './email.ts';
import { CalendarDate } from './schemas/fields.ts';
import { metadataForCreate, metadataForUpdate, metadataSchema } from './schemas/metadata.ts';
import { erasureFields, type Fields, type FieldsOf, type StoredRecord } from './record.ts';
import type { Related } from './related.ts';
import { closedObject, described } from './schemas/make.ts';
import type { Trait, Traits } from './trait.ts';
import { opensData } from './traits/opens-data.ts';
import { storesFile } from './traits/stores-file.ts';

/** The result of a decision about a record. */
export interface Change<R extends StoredRecord> {
  after: R;
  /** The events after `<resource>.updated`, such as `completed`. They are the only events if no visible field has changed. */
  verbs?: readonly string[];
  /** The id of its last event. If set, only `deliveries` deliver that event. */
  eventId?: Id<'evt'>;
  /** Deliveries that the client requested. */
  deliveries?: RequestedDelivery[];
  /** E-mails that go out if the change is committed. See `firstEmailStatus` of the caller. */
  emails?: readonly EmailToSend[];
  /** Changes of other records in the same transaction. */
  also?: readonly RecordChange[];
  /** The response if it is not the record itself: a record of the kind that the action `returns`. */
  response?: StoredRecord;
}

/** A delivery of one event to one endpoint, even if the endpoint has not subscribed to the event's type. */
export interface RequestedDelivery {
  id: Id<'dlv'>;
  eventId: string;
  /** The type of the event. */
  type: string;
  eventAccountId: string;
  /** The endpoint's account: the event's own, or the parent of the event's account. */
  accountId: string;
  endpointId: string;
  /** The endpoint's enablement at the time of the decision. */
  enablement: number;
  /** A resend is tried once. Its success ends the automatic retries of the event to the endpoint. */
  isResend: boolean;
}

/** Texts of the API docs for an operation. The rest follows from its kind. Texts are Markdown, with the names of the newest version. */
export interface OperationDocs {
  /** A few words. */
  summary?: string;
  /** What it does, and what a client must know first. */
  description?: string;
  /** A body in the newest shape. */
  example?: JsonObject;
  /** Error codes that only this operation returns. */
  refusals?: readonly ErrorCode[];
  /** Which of its requests wait for a person if an agent sends them. Left out if none is sensitive. */
  sensitive?: Sensitivity;
  /** Tells whether a body has the effect of a sensitive member without it, by a default of the account. */
  isSensitiveByDefault?: (input: JsonObject, account: Pick<Caller['account'], 'payment_provider'>) => boolean;
}

/**
 * Defines a kind of record. Routes, permissions, event types, statements and lists follow from it. Every `decide` is a pure function,
 * and throws an `ApiError` to refuse.
 */
export interface Resource<R extends StoredRecord = StoredRecord> {
  /** The `object` of a response, and the first half of its event types: `reference`. */
  object: string;
  /** The beginning of its ids, in lower-case letters. */
  prefix: IdPrefix;
  /** The path in `/v1/<path>`, and the name in the permissions `<path>.read` and `<path>.write`. */
  path: string;
  table: string;
  docs?: RecordDocs;
  fields: Fields;
  /** Fields with the id of another record, and the path of its kind, which may be planned. The event filter `related_object` finds them. */
  links?: Readonly<Record<string, string>>;
  /** Links in fields that are never shown. Only `reads` follows them. */
  hiddenLinks?: Readonly<Record<string, string>>;
  /** The filters of its lists, by the name of the query parameter. */
  filters?: Record<string, Filter>;
  /** Columns whose values are counted on each write. A list with a filter on one of them gets its `count` at once. */
  counted?: readonly string[];
  /** The verbs of its decisions, each with a sentence about what has happened. */
  verbs?: Readonly<Record<string, string>>;
  create?: Create<R>;
  update?: Update<R>;
  /**
   * The effect of `DELETE /v1/<path>/{id}`. `removes` deletes the record. An action ends the record but keeps it. For a person, `erases`
   * erases all personal data, in the record and in all history about it. The id stays.
   */
  delete?: 'removes' | 'erases' | Action<R>;
  /** Operations on one record that do more than set fields: `POST /v1/<path>/{id}/<name>`. */
  actions?: Record<string, Action<R>>;
  /** Options that only a few kinds of record have. */
  traits: Traits;
}

/** Texts of the API docs for a kind of record, in the newest shape. */
export interface RecordDocs {
  description: string;
  example?: RecordExample;
}

/** An example of a record in the API docs. */
export interface RecordExample {
  /** With its secrets. */
  record: JsonObject;
  /** Its members that were different before an update, when it was new. */
  before?: JsonObject;
  /** Its members that are different after a verb. */
  after?: Readonly<Record<string, JsonObject>>;
}

export interface Filter {
  column: string;
  /** Values that another column has: an actor is found by its id, and by the words `user` or `system`. */
  words?: { column: string; values: readonly string[] };
  /**
   * How values match: `exact` means equal, `caseless` ignores case, and `prefix` also matches the text before a final `*`.
   * With `contains`, an item of an array is equal. With `status`, an HTTP status is equal, or has the class (`4xx`). With `condition`,
   * the SQL of the value holds. With `gt`, `gte`, `lt` and `lte`, the column is greater or less.
   */
  match: 'gt' | 'gte' | 'lt' | 'lte' | 'exact' | 'caseless' | 'prefix' | 'contains' | 'status' | 'condition';
  /** For `condition`: the SQL of each value. PostgreSQL can plan it as a join, unlike a comparison with a derived column. */
  conditions?: Readonly<Record<string, string>>;
  /** Values are types of events. A value that matches no type of this release is refused. */
  namesEvents?: true;
  schema: TSchema;
}

export interface Create<R extends StoredRecord> extends OperationDocs {
  body: TObject;
  /** Permissions that it takes besides the one to write records of this kind. */
  alsoNeeds?: readonly string[];
  /** Paths of links whose records the decision reads, such as `unit.building`. */
  reads?: readonly string[];
  decide(input: object, caller: Caller, related: Related): FieldsOf<R>;
  /** Changes of other records in the same transaction, and further moves of the new one with their events. */
  besides?(
    created: R,
    caller: Caller,
    related: Related,
  ): Partial<Pick<Change<R>, 'after' | 'also' | 'emails' | 'verbs'>>;
}

export interface Update<R extends StoredRecord> extends OperationDocs {
  body: TObject;
  /** Members of the body that are redacted in logs. */
  secrets?: readonly string[];
  /** Paths of links whose records the decision reads. The body's links count. */
  reads?: readonly string[];
  decide(current: R, input: object, caller: Caller, related: Related): Change<R>;
}

export interface Action<R extends StoredRecord = StoredRecord> extends OperationDocs {
  /** The response shows the record's secrets, because the action makes new ones. */
  showsSecrets?: true;
  /** Left out if the action takes no body. */
  body?: TObject;
  /** The kind of record in the response, if it is another one. */
  returns?: Resource;
  /** The required permissions, if not the one to write records of this kind. */
  permissions?: readonly [string, ...string[]];
  /** Members of the body with ids of other records, each with the path of its kind. These records are read for the decision. */
  names?: Readonly<Record<string, string>>;
  /** Paths of links whose records the decision reads. */
  reads?: readonly string[];
  /** A person has to decide: an agent's key is refused, with this reason. */
  refusesAgents?: string;
  decide(
    current: R,
    caller: Caller,
    input: object,
    named: Readonly<Record<string, StoredRecord>>,
    related: Related,
  ): Change<R>;
}

/**
 * A change of one record: the central idea of this server. A decision returns changes, and only the committer writes them. Events, counts,
 * deliveries, the request's log and its stored response follow from them.
 */
export type RecordChange = RecordCreation | RecordUpdate | RecordDeletion;

interface RecordCreation {
  resource: Resource;
  before: null;
  after: StoredRecord;
  /** The events after `<resource>.created`. */
  verbs?: readonly string[];
}

interface RecordUpdate {
  resource: Resource;
  /** The record as it was read. */
  before: StoredRecord;
  after: StoredRecord;
  /** The events after `<resource>.updated`, such as `completed`. */
  verbs?: readonly string[];
  /** The id of its last event. If set, only requested deliveries deliver that event. */
  eventId?: Id<'evt'>;
  /** The erased persons, if the change empties texts about them. Its event does not show the earlier texts. */
  erasedIds?: ReadonlySet<string>;
}

interface RecordDeletion {
  resource: Resource;
  before: StoredRecord;
  after: null;
}

/** The definition of a kind of record without its traits. `metadata: true` adds the field and its rules. */
export type Definition<R extends StoredRecord> = Omit<Resource<R>, 'traits'> & { metadata?: true };

/**
 * Completes a definition with its traits and their fields.
 *
 * @throws {Error} if a field contradicts the rest of the definition.
 */
export function defineResource<R extends StoredRecord>(definition: Definition<R>, ...traits: Trait[]): Resource<R> {
  const { metadata, ...core } = definition;
  const resource = withTraits({ ...core, traits: new Map() }, ...traits);
  if (core.delete === 'erases') Object.assign(resource.fields, erasureFields);
  requireLinks(resource);
  requireErasure(resource);
  if (!metadata) return resource;
  return {
    ...resource,
    fields: { ...resource.fields, metadata: { column: 'json', schema: metadataSchema, erased: () => ({}) } },
    ...(core.create && { create: { ...core.create, body: withMetadata(core.create.body, metadataForCreate) } }),
    ...(core.update && { update: { ...core.update, body: withMetadata(core.update.body, metadataForUpdate) } }),
  };
}

/** Requires that `links` has every field with the schema `LinkedId`. Events, erasures and strict accounts find records by `links`. */
function requireLinks<R extends StoredRecord>({ object, fields, links = {} }: Resource<R>): void {
  for (const [name, { schema }] of Object.entries(fields)) {
    const { pattern, items } = schema as { pattern?: string; items?: { pattern?: string } };
    if ((pattern ?? items?.pattern) !== idPattern || name in links) continue;
    throw new Error(`Bug! The field \`${name}\` of ${object} has ids of other records. Add it to \`links\`.`);
  }
}

/**
 * Requires that an erasure reaches the personal fields of a kind. Persons and the trait `erasable` have the field `deleted_at`. Files have
 * none: an erasure deletes a file, and uses `erased` only for the file's events. What opens a file ends with it.
 */
function requireErasure<R extends StoredRecord>(resource: Resource<R>): void {
  if ('deleted_at' in resource.fields || storesFile.has(resource) || opensData.has(resource)) return;
  const name = Object.keys(resource.fields).find((field) => resource.fields[field]?.erased);
  if (name === undefined) return;
  throw new Error(
    `Bug! The field \`${name}\` of ${resource.object} has \`erased\`, but no erasure finds it. Add \`delete: 'erases'\` or the trait \`erasable\`.`,
  );
}

/** Returns a kind of record with additional traits. A trait that it has already is replaced. */
export function withTraits<R extends StoredRecord>(resource: Resource<R>, ...traits: Trait[]): Resource<R> {
  return {
    ...resource,
    fields: Object.assign({}, resource.fields, ...traits.map(({ fields }) => fields)),
    traits: new Map([...resource.traits, ...traits.map(({ type, value }) => [type, value] as const)]),
  };
}

/** Returns the column that has this value. */
export function columnFor({ column, words }: Filter, value: string): string {
  return words?.values.includes(value) ? words.column : column;
}

/** Returns filters for exact values of these fields. The schemas define the valid values. */
export function exactly(fields: Record<string, TSchema>): Record<string, Filter> {
  return Object.fromEntries(
    Object.entries(fields).map(([column, schema]) => [column, { column, match: 'exact', schema }]),
  );
}

/** Returns filters for the days from and to which a date may be: `start_date[gte]` and the like. */
export function dayBounds(column: string): Record<string, Filter> {
  const relations = { gt: 'after', gte: 'on or after', lt: 'before', lte: 'on or before' } as const;
  return Object.fromEntries(
    (['gt', 'gte', 'lt', 'lte'] as const).map((match) => [
      `${column}[${match}]`,
      {
        column,
        match,
        schema: described(CalendarDate, `Only records whose \`${column}\` is ${relations[match]} this day.`),
      },
    ]),
  );
}

/** Defines the creation of a record by a decision. The body's schema types the input. */
export function createFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (input: Static<TObject<Properties>>, caller: Caller, related: Related) => FieldsOf<R>,
  docs: OperationDocs & Pick<Create<R>, 'alsoNeeds' | 'reads' | 'besides'> = {},
): Create<R> {
  return { ...docs, body: closedObject(properties), decide };
}

/** Defines the update of a record by a decision. The body's schema types the input. */
export function updateFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (current: R, input: Static<TObject<Properties>>, caller: Caller, related: Related) => Change<R>,
  docs: OperationDocs & Pick<Update<R>, 'secrets' | 'reads'> = {},
): Update<R> {
  return { ...docs, body: closedObject(properties), decide };
}

/** Defines an action with a body. The body's schema types the input. */
export function actionFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (current: R, caller: Caller, input: Static<TObject<Properties>>, related: Related) => Change<R>,
  docs: Omit<Action<R>, 'body' | 'names' | 'decide'>,
): Action<R> {
  return {
    ...docs,
    body: closedObject(properties),
    decide: (current, caller, input: Static<TObject<Properties>>, _, related) =>
      decide(current, caller, input, related),
  };
}

function withMetadata(body: TObject, input: TSchema): TObject {
  return closedObject({ ...body.properties, metadata: Type.Optional(input) });
}

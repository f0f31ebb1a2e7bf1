import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { JsonObject } from '../core/json-diff.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Id, IdPrefix } from '../core/ids.ts';
import type { Caller } from './caller.ts';
import { metadataForCreate, metadataForUpdate, metadataSchema } from './metadata.ts';
import { erasureFields, type Fields, type FieldsOf, type StoredRecord } from './record.ts';
import { closedObject } from './schemas.ts';
import type { Trait, Traits } from './trait.ts';

/** What a decision wants of a record. */
export interface Change<R extends StoredRecord> {
  after: R;
  /** The event that follows `<resource>.updated`, such as `completed`. It comes alone if nothing that is shown has changed. */
  verb?: string;
  /** The id of its last event, which is then delivered only where `deliveries` say. */
  eventId?: Id<'evt'>;
  /** Deliveries that the request asks for. */
  deliveries?: RequestedDelivery[];
  /** Changes of other records that belong to it. */
  also?: RecordChange[];
  /** The response, where it is not the record itself: a record of the kind that the action `answers`. */
  answer?: StoredRecord;
}

/** A delivery of one event to one endpoint, also if the endpoint has not subscribed to it. */
export interface RequestedDelivery {
  id: Id<'dlv'>;
  eventId: string;
  /** The type of the event. */
  type: string;
  eventAccountId: string;
  /** The endpoint's account. It is the event's own, or a platform that the event's account is connected to. */
  accountId: string;
  endpointId: string;
  /** The endpoint's, when it was decided. */
  enablement: number;
  /** It is tried once. Its success ends the automatic retries of the event to the endpoint. */
  isResend: boolean;
}

/** What the API docs say of an operation besides what follows from its kind. Texts are Markdown, in the words of the newest version. */
export interface OperationDocs {
  /** In a few words. */
  summary?: string;
  /** What it does, and what a client must know before. */
  description?: string;
  /** A body, in the newest shape. */
  example?: JsonObject;
  /** The codes of the refusals that only it has. */
  refusals?: readonly ErrorCode[];
}

/**
 * The definition of a kind of record. Routes, permissions, event types, statements and lists follow from it. Every `decide` is a pure
 * function, and throws an `ApiError` to refuse.
 */
export interface Resource<R extends StoredRecord = StoredRecord> {
  /** The `object` of a response, and the first half of its event types: `reference`. */
  object: string;
  prefix: IdPrefix;
  /** `/v1/<path>`, and the name in the permissions `<path>.read` and `<path>.write`. */
  path: string;
  table: string;
  docs?: RecordDocs;
  fields: Fields;
  /** Fields that hold the id of another record, with the path of its kind. The event filter `related_object` finds them. */
  links?: Readonly<Record<string, string>>;
  /** The filters of its lists, by the name of the query parameter. */
  filters?: Record<string, Filter>;
  /** Columns whose values are counted as they are written, so that a list that is filtered by one has its `count` at once. */
  counted?: readonly string[];
  /** The verbs of its decisions, each with what has happened then. */
  verbs?: Readonly<Record<string, string>>;
  create?: Create<R>;
  update?: Update<R>;
  /**
   * What `DELETE /v1/<path>/{id}` does: it removes the record, or carries out an action that ends it but keeps it. `erases`: the record is a
   * person, and only the id is left, here and in all that was written about them.
   */
  delete?: 'removes' | 'erases' | Action<R>;
  /** Operations on one record that are more than setting fields: `POST /v1/<path>/{id}/<name>`. */
  actions?: Record<string, Action<R>>;
  /** What only a few kinds of record have. */
  traits: Traits;
}

/** What the API docs say of a kind of record, in the newest shape. */
export interface RecordDocs {
  description: string;
  example?: RecordExample;
}

/** A record as the API docs show it. */
export interface RecordExample {
  /** With its secrets. */
  record: JsonObject;
  /** What of it was different when it was new, before it was updated. */
  before?: JsonObject;
  /** What of it is different after one of its verbs. */
  after?: Readonly<Record<string, JsonObject>>;
}

export interface Filter {
  column: string;
  /**
   * `exact`: equal. `caseless`: equal but for capital and small letters. `prefix`: equal, or beginning so where a `*` follows. `contains`: one
   * of an array's items. `status`: an HTTP status, or a class of them (`4xx`).
   */
  match: 'exact' | 'caseless' | 'prefix' | 'contains' | 'status';
  schema: TSchema;
}

export interface Create<R extends StoredRecord> extends OperationDocs {
  body: TObject;
  /** Permissions that it takes besides the one to write records of this kind. */
  alsoNeeds?: readonly string[];
  decide(input: object, caller: Caller): FieldsOf<R>;
}

export interface Update<R extends StoredRecord> extends OperationDocs {
  body: TObject;
  /** Members of the body that no log shows. */
  secrets?: readonly string[];
  decide(current: R, input: object, caller: Caller): Change<R>;
}

export interface Action<R extends StoredRecord = StoredRecord> extends OperationDocs {
  /** The response shows the record's secrets, because the action has made new ones. */
  showsSecrets?: true;
  /** Left out if it takes none. */
  body?: TObject;
  /** The kind of record in the response, where it is another one. */
  answers?: Resource;
  /** The permissions it takes, where they are others than to write records of this kind. */
  permissions?: readonly [string, ...string[]];
  /** Members of the body that name other records, each with the path of its kind. They are read for the decision. */
  names?: Readonly<Record<string, string>>;
  decide(current: R, caller: Caller, input: object, named: Readonly<Record<string, StoredRecord>>): Change<R>;
}

/**
 * What happens to one record: the one idea of this server. A decision returns changes, and only the committer writes them. Events, counts,
 * deliveries, the request's log and its stored response follow from them.
 */
export type RecordChange = RecordCreation | RecordUpdate | RecordDeletion;

interface RecordCreation {
  resource: Resource;
  before: null;
  after: StoredRecord;
}

interface RecordUpdate {
  resource: Resource;
  /** The record as it was read. */
  before: StoredRecord;
  after: StoredRecord;
  /** The event that follows `<resource>.updated`, such as `completed`. */
  verb?: string;
  /** The id of its last event, which goes to no endpoint by itself. */
  eventId?: Id<'evt'>;
}

interface RecordDeletion {
  resource: Resource;
  before: StoredRecord;
  after: null;
}

/** What defines a kind of record besides its traits. `metadata: true` brings the field and its rules. */
export type Definition<R extends StoredRecord> = Omit<Resource<R>, 'traits'> & { metadata?: true };

/** Completes a definition with its traits, and with the fields that they bring. */
export function defineResource<R extends StoredRecord>(definition: Definition<R>, ...traits: Trait[]): Resource<R> {
  const { metadata, ...core } = definition;
  const resource = withTraits({ ...core, traits: new Map() }, ...traits);
  if (core.delete === 'erases') Object.assign(resource.fields, erasureFields);
  if (!metadata) return resource;
  return {
    ...resource,
    fields: { ...resource.fields, metadata: { column: 'json', schema: metadataSchema, erased: () => ({}) } },
    ...(core.create && { create: { ...core.create, body: withMetadata(core.create.body, metadataForCreate) } }),
    ...(core.update && { update: { ...core.update, body: withMetadata(core.update.body, metadataForUpdate) } }),
  };
}

/** Returns a kind of record with these traits besides its own. One that it has is replaced. */
export function withTraits<R extends StoredRecord>(resource: Resource<R>, ...traits: Trait[]): Resource<R> {
  return {
    ...resource,
    fields: Object.assign({}, resource.fields, ...traits.map(({ fields }) => fields)),
    traits: new Map([...resource.traits, ...traits.map(({ type, value }) => [type, value] as const)]),
  };
}

/** Filters for exact values of these fields. The schema says which values make sense. */
export function exactly(fields: Record<string, TSchema>): Record<string, Filter> {
  return Object.fromEntries(
    Object.entries(fields).map(([column, schema]) => [column, { column, match: 'exact', schema }]),
  );
}

/** Makes a record by a decision of its kind. The body's schema types the input. */
export function createFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (input: Static<TObject<Properties>>, caller: Caller) => FieldsOf<R>,
  docs: OperationDocs & Pick<Create<R>, 'alsoNeeds'> = {},
): Create<R> {
  return { ...docs, body: closedObject(properties), decide };
}

/** Changes a record by a decision of its kind. The body's schema types the input. */
export function updateFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (current: R, input: Static<TObject<Properties>>, caller: Caller) => Change<R>,
  docs: OperationDocs & Pick<Update<R>, 'secrets'> = {},
): Update<R> {
  return { ...docs, body: closedObject(properties), decide };
}

function withMetadata(body: TObject, input: TSchema): TObject {
  return closedObject({ ...body.properties, metadata: Type.Optional(input) });
}

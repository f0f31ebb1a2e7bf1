import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { KeyType, Mode } from '../core/api-keys.ts';
import type { Json, JsonObject } from '../core/json-diff.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Id, IdPrefix } from '../core/ids.ts';
import type { Provider, ReferencingServices } from '../core/providers.ts';
import { metadataForCreate, metadataForUpdate, metadataSchema, type Metadata } from './metadata.ts';
import type { AddressRanges } from '../core/target-addresses.ts';

/** What every record has, whatever its kind. Columns bear the names that the API shows. */
export type StoredRecord = {
  id: string;
  account_id: string;
  /** Seconds since the Unix epoch; always the time that `id` was made. */
  created: number;
  /** Grows by one with each change; a write names the revision it was decided on. */
  revision: number;
  metadata?: Metadata;
  /** When the person that it is, or tells of, was erased, in seconds; null if not. Only kinds of record that can be have it. */
  deleted_at?: number | null;
};

/** A record's own fields: those that its kind decides about. */
export type FieldsOf<R extends StoredRecord> = Omit<R, keyof StoredRecord>;

/**
 * How a column is kept. `json` is text that only the server reads: it is written faster than `jsonb`, and never searched.
 * `sealed` holds a secret, encrypted with the deployment's master key; the record has it as it is kept.
 */
export type ColumnType = 'text' | 'bigint' | 'integer' | 'boolean' | 'text[]' | 'json' | 'sealed';

export interface Field {
  /** Null if it is not kept: then it is derived, or only in the record that a decision has just made. */
  column: ColumnType | null;
  /** What it is, of the rest of the record and the time. */
  derive?: (record: StoredRecord, nowSeconds: number) => Json;
  /** Somebody else keeps it up to date, without a change of the record; the committer never writes it. */
  keptBy?: 'duty';
  /** The field in an answer of the newest version. */
  schema: TSchema;
  /** For the reference: what it means, when it is null, its unit. A member of a body or a filter of the same name means the same. */
  description?: string;
  /**
   * `never`: kept, but in no answer, event or log. `as_secret`: opened in the answers that make it, and in those to whoever may
   * change the record; in no list, event or log.
   */
  shown?: 'never' | 'as_secret';
  /** What is left of its value when the person whom the record tells of is erased; without it the value stays. */
  erased?: (value: Json) => Json;
}

/** What a decision may know of who asks, and when; and what it cannot make by itself. */
export interface Caller {
  mode: Mode;
  nowSeconds: number;
  /** The account acted upon. */
  account: { api_version: string; default_provider: Provider | null };
  /** Whether that is the account of the principal itself, and not one that is connected to it. */
  isOwnAccount: boolean;
  permissions: ReadonlySet<string>;
  referencingServices: ReferencingServices;
  /** Every permission that a key can be given. */
  knownPermissions: readonly string[];
  /** Every type that an event can have: `<resource>.<verb>`. */
  knownEventTypes: readonly string[];
  /** When the key that asks ends; null if it does not. */
  keyExpiresAt: number | null;
  /** The versions of the API that are served, the newest first. */
  apiVersions: readonly string[];
  allowedTargets: AddressRanges;
  /** What is older may be gone already, or go while it is looked at. */
  retainedFromSeconds: number;
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
  /** A text as it is kept if nobody but this deployment may read it. */
  seal(text: string): Buffer;
  /** A new secret, such as `whsec_…`, sealed. */
  makeSecret(prefix: string): Buffer;
  /** A new API key of this deployment's mode. */
  makeKey(type: KeyType): { sealed: Buffer; hash: string; lastFour: string };
}

/** What shall be. */
export interface Change<R extends StoredRecord> {
  after: R;
  /** The event that follows `<resource>.updated`, such as `completed`; alone, if nothing that is shown has changed. */
  verb?: string;
  /** The id of its last event, which then goes nowhere but where `deliveries` say. */
  eventId?: Id<'evt'>;
  /** What is sent to one endpoint because somebody asked for it. */
  deliveries?: RequestedDelivery[];
  /** Changes of other records that belong to it. */
  also?: RecordChange[];
  /** What is answered, where it is not the record itself: a record of the kind that the action `answers`. */
  answer?: StoredRecord;
}

/** An event's delivery to one endpoint, whatever it subscribed to. */
export interface RequestedDelivery {
  id: Id<'dlv'>;
  eventId: string;
  /** The type of the event. */
  type: string;
  eventAccountId: string;
  /** The endpoint's account, which is another one than the event's where that is connected to it. */
  accountId: string;
  endpointId: string;
  /** The endpoint's, when it was decided. */
  enablement: number;
  /** It is tried once, and its success ends the automatic retries of the event to the endpoint. */
  isResend: boolean;
}

/** What the reference says of an operation, where it does not follow from its kind. Texts are Markdown, and in the newest version's words. */
export interface Told {
  /** In a few words. */
  summary?: string;
  /** What it does, and what one must know before. */
  description?: string;
  /** A body, in the newest shape. */
  example?: JsonObject;
  /** The codes of the refusals that only it has. */
  refusals?: readonly ErrorCode[];
}

/**
 * A kind of record, told once: routes, permissions, event types, statements and lists follow from it. Every `decide` is a
 * pure function of what it is given, and throws an `ApiError` when the answer is no.
 */
export interface Resource<R extends StoredRecord = StoredRecord> {
  /** The `object` of an answer, and the first half of its event types: `reference`. */
  object: string;
  prefix: IdPrefix;
  /** `/v1/<path>`, and the name in the permissions `<path>.read` and `<path>.write`. */
  path: string;
  table: string;
  /** For the reference: what it is. */
  description?: string;
  /** For the reference, in the newest shape. */
  example?: RecordExample;
  fields: Record<string, Field>;
  /** Fields that hold the id of another record, with the path of its kind: what `related_object` finds. */
  links?: Readonly<Record<string, string>>;
  /** What a list can be filtered by, by the name of the query parameter. */
  filters?: Record<string, Filter>;
  /** Columns whose values are counted as they are written, so that a list of millions filtered by one is counted at once. */
  counted?: readonly string[];
  /** What its decisions say in `verb`, with what has happened then. */
  verbs?: Readonly<Record<string, string>>;
  /**
   * It is about a record of another kind (`path`), which may be a connected account's. The column then has that account, and `account`
   * shows it; else it is null.
   */
  aboutAccount?: { path: string; column: string };
  /** Rows are written once and never changed, so they have no revision. Only the committer makes them. */
  appendOnly?: true;
  /** Its records are listed below others: by the path of theirs, the column that holds their id. It has no routes of its own. */
  listedUnder?: Readonly<Record<string, string>>;
  /** What makes such a record out of one of another kind, by that kind's path: `POST /v1/<path>/{id}/<name>`. */
  actionsOn?: Readonly<Record<string, Record<string, Action>>>;
  /** Its records have one order, and are sent as they are made to whoever follows `GET /v1/<path>/stream`. */
  streamed?: true;
  /** Its records live in themselves and belong to another account: connected accounts to their parent. */
  ownedBy?: Ownership<R>;
  /**
   * How long, in milliseconds, another process may go on with what it has read of a record that was changed. The answer to a
   * change waits for that long, so that whatever it tells is true everywhere.
   */
  staleForMs?: number;
  create?: Create<R>;
  update?: Update<R>;
  /**
   * `DELETE /v1/<path>/{id}`: removes the record, or does what ends it but keeps it. `erases`: the record is a person, of whom
   * nothing is left but the id, here and in all that was ever written about them.
   */
  delete?: 'removes' | 'erases' | Action<R>;
  /**
   * Its records tell of a person, and this happens to them when that person is erased. Each of them can also be erased by itself, with
   * `POST /v1/<path>/{id}/erase`: for a person that another system keeps.
   */
  erasure?: Erasure<R>;
  /** Something is to be done about its records from time to time, without anybody asking for it. */
  nextStep?: NextStep<R>;
  /** Its records hold bytes, which come with `POST /v1/<path>` and are answered by `GET /v1/<path>/{id}/contents`. */
  contents?: Contents;
  /** Its records sum up those of another kind that link to them. */
  rollUp?: RollUp<R>;
  /**
   * Its records let requests in: API keys. A decision about them judges the acting key as it is at that moment. What a process has cached of
   * it may be a second old.
   */
  grantsRights?: true;
  /** An account has at most so many of them; the committer sees to that, however many are made at once. */
  mostOfAnAccount?: number;
  /** What a sandbox can have somebody else do with it: `POST /v1/test_helpers/<path>/{id}/<name>`. */
  testHelpers?: Readonly<Record<string, TestHelper>>;
  /** Operations on one record that are more than setting fields: `POST /v1/<path>/{id}/<name>`. */
  actions?: Record<string, Action<R>>;
}

/** What a test wants to see happen that is done by others, outside of this server. */
export interface TestHelper extends Told {
  summary: string;
  /** None is taken unless it says which. */
  body?: TObject;
}

/** A record as the reference shows it. */
export interface RecordExample {
  /** With its secrets. */
  record: JsonObject;
  /** What of it was different when it was new, before it was updated. */
  before?: JsonObject;
  /** What of it is different after one of its verbs. */
  after?: Readonly<Record<string, JsonObject>>;
}

/** What is particular about accounts. */
export interface Ownership<R extends StoredRecord = StoredRecord> {
  /** Holds the account that it belongs to. */
  column: string;
  /** `/v1/<ownPath>` is where an account finds itself. */
  ownPath: string;
  /** What an account can do with itself: `POST /v1/<ownPath>/<name>`. */
  actions?: Record<string, Action<R>>;
  /** What its first request makes of it: it gets the version of the API that it has until it upgrades. */
  pin(current: R, version: string): R;
}

export interface Erasure<R extends StoredRecord = StoredRecord> {
  /** The link to the person. */
  link: string;
  /** Links to files about the person, which are deleted. */
  files: readonly string[];
  /** What else becomes of a record, besides that the fields that tell of the person are emptied. */
  decide(current: R, nowSeconds: number): Pick<Change<R>, 'after' | 'verb'>;
}

/** What is to be done about a record next: a job, which is put into the queue by the change that says when. */
export interface NextStep<R extends StoredRecord = StoredRecord> {
  /** The name of the job. It is given the account and the id, and finds the rest out. A record has one at a time. */
  job: string;
  /** Whom it has to wait for. Where one of them hangs, the jobs that wait for another go on. */
  lane(record: R): string;
  /** When, in milliseconds since the Unix epoch; null if nothing is to be done. */
  dueAtMs(record: R): number | null;
}

/** Bytes of one type, which a record holds. */
export interface Contents {
  /** The largest size, in bytes. */
  bytesMax: number;
  contentType: string;
  /** What it must be, for whoever sent something else: `a PDF`. */
  description: string;
  /** Judges by the first and the last kilobyte, whatever name and type the sender gave them. */
  isValid(head: Buffer, tail: Buffer): boolean;
}

export interface RollUp<R extends StoredRecord = StoredRecord> {
  /** The path of the other kind, and its link to this one. */
  of: string;
  link: string;
  /** The record when one of those others was written: null where it was not there before, or is not any more. */
  adapt(current: R, before: StoredRecord | null, after: StoredRecord | null): R;
}

export interface Filter {
  column: string;
  /**
   * `exact`: equal. `caseless`: equal but for capital and small letters. `prefix`: equal, or with a trailing `*` beginning with it. `contains`: one of an array's items. `status`: an
   * HTTP status, or a class of them (`4xx`).
   */
  match: 'exact' | 'caseless' | 'prefix' | 'contains' | 'status';
  schema: TSchema;
}

export interface Create<R extends StoredRecord> extends Told {
  body: TObject;
  decide(input: object, caller: Caller): FieldsOf<R>;
}

export interface Update<R extends StoredRecord> extends Told {
  body: TObject;
  /** Members of the body that no log shows. */
  secrets?: readonly string[];
  decide(current: R, input: object, caller: Caller): Change<R>;
}

export interface Action<R extends StoredRecord = StoredRecord> extends Told {
  /** The answer shows the record's secrets, because it has made new ones. */
  showsSecrets?: true;
  /** None is taken unless it says which. */
  body?: TObject;
  /** What is answered, where it is not the record itself. */
  answers?: Resource;
  /** The permissions it takes, where that is not to write records of this kind. */
  permissions?: readonly [string, ...string[]];
  /** Members of the body that name other records, each with the path of its kind. They are read for the decision. */
  names?: Readonly<Record<string, string>>;
  decide(current: R, caller: Caller, input: object, named: Readonly<Record<string, StoredRecord>>): Change<R>;
}

/**
 * What happens to one record: the one idea of this server. A decision returns it, the committer writes it, and events, counts,
 * deliveries, the request's log and its stored answer follow from it; nothing else writes.
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

/**
 * Completes a definition: with `metadata: true` the field, its input and its merging rule come by themselves; where persons can be
 * erased, what is known of that.
 */
export function defineResource<R extends StoredRecord>(definition: Resource<R> & { metadata?: true }): Resource<R> {
  const { metadata, ...rest } = definition;
  const resource = { ...rest, fields: { ...rest.fields, ...erasureFieldsOf(definition) } };
  if (!metadata) return resource;
  return {
    ...resource,
    fields: { ...resource.fields, metadata: { column: 'json', schema: metadataSchema, erased: () => ({}) } },
    ...(resource.create && {
      create: { ...resource.create, body: withMetadata(resource.create.body, metadataForCreate) },
    }),
    ...(resource.update && {
      update: { ...resource.update, body: withMetadata(resource.update.body, metadataForUpdate) },
    }),
  };
}

/** Filters for exact values of these fields; the field's own schema says which values make sense. */
export function exactly(fields: Record<string, TSchema>): Record<string, Filter> {
  return Object.fromEntries(
    Object.entries(fields).map(([column, schema]) => [column, { column, match: 'exact', schema }]),
  );
}

/** Says how a record is made from a body; the body's schema types the input. */
export function createFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (input: Static<TObject<Properties>>, caller: Caller) => FieldsOf<R>,
  told: Told = {},
): Create<R> {
  return { ...told, body: closedObject(properties), decide };
}

/** Says how a record is changed by a body; the body's schema types the input. */
export function updateFrom<R extends StoredRecord, Properties extends TProperties>(
  properties: Properties,
  decide: (current: R, input: Static<TObject<Properties>>, caller: Caller) => Change<R>,
  told: Told & Pick<Update<R>, 'secrets'> = {},
): Update<R> {
  return { ...told, body: closedObject(properties), decide };
}

/** An object that refuses members it does not know, so that a misspelt one is noticed. */
export function closedObject<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** The same schema, or null. One `type` list instead of `anyOf` keeps error messages about the value, not about branches. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** The same schema with what it means here, for the reference. */
export function described<Schema extends TSchema>(schema: Schema, description: string): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...schema, description });
}

/** A string out of a closed list of words. */
export function oneOf<const Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words });
}

function erasureFieldsOf(resource: Pick<Resource, 'delete' | 'erasure'>): Record<string, Field> {
  if (resource.delete !== 'erases' && !resource.erasure) return {};
  return {
    deleted_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
    // When what was written earlier was erased too.
    history_erased_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never', keptBy: 'duty' },
  };
}

function withMetadata(body: TObject, input: TSchema): TObject {
  return closedObject({ ...body.properties, metadata: Type.Optional(input) });
}

import { Type, type Static, type TSchema } from 'typebox';
import type { Json } from '../core/json-diff.ts';
import type { Caller } from './caller.ts';
import type { Metadata } from './metadata.ts';
import { nullable } from './schemas.ts';

/** What every record has. Columns bear the names that the API shows. */
export type StoredRecord = {
  id: string;
  account_id: string;
  /** Seconds since the Unix epoch; always the time that `id` was made. */
  created: number;
  /** Grows by one with each change. A write names the revision that it was decided on. */
  revision: number;
  metadata?: Metadata;
  /** When the person that it is, or tells of, was erased, in seconds; null if not. Only some kinds of record have it. */
  deleted_at?: number | null;
};

/** A record's own fields: those that its kind decides about. */
export type FieldsOf<R extends StoredRecord> = Omit<R, keyof StoredRecord>;

/** The fields of a kind of record, by their names in the API. */
export type Fields = Record<string, Field>;

/** The record that these fields make. */
export type RecordOf<F extends Fields> = StoredRecord & {
  -readonly [Name in keyof F as F[Name]['column'] extends null ? never : Name]: Static<F[Name]['schema']>;
};

/**
 * The type of a column. `json` is text that only the server reads: PostgreSQL writes it faster than `jsonb`, and never searches it. `sealed`
 * is a secret, encrypted with the deployment's master key.
 */
export type ColumnType = 'text' | 'bigint' | 'integer' | 'boolean' | 'text[]' | 'json' | 'sealed';

export interface Field {
  /** Null if it is not stored: then it is derived, or only in the record that a decision has just made. */
  column: ColumnType | null;
  /** Returns the value of a derived field. */
  derive?: (record: StoredRecord, nowSeconds: number) => Json;
  /** A job writes it, without a change of the record. The committer never does. */
  maintainedBy?: 'job';
  /** The field in a response of the newest version. */
  schema: TSchema;
  /** For the API docs: what it means, when it is null, its unit. A member of a body or a filter of the same name means the same. */
  description?: string;
  /** How bodies set it. Left out if none does, or if the kind's own `decide` reads it. */
  input?: Input;
  /** What a new record has that no body sets. */
  initial?: Json;
  /**
   * `never`: stored, but in no response, event or log. `as_secret`: in the responses that make it, and in those to keys that may change the
   * record. It is in no list, event or log.
   */
  shown?: 'never' | 'as_secret';
  /** Returns what is left of its value when the person that the record tells of is erased. Without it the value stays. */
  erased?: (value: Json) => Json;
}

/** How bodies set a field; see `createFromFields` and `updateFromFields`. */
export interface Input {
  on: 'create' | 'both';
  /** The member of the body, if it is stricter than the field: what is stored may be older than the rules for what is sent. */
  schema?: TSchema;
  /** A body that makes a record must have it, and no body may set it to null. */
  required?: true;
  /** What the record has if a body leaves it out, or sets it to null. Null if this is left out. */
  default?: Json;
  /**
   * Returns the value to store.
   *
   * @throws {ApiError} `parameter_invalid`.
   */
  accept?(value: unknown, caller: Caller): unknown;
}

/** The fields of a record that is, or tells of, a person who can be erased. */
export const erasureFields: Fields = {
  deleted_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
  // When its history was erased too.
  history_erased_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never', maintainedBy: 'job' },
};

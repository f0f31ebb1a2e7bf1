import { Type, type Static, type TSchema } from 'typebox';
import type { Moment } from '../core/clock.ts';
import type { Json } from '../core/json-diff.ts';
import type { Id } from '../core/ids.ts';
import type { Caller } from './callers/caller.ts';
import type { Metadata } from './schemas/metadata.ts';
import { nullable } from './schemas/make.ts';

/** The members of every record. Columns have the names of the API. */
export type StoredRecord = {
  id: Id;
  account_id: string;
  /** The time in `id`, in seconds since the Unix epoch. */
  created: number;
  /** Grows by one with each change. A write names the revision that its decision has read. */
  revision: number;
  metadata?: Metadata;
  /** When the record's person was erased, in seconds. Null if not. Only some kinds of record have it. */
  deleted_at?: number | null;
};

/** Returns the value of a record's field by its name, for code that serves every kind of record. */
export function fieldOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return record[name];
}

/** The fields of one kind of record, without those that every record has. */
export type FieldsOf<R extends StoredRecord> = Omit<R, keyof StoredRecord>;

/** The fields of a kind of record, by their names in the API. */
export type Fields = Record<string, Field>;

/** The type of a record with these fields. */
export type RecordOf<F extends Fields> = StoredRecord & {
  -readonly [Name in keyof F as F[Name]['column'] extends null ? never : Name]: Static<F[Name]['schema']>;
};

/**
 * The type of a column. A `date` is a calendar day, `YYYY-MM-DD`. `json` is text that only the server parses: PostgreSQL writes it faster than `jsonb`, and never searches it.
 * `encrypted` is a secret, encrypted with the deployment's master key.
 */
export type ColumnType = 'text' | 'bigint' | 'integer' | 'boolean' | 'text[]' | 'json' | 'date' | 'encrypted';

export interface Field {
  /** Null if it is not stored. Then it is derived, or exists only in a record that a decision has just made. */
  column: ColumnType | null;
  /** Returns the shown value, if it is not simply the stored one. */
  derive?(record: StoredRecord, moment: Moment): Json;
  /** Set if a job writes the field directly. Then the committer never writes it. */
  maintainedBy?: 'job';
  /** Set if the value never changes once the record is made. Then an update does not write it again. */
  fixed?: true;
  /** Set if lists do not read the field, because it can be long. No response shows it. In the records of a list, it is missing. */
  unlisted?: true;
  /** The schema in responses of the newest version. */
  schema: TSchema;
  /** For the API docs: its meaning, when it is null, its unit. It also describes a body's member or a filter of the same name. */
  description?: string;
  /** How bodies set it. Left out if no body does, or if the kind's own `decide` reads it. */
  input?: Input;
  /** The value of a new record, if bodies do not set the field. */
  initial?: Json;
  /**
   * `never`: the field is stored, but never shown. `as_secret`: only two kinds of responses show it. These are responses that make it, and
   * responses to keys that may change the record. Lists, events and logs never show it.
   */
  shown?: 'never' | 'as_secret';
  /** Returns the value after the record's person is erased. If left out, the value stays. */
  erased?: (value: Json) => Json;
}

/** How bodies set a field. See `createFromFields` and `updateFromFields`. */
export interface Input {
  on: 'create' | 'both';
  /** The schema of the body's member, if it is stricter than the field's. Stored values may be older than the rules for input. */
  schema?: TSchema;
  /** Bodies that make a record must have it, and no body may set it to null. */
  required?: true;
  /** The value if a body leaves it out or sets it to null. If this is left out, the value is null. */
  default?: Json;
  /**
   * Returns the value to store.
   *
   * @throws {ApiError} `parameter_invalid`.
   */
  check?(value: unknown, caller: Caller): unknown;
}

/** Fields of records about a person, and of the person itself, for erasure. */
export const erasureFields: Fields = {
  deleted_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
  // The time at which its history was erased too.
  history_erased_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never', maintainedBy: 'job' },
};

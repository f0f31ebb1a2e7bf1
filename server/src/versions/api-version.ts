import type { TSchema } from 'typebox';
import type { Json } from '../core/json-diff.ts';

/** A dated version of the API. Its changes are declared, so that every older version can still be served (spec, versioning). */
export interface ApiVersion {
  /** `YYYY-MM-DD`. */
  date: string;
  /** For the changelog: what a client must change to upgrade to this version. */
  sentence: string;
  changes: readonly ShapeChange[];
}

/**
 * The earlier shape of one kind of object. It applies to all output: responses, lists, expanded objects, events with their
 * `previous_attributes`, and webhooks. It applies to all input too: bodies, filters, paths to expand, and the `param` of an error. A body
 * counts as an object with only some of its members.
 */
export interface ShapeChange {
  /** The `object` of a response: `reference`, `event`, `list`. */
  object: string;
  /** Renamed members: the name from this version on, and the earlier name. */
  renamed?: Readonly<Record<string, string>>;
  /** Members with another value before, by their name from this version on. */
  reshaped?: Readonly<Record<string, Reshaped>>;
}

/**
 * The earlier value of a member. Both functions accept partial objects, because `previous_attributes` may have only some of their
 * members.
 */
export interface Reshaped {
  /** The schema of the earlier value. */
  schema: TSchema;
  older: (value: Json) => Json;
  /** Members that the older value does not have become null. */
  newer: (value: Json) => Json;
}

import type { TSchema } from 'typebox';
import type { Json } from '../core/json-diff.ts';

/** A dated version of the API: what changed with it, told so that every older version can still be served (spec, versioning). */
export interface ApiVersion {
  /** `YYYY-MM-DD`. */
  date: string;
  /** For the changelog: what a client has to change when it upgrades to this version. */
  sentence: string;
  changes: readonly ShapeChange[];
}

/**
 * How objects of one kind looked before. It holds wherever the shape occurs: in answers, lists, expanded objects, events with their
 * `previous_attributes`, webhooks, and in what comes in: bodies, filters, paths to expand, and the `param` of an error. A body is
 * taken for an object that has only some of its members.
 */
export interface ShapeChange {
  /** The `object` of an answer: `reference`, `event`, `list`. */
  object: string;
  /** Members that had another name: the name they have from this version on, and the one they had before. */
  renamed?: Readonly<Record<string, string>>;
  /** Members whose value looked different, by the name they have from this version on. */
  reshaped?: Readonly<Record<string, Reshaped>>;
}

/**
 * How a member's value looked before. Where it is an object, `previous_attributes` may have only some of its members; both functions
 * take what is there.
 */
export interface Reshaped {
  /** Of the value before. */
  schema: TSchema;
  older: (value: Json) => Json;
  /** What the older value leaves out is null. */
  newer: (value: Json) => Json;
}

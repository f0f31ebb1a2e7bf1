import type { Fields } from './record.ts';

/** The options of one kind of record for a trait, as its definition lists them: `defineResource({…}, limited(100))`. */
export interface Trait {
  readonly type: unknown;
  readonly value: unknown;
  /** Fields that every kind with this trait has. */
  readonly fields: Fields;
}

/** The options of a kind of record, by trait. */
export type Traits = ReadonlyMap<unknown, unknown>;

/** A trait that a few kinds of record have. Each trait is a file in `traits/`. Generic code uses `of` and `has`, and names no kind. */
export interface TraitType<Value> {
  (value: Value): Trait;
  /** Returns the options of a kind of record for this trait, or undefined. */
  of(resource: { readonly traits: Traits }): Value | undefined;
  /** Returns whether a kind of record has this trait. */
  has(resource: { readonly traits: Traits }): boolean;
}

/**
 * Defines a trait.
 *
 * @param fields the fields of every kind with this trait.
 */
export function defineTrait<Value = void>(fields: Fields = {}): TraitType<Value> {
  const type = (value: Value): Trait => ({ type, value, fields });
  return Object.assign(type, {
    of: ({ traits }: { readonly traits: Traits }) => traits.get(type) as Value | undefined,
    has: ({ traits }: { readonly traits: Traits }) => traits.has(type),
  });
}

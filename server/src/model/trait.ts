import type { Fields } from './record.ts';

/** What one kind of record has of a trait, as its definition lists it: `defineResource({…}, limited(100))`. */
export interface Trait {
  readonly type: unknown;
  readonly value: unknown;
  /** Fields that every kind with this trait has. */
  readonly fields: Fields;
}

/** What a kind of record has of each of its traits. */
export type Traits = ReadonlyMap<unknown, unknown>;

/** Something that a few kinds of record have. Each is a file in `traits/`. Generic code asks for it by `of` and `has`, and names no kind. */
export interface TraitType<Value> {
  (value: Value): Trait;
  /** Returns what a kind of record has of this trait, or undefined. */
  of(resource: { readonly traits: Traits }): Value | undefined;
  /** Returns whether a kind of record has this trait. */
  has(resource: { readonly traits: Traits }): boolean;
}

/**
 * Defines a trait.
 *
 * @param fields that every kind with this trait has.
 */
export function defineTrait<Value = void>(fields: Fields = {}): TraitType<Value> {
  const type = (value: Value): Trait => ({ type, value, fields });
  return Object.assign(type, {
    of: ({ traits }: { readonly traits: Traits }) => traits.get(type) as Value | undefined,
    has: ({ traits }: { readonly traits: Traits }) => traits.has(type),
  });
}

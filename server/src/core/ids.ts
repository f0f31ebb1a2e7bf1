import { hash } from 'node:crypto';
import { fromBase62, randomBase62, toBase62 } from './base62.ts';
import type { Clock } from './clock.ts';
import type { RandomBytes } from './random.ts';

/** The first part of an id. The definition of a kind has it (`prefix`). */
export type IdPrefix = string;

/** An id of one kind, such as `ref_…`. */
export type Id<Prefix extends IdPrefix = IdPrefix> = `${Prefix}_${string}`;

/** Digits: 8 hold milliseconds until the year 8888. 2 count within a millisecond. 12 random ones are 71 bits. */
const timeWidth = 8;
const countWidth = 2;
const randomWidth = 12;
const countLimit = 62 ** countWidth;

/** Makes ids: a prefix and 22 characters that sort by creation time. The ids of one maker stay in order even if the clock steps back. */
export class IdMaker {
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  #timeMs = 0;
  #count = 0;

  constructor(clock: Clock, randomBytes: RandomBytes) {
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  make<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix> {
    const nowMs = this.#clock.nowMs();
    if (nowMs > this.#timeMs) {
      this.#timeMs = nowMs;
      this.#count = 0;
    } else if (++this.#count === countLimit) {
      this.#timeMs++;
      this.#count = 0;
    }
    const random = randomBase62(randomWidth, this.#randomBytes);
    return `${prefix}_${toBase62(this.#timeMs, timeWidth)}${toBase62(this.#count, countWidth)}${random}`;
  }
}

/** Returns an id that follows from a text, so that two processes make the same one. It tells no time. */
export function idOfText<Prefix extends IdPrefix>(prefix: Prefix, text: string): Id<Prefix> {
  const digest = hash('sha256', text, 'hex');
  // Twelve hex digits at a time stay exact in a number.
  const digits = [0, 12, 24].map((at) => toBase62(Number.parseInt(digest.slice(at, at + 12), 16), 9)).join('');
  return `${prefix}_${digits.slice(0, timeWidth + countWidth + randomWidth)}`;
}

/** Returns when the id was made, in milliseconds since the Unix epoch. A record's `created` is this time in seconds. */
export function timeOfId(id: Id): number {
  const start = id.indexOf('_') + 1;
  return fromBase62(id.slice(start, start + timeWidth));
}

/** Returns the lower bound of all ids of this kind made at `timeMs` or later. With it, a time filter is a range of ids. */
export function firstIdAt(prefix: IdPrefix, timeMs: number): string {
  return `${prefix}_${toBase62(timeMs, timeWidth)}`;
}

/** The characters of an id from another system (spec, reference: `application`, `customer`, `reference_pdf`). */
export const idPattern = '^[a-zA-Z0-9_]+$';
export const idLengthMax = 255;

const ownId = /^[a-z]+_[0-9A-Za-z]{22}$/;

/** Returns whether a text can be an id of this kind. No other text reaches a query. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is Id<Prefix> {
  return text.startsWith(`${prefix}_`) && ownId.test(text);
}

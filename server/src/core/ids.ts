import { fromBase62, randomBase62, toBase62 } from './base62.ts';
import type { Clock } from './clock.ts';
import type { RandomBytes } from './random.ts';

/** What starts an id and tells its kind. Each kind of record says its own. */
export type IdPrefix = string;

/** An id of one kind, such as `ref_…`. */
export type Id<Prefix extends IdPrefix = IdPrefix> = `${Prefix}_${string}`;

/** 8 digits hold milliseconds until the year 8888; 2 digits count within one; 12 random digits are 71 bits. */
const timeWidth = 8;
const countWidth = 2;
const randomWidth = 12;
const countLimit = 62 ** countWidth;

/**
 * Makes ids: a prefix and 22 characters that sort by the time they were made. Two ids of one maker never sort against
 * the order in which they were made, even if the clock steps back.
 */
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

/** When the id was made, in milliseconds since the Unix epoch. A record's `created` is this, in seconds. */
export function timeOfId(id: Id): number {
  const start = id.indexOf('_') + 1;
  return fromBase62(id.slice(start, start + timeWidth));
}

/** The smallest text that any id of this kind made at `timeMs` or later can have: a time filter becomes a range of ids. */
export function firstIdAt(prefix: IdPrefix, timeMs: number): string {
  return `${prefix}_${toBase62(timeMs, timeWidth)}`;
}

/** What an id may be made of when somebody else made it (spec, reference: `application`, `customer`, `reference_pdf`). */
export const idPattern = '^[a-zA-Z0-9_]+$';
export const idLengthMax = 255;

const ownId = /^[a-z]+_[0-9A-Za-z]{22}$/;

/** Whether the text can be an id of this kind; nothing else is worth a query, or fit for one. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is Id<Prefix> {
  return text.startsWith(`${prefix}_`) && ownId.test(text);
}

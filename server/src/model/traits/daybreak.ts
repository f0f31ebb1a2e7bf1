import type { Id, IdPrefix } from '../../core/ids.ts';
import type { Rules } from '../../core/vocabulary/law-rules.ts';
import { CalendarDate } from '../schemas/fields.ts';
import type { Fields, StoredRecord } from '../record.ts';
import type { Related } from '../related.ts';
import type { Change } from '../resource.ts';
import { nullable } from '../schemas/make.ts';
import { defineTrait } from '../trait.ts';

/** A calendar day that has begun in the time zone of an account. */
export interface Dawn {
  /** The day. A server that stood still makes up for each missed day in turn. */
  day: string;
  nowSeconds: number;
  account: { rules: Rules; time_zone: string; invoice_prefix: string };
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
}

/** Records change when a certain day begins: a tenancy starts and ends. */
export interface Daybreak {
  /** Paths of links whose records the decision reads. */
  reads?: readonly string[];
  /** Returns the next day on which the record may change, or null. */
  nextOn(record: StoredRecord): string | null;
  /** Returns the effect of the day. Afterwards, `nextOn` must return a later day. */
  decide(record: StoredRecord, dawn: Dawn, related: Related): Change<StoredRecord>;
}

const fields: Fields = {
  // The committer sets it with each write, so that an index finds the records of a day.
  next_on: { column: 'date', schema: nullable(CalendarDate), shown: 'never' },
};

export const daybreak = defineTrait<Daybreak>(fields);

/** Returns the record with the next day on which it may change. */
export function withNextOn<R extends StoredRecord>(record: R, rule: Daybreak | undefined): R {
  return rule ? { ...record, next_on: rule.nextOn(record) } : record;
}

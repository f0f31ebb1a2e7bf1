import { Type } from 'typebox';
import type { Id } from '../core/ids.ts';
import type { StoredRecord } from './record.ts';
import { defineResource } from './resource.ts';
import { silent } from './traits/silent.ts';

type CounterRecord = StoredRecord & {
  /** The number that was given last. */
  last: number;
};

/** The last number of an account. It changes in the mutation that gives a number, so that no number is skipped or given twice. */
export const counter = defineResource<CounterRecord>(
  {
    object: 'counter',
    prefix: 'ctr',
    path: 'counters',
    table: 'counters',
    fields: { last: { column: 'bigint', schema: Type.Integer() } },
  },
  silent(),
);

/** Returns the id of an account's counter. An account has one. */
export function counterIdOf(accountId: string): Id<'ctr'> {
  return `ctr_${accountId.slice(accountId.indexOf('_') + 1)}`;
}

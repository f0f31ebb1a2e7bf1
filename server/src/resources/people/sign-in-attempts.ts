import { Type } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { silent } from '../../model/traits/silent.ts';

export type SignInAttemptsRecord = StoredRecord & {
  failures: number;
  /** When the first of them happened, in seconds of real time. */
  since: number;
};

/** The failed attempts of an address, of a user or of a browser. The id follows from that subject. */
export const signInAttempts = defineResource<SignInAttemptsRecord>(
  {
    object: 'sign_in_attempts',
    prefix: 'sia',
    path: 'sign_in_attempts',
    table: 'sign_in_attempts',
    fields: {
      failures: { column: 'integer', schema: Type.Integer() },
      since: { column: 'bigint', schema: Type.Integer() },
    },
  },
  silent(),
);

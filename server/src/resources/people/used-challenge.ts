import { Type } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { silent } from '../../model/traits/silent.ts';

export type UsedChallengeRecord = StoredRecord & {
  /** When the challenge ends by itself, in seconds of real time. */
  expires_at: number;
};

/** A challenge that a passkey has answered, or a finished sign-in by an identity provider. The id follows from the challenge, so that two processes cannot both accept it. */
export const usedChallenge = defineResource<UsedChallengeRecord>(
  {
    object: 'used_challenge',
    prefix: 'uch',
    path: 'used_challenges',
    table: 'used_challenges',
    fields: {
      expires_at: { column: 'bigint', schema: Type.Integer() },
    },
  },
  silent(),
);

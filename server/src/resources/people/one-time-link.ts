import { Type } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { nullable } from '../../model/schemas/make.ts';
import { silent } from '../../model/traits/silent.ts';

export type LinkPurpose = 'first_owner' | 'password_reset' | 'sign_in';

export type OneTimeLinkRecord = StoredRecord & {
  purpose: LinkPurpose;
  /** The user that it signs in. Null if it makes the first owner. */
  user_id: string | null;
  /** The user that made it. Null if an operator did. */
  made_by: string | null;
  /** That of the user when the link was made. A link of a user with another number is void. */
  credentials_revision: number | null;
  token_hash: string;
  /** In seconds of real time. */
  expires_at: number;
  used_at: number | null;
};

const Time = Type.Integer();
const Word = Type.String({ maxLength: 500 });

/** A link that signs a person in, once. Only the hash of its token is stored. */
export const oneTimeLink = defineResource<OneTimeLinkRecord>(
  {
    object: 'one_time_link',
    prefix: 'otl',
    path: 'one_time_links',
    table: 'one_time_links',
    fields: {
      purpose: { column: 'text', schema: Word },
      user_id: { column: 'text', schema: nullable(Word) },
      made_by: { column: 'text', schema: nullable(Word) },
      credentials_revision: { column: 'bigint', schema: nullable(Time) },
      token_hash: { column: 'text', schema: Word },
      expires_at: { column: 'bigint', schema: Time },
      used_at: { column: 'bigint', schema: nullable(Time) },
    },
  },
  silent(),
);

import { Type } from 'typebox';
import type { Role } from '../../model/callers/roles.ts';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { nullable } from '../../model/schemas/make.ts';
import { silent } from '../../model/traits/silent.ts';

/** The ways in which a session's user has proved its identity. */
export type Factor =
  | 'password'
  | 'totp'
  | 'recovery_code'
  | 'passkey'
  | 'link'
  | 'identity_provider'
  /** The provider says that the person has used several factors there. */
  | 'identity_provider_mfa';

export type SessionRecord = StoredRecord & {
  user_id: string;
  token_hash: string;
  /** The role of the user when the session began. It ends if the user gets another one. */
  role: Role;
  /** That of the user. A session with another number has ended. */
  credentials_revision: number;
  factors: Factor[];
  /** When the user last confirmed its identity, in seconds of real time. */
  confirmed_at: number | null;
  /** In seconds of real time. */
  expires_at: number;
  last_seen_at: number | null;
  ip_address: string | null;
  user_agent: string | null;
};

const Time = Type.Integer();
const Word = Type.String({ maxLength: 500 });

/** A browser in which a user is signed in. Only the hash of its cookie is stored. Its times are real: the sandbox's clock ends no session. */
export const session = defineResource<SessionRecord>(
  {
    object: 'session',
    prefix: 'ses',
    path: 'sessions',
    table: 'sessions',
    fields: {
      user_id: { column: 'text', schema: Word },
      token_hash: { column: 'text', schema: Word },
      role: { column: 'text', schema: Word },
      credentials_revision: { column: 'bigint', schema: Time },
      factors: { column: 'text[]', schema: Type.Array(Word) },
      confirmed_at: { column: 'bigint', schema: nullable(Time) },
      expires_at: { column: 'bigint', schema: Time },
      last_seen_at: { column: 'bigint', schema: nullable(Time), maintainedBy: 'job' },
      ip_address: { column: 'text', schema: nullable(Word) },
      user_agent: { column: 'text', schema: nullable(Word) },
    },
  },
  silent(),
);

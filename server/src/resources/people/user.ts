import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { SingleLine } from '../../model/schemas/fields.ts';
import { mayHandle, permissionsOfRole, RoleName, type Role } from '../../model/callers/roles.ts';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource, updateFrom, type Change } from '../../model/resource.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { cached } from '../../model/traits/cached.ts';
import { checksRemoval } from '../../model/traits/checks-removal.ts';
import { forPersonsOnly } from '../../model/traits/for-persons-only.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import { keepsOne } from '../../model/traits/keeps-one.ts';

const Status = named('UserStatus', 'The status of a team member.', oneOf('active', 'disabled'));
const SecondFactor = named('SecondFactor', 'The second factor of a sign-in.', oneOf('none', 'totp', 'passkey'));

/** A passkey of a user (WebAuthn, "public key credential source"). */
export interface Passkey {
  /** The id of the credential, in base64url. */
  id: string;
  /** The public key in COSE form, in base64url. */
  public_key: string;
  counter: number;
  transports: string[];
  name: string;
  created: number;
  last_used_at: number | null;
}

export type UserRecord = StoredRecord & {
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'disabled';
  /** A PHC string. Null for a user that signs in by link, passkey or identity provider only. */
  password_hash: string | null;
  /** The password is too short without a second factor. */
  password_is_short: boolean;
  totp_secret: Buffer | null;
  /** A secret whose first code has not been seen yet. */
  totp_pending: Buffer | null;
  /** The time step of the last used code. Each code is valid once (RFC 6238, 5.2). */
  totp_step: number | null;
  /** Hashes of the recovery codes that are left. */
  recovery_codes: string[];
  passkeys: Passkey[];
  /** The identity at the company's own provider by which the user signs in. Null if none is linked. */
  identity_issuer: string | null;
  identity_subject: string | null;
  identity_linked_at: number | null;
  /** Grows when a password or a factor changes. A session with another number has ended. */
  credentials_revision: number;
  last_signed_in_at: number | null;
};

/** A person that signs in to the dashboard: a member of the account's team. */
export const user = defineResource<UserRecord>(
  {
    object: 'user',
    prefix: 'usr',
    path: 'users',
    table: 'users',
    docs: {
      description:
        'A member of the account’s team, who signs in to the dashboard. A role gives permissions. An invitation makes a user. No API key reads or changes users.',
      example: {
        record: {
          email: 'ada@northern-homes.example',
          name: 'Ada Lovelace',
          role: 'admin',
          status: 'active',
          second_factor: 'totp',
          last_signed_in_at: 1795237627,
        },
        before: { role: 'developer' },
      },
    },
    // No operation of the API creates users, so that the description is not the usual one.
    verbs: { created: 'An invited person or the first owner became a user.' },
    fields: {
      email: {
        column: 'text',
        schema: Type.String(),
        description: 'The e-mail address. It is unique in the deployment, and its case does not matter.',
      },
      name: { column: 'text', schema: nullable(Type.String()), description: 'The name. Null if there is none.' },
      role: {
        column: 'text',
        schema: RoleName,
        description:
          'The role. `owner` and `admin` may do everything, but only owners handle owners. `developer`: records, webhooks, keys and logs. `operator`: records only. `viewer`: reads records.',
      },
      status: {
        column: 'text',
        schema: Status,
        description: '`active`, or `disabled`: the user cannot sign in.',
      },
      password_hash: { column: 'text', schema: nullable(Type.String({ maxLength: 500 })), shown: 'never' },
      password_is_short: { column: 'boolean', schema: Type.Boolean(), shown: 'never' },
      totp_secret: { column: 'encrypted', schema: nullable(Type.String()), shown: 'never' },
      totp_pending: { column: 'encrypted', schema: nullable(Type.String()), shown: 'never' },
      totp_step: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      recovery_codes: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never' },
      passkeys: { column: 'json', schema: Type.Array(Type.Any()), shown: 'never' },
      identity_issuer: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
      identity_subject: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
      identity_linked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      credentials_revision: { column: 'bigint', schema: Type.Integer(), shown: 'never' },
      second_factor: {
        column: null,
        schema: SecondFactor,
        derive: (record) => secondFactorOf(record as UserRecord),
        description: '`none`, `totp` (codes from an app) or `passkey`.',
      },
      last_signed_in_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When the user last signed in, in seconds since the Unix epoch. Null if never.',
      },
    },
    // A link makes a user, and no request below `/v1` does.
    counted: ['role', 'status'],
    filters: {
      role: { column: 'role', match: 'exact', schema: RoleName },
      status: { column: 'status', match: 'exact', schema: Status },
    },
    update: updateFrom(
      {
        name: Type.Optional(nullable(SingleLine)),
        role: Type.Optional(described(RoleName, 'The new role, at most your own. All sessions of the user end.')),
        status: Type.Optional(described(Status, '`disabled` ends all sessions of the user.')),
      },
      changeMember,
      {
        description: 'Only an owner changes an owner. The last active owner keeps the role.',
        example: { role: 'developer' },
        refusals: ['reauthentication_required', 'person_required', 'status_transition_invalid'],
      },
    ),
    delete: 'removes',
  },
  forPersonsOnly(),
  checksRemoval({ check: (record, caller) => requireHandling(caller, (record as UserRecord).role) }),
  grantsRights({
    permissionsOf: (record, { mode, known }) => {
      const { role, status } = record as UserRecord;
      return status === 'active' ? permissionsOfRole(role, mode, known) : [];
    },
  }),
  cached(1_000),
  keepsOne({
    having: { role: 'owner', status: 'active' },
    message: () => 'This is the last active owner of the account. Make another member an owner first.',
  }),
);

/** Returns the second factor of a user. It is `passkey` only without an app: codes also work where a passkey does not. */
export function secondFactorOf({ passkeys, totp_secret }: UserRecord): 'none' | 'totp' | 'passkey' {
  if (totp_secret) return 'totp';
  return passkeys.length > 0 ? 'passkey' : 'none';
}

/** Changes a member. A new role or status ends the sessions of the user, because a session keeps the role of its beginning. */
function changeMember(
  current: UserRecord,
  input: { name?: string | null; role?: Role; status?: 'active' | 'disabled' },
  caller: Caller,
): Change<UserRecord> {
  requireHandling(caller, current.role, input.role ?? current.role);
  const { name = current.name, role = current.role, status = current.status } = input;
  const isEnding = role !== current.role || status !== current.status;
  const credentialsRevision = current.credentials_revision + (isEnding ? 1 : 0);
  return { after: { ...current, name, role, status, credentials_revision: credentialsRevision } };
}

/**
 * Refuses a person that may not handle all of these roles, or has not confirmed its identity of late.
 *
 * @throws {ApiError} `permission_denied` or `reauthentication_required`.
 */
export function requireHandling(caller: Caller, ...handled: Role[]): void {
  const own = caller.person?.role;
  const tooHigh = handled.find((role) => own === undefined || !mayHandle(own, role));
  if (tooHigh !== undefined)
    throw new ApiError(
      'permission_denied',
      `Your role, ${own ?? 'none'}, may not give, take or change the role ${tooHigh}. Ask an owner to do it.`,
    );
  caller.requireConfirmation();
}

import { Type } from 'typebox';
import type { Moment } from '../core/clock.ts';
import type { KeyType } from '../core/secrets/api-keys.ts';
import { ApprovalPolicyName, type ApprovalPolicy } from '../model/callers/approvals.ts';
import { newRecord } from '../model/change.ts';
import { ApiError, invalidParameter, missingParameter } from '../core/errors.ts';
import { KeyKind, SingleLine } from '../model/schemas/fields.ts';
import { askOwner, fewestOf, includesPermission, lackOf } from '../model/callers/permissions.ts';
import { nearestName } from '../core/nearest.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Caller } from '../model/callers/caller.ts';
import { actionFrom, createFrom, defineResource, type Change } from '../model/resource.ts';
import { described, named, nullable, oneOf } from '../model/schemas/make.ts';
import { cached } from '../model/traits/cached.ts';
import { grantsRights } from '../model/traits/grants-rights.ts';
import { requireConfirmationInLive } from '../model/callers/confirmation.ts';

const daySeconds = 24 * 3600;

/** An agent acts without supervision, so its key has a short lifetime. In seconds. */
const agentLifetimeDefault = 30 * daySeconds;
const agentLifetimeMax = 90 * daySeconds;

/** The longest time in which a rolled key and its successor are both valid, in seconds. */
const overlapMax = 7 * daySeconds;

const Name = Type.String({ minLength: 1, maxLength: 500 });
/** The known permissions depend on the kinds of record that are served, so the creation of a key checks them. */
const Permission = Type.String({ maxLength: 100, pattern: '^[a-z_]+\\.(read|write)$' });
const Permissions = Type.Array(Permission, { minItems: 1, maxItems: 50, uniqueItems: true });
const Time = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
const ExpiresIn = nullable(
  Type.Integer({
    minimum: 0,
    maximum: overlapMax,
    description: 'How long the old key stays valid, in seconds, so that you can deploy the new one. The default is 0.',
  }),
);

export type ApiKeyRecord = StoredRecord & {
  hash: string;
  type: KeyType;
  name: string | null;
  permissions: string[];
  last_four: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_by: string | null;
  /** Null for a key that is no agent’s. */
  approvals: ApprovalPolicy | null;
  /** Only in a record that has just been made. */
  secret?: Buffer;
};

/** A credential for the API. Only the hash of its text is stored. */
export const apiKey = defineResource<ApiKeyRecord>(
  {
    object: 'api_key',
    prefix: 'key',
    path: 'api_keys',
    table: 'api_keys',
    docs: {
      description:
        'A credential for the API. A `secret` key is for your server, and a `restricted` key for one job. An `agent` key is for a program that acts by itself. It has a name and an expiry time, and cannot create keys. Only a hash is stored, so a key is shown once.',
      example: {
        record: {
          type: 'restricted',
          name: 'Nightly report',
          permissions: ['references.read', 'events.read'],
          last_four: 'x7Qd',
          expires_at: null,
          last_used_at: null,
          created_by: 'key_0VbZq7hM00eR5tBvNx1Zs9',
          approvals: null,
          status: 'active',
          secret: 'rk_test_h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0bTx7Qd',
        },
        before: { expires_at: null },
        after: {
          updated: { expires_at: 1795237627 },
          rolled: { expires_at: 1795237627 },
          revoked: { status: 'revoked' },
        },
      },
    },
    verbs: {
      rolled: 'A new key replaces it, which has its own `api_key.created`.',
      revoked: 'It was revoked, and is no longer valid.',
    },
    fields: {
      hash: { column: 'text', schema: Type.String(), shown: 'never' },
      type: {
        column: 'text',
        schema: KeyKind,
        description:
          '`secret`: for your server. `restricted`: for one job. `agent`: for a program that acts by itself.',
      },
      name: {
        column: 'text',
        schema: nullable(Name),
        description:
          'The purpose of the key, shown in events and logs. Null if it has none. An agent key always has one.',
      },
      permissions: {
        column: 'text[]',
        schema: Type.Array(Type.String()),
        description:
          'Its permissions: `<resource>.read`, or `<resource>.write`, which includes reading. A key cannot grant a permission that it does not have.',
      },
      last_four: {
        column: 'text',
        schema: Type.String(),
        description: 'The last four characters of the key, to identify it.',
      },
      expires_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description:
          'When it expires, in seconds since the Unix epoch. Null if it does not. An agent key expires after 30 days by default, and after 90 at most. No key expires later than the key that creates or rolls it. Without `expires_at`, a new key expires at the same time as its creator. An agent key then expires after 30 days if that is earlier.',
      },
      last_used_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        maintainedBy: 'job',
        description:
          'When it was last used, to the minute, in seconds since the Unix epoch. Null if never. It is updated every few seconds.',
      },
      created_by: {
        column: 'text',
        schema: nullable(Type.String()),
        description:
          'The id of the API key or the user that created it, or rolled the key before it. Null if a command of the server created it.',
      },
      approvals: {
        column: 'text',
        schema: nullable(ApprovalPolicyName),
        description:
          'Which requests of an agent key wait for a person. `sensitive`: cancellations, outcomes, checks by a provider, gateway payments, refunds, deletions, and changes of webhook endpoints. `all_writes`: every POST and DELETE. `none`: no request. Null for keys of other types.',
      },
      revoked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      status: {
        column: null,
        schema: named('ApiKeyStatus', 'The status of an API key.', oneOf('active', 'expired', 'revoked')),
        derive: statusOf,
        description: '`active`, `expired` (also after a roll) or `revoked`.',
      },
      secret: {
        column: null,
        schema: Type.String(),
        shown: 'as_secret',
        description: 'The key itself. Only the response that creates it has it, so store it.',
      },
    },
    create: createFrom(
      {
        type: described(
          KeyKind,
          '`secret`: for your server, with every permission unless you send fewer. `restricted` and `agent` need `permissions`. `agent` also needs a `name`.',
        ),
        name: Type.Optional(nullable(SingleLine)),
        permissions: Type.Optional(nullable(Permissions)),
        expires_at: Type.Optional(nullable(Time)),
        approvals: Type.Optional(
          nullable(
            described(
              ApprovalPolicyName,
              'Only for an agent key: which of its requests wait for a person. The default is `sensitive`. Only a person can send `none`.',
            ),
          ),
        ),
      },
      (input, caller) => {
        requireConfirmationInLive(caller);
        const { type } = input;
        if (type === 'agent' && !input.name) {
          throw missingParameter(
            'name',
            'An agent key needs a `name`, which shows in events and logs which agent acted.',
          );
        }
        return {
          type,
          name: input.name ?? null,
          permissions: grantedPermissions(type, input.permissions ?? null, caller),
          expires_at: lifetimeOf(type, input.expires_at ?? null, caller),
          last_used_at: null,
          revoked_at: null,
          created_by: caller.actorId,
          approvals: approvalsOf(type, input.approvals ?? null, caller),
          ...newKey(type, caller),
        };
      },
      {
        description:
          'Creates a key of the `type` that you send. The response has its `secret`, which is never shown again. A secret key has all permissions unless you send fewer. The other types require `permissions`.',
        example: { type: 'restricted', name: 'Nightly report', permissions: ['references.read', 'events.read'] },
        refusals: ['reauthentication_required', 'person_required'],
      },
    ),
    // The key is revoked, not removed, because events and logs name it.
    delete: {
      summary: 'Revoke an API key',
      description:
        'Revokes the key at once, and returns it. It stays in the list, because events and logs name it. The response takes a second, so that no process accepts the key any more.',
      refusals: ['reauthentication_required'],
      decide: revoke,
    },
    actions: {
      roll: actionFrom({ expires_in: Type.Optional(ExpiresIn) }, roll, {
        summary: 'Roll an API key',
        description:
          'Creates a key with the same name, permissions and expiry time, and returns it with its `secret`. A new agent key is valid for 30 days. The old key stays valid for `expires_in` seconds. A key can roll another key only if the other key has no permission that it lacks, and expires no later.',
        example: { expires_in: 3600 },
        refusals: ['reauthentication_required', 'status_transition_invalid'],
        showsSecrets: true,
      }),
    },
  },
  grantsRights({
    permissionsOf: (record, now) => {
      const key = record as ApiKeyRecord;
      return statusOf(key, now) === 'active' ? key.permissions : [];
    },
  }),
  cached(1_000),
);

function statusOf(
  { expires_at, revoked_at }: ApiKeyRecord,
  { nowSeconds }: Pick<Moment, 'nowSeconds'>,
): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= nowSeconds ? 'expired' : 'active';
}

/** Returns the permissions of a new key. A key grants only permissions that it holds, so that it cannot make a stronger key. */
function grantedPermissions(type: KeyType, asked: string[] | null, caller: Caller): string[] {
  if (asked === null && type !== 'secret') {
    const message = `A key of type \`${type}\` needs \`permissions\`, such as ["references.read"].`;
    throw missingParameter('permissions', message);
  }
  const granted = asked ?? fewestOf(caller.knownPermissions);
  refuseUnknown(granted, caller.knownPermissions);
  const tooMuch = type === 'agent' && granted.find((one) => one.startsWith('api_keys.') || one === 'accounts.write');
  if (tooMuch) {
    throw invalidParameter(
      'permissions',
      `An agent key cannot have \`${tooMuch}\`, because it could create another key. Leave it out.`,
    );
  }
  const sealed = type === 'agent' && granted.find((one) => one.startsWith('retention_holds.'));
  if (sealed) {
    throw invalidParameter(
      'permissions',
      `An agent key cannot have \`${sealed}\`, because the data of erased persons is for people. Leave it out.`,
    );
  }
  if (type === 'agent' && granted.includes('portal_sessions.write')) {
    throw invalidParameter(
      'permissions',
      'An agent key cannot have `portal_sessions.write`, because a link to the portal acts for a person. Leave it out.',
    );
  }
  if (type === 'agent' && granted.includes('workflows.write')) {
    throw invalidParameter(
      'permissions',
      'An agent key cannot have `workflows.write`, because a workflow goes on after the key has ended. Leave it out.',
    );
  }
  refuseGrantingMore(granted, caller);
  return granted;
}

function refuseUnknown(granted: string[], known: readonly string[]): void {
  const unknown = granted.find((permission) => !known.includes(permission));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw invalidParameter(
    `permissions[${granted.indexOf(unknown)}]`,
    `There is no permission \`${unknown}\`. ${nearest !== null ? `Did you mean \`${nearest}\`?` : `Valid permissions are ${known.join(', ')}.`}`,
  );
}

function refuseGrantingMore(granted: string[], { permissions, person }: Caller): void {
  const missing = granted.find((permission) => !includesPermission(permissions, permission));
  if (missing === undefined) return;
  throw new ApiError(
    'permission_denied',
    `${lackOf(person, missing)} itself, so it cannot grant it. ${person ? askOwner : 'Use a key that has it.'} Or grant fewer permissions.`,
  );
}

/**
 * Returns which requests of a new key wait for a person.
 *
 * @throws {ApiError} `person_required` if a key asks for an agent’s key that acts alone.
 */
function approvalsOf(type: KeyType, asked: ApprovalPolicy | null, { person }: Caller): ApprovalPolicy | null {
  if (type !== 'agent') {
    if (asked === null) return null;
    throw invalidParameter('approvals', 'Only an agent key has `approvals`. Leave it out, or send `type: agent`.');
  }
  if (asked !== 'none' || person) return asked ?? 'sensitive';
  throw new ApiError(
    'person_required',
    'No API key can make an agent key with `approvals: none`. A person who is signed in to the dashboard does it there. Or leave `approvals` out.',
  );
}

/** Returns when a new key expires. An agent's key expires within 90 days, and no key later than its maker. */
function lifetimeOf(type: KeyType, asked: number | null, { nowSeconds, keyExpiresAt }: Caller): number | null {
  if (asked !== null && asked <= nowSeconds) {
    throw invalidParameter('expires_at', '`expires_at` must be in the future.');
  }
  const latest = Math.min(type === 'agent' ? nowSeconds + agentLifetimeMax : Infinity, keyExpiresAt ?? Infinity);
  if (asked !== null && asked > latest) {
    throw invalidParameter(
      'expires_at',
      `\`expires_at\` can be up to ${latest}. An agent key lives at most 90 days, and no key expires later than the one that creates it.`,
    );
  }
  const usual = asked ?? (type === 'agent' ? nowSeconds + agentLifetimeDefault : Infinity);
  const expiresAt = Math.min(usual, latest);
  return expiresAt === Infinity ? null : expiresAt;
}

function newKey(type: KeyType, caller: Caller): Pick<ApiKeyRecord, 'hash' | 'last_four' | 'secret'> {
  const { encrypted, hash, lastFour } = caller.makeKey(type);
  return { hash, last_four: lastFour, secret: encrypted };
}

/**
 * Makes a key that replaces this one, and responds with it. The old key stays valid for `expires_in` seconds. The new one expires when the
 * old one would have, which is never later than the key that rolls it.
 */
function roll(
  current: ApiKeyRecord,
  caller: Caller,
  { expires_in }: { expires_in?: number | null },
): Change<ApiKeyRecord> {
  requireConfirmationInLive(caller);
  refuseStronger(current, caller);
  refuseDead(current, caller.nowSeconds);
  const expiresAt = caller.nowSeconds + (expires_in ?? 0);
  const successor: ApiKeyRecord = {
    ...current,
    ...newRecord(caller.makeId('key'), current.account_id),
    ...newKey(current.type, caller),
    last_used_at: null,
    created_by: caller.actorId,
    // A new agent key gets the whole lifetime.
    expires_at: current.type === 'agent' ? lifetimeOf('agent', null, caller) : current.expires_at,
  };
  return {
    after: { ...current, expires_at: Math.min(expiresAt, current.expires_at ?? Infinity) },
    verbs: ['rolled'],
    also: [{ resource: apiKey, before: null, after: successor }],
    response: successor,
  };
}

/** Revokes a key at once. A second call changes nothing. */
function revoke(current: ApiKeyRecord, caller: Caller): Change<ApiKeyRecord> {
  requireConfirmationInLive(caller);
  if (current.revoked_at !== null) return { after: current };
  refuseStronger(current, caller);
  return { after: { ...current, revoked_at: caller.nowSeconds }, verbs: ['revoked'] };
}

/**
 * Refuses to roll or revoke a key that has a permission which the caller lacks, or that expires later. Otherwise a weak key could take
 * over a strong one, or lock its owner out.
 */
function refuseStronger(target: ApiKeyRecord, { permissions, person, keyExpiresAt }: Caller): void {
  const missing = target.permissions.find((permission) => !includesPermission(permissions, permission));
  if (missing !== undefined) {
    throw new ApiError(
      'permission_denied',
      `${lackOf(person, missing)}, which ${target.id} has, so it cannot roll or revoke ${target.id}. ${person ? askOwner : 'Use a key with that permission.'}`,
    );
  }
  if (target.revoked_at !== null || (target.expires_at ?? Infinity) <= (keyExpiresAt ?? Infinity)) return;
  throw new ApiError(
    'permission_denied',
    `The API key ${target.id} expires later than this key, so this key cannot roll or revoke it. Use a key that does not expire sooner.`,
  );
}

function refuseDead(current: ApiKeyRecord, nowSeconds: number): void {
  const status = statusOf(current, { nowSeconds });
  if (status === 'active') return;
  throw new ApiError(
    'status_transition_invalid',
    `The API key ${current.id} is ${status}. Only an active key can be rolled. Create a new one instead.`,
  );
}

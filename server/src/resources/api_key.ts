import { Type, type Static } from 'typebox';
import type { KeyType } from '../core/api-keys.ts';
import { newRecord } from '../model/change.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import { SingleLine } from '../model/fields.ts';
import { fewestOf, includesPermission } from '../model/permissions.ts';
import { nearestName } from '../core/nearest.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Caller } from '../model/caller.ts';
import { createFrom, defineResource, type Change } from '../model/resource.ts';
import { closedObject, described, nullable, oneOf } from '../model/schemas.ts';
import { cached } from '../model/traits/cached.ts';
import { grantsRights } from '../model/traits/grants-rights.ts';

const daySeconds = 24 * 3600;

/** An agent works on its own, so its key is never for long. */
const agentLifetimeDefault = 30 * daySeconds;
const agentLifetimeMax = 90 * daySeconds;

/** The longest time in which a rolled key and the one that replaces it are both good. */
const overlapMax = 7 * daySeconds;

const Name = Type.String({ minLength: 1, maxLength: 500 });
/** Which there are depends on the kinds of record that are served, so it is looked up when a key is made. */
const Permission = Type.String({ maxLength: 100, pattern: '^[a-z_]+\\.(read|write)$' });
const Permissions = Type.Array(Permission, { minItems: 1, maxItems: 50, uniqueItems: true });
const Time = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
const RollBody = closedObject({
  expires_in: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: overlapMax,
        description:
          'How long the old key goes on, in seconds, so that the new one can be put in place: 0 unless you say otherwise.',
      }),
    ),
  ),
});

export type ApiKeyRecord = StoredRecord & {
  hash: string;
  type: KeyType;
  name: string | null;
  permissions: string[];
  last_four: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** Only in the record that has just been made. */
  secret?: Buffer;
};

/** What opens the API. The key's text is never kept, only its hash. */
export const apiKey = defineResource<ApiKeyRecord>(
  {
    object: 'api_key',
    prefix: 'key',
    path: 'api_keys',
    table: 'api_keys',
    docs: {
      description:
        'What opens the API. A `secret` key is for your server; a `restricted` one for one job; an `agent` key for a program that acts by itself: it has a name, ends by itself, and makes no keys. Only a hash is kept, so a key is shown once.',
      example: {
        record: {
          type: 'restricted',
          name: 'Nightly report',
          permissions: ['references.read', 'events.read'],
          last_four: 'x7Qd',
          expires_at: null,
          last_used_at: null,
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
      rolled: 'It was replaced by a new key, which has its own `api_key.created`.',
      revoked: 'It was revoked, and opens nothing any more.',
    },
    // For so long a process goes on with what it knows of a key.
    fields: {
      hash: { column: 'text', schema: Type.String(), shown: 'never' },
      type: {
        column: 'text',
        schema: oneOf('secret', 'restricted', 'agent'),
        description:
          '`secret`: for your server. `restricted`: for one job. `agent`: for a program that acts by itself.',
      },
      name: {
        column: 'text',
        schema: nullable(Name),
        description: 'What it is for; events and logs show it. Null if it has none, which an agent key cannot.',
      },
      permissions: {
        column: 'text[]',
        schema: Type.Array(Type.String()),
        description:
          'What it may do: `<resource>.read` or `<resource>.write`, which includes reading. No key grants what it does not hold.',
      },
      last_four: {
        column: 'text',
        schema: Type.String(),
        description: 'The last four characters of the key, to tell it from others.',
      },
      expires_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description:
          'When it ends, in seconds since the Unix epoch; null if it does not. An agent key ends after 30 days unless you say otherwise, and after 90 at most. No key outlives the one that makes or rolls it: without `expires_at`, a new key ends with its maker at the latest.',
      },
      last_used_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        maintainedBy: 'job',
        description:
          'When it was last used, to the minute, in seconds since the Unix epoch; null if it never was. It is written every few seconds.',
      },
      revoked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
      status: {
        column: null,
        schema: oneOf('active', 'expired', 'revoked'),
        derive: (record, nowSeconds) => statusOf(record as ApiKeyRecord, nowSeconds),
        description: '`active`, `expired` (also after a roll) or `revoked`.',
      },
      secret: {
        column: null,
        schema: Type.String(),
        shown: 'as_secret',
        description: 'The key itself. Only in the answer that makes it: keep it.',
      },
    },
    create: createFrom(
      {
        type: described(
          oneOf('secret', 'restricted', 'agent'),
          '`secret`: for your server, with every permission unless you send fewer. `restricted` and `agent` need `permissions`, and `agent` a `name`.',
        ),
        name: Type.Optional(nullable(SingleLine)),
        permissions: Type.Optional(nullable(Permissions)),
        expires_at: Type.Optional(nullable(Time)),
      },
      (input, caller) => {
        const { type } = input;
        if (type === 'agent' && !input.name) {
          throw invalidParameter('name', 'An agent key needs a `name`: it says in events and logs who acted.');
        }
        return {
          type,
          name: input.name ?? null,
          permissions: grantedPermissions(type, input.permissions ?? null, caller),
          expires_at: lifetimeOf(type, input.expires_at ?? null, caller),
          last_used_at: null,
          revoked_at: null,
          ...newKey(type, caller),
        };
      },
      {
        description:
          'Makes a key of the `type` that you name. The answer has its `secret`, which is never shown again. A secret key may do everything unless you send fewer `permissions`; the other types need theirs.',
        example: { type: 'restricted', name: 'Nightly report', permissions: ['references.read', 'events.read'] },
      },
    ),
    // Revoked, not removed: events and logs go on to name it.
    delete: {
      summary: 'Revoke an API key',
      description:
        'Ends the key at once, and answers it. It stays in the list, because events and logs go on to name it. The answer takes a second: then no process accepts the key any more.',
      decide: revoke,
    },
    actions: {
      roll: {
        summary: 'Roll an API key',
        description:
          'Makes a key with the same name, permissions and end, and answers it with its `secret`. An agent key gets 30 days anew. The old one goes on for `expires_in` seconds, then it ends. A key rolls only keys that hold no more than itself and end no later.',
        example: { expires_in: 3600 },
        refusals: ['status_transition_invalid'],
        showsSecrets: true,
        body: RollBody,
        decide: roll,
      },
    },
  },
  grantsRights(),
  cached(1_000),
);

function statusOf({ expires_at, revoked_at }: ApiKeyRecord, nowSeconds: number): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= nowSeconds ? 'expired' : 'active';
}

/** A key grants only what it holds, so nobody can make one that does more than theirs. */
function grantedPermissions(type: KeyType, asked: string[] | null, caller: Caller): string[] {
  if (asked === null && type !== 'secret') {
    const message = `A key of type \`${type}\` needs \`permissions\`: what it may do, such as ["references.read"].`;
    throw new ApiError('parameter_missing', message, { param: 'permissions' });
  }
  const granted = asked ?? fewestOf(caller.knownPermissions);
  refuseUnknown(granted, caller.knownPermissions);
  const tooMuch = type === 'agent' && granted.find((one) => one.startsWith('api_keys.') || one === 'accounts.write');
  if (tooMuch) {
    throw invalidParameter('permissions', `An agent key cannot have \`${tooMuch}\`: it could make itself another key.`);
  }
  refuseGrantingMore(granted, caller);
  return granted;
}

function refuseUnknown(granted: string[], known: readonly string[]): void {
  const index = granted.findIndex((permission) => !known.includes(permission));
  if (index === -1) return;
  const nearest = nearestName(granted[index]!, known);
  throw invalidParameter(
    `permissions[${index}]`,
    `There is no permission \`${granted[index]}\`. ${nearest !== null ? `Did you mean \`${nearest}\`?` : `There are ${known.join(', ')}.`}`,
  );
}

function refuseGrantingMore(granted: string[], caller: Caller): void {
  const missing = granted.find((permission) => !includesPermission(caller.permissions, permission));
  if (missing === undefined) return;
  throw new ApiError(
    'permission_denied',
    `This key lacks the permission \`${missing}\` itself, so it cannot grant it. Use a key that has it, or grant less.`,
  );
}

/** When a key ends: an agent's within 90 days, and no key later than the one that makes it. */
function lifetimeOf(type: KeyType, asked: number | null, { nowSeconds, keyExpiresAt }: Caller): number | null {
  if (asked !== null && asked <= nowSeconds) {
    throw invalidParameter('expires_at', '`expires_at` must be in the future.');
  }
  const latest = Math.min(type === 'agent' ? nowSeconds + agentLifetimeMax : Infinity, keyExpiresAt ?? Infinity);
  if (asked !== null && asked > latest) {
    throw invalidParameter(
      'expires_at',
      `\`expires_at\` can be up to ${latest}: an agent key lives at most 90 days, and no key outlives the one that makes it.`,
    );
  }
  const usual = asked ?? (type === 'agent' ? nowSeconds + agentLifetimeDefault : Infinity);
  const expiresAt = Math.min(usual, latest);
  return expiresAt === Infinity ? null : expiresAt;
}

function newKey(type: KeyType, caller: Caller): Pick<ApiKeyRecord, 'hash' | 'last_four' | 'secret'> {
  const { sealed, hash, lastFour } = caller.makeKey(type);
  return { hash, last_four: lastFour, secret: sealed };
}

/**
 * Makes a key that replaces this one, which goes on for as long as was asked for. The answer is the new one. It ends when the old one
 * would have ended, which is never later than the key that rolls it.
 */
function roll(current: ApiKeyRecord, caller: Caller, input: object): Change<ApiKeyRecord> {
  refuseStronger(current, caller);
  refuseDead(current, caller.nowSeconds);
  const { expires_in } = input as Static<typeof RollBody>;
  const expiresAt = caller.nowSeconds + (expires_in ?? 0);
  const successor: ApiKeyRecord = {
    ...current,
    ...newRecord(caller.makeId('key'), current.account_id),
    ...newKey(current.type, caller),
    last_used_at: null,
    // A new agent key has its whole time before it.
    expires_at: current.type === 'agent' ? lifetimeOf('agent', null, caller) : current.expires_at,
  };
  return {
    after: { ...current, expires_at: Math.min(expiresAt, current.expires_at ?? Infinity) },
    verb: 'rolled',
    also: [{ resource: apiKey, before: null, after: successor }],
    answer: successor,
  };
}

/** Ends a key at once. A second time changes nothing. */
function revoke(current: ApiKeyRecord, caller: Caller): Change<ApiKeyRecord> {
  if (current.revoked_at !== null) return { after: current };
  refuseStronger(current, caller);
  return { after: { ...current, revoked_at: caller.nowSeconds }, verb: 'revoked' };
}

/**
 * Refuses to replace or end a key that holds a permission which the caller lacks, or that ends later. Otherwise a weak key could take
 * over a strong one, or lock its owner out.
 */
function refuseStronger(target: ApiKeyRecord, { permissions, keyExpiresAt }: Caller): void {
  const missing = target.permissions.find((permission) => !includesPermission(permissions, permission));
  if (missing !== undefined) {
    throw new ApiError(
      'permission_denied',
      `This key lacks the permission \`${missing}\`, which ${target.id} holds, so it cannot roll or revoke ${target.id}. Use a key that holds it.`,
    );
  }
  if (target.revoked_at !== null || (target.expires_at ?? Infinity) <= (keyExpiresAt ?? Infinity)) return;
  throw new ApiError(
    'permission_denied',
    `The API key ${target.id} ends later than this key, so this key cannot roll or revoke it. Use a key that does not end sooner.`,
  );
}

function refuseDead(current: ApiKeyRecord, nowSeconds: number): void {
  const status = statusOf(current, nowSeconds);
  if (status === 'active') return;
  throw new ApiError(
    'status_transition_invalid',
    `The API key ${current.id} is ${status}; only an active one can be rolled. Make a new one instead.`,
  );
}

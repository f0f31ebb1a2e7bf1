import { toSeconds } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { secondFactorOf, user as users } from '../../resources/people/user.ts';
import type { StoredSession } from '../../sign-in/sessions.ts';
import { hasUsers } from '../../sign-in/users.ts';
import type { HttpContext } from '../context.ts';
import { refuseAway } from '../pipeline/account-context.ts';

/**
 * Returns what the dashboard knows before it asks the API: the deployment, and the person that is signed in.
 *
 * @throws {ApiError} `unavailable` if the account of the person has moved to another cell.
 */
export async function sessionObject(context: HttpContext, session: StoredSession | null): Promise<JsonObject> {
  const { config, clock, realClock, versions, latestVersion, productVersion, reader } = context;
  const served = versions.upTo(await latestVersion.look());
  const nowMs = clock.nowMs();
  return {
    object: 'session',
    mode: config.mode,
    product: { name: 'Tenure', version: productVersion },
    // Moves are whole seconds, but time passes between the two readings.
    clock: { now: toSeconds(nowMs), ahead_seconds: Math.round((nowMs - realClock.nowMs()) / 1000) },
    versions: { newest: served[0], all: [...served] },
    retention_days: config.retentionDays,
    has_users: session !== null || (await hasUsers(reader)),
    // The button of the sign-in page has the name of the provider.
    identity_provider: context.identityProvider && { name: context.identityProvider.name },
    user: null,
    ...(session && (await personObject(context, session))),
  };
}

async function personObject(context: HttpContext, session: StoredSession): Promise<JsonObject> {
  const { readRecord, accounts } = context;
  const { accountId, permissions, person } = session.principal;
  const record = person && (await readRecord(users, accountId, person.id));
  if (!person || !record) return {};
  const account = await accounts.get(accountId);
  refuseAway(account);
  return {
    second_factor_setup_required: person.lacksSecondFactor,
    user: {
      id: record.id,
      email: record.email,
      name: record.name,
      role: record.role,
      second_factor: secondFactorOf(record),
      recovery_codes_left: record.recovery_codes.length,
      passkeys: record.passkeys.length,
      identity: record.identity_issuer && { issuer: record.identity_issuer, linked_at: record.identity_linked_at },
      permissions: [...permissions].toSorted(),
      account: { id: accountId, name: account?.name ?? null },
    },
    session: {
      id: person.sessionId,
      created: session.createdAt,
      expires_at: session.expiresAt,
      confirmed_until: person.confirmedUntil,
      has_password: session.hasPassword,
    },
  };
}

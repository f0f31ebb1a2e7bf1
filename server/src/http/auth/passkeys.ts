import { Type, type Static } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { SingleLine } from '../../model/schemas/fields.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { user as users, type Passkey, type UserRecord } from '../../resources/people/user.ts';
import type { ChallengePurpose } from '../../sign-in/challenges.ts';
import {
  creationOptions,
  passkeysMax,
  requestOptions,
  userOfHandle,
  verifyAttestation,
} from '../../sign-in/passkeys.ts';
import { realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import { hasPasswordOrIdentity } from '../../sign-in/users.ts';
import { authError, commitBy, passkeyFailed, refuseStranger, subjectsOf, type AuthCall } from './call.ts';
import {
  changeOwn,
  confirmPurposeOf,
  current,
  guardsOfLastFactor,
  withNewCredentials,
  type OwnCall,
} from './own-account.ts';
import {
  AssertionBody,
  bytesField,
  ClientData,
  CredentialId,
  judgeOf,
  makeChallenge,
  provePasskey,
  relyingPartyOf,
  spendChallenge,
  spendProof,
} from './passkey-proof.ts';
import { beginSession, countingAccountOf, takeAttemptOf } from './sign-in.ts';

export const NewPasskeyBody = closedObject({
  name: SingleLine,
  passkey: closedObject({
    id: CredentialId,
    client_data: ClientData,
    attestation: bytesField(4096),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 8 })),
  }),
});
export const PasskeySignInBody = closedObject({ passkey: AssertionBody });
export const RemovedPasskeyBody = closedObject({ id: CredentialId });

/** Begins a sign-in with a passkey. It stores nothing, and knows no user yet. */
export async function beginPasskeySignIn(call: AuthCall): Promise<JsonObject> {
  return requestOptions(relyingPartyOf(call), null, makeChallenge(call, 'sign_in'));
}

/**
 * Signs a user in with a passkey. It is both factors: the user has the device, and the device has verified the user.
 *
 * @returns the token of the new session.
 * @throws {ApiError} `sign_in_failed` or `too_many_attempts`.
 */
export async function signInWithPasskey(call: AuthCall<Static<typeof PasskeySignInBody>>): Promise<string> {
  const { context, body } = call;
  const { passkey: sent } = body;
  const party = relyingPartyOf(call);
  const named = sent.user_handle === undefined ? null : userOfHandle(sent.user_handle);
  const user = named && (await context.readRecord(users, named.accountId, named.id));
  const subjects = subjectsOf(call, null, user);
  await takeAttemptOf(call, subjects);
  const proof = await provePasskey(call, party, user, sent, 'sign_in');
  if (!user) return refuseStranger(call, await countingAccountOf(call), passkeyFailed());
  return beginSession(call, user, {
    subjects,
    factors: ['passkey'],
    isBothFactors: true,
    refusal: passkeyFailed(),
    also: async (member) => proof && spendProof(call, member, proof),
  });
}

/** Begins a confirmation by one of the own passkeys. */
export async function beginPasskeyConfirmation(call: OwnCall): Promise<JsonObject> {
  const party = relyingPartyOf(call);
  const member = await leaveLog(call, ({ passkeys }) =>
    passkeys.length === 0
      ? new ApiError('status_transition_invalid', 'You have no passkey. Confirm with your password or a code.')
      : null,
  );
  return requestOptions(party, member, makeChallenge(call, confirmPurposeOf(call)));
}

/** Begins the registration of a passkey. */
export async function beginPasskey(call: OwnCall): Promise<JsonObject> {
  const { context, session } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  const party = relyingPartyOf(call);
  requireRoom(call.user);
  const member = await leaveLog(call);
  return creationOptions(party, member, makeChallenge(call, registerPurposeOf(call)));
}

/** Ends the registration of a passkey. The other sessions of the person end. */
export async function finishPasskey(call: OwnCall<Static<typeof NewPasskeyBody>>): Promise<string> {
  const { context, session, body } = call;
  const realSeconds = realSecondsOf(context);
  requireConfirmation(session.principal, realSeconds);
  const { passkey: sent, name } = body;
  const proof = await verifyAttestation(relyingPartyOf(call), sent, judgeOf(call, registerPurposeOf(call)));
  return changeOwn(call, async (member) => {
    requireRoom(member);
    const used = proof && (await spendChallenge(call, proof.challenge));
    if (!used || member.passkeys.some(({ id }) => id === proof.id))
      return {
        changes: [],
        error: authError(
          'parameter_invalid',
          'This passkey cannot be added: it took too long, was sent before, or does not belong to this page. Begin again.',
          'passkey',
        ),
      };
    const made: Passkey = {
      id: proof.id,
      public_key: proof.publicKey,
      counter: proof.counter,
      transports: sent.transports ?? [],
      name,
      created: realSeconds,
      last_used_at: null,
    };
    return { user: withNewCredentials(member, { passkeys: [...member.passkeys, made] }), changes: [used] };
  });
}

/** Removes a passkey. The other sessions of the person end. */
export async function removePasskey(call: OwnCall<Static<typeof RemovedPasskeyBody>>): Promise<string> {
  const { context, session, body } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  return changeOwn(call, async (member) => {
    const left = member.passkeys.filter(({ id }) => id !== body.id);
    if (left.length === member.passkeys.length)
      throw new ApiError('resource_missing', 'You have no such passkey.', { param: 'id', status: 404 });
    if (left.length === 0 && !hasPasswordOrIdentity(context, member))
      throw new ApiError(
        'status_transition_invalid',
        'This passkey is your only way to sign in. Set a password or add another passkey first.',
      );
    const changed = withNewCredentials(member, { passkeys: left });
    const guards = await guardsOfLastFactor(
      call,
      changed,
      'this passkey is your only one. Add another passkey or an authenticator app first',
    );
    return { user: changed, changes: [], guards };
  });
}

/** Returns the passkeys of the person. */
export function listPasskeys({ user }: OwnCall): JsonObject {
  const data = user.passkeys.map(({ id, name, created, last_used_at }) => ({
    id,
    object: 'passkey',
    name,
    created,
    last_used_at,
  }));
  return { object: 'list', count: data.length, has_more: false, data };
}

/**
 * Leaves the log of a request that changes nothing, and returns the person as it is now.
 *
 * @param refusalOf returns the error if the person may not make this request. The log shows it.
 */
async function leaveLog(
  call: OwnCall,
  refusalOf: (member: UserRecord) => ApiError | null = () => null,
): Promise<UserRecord> {
  let found = call.user;
  await commitBy(call, call.user, [], async () => {
    found = (await current(call)).member;
    const error = refusalOf(found);
    return { changes: [], ...(error && { error }) };
  });
  return found;
}

function registerPurposeOf({ session }: OwnCall): ChallengePurpose {
  return `register ${session.principal.person!.sessionId}`;
}

/** @throws {ApiError} `limit_reached`. */
function requireRoom({ passkeys }: UserRecord): void {
  if (passkeys.length < passkeysMax) return;
  throw new ApiError('limit_reached', `You have ${passkeysMax} passkeys, which is the maximum. Remove one first.`);
}

import { Type } from 'typebox';
import type { RecordChange } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas/make.ts';
import type { UserRecord } from '../../resources/people/user.ts';
import { challengeUse, isOpenChallenge, newChallenge, type ChallengePurpose } from '../../sign-in/challenges.ts';
import {
  canHavePasskeys,
  verifyAssertion,
  withUsedPasskey,
  type Assertion,
  type PasskeyProof,
  type RelyingParty,
} from '../../sign-in/passkeys.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import { authError, type AuthCall } from './call.ts';
import { countingAccountOf } from './sign-in.ts';

/** Returns the schema of bytes in base64url. */
export function bytesField(lengthMax: number): ReturnType<typeof Type.String> {
  return Type.String({ minLength: 1, maxLength: lengthMax, pattern: '^[A-Za-z0-9_-]+$' });
}

/** An id of 1,023 bytes (WebAuthn, 4). */
export const CredentialId = bytesField(1364);
export const ClientData = bytesField(2048);

export const AssertionBody = closedObject({
  id: CredentialId,
  client_data: ClientData,
  authenticator_data: bytesField(1024),
  signature: bytesField(1024),
  /** A handle of 64 bytes (WebAuthn, 5.4.3). */
  user_handle: Type.Optional(bytesField(86)),
});

/**
 * Returns the site whose passkeys count here.
 *
 * @throws {ApiError} `origin_forbidden` at an IP address, for which browsers have no passkeys.
 */
export function relyingPartyOf({ place, context }: AuthCall): RelyingParty {
  const { hostName, origin, isSecure } = place;
  if (canHavePasskeys(hostName)) return { id: hostName, origin };
  const localhost = new URL(origin);
  localhost.hostname = 'localhost';
  const help = isSecure
    ? `Open the dashboard by a host name, and set TENURE_PUBLIC_URL to it. It is ${context.config.publicUrl} now.`
    : `Open ${localhost.origin}/dashboard instead, and sign in there.`;
  throw authError('origin_forbidden', `Browsers keep no passkeys for the IP address ${hostName}. ${help}`);
}

/** Makes a challenge for a purpose. It counts for five minutes. */
export function makeChallenge({ context }: AuthCall, purpose: ChallengePurpose): Uint8Array<ArrayBuffer> {
  return newChallenge(context, purpose, realSecondsOf(context));
}

/** Returns a function that judges the challenge in a response. */
export function judgeOf({ context }: AuthCall, purpose: ChallengePurpose): (challenge: string) => boolean {
  return (challenge) => isOpenChallenge(context, purpose, challenge, realSecondsOf(context));
}

/** Returns the change that uses a challenge up, or null if it was used before. */
export async function spendChallenge(call: AuthCall, challenge: string): Promise<RecordChange | null> {
  return challengeUse(call.context, await countingAccountOf(call), challenge, realSecondsOf(call.context));
}

/** Checks the answer of a passkey of this user. Returns null if it is wrong. */
export async function provePasskey(
  call: AuthCall,
  party: RelyingParty,
  user: UserRecord | null,
  sent: Assertion,
  purpose: ChallengePurpose,
): Promise<PasskeyProof | null> {
  const passkey = user?.passkeys.find(({ id }) => id === sent.id);
  return passkey ? verifyAssertion(party, passkey, sent, judgeOf(call, purpose)) : null;
}

/** Uses a right answer at the commit: the counter and the challenge count once. Returns null if they no longer count. */
export async function spendProof(
  call: AuthCall,
  member: UserRecord,
  proof: PasskeyProof,
): Promise<{ user: UserRecord; changes: RecordChange[] } | null> {
  const user = withUsedPasskey(member, proof, realSecondsOf(call.context));
  const used = user && (await spendChallenge(call, proof.challenge));
  return used ? { user, changes: [used] } : null;
}

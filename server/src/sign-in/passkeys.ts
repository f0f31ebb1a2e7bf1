import { isIP } from 'node:net';
import { isId } from '../core/ids.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { Passkey, UserRecord } from '../resources/people/user.ts';
import { challengeSeconds } from './challenges.ts';
import type { FoundUser } from './users.ts';

/** Passkeys of one user. */
export const passkeysMax = 10;

/** The signatures that we accept, by their COSE numbers, the best first: Ed25519, ES256 and RS256. */
const algorithms = [-8, -7, -257];

/** The site that a passkey belongs to, in the words of WebAuthn. */
export interface RelyingParty {
  /** The name of the host. */
  id: string;
  /** The origin of its pages. */
  origin: string;
}

/** A new passkey, as the browser sends it. All members but `transports` are base64url. */
export interface Attestation {
  id: string;
  client_data: string;
  attestation: string;
  transports?: string[];
}

/** The answer of a passkey to a challenge. All members are base64url. */
export interface Assertion {
  id: string;
  client_data: string;
  authenticator_data: string;
  signature: string;
  /** The user that the passkey was made for. */
  user_handle?: string;
}

/** A right answer. The challenge and the counter still have to be checked at the commit. */
export interface PasskeyProof {
  id: string;
  publicKey: string;
  counter: number;
  challenge: string;
}

/** Returns whether a host can have passkeys. WebAuthn knows no IP addresses. */
export function canHavePasskeys(hostName: string): boolean {
  return isIP(hostName.replace(/^\[|\]$/g, '')) === 0;
}

/** Returns the text by which a passkey knows its user. It has 64 bytes at most (WebAuthn, 5.4.3). */
function userHandleOf({ account_id: accountId, id }: UserRecord): string {
  return `${accountId}.${id}`;
}

/** Returns the user that a passkey names, or null. The signature still has to show that the passkey belongs to this user. */
export function userOfHandle(handle: string): FoundUser | null {
  const [accountId = '', id = ''] = Buffer.from(handle, 'base64url').toString('latin1').split('.');
  return isId('acct', accountId) && isId('usr', id) ? { accountId, id } : null;
}

/** Returns the options with which a browser makes a passkey. It does not offer devices that have one of the user already. */
export async function creationOptions(
  party: RelyingParty,
  user: UserRecord,
  challenge: Uint8Array<ArrayBuffer>,
): Promise<JsonObject> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpID: party.id,
    rpName: 'Tenure',
    userID: new Uint8Array(Buffer.from(userHandleOf(user))),
    userName: user.email,
    userDisplayName: user.name ?? user.email,
    challenge,
    timeout: challengeSeconds * 1000,
    attestationType: 'none',
    excludeCredentials: user.passkeys.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
  return { object: 'passkey_options', options: options as unknown as JsonObject };
}

/** Returns the options with which a browser asks a passkey to sign. Without a user, the passkey says whose it is. */
export async function requestOptions(
  party: RelyingParty,
  user: UserRecord | null,
  challenge: Uint8Array<ArrayBuffer>,
): Promise<JsonObject> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    timeout: challengeSeconds * 1000,
    userVerification: 'required',
    ...(user && { allowCredentials: user.passkeys.map(descriptorOf) }),
  });
  return { object: 'passkey_options', options: options as unknown as JsonObject };
}

/**
 * Checks a new passkey (WebAuthn, 7.1): challenge, origin, host, user verification and algorithm. Returns null if one of them is wrong.
 *
 * @param isExpected judges the challenge.
 */
export async function verifyAttestation(
  party: RelyingParty,
  sent: Attestation,
  isExpected: (challenge: string) => boolean,
): Promise<PasskeyProof | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoCBOR }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  let challenge = '';
  try {
    const authData = decodeAttestationObject(bytesOf(sent.attestation)).get('authData');
    // No statement of a manufacturer counts. Its certificates could make the server call an address of their choice.
    const bare = new Map<string, Map<string, string> | string | Uint8Array>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ]);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: sent.id,
        rawId: sent.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: sent.client_data,
          attestationObject: Buffer.from(isoCBOR.encode(bare)).toString('base64url'),
        },
      },
      expectedChallenge(text) {
        challenge = text;
        return isExpected(text);
      },
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified || registrationInfo.credential.id !== sent.id) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, challenge };
  } catch {
    return null;
  }
}

/**
 * Checks the answer of a passkey (WebAuthn, 7.2): challenge, origin, host, user verification and signature. Returns null if one of them is
 * wrong.
 *
 * @param isExpected judges the challenge.
 */
export async function verifyAssertion(
  party: RelyingParty,
  passkey: Passkey,
  sent: Assertion,
  isExpected: (challenge: string) => boolean,
): Promise<PasskeyProof | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  let challenge = '';
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: sent.id,
        rawId: sent.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: sent.client_data,
          authenticatorData: sent.authenticator_data,
          signature: sent.signature,
        },
      },
      expectedChallenge(text) {
        challenge = text;
        return isExpected(text);
      },
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The commit compares the counters, because another sign-in may be under way.
      credential: { id: passkey.id, publicKey: bytesOf(passkey.public_key), counter: 0 },
    });
    if (!verified) return null;
    return { id: passkey.id, publicKey: passkey.public_key, counter: authenticationInfo.newCounter, challenge };
  } catch {
    return null;
  }
}

/**
 * Returns the user with a used passkey. Returns null if the user has this passkey no more, or if its counter went back. A counter goes back
 * if two devices have the same passkey (WebAuthn, 6.1.1). Many passkeys count nothing and always send 0.
 */
export function withUsedPasskey(user: UserRecord, proof: PasskeyProof, realSeconds: number): UserRecord | null {
  const known = user.passkeys.find(({ id, public_key: key }) => id === proof.id && key === proof.publicKey);
  if (!known || (known.counter > 0 && proof.counter <= known.counter)) return null;
  const used = { ...known, counter: proof.counter, last_used_at: realSeconds };
  return { ...user, passkeys: user.passkeys.map((passkey) => (passkey === known ? used : passkey)) };
}

function descriptorOf({ id, transports }: Passkey): { id: string; transports: string[] } {
  return { id, transports };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { basePath } from '../base-url.ts';
import { clientFor } from './client.ts';

/** A passkey as `GET /auth/passkeys` lists it. */
export interface OwnPasskey {
  id: string;
  name: string;
  created: number;
  last_used_at: number | null;
}

const isIpAddress = /^[\d.]+$|^\[/.test(location.hostname);

/** Whether this browser can use passkeys at this address. WebAuthn knows no IP addresses. */
export const canUsePasskeys = typeof globalThis.PublicKeyCredential === 'function' && !isIpAddress;

/** Returns the same page at `localhost`, where passkeys work. Null if they work here, or nowhere on this machine. */
export function pageWithPasskeys(): string | null {
  if (canUsePasskeys || !['127.0.0.1', '[::1]'].includes(location.hostname)) return null;
  const url = new URL(location.href);
  url.hostname = 'localhost';
  // The token of a link has left the address, so that its page would not open again.
  if (url.pathname === `${basePath}/link`) url.pathname = basePath;
  return url.href;
}

/**
 * Asks a passkey to sign. The browser shows its own dialog.
 *
 * @param path begins the sign-in or the confirmation.
 * @returns the answer, as the server wants it.
 * @throws {PasskeyError} if the person closes the dialog.
 */
export async function answerByPasskey(
  path: '/auth/passkeys/sign_in/begin' | '/auth/passkeys/confirm/begin',
): Promise<object> {
  const [{ startAuthentication }, { options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    clientFor().request<{ options: PublicKeyCredentialRequestOptionsJSON }>('POST', path, {}, { maxRetries: 0 }),
  ]);
  const { id, response } = await startAuthentication({ optionsJSON: options }).catch(explained);
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    ...(response.userHandle !== undefined && { user_handle: response.userHandle }),
  };
}

/** Makes a passkey in this browser or on another device. The browser shows its own dialog. */
export async function makePasskey(): Promise<object> {
  const [{ startRegistration }, { options }] = await Promise.all([
    import('@simplewebauthn/browser'),
    clientFor().request<{ options: PublicKeyCredentialCreationOptionsJSON }>(
      'POST',
      '/auth/passkeys/begin',
      {},
      { maxRetries: 0 },
    ),
  ]);
  const { id, response } = await startRegistration({ optionsJSON: options }).catch(explained);
  return {
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    ...(response.transports && { transports: response.transports }),
  };
}

/** The browser has refused a passkey, or the person has closed its dialog. */
export class PasskeyError extends Error {
  override name = 'PasskeyError';
}

/** Browsers tell little, so that a site learns nothing about the passkeys of others. */
function explained(error: unknown): never {
  const isKnown =
    error instanceof Error && 'code' in error && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new PasskeyError(
    isKnown
      ? 'This device has one of your passkeys already. Use another device, or remove that passkey first.'
      : 'The browser used no passkey. You closed its dialog, it took too long, or there is no passkey for this page.',
    { cause: error },
  );
}

import { gatewayCredentialNames, type Gateway } from '../core/vocabulary/gateways.ts';
import type { Encryption } from '../core/secrets/encryption.ts';

/** Returns the credentials with which an account uses a simulated gateway. Every account of a sandbox can use it. */
export function simulatedCredentials(
  encryption: Encryption,
  accountId: string,
  gateway: Gateway,
): Record<string, string> {
  return Object.fromEntries(
    gatewayCredentialNames[gateway].map((name) => [name, encryption.derive(`${gateway} ${name} ${accountId}`)]),
  );
}

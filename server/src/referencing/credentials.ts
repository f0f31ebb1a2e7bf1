import { credentialNames, type Provider } from '../core/vocabulary/providers.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { ProviderFault, type ProviderClient } from '../external-services/service.ts';
import type { AccountRecord } from '../resources/account/index.ts';

/** How this deployment reaches a service. */
export interface ProviderConnection {
  client: ProviderClient;
  /** Whether it belongs to the sandbox. Then its time has another scale, and every account may use it. */
  isSimulated: boolean;
}

export type ProviderConnections = ReadonlyMap<Provider, ProviderConnection>;

/**
 * Returns the credentials with which the account uses the service. In a sandbox, every account can use the simulated services.
 *
 * @returns null if it has none.
 */
export function credentialsOf(
  encryption: Encryption,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> | null {
  const encrypted = owner.provider_credentials?.[provider];
  if (encrypted !== undefined)
    return JSON.parse(encryption.decrypt(Buffer.from(encrypted, 'base64'))) as Record<string, string>;
  if (!isSimulated) return null;
  return Object.fromEntries(
    credentialNames[provider].map((name) => [name, encryption.derive(`${provider} ${name} ${owner.id}`)]),
  );
}

/** @throws {ProviderFault} `credentials_missing`, with a message that says what to do. */
export function requiredCredentials(
  encryption: Encryption,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> {
  const credentials = credentialsOf(encryption, owner, provider, isSimulated);
  if (credentials) return credentials;
  throw new ProviderFault(
    'credentials_missing',
    `The account has no credentials for ${provider} in \`provider_credentials[${provider}]\`.`,
  );
}

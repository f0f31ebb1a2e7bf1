/** The outside referencing services, in the order the specification lists them (spec, automatic_reference). */
export const providers = ['provider_a', 'provider_b', 'provider_c', 'provider_d'] as const;

export type Provider = (typeof providers)[number];

/** How this deployment reaches each service: at an address, as one of the sandbox's simulators, or not at all (null). */
export type ReferencingServices = Readonly<Record<Provider, 'real' | 'simulated' | null>>;

/** Says in one sentence that a service cannot be asked here, and what to do; null if it can be. */
export function notSetUp(provider: Provider, services: ReferencingServices): string | null {
  if (services[provider] !== null) return null;
  const others = providers.filter((other) => services[other] !== null);
  const choice = others.length === 0 ? 'No other service is set up either' : `Choose one of ${others.join(', ')}`;
  return `\`${provider}\` is not set up in this deployment. ${choice}, or have the operator set TENURE_${provider.toUpperCase()}_URL.`;
}

/** Credentials that are sent in an HTTP header as they are. */
export const headerCredentials: readonly string[] = ['api_key', 'token'];

/** What an account must have to ask a service, by the service's own names for it. */
export const credentialNames = {
  provider_a: ['api_key', 'signing_secret'],
  provider_b: ['username', 'password'],
  provider_c: ['api_key', 'signing_secret'],
  provider_d: ['token'],
} as const satisfies Record<Provider, readonly string[]>;

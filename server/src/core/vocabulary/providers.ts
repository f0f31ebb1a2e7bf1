/** The external referencing services, in the order of the specification (spec, automatic_reference). */
export const providers = ['provider_a', 'provider_b', 'provider_c', 'provider_d'] as const;

export type Provider = (typeof providers)[number];

/** Makes a value for each service. */
export function byProvider<Value>(valueOf: (provider: Provider) => Value): Record<Provider, Value> {
  return Object.fromEntries(providers.map((name) => [name, valueOf(name)])) as Record<Provider, Value>;
}

/** How this deployment reaches each service: at its real address, in the sandbox's simulator, or not at all (null). */
export type ReferencingServices = Readonly<Record<Provider, 'real' | 'simulated' | null>>;

/** Says that a service is not set up here, and what to do. Returns null if it is set up. A newer release may have stored an unknown one. */
export function notSetUp(provider: Provider, services: ReferencingServices): string | null {
  if (Object.hasOwn(services, provider) && services[provider] !== null) return null;
  const isKnown = Object.hasOwn(services, provider);
  const fault = isKnown
    ? `\`${provider}\` is not set up in this deployment.`
    : `This release of the server does not know \`${provider}\`.`;
  const others = providers.filter((other) => services[other] !== null);
  const operator = isKnown ? `the operator to set TENURE_${provider.toUpperCase()}_URL` : null;
  if (others.length === 0) return `${fault} ${operator ? `Ask ${operator}` : 'No other service is set up'}.`;
  return `${fault} Choose one of ${others.join(', ')}${operator ? `, or ask ${operator}` : ''}.`;
}

/**
 * Says why an account cannot order from a service, and what to do. Returns null if it can.
 *
 * @param withCredentials the services for which the account has set credentials. A simulated one needs none.
 */
export function notReady(
  provider: Provider,
  services: ReferencingServices,
  withCredentials: readonly string[],
): string | null {
  const fault = notSetUp(provider, services);
  if (fault !== null || services[provider] !== 'real' || withCredentials.includes(provider)) return fault;
  const names = credentialNames[provider].map((name) => `\`${name}\``).join(' and ');
  return `The account has no credentials for \`${provider}\`. Send ${names} in \`provider_credentials[${provider}]\` to POST /v1/account, or choose another provider.`;
}

/** Credentials that are sent unchanged in an HTTP header. */
export const headerCredentials: readonly string[] = ['api_key', 'token'];

/** The credentials that each service requires of an account, by the service's own names. */
export const credentialNames = {
  provider_a: ['api_key', 'signing_secret'],
  provider_b: ['username', 'password'],
  provider_c: ['api_key', 'signing_secret'],
  provider_d: ['token'],
} as const satisfies Record<Provider, readonly string[]>;

/** The outside referencing services, in the order the specification lists them (spec, automatic_reference). */
export const providers = ['provider_a', 'provider_b', 'provider_c', 'provider_d'] as const;

export type Provider = (typeof providers)[number];

/** What an account must have to ask a service, by the service's own names for it. */
export const credentialNames = {
  provider_a: ['api_key', 'signing_secret'],
  provider_b: ['username', 'password'],
  provider_c: ['api_key', 'signing_secret'],
  provider_d: ['token'],
} as const satisfies Record<Provider, readonly string[]>;

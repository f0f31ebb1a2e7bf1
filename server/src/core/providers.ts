/** The outside referencing services, in the order the specification lists them (spec, automatic_reference). */
export const providers = ['provider_a', 'provider_b', 'provider_c', 'provider_d'] as const;

export type Provider = (typeof providers)[number];

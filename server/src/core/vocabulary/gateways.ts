import type { Mode } from '../secrets/api-keys.ts';

/** The payment gateways: services that collect money. */
export const gateways = ['simulator'] as const;

export type Gateway = (typeof gateways)[number];

/** The credentials that each gateway requires of an account, by the gateway's own names. */
export const gatewayCredentialNames = {
  simulator: ['api_key', 'signing_secret'],
} as const satisfies Record<Gateway, readonly string[]>;

/** Says that a gateway is not set up here, and what to do. Returns null if it is set up. A newer release may have stored an unknown one. */
export function gatewayFault(gateway: Gateway, mode: Mode): string | null {
  if (!gateways.includes(gateway))
    return `This release of the server does not know the gateway \`${gateway}\`. Choose one of ${gateways.join(', ')}.`;
  if (mode === 'sandbox') return null;
  return `\`${gateway}\` exists in a sandbox only, and no payment gateway is set up in live mode. Collect the money yourself, and record it without a \`provider\`.`;
}

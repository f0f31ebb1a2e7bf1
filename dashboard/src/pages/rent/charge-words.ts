import type { Subscription, Tenancy } from 'tenure';

/** Returns the tenancy of a regular charge, if it was expanded. */
export function tenancyOf({ tenancy }: Pick<Subscription, 'tenancy'>): Tenancy | null {
  return typeof tenancy === 'string' ? null : tenancy;
}

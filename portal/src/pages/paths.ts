import type { Feature } from '../api/shapes.ts';

/* The lists that several pages read. A person has few applications and tenancies. */

export const applicationsPath = 'applications?limit=50';
export const depositsPath = 'deposits?limit=50';
export const tenanciesPath = 'tenancies?limit=50';

/** Each of them opens the tenancies. */
export const tenancyFeatures: readonly Feature[] = ['money', 'notice', 'pets'];

import type { Provider } from '../../core/vocabulary/providers.ts';
import type { ReferencingProvider } from './provider.ts';
import { providerA } from './provider_a.ts';
import { providerB } from './provider_b.ts';
import { providerC } from './provider_c.ts';
import { providerD } from './provider_d.ts';

/** The adapters of the referencing services. The steps for a new one are in docs/recipes/provider.md. */
export const referencingProviders: Readonly<Record<Provider, ReferencingProvider>> = {
  provider_a: providerA,
  provider_b: providerB,
  provider_c: providerC,
  provider_d: providerD,
};

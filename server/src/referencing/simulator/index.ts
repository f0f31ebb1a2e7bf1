import { providers as allProviders, type Provider } from '../../core/vocabulary/providers.ts';
import { closed, listening, urlOf } from '../../external-services/simulated.ts';
import { startCallbacks } from './callbacks.ts';
import { simulatedService, type ServiceContext } from './service.ts';
import type { Vendor } from './vendor.ts';
import { vendorA } from './vendor_a.ts';
import { vendorB } from './vendor_b.ts';
import { vendorC } from './vendor_c.ts';
import { vendorD } from './vendor_d.ts';

const vendors: Readonly<Record<Provider, Vendor>> = {
  provider_a: vendorA,
  provider_b: vendorB,
  provider_c: vendorC,
  provider_d: vendorD,
};

export interface Simulators {
  urls: Partial<Record<Provider, string>>;
  stop(): Promise<void>;
}

/**
 * Starts the referencing services of the sandbox: servers on loopback that are called like any other service. Their orders are in the
 * database. So they continue after a restart, and several processes have the same ones.
 *
 * @param options.workingDaySeconds the length of their working day.
 * @param options.providers the services to start; all without a list.
 */
export async function startSimulators({
  workingDaySeconds = 30,
  providers = allProviders,
  ...context
}: Omit<ServiceContext, 'workingDayMs'> & {
  workingDaySeconds?: number;
  providers?: readonly Provider[];
}): Promise<Simulators> {
  // In live mode, no query must look for callbacks of services that do not exist.
  if (providers.length === 0) return { urls: {}, stop: async () => {} };
  const serviceContext = { ...context, workingDayMs: workingDaySeconds * 1000 };
  const servers = await Promise.all(
    providers.map((provider) => listening(simulatedService(vendors[provider], serviceContext))),
  );
  const caller = startCallbacks(
    providers.map((provider) => vendors[provider]),
    serviceContext,
  );
  for (const server of servers) server.on('request', () => caller.noteUse());
  return {
    urls: Object.fromEntries(providers.map((provider, index) => [provider, urlOf(servers[index]!)])),
    async stop() {
      await Promise.all([caller.stop(), ...servers.map(closed)]);
    },
  };
}

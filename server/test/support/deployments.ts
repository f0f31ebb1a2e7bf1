import { onTestFinished } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { allPermissions } from './permissions.ts';
import { apiClient, startTestServer, type Api, type TestServer } from './server.ts';
import { addAccount, addKey } from './tenants.ts';

/** Deployments of one process and of two that share a database, for `describe.each`. */
export const deployments: [name: string, processes: 1 | 2][] = [
  ['on one process', 1],
  ['across two processes on one database', 2],
];

/** Settings of a server that delivers nothing, so that only requests change something. */
export const withoutDelivering = {
  TENURE_ROLE: 'api',
  DATABASE_URL: 'postgres://given.by.the.test/',
  TENURE_MASTER_KEY: newMasterKey(),
};

/** The process for a first request, and the process for later ones: the same if there is only one. */
export interface Deployment {
  one: TestServer;
  other: TestServer;
  stop(): Promise<void>;
}

/** @param options of the first process. */
export async function startDeployment(
  processes: 1 | 2,
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<Deployment> {
  const one = await startTestServer({ settings: withoutDelivering, ...options });
  const other =
    processes === 1 ? one : await startTestServer({ settings: withoutDelivering, connection: one.connection });
  return {
    one,
    other,
    async stop() {
      if (other !== one) await other.stop();
      await one.stop();
    },
  };
}

/** Does the same as `startDeployment`, for one test. Stops when the test is finished. */
export async function deploymentForTest(...options: Parameters<typeof startDeployment>): Promise<Deployment> {
  const deployment = await startDeployment(...options);
  onTestFinished(() => deployment.stop());
  return deployment;
}

/** An account of one test, and both processes as its key sees them. The key may do everything. */
export interface TenantOnBoth {
  accountId: string;
  secretKey: string;
  first: Api;
  second: Api;
}

export async function newTenantOn({ one, other }: Deployment): Promise<TenantOnBoth> {
  const { accountId } = await addAccount(one);
  const { key: secretKey } = await addKey(one, accountId, { permissions: [...allPermissions] });
  return { accountId, secretKey, first: apiClient(one.url, secretKey), second: apiClient(other.url, secretKey) };
}

import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { DatabaseClock, type Clock } from '../../src/core/clock.ts';
import type { Provider } from '../../src/core/vocabulary/providers.ts';
import { pooledRandomBytes } from '../../src/core/random.ts';
import { Encryption } from '../../src/core/secrets/encryption.ts';
import { openDatabase, withClient, type Connection, type Pool } from '../../src/db/pools.ts';
import { HttpProviderClient } from '../../src/external-services/client.ts';
import { referencingProviders } from '../../src/referencing/providers/index.ts';
import type { Findings, Order, Progress } from '../../src/referencing/providers/provider.ts';
import { ProviderFault, type ProviderAccess } from '../../src/external-services/service.ts';
import { startSimulators } from '../../src/referencing/simulator/index.ts';
import { createTestDatabase } from './server.ts';
import { StillClock } from './still-clock.ts';
import { waitMs } from './wait.ts';

/** A working day of the simulated services in tests. */
export const workingDayMs = 30_000;

export const goodCredentials: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  provider_a: { api_key: 'key_of_a', signing_secret: 'secret_of_a' },
  provider_b: { username: 'tenure', password: 'password_of_b' },
  provider_c: { api_key: 'key_of_c', signing_secret: 'secret_of_c' },
  provider_d: { token: 'token_of_d' },
};

const encryption = new Encryption(Buffer.from(newMasterKey(), 'base64'), pooledRandomBytes());

export interface Services {
  clock: StillClock;
  pool: Pool;
  connection: Connection;
  /** The address of one service. */
  url(provider: Provider): string;
  /** Returns a client of one service, as the product calls it. Its calls time out only when the test fails, unless a time is given. */
  service(provider: Provider, credentials?: Readonly<Record<string, string>>, callTimeoutMs?: number): Service;
  /** Stops them all, as a process that ends. The database stays. */
  stop(): Promise<void>;
}

/** One service, as a job calls it. Busy and failed calls are retried. */
export interface Service {
  access: ProviderAccess;
  submit(order: Order): Promise<Progress>;
  read(orderId: string): Promise<Progress>;
  cancel(orderId: string): Promise<void>;
  fetchFindings(orderId: string): Promise<Findings>;
}

/** Starts the simulated services on a database of the test's own. With `shared`, they are one more process on its database. */
export async function servicesForTest(shared?: Services): Promise<Services> {
  const clock = shared?.clock ?? new StillClock(Date.UTC(2026, 5, 1, 9));
  const connection = shared?.connection ?? (await emptyDatabase());
  const log = pino({ level: 'silent' });
  const opened = openDatabase(connection, log);
  const pool = opened.readers;
  const simulators = await startSimulators({
    pool,
    encryption,
    clock: clock satisfies Clock,
    realClock: clock,
    log,
  });
  const clients: HttpProviderClient[] = [];
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await Promise.all(clients.map((client) => client.close()));
    await simulators.stop();
    await opened.end();
  };
  onTestFinished(async () => {
    await stop();
  });
  return {
    clock,
    pool,
    connection,
    stop,
    url: (provider) => simulators.urls[provider]!,
    service(provider, credentials = goodCredentials[provider], callTimeoutMs = waitMs) {
      const client = new HttpProviderClient(simulators.urls[provider]!, callTimeoutMs);
      clients.push(client);
      return serviceOf(provider, { client, credentials });
    },
  };
}

/** Starts one service for a test, in real time. Its working day lasts a second. Returns its address. */
export async function serviceInRealTime(provider: Provider): Promise<string> {
  const log = pino({ level: 'silent' });
  const opened = openDatabase(await emptyDatabase(), log);
  const clock = new DatabaseClock();
  const simulators = await startSimulators({
    pool: opened.readers,
    encryption,
    clock,
    realClock: clock,
    log,
    workingDaySeconds: 1,
    providers: [provider],
  });
  onTestFinished(async () => {
    await simulators.stop();
    await opened.end();
  });
  return simulators.urls[provider]!;
}

let database: Promise<{ connection: Connection }> | undefined;

/** Returns the one database that all tests of this worker use in turn, without any data of services. */
async function emptyDatabase(): Promise<Connection> {
  const { connection } = await (database ??= createTestDatabase());
  await withClient(connection, (client) => client.query('truncate simulated_orders'));
  return connection;
}

function serviceOf(name: Provider, access: ProviderAccess): Service {
  const provider = referencingProviders[name];
  return {
    access,
    submit: (order) => patiently(() => provider.submit(access, order)),
    read: (orderId) => patiently(() => provider.read(access, orderId)),
    cancel: (orderId) => patiently(() => provider.cancel(access, orderId)),
    fetchFindings: (orderId) => patiently(() => provider.fetchFindings(access, orderId)),
  };
}

/** Retries as long as the service cannot be asked. */
async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof ProviderFault && ['unavailable', 'busy'].includes(error.code);
      if (!isPassing || tries === 8) throw error;
    }
  }
}

let orders = 0;

/** Makes an order for a person whose e-mail address has the tag. */
export function orderOf(tag: string | null = null, changes: Partial<Order> = {}): Order {
  return {
    referenceId: `ref_${String(++orders).padStart(24, '0')}`,
    applicant: {
      name: 'Ann Archer',
      email: tag === null ? 'ann@archer.example' : `ann+${tag}@archer.example`,
      phone: '07700 900123',
      dateOfBirth: '1990-02-03',
      addresses: [{ line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', country: 'GB' }],
    },
    rent: { amount: 120_000, currency: 'gbp', interval: 'month' },
    hasGuarantor: false,
    callbackUrl: 'http://127.0.0.1:9/provider_callbacks',
    scenario: null,
    ...changes,
  };
}

/** Returns the fault that a call ends with. */
export async function faultOf(asking: Promise<unknown>): Promise<ProviderFault> {
  const fault = await asking.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(ProviderFault);
  return fault as ProviderFault;
}

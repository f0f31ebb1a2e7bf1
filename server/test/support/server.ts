import { randomBytes } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import pino from 'pino';
import { Agent, type Dispatcher } from 'undici';
import { expect, inject, onTestFinished } from 'vitest';
import { readConfig, type Config } from '../../src/server/config.ts';
import { createContext, type Context, type Overrides } from '../../src/server/context.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { makeFirstAccount } from '../../src/server/first-account.ts';
import { buildApp } from '../../src/http/app.ts';
import type { ProcessMemory } from '../../src/server/process-size.ts';
import { startWork } from '../../src/server/worker.ts';
import { WorkflowFollower } from '../../src/workflows/follower.ts';
import { textOf } from './answer-text.ts';
import { holdAnswers } from './answers.ts';
import { encodedForm } from './files.ts';
import { withShortAges, withShortWaits } from './freshness.ts';
import { databaseIn } from './global-setup.ts';
import { freePort } from './free-port.ts';

export interface TestServer {
  url: string;
  /** The first account's secret key. */
  secretKey: string;
  context: Context;
  connection: Connection;
  /** Sends requests with the secret key. */
  api: Api;
  stop(): Promise<void>;
}

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  delete(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The bytes as they came, as text. */
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- Tests look into answers freely; what is wrong fails the test.
  body: any;
}

/** One master key for all servers of a test run, as for all processes of a deployment. */
export const masterKey = randomBytes(32);

/** Makes an empty, migrated database. Drops it when the test is finished, if it is made within a test. */
export async function createTestDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const cluster = inject('cluster');
  const template = inject('templateDatabase');
  const name = `${template}_${randomBytes(8).toString('hex')}`;
  // The default, a copy through the log, takes twice as long.
  await withClient(cluster, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return {
    connection: databaseIn(cluster, name),
    drop: () => withClient(cluster, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

/**
 * Starts the whole server in this process, on a port of its own. It gets a database of its own, unless one is given. Then it is one more
 * process of that deployment.
 */
export async function startTestServer(
  options: {
    settings?: Record<string, string>;
    overrides?: Overrides;
    connection?: Connection;
    secretKey?: string;
    changeContext?: (context: Context) => Context;
    /** Leaves the first account without a request. Otherwise it has made one, and is pinned to the latest version. */
    unpinned?: true;
    /** Runs automatic references, with the services of a sandbox. */
    works?: true;
    /** Starts no runs of workflows. A test has a follower of its own. */
    followsNothing?: true;
    /** Has the address where it listens as its public one. */
    knowsPort?: true;
    /** Caches keys, accounts and endpoints as long as in production. Otherwise tests need not wait for them. */
    realFreshness?: true;
  } = {},
): Promise<TestServer> {
  const database = options.connection ? null : await createTestDatabase();
  const connection = options.connection ?? database!.connection;
  // Services send callbacks, so they must know the port.
  const port = (options.works ?? options.knowsPort) ? await freePort() : 0;
  const address = port === 0 ? {} : { PORT: String(port) };
  const config: Config = { ...readConfig({ ...options.settings, ...address }), port };
  const log = pino({ level: process.env.TENURE_LOG_LEVEL ?? 'silent' });
  // A process with many test servers is large.
  const overrides = { processMemory: memoryOf(() => 0), ...options.overrides };
  const created = await createContext(
    { config, connection, masterKey, log, isAlone: config.databaseUrl === null },
    options.realFreshness ? overrides : withShortAges(overrides),
  );
  const quick = options.realFreshness
    ? created
    : withShortWaits(created, { movesClock: options.overrides?.clock !== undefined });
  const context = options.changeContext?.(quick) ?? quick;
  // Commits do not wake the follower below, so it looks as often as beside other processes.
  context.isAlone = false;
  const secretKey = (await makeFirstAccount(context)) ?? options.secretKey ?? '';
  if (!options.unpinned) await pinAccounts(context);
  const app = buildApp(context);
  holdAnswers(app, context);
  await app.listen({ host: '127.0.0.1', port });
  context.dispatcher?.start();
  const work = options.works ? await startWork(context) : null;
  // Events start runs on every server, and only a worker takes their steps.
  const follower = work || options.followsNothing ? null : new WorkflowFollower(context, context.workflowLimits);
  follower?.start();
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url,
    secretKey,
    context,
    connection,
    api: apiClient(url, secretKey),
    async stop() {
      await Promise.all([app.stopServing(0), context.dispatcher?.stop(0), work?.stop() ?? follower?.stop()]);
      await context.close();
      await database?.drop();
    },
  };
}

/** Pins every account as if its first request came before the test. The test then sees no event of it. */
async function pinAccounts({ database, config, latestVersion }: Context): Promise<void> {
  await database.readers.query('update accounts set api_version = $1 where api_version is null', [
    config.latestVersion ?? latestVersion.known,
  ]);
}

/** Does the same as `startTestServer`, for one test. Stops when the test is finished. */
export async function serverForTest(...options: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await startTestServer(...options);
  onTestFinished(() => server.stop());
  return server;
}

/** Fails unless the response has status 200. */
export async function good(answering: Promise<ApiResponse>): Promise<ApiResponse> {
  const answer = await answering;
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** Keeps connections to each server, as `fetch` does. `fetch` takes half a millisecond more of processor time for each request. */
const agent = new Agent();

/** Returns a client that sends JSON with a key. */
export function apiClient(url: string, key: string): Api {
  const send = async (
    method: Dispatcher.HttpMethod,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<ApiResponse> => {
    const form = body instanceof FormData ? await encodedForm(body) : null;
    const { origin, href, hash } = new URL(url + path);
    const response = await agent.request({
      origin,
      // Not `pathname` and `search`, which leave out a question mark at the end.
      path: href.slice(origin.length, href.length - hash.length),
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': form?.contentType ?? 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: form?.bytes ?? (typeof body === 'string' ? body : JSON.stringify(body)) }),
    });
    const text = await textOf(response);
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headers)) {
      for (const value of [values ?? []].flat()) received.append(name, value);
    }
    const isJson = received.get('content-type')?.startsWith('application/json');
    return {
      status: response.statusCode,
      headers: received,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  };
  return {
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    post: (path, body, headers = {}) => send('POST', path, body, headers),
    delete: (path, headers = {}) => send('DELETE', path, undefined, headers),
  };
}

/** Returns the memory of a process that has this size and no garbage. */
export function memoryOf(residentBytes: () => number): ProcessMemory {
  return { residentBytes, collectGarbage: () => {} };
}

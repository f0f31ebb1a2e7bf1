import pino from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { createContext } from './context.ts';
import { MasterKeyError } from './db/deployment.ts';
import { EmbeddedDatabaseError } from './db/embedded.ts';
import { MigrationError } from './db/migrate.ts';
import { makeFirstAccount } from './first-start.ts';
import { buildApp } from './http/app.ts';
import { startDuties } from './jobs/duties.ts';
import { openStorage } from './storage.ts';
import { welcome } from './welcome.ts';

/** What is in flight when the server is told to stop gets this long. */
const stopTimeoutMs = 10_000;

/** Starts everything, in the order in which each needs what came before; stops it in the reverse order. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const destination = pino.destination({ sync: false, minLength: 8_192 });
  const log = pino({ level: config.logLevel, base: null }, destination);
  // Lines are written in large pieces, but nobody should wait for the last one.
  setInterval(() => destination.flush(), 1_000).unref();

  const cleanUp: (() => Promise<unknown> | void)[] = [() => destination.flushSync()];
  const stop = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  stopOnSignal(stop);
  try {
    const storage = await openStorage(config, (detail, givenUp) => {
      log.error(detail);
      // Without a database there is nothing to serve; whoever watches over this process can start it again.
      if (givenUp) void stop().finally(() => fail(new EmbeddedDatabaseError(detail)));
    });
    cleanUp.push(() => storage.stop());
    const context = await createContext({ config, connection: storage.connection, masterKey: storage.masterKey, log });
    cleanUp.push(() => context.close());
    const secretKey = await makeFirstAccount(context);
    const duties = startDuties(context);
    cleanUp.push(() => duties.stop());
    const app = buildApp(context);
    cleanUp.push(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    process.stdout.write(welcome(config, storage.place, secretKey));
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first signal stops in good order, but not for ever; a second one stops at once. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/** One line, or one for each fault, where the person who started the server can mend it; the whole error where they cannot. */
function fail(error: unknown): never {
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const expected = [ConfigError, EmbeddedDatabaseError, MigrationError, MasterKeyError].some(
    (kind) => error instanceof kind,
  );
  if (code === 'EADDRINUSE') {
    process.stderr.write(
      `Port ${port} on ${address} is already in use. Stop what uses it, or set PORT to another one.\n`,
    );
  } else if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || /^(28|3D|57P|08)/.test(code ?? '')) {
    process.stderr.write(
      `The database of DATABASE_URL cannot be used: ${message}. Check that it runs and that the address is right.\n`,
    );
  } else {
    process.stderr.write(
      expected ? `${message}\n` : `Tenure could not start: ${(error as Error).stack ?? String(error)}\n`,
    );
  }
  process.exit(1);
}

main().catch(fail);

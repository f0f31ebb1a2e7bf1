import pino from 'pino';
import { readConfig } from '../../../src/config.ts';
import { createContext } from '../../../src/context.ts';
import { listen } from '../../../src/db/listen.ts';
import { makeFirstAccount } from '../../../src/first-start.ts';
import { buildApp } from '../../../src/http/app.ts';
import type { DispatcherLimits } from '../../../src/webhooks/dispatcher.ts';
import { deliveriesChannel } from '../../../src/webhooks/wake.ts';

/*
 * A process to be killed and paused: it is put together as the server is, but for the limits of its dispatcher, which its
 * environment tells in JSON. The server's own lease of half a minute would make of fifty kills an afternoon.
 */

const config = readConfig(process.env);
const limits = JSON.parse(process.env.TEST_DISPATCHER_LIMITS!) as Partial<DispatcherLimits>;
const context = await createContext(
  {
    config,
    connection: { connectionString: config.databaseUrl! },
    masterKey: config.masterKey!,
    log: pino({ level: config.logLevel, base: null }),
  },
  { dispatcherLimits: limits },
);
await makeFirstAccount(context);
await buildApp(context).listen({ host: config.host, port: config.port });
const { dispatcher } = context;
if (dispatcher) {
  dispatcher.start();
  listen(context.connection, deliveriesChannel, () => dispatcher.wake(), context.log);
}

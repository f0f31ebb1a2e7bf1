import pino from 'pino';
import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { createContext } from '../server/context.ts';
import { makeAnotherKey } from '../server/first-account.ts';
import { joinStorage } from '../server/storage.ts';

const help = `npm run new-key

Makes another secret key for the first account, and prints it. The server may run meanwhile.
`;

/** Makes and prints another secret key, for `npm run new-key`. The server may run or not. */
async function main(): Promise<void> {
  readArguments(help);
  const config = readConfig(process.env);
  const storage = await joinStorage(config);
  try {
    const log = pino({ level: 'silent' });
    const context = await createContext({ config, connection: storage.connection, masterKey: storage.masterKey, log });
    try {
      process.stdout.write(`${await makeAnotherKey(context)}\n`);
    } finally {
      await context.close();
    }
  } finally {
    await storage.stop();
  }
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});

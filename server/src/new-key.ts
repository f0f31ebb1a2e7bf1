import pino from 'pino';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { makeAnotherKey } from './first-start.ts';
import { joinStorage } from './storage.ts';

/** `npm run new-key`: makes another secret key, whether the server runs or not, and prints it. */
async function main(): Promise<void> {
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

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});

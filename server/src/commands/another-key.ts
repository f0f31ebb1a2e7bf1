import pino from 'pino';
import { readConfig } from '../server/config.ts';
import { createContext } from '../server/context.ts';
import { makeAnotherKey } from '../server/first-account.ts';
import { joinStorage } from '../server/storage.ts';

/** Makes another secret key of the first account, whether the server runs or not. Returns the key. */
export async function anotherKey(): Promise<string> {
  const config = readConfig(process.env);
  const storage = await joinStorage(config);
  try {
    const log = pino({ level: 'silent' });
    const context = await createContext({ config, connection: storage.connection, masterKey: storage.masterKey, log });
    try {
      return await makeAnotherKey(context);
    } finally {
      await context.close();
    }
  } finally {
    await storage.stop();
  }
}

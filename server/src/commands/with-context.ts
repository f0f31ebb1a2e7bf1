import pino from 'pino';
import { readConfig } from '../server/config.ts';
import { createContext, type Context } from '../server/context.ts';
import { joinStorage } from '../server/storage.ts';

/** Runs a command of the operator on the deployment's database, whether the server runs or not. */
export async function withContext<Result>(run: (context: Context) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env);
  const storage = await joinStorage(config);
  try {
    const { connection, masterKey } = storage;
    const context = await createContext({ config, connection, masterKey, log: pino({ level: 'silent' }) });
    try {
      return await run(context);
    } finally {
      await context.close();
    }
  } finally {
    await storage.stop();
  }
}

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKey } from '../../server/src/core/secrets/api-keys.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { flagsOfStart, projectDir } from '../deployment.ts';
import { startProduct, type Product } from './product.ts';

/** Starts Tenure as `npm start` does, on an empty folder: one process that does everything, with the embedded database. */
export async function startTenure(logDir: string): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-bench-product-'));
  // As root, PostgreSQL runs as another user, which must be able to enter.
  chmodSync(folder, 0o711);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const port = String(await freePort());
  const key = makeKey('secret', 'sandbox', randomBytes);
  const product = await startProduct(
    {
      name: 'Tenure',
      adapter: 'tenure',
      url: `http://127.0.0.1:${port}`,
      credentials: { key },
      processes: [
        {
          command: [process.execPath, ...flagsOfStart(), 'server/src/main.ts'],
          env: {
            PORT: port,
            DATA_DIR: join(folder, 'data'),
            TENURE_SECRET_KEY: key,
            TENURE_LOG_LEVEL: 'warn',
          },
          folder: projectDir,
          isWorker: true,
        },
      ],
      pids: [],
      receiverHost: '127.0.0.1',
    },
    logDir,
  );
  return {
    ...product,
    async stop() {
      await product.stop();
      process.off('exit', remove);
      remove();
    },
  };
}

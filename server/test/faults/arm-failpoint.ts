import { existsSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Deployment } from './crash-checker/deployment.ts';
import type { Failpoint } from './failpoints.ts';

/**
 * Makes a server of `server-under-test.ts` die when it first reaches a failpoint. Returns when the server knows that.
 *
 * @param file its TEST_FAILPOINT_FILE.
 */
export async function armFailpoint(deployment: Deployment, file: string, point: Failpoint): Promise<void> {
  writeFileSync(file, JSON.stringify({ point, passes: 0 }));
  deployment.signal('SIGUSR2');
  await expect.poll(() => existsSync(file)).toBe(false);
}

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { freePort } from '../support/free-port.ts';
import { urlOf } from '../support/processes.ts';
import { createTestDatabase } from '../support/server.ts';
import { Deployment } from './crash-checker/deployment.ts';

test('does not take another program for its server when that answers on the port', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const settings = { DATABASE_URL: urlOf(database.connection), TENURE_MASTER_KEY: newMasterKey() };
  const deployment = await Deployment.create({ settings });
  onTestFinished(() => deployment.remove());
  const another = createServer((_, response) => response.end());
  another.listen(Number(new URL(deployment.url).port), '127.0.0.1');
  await once(another, 'listening');
  onTestFinished(() => void another.close());
  await expect(deployment.start()).rejects.toThrow('is already in use');
});

test('keeps a port from other processes when no server listens on it', async () => {
  const port = await freePort();
  // The other process tries this port first.
  const script = `
    const crypto = require('node:crypto');
    const { randomInt } = crypto;
    const first = [${port}];
    crypto.randomInt = (...range) => first.pop() ?? randomInt(...range);
    require('node:module').syncBuiltinESMExports();
    import(${JSON.stringify(import.meta.resolve('../support/free-port.ts'))}).then(async ({ freePort }) => {
      process.stdout.write(String(await freePort()));
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^\d{5}$/);
  expect(stdout).not.toBe(String(port));
});

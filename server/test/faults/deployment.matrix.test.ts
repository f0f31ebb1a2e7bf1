import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { freePort } from '../support/free-port.ts';
import { urlOf } from '../support/processes.ts';
import { createTestDatabase } from '../support/server.ts';
import { builtProgram, withSources } from './crash-checker/built-programs.ts';
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

test('names the source in a stack trace when the server was built', async () => {
  const folder = dirname(await builtProgram('server/src/main.ts'));
  const built = globSync(join(folder, '*.js')).find((file) => lineOfStart(file) > 0)!;
  const source = fileURLToPath(new URL('../../src/server/start.ts', import.meta.url));
  const trace = `    at runServer (file://${built}:${lineOfStart(built)}:1)`;
  const traced = withSources(`TypeError: nothing\n${trace}`);
  expect(traced).toMatch(/^TypeError: nothing\n {4}at runServer \(.*:\d+:\d+\)$/);
  expect(traced).toContain(`${source}:${lineOfStart(source)}:`);
});

test('starts the modules of the source when a test sets options of Node', async () => {
  const [built, source] = await Promise.all([
    Deployment.create(),
    Deployment.create({ settings: { NODE_OPTIONS: '--max-old-space-size=512' } }),
  ]);
  onTestFinished(async () => void (await Promise.all([built.remove(), source.remove()])));
  expect(programOf(built)).toMatch(/\/test-server\/[0-9a-f]{16}\/main\.js$/);
  expect(programOf(source)).toBe('server/src/main.ts');
});

/** Returns the line of a file where the function that starts the server begins. 0 if it does not. */
function lineOfStart(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.findIndex((line) => line.includes('async function runServer(')) + 1;
}

function programOf(deployment: Deployment): string {
  return deployment.spawn().spawnargs[1]!;
}

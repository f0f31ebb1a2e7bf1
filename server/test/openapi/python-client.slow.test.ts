import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formOf, pdfOf } from '../support/files.ts';
import { startTestServer } from '../support/server.ts';
import { versions } from '../support/versions.ts';
import { waitMs } from '../support/wait.ts';

/*
 * A generator of the Python world makes a client from each document. The client must work, and must accept what later releases add.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const environment = join(root, 'node_modules/.cache/openapi-python-client');
const generator = 'openapi-python-client==0.29.1';

const absence = await install();

describe.skipIf(absence !== null)(
  `a generated Python client${absence === null ? '' : `, not tested here: ${absence}`}`,
  () => {
    test('creates, reads, pages, downloads, and accepts later additions when it is of the newest version', async () => {
      const server = await startTestServer();
      onTestFinished(() => server.stop());
      const { body: file } = await server.api.post('/v1/files', formOf({}, pdfOf(Buffer.from('report'))));
      const script = join(import.meta.dirname, 'python-client.py');
      const folder = await generate(versions[0]!);
      const { stderr } = await python(script, folder, server.url, server.secretKey, String(file.id));
      expect(stderr).toBe('');
    });

    test.each(versions.slice(1))('is generated whole when the version is %s', async (version) => {
      const folder = await generate(version);
      expect(
        (await python('-c', `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); import client`)).stderr,
      ).toBe('');
    });
  },
);

/** Generates the package `client` into a new folder. It fails if the generator leaves out an operation. */
async function generate(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-python-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const document = join(root, `openapi/${version}.json`);
  const output = join(folder, 'client');
  const args = ['generate', '--path', document, '--output-path', output, '--meta', 'none'];
  const { stdout, stderr } = await run(join(environment, 'bin/openapi-python-client'), args);
  expect(`${stdout}${stderr}`).not.toMatch(/WARNING parsing|Unable to parse|ERROR/);
  return folder;
}

function python(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(join(environment, 'bin/python'), args, { timeout: waitMs });
}

/** Installs the generator once. Returns the reason if that is not possible here. */
async function install(): Promise<string | null> {
  if (existsSync(join(environment, 'bin/openapi-python-client'))) return null;
  try {
    await run('python3', ['-m', 'venv', environment], { timeout: waitMs });
    await run(join(environment, 'bin/pip'), ['install', '--quiet', generator], { timeout: waitMs });
    return null;
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    const [reason] = String((error as { stderr?: string }).stderr || error)
      .trim()
      .split('\n');
    return `${generator} cannot be installed (${reason})`;
  }
}

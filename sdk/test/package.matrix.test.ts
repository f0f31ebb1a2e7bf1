import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* The package as it is published: built, packed and installed by another project. */

const sdkDir = join(import.meta.dirname, '..');
const projectDir = join(sdkDir, '..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenure-package-'));
  const installed = join(folder, 'node_modules/tenure');
  mkdirSync(installed, { recursive: true });
  const packed = run('npm', ['pack', '--silent', '--pack-destination', folder], sdkDir).trim().split('\n').at(-1)!;
  run('tar', ['-xzf', join(folder, packed), '-C', installed, '--strip-components=1'], folder);
  symlinkSync(join(projectDir, 'node_modules/@types'), join(folder, 'node_modules/@types'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, given: string[], cwd: string): string {
  return execFileSync(program, given, { cwd, encoding: 'utf8' });
}

test('is loaded by import and by require', () => {
  const names = 'new t.Tenure("sk_test_1").references.create.name + typeof w.constructEvent';
  const imported = `import * as t from 'tenure'; import * as w from 'tenure/webhooks'; console.log(${names})`;
  const required = `const t = require('tenure'), w = require('tenure/webhooks'); console.log(${names})`;
  for (const [file, code] of [
    ['a.mjs', imported],
    ['b.cjs', required],
  ] as const) {
    writeFileSync(join(folder, file), code);
    expect(run(process.execPath, [file], folder).trim()).toBe('function');
  }
});

test('gives types to a strict project without types of the browser', () => {
  const code = `
    import { isTenureError, Tenure, type Reference } from 'tenure';
    import type { Reference as OldReference } from 'tenure/types/2025-09-01';
    import { constructEvent } from 'tenure/webhooks';
    const tenure = new Tenure({ apiKey: 'sk_test_1' });
    const reference: Reference = await tenure.references.create({ application: 'app_1' });
    const old: OldReference = await new Tenure({ apiVersion: '2025-09-01' }).references.retrieve(reference.id);
    for await (const { id } of tenure.references.list({ limit: 7 })) id satisfies string;
    const { data, requestId } = await tenure.references.update(old.id, {}).withResponse();
    try {
      (await constructEvent('{}', null, 'whsec_1')).id satisfies string;
    } catch (error) {
      if (isTenureError(error, 'resource_missing')) error.code satisfies 'resource_missing';
    }
    for await (const event of tenure.events.stream({ type: 'reference.*' })) event.type satisfies string;
    export { data, requestId };
  `;
  writeFileSync(join(folder, 'consumer.mts'), code);
  const settings = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      strict: true,
      noEmit: true,
    },
    files: ['consumer.mts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const [compiler, ...given] = [join(projectDir, 'node_modules/typescript/bin/tsc'), '-p', '.'];
  expect(run(process.execPath, [compiler, ...given], folder)).toBe('');
});

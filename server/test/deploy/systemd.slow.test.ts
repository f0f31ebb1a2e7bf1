import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram } from './proxy.ts';

/* Judges the units without starting them: a test has no systemd of its own. */

const unitsDir = join(import.meta.dirname, '../../../deploy/systemd');
const analyze = findProgram('systemd-analyze');
const isMissing = [analyze === null, 'systemd-analyze is not installed'] as const;

/** The exposure from 0 to 10 below which systemd calls a service well protected. */
const exposureMax = 2.5;

test.for([
  ['tenure@api.service', 'tenure@.service'],
  ['tenure@worker.service', 'tenure@.service'],
  ['tenure@all.service', 'tenure@.service'],
  ['tenure-backup.service', 'tenure-backup.service'],
  ['tenure-postgresql-backup.service', 'tenure-postgresql-backup.service'],
] as const)('is accepted and exposes little when systemd reads %s', ([unit, file], { skip }) => {
  skip(...isMissing);
  const folder = installed(file, unit);
  expect(run('verify', join(folder, unit))).toEqual({ status: 0, output: '' });
  const { output } = run('security', '--offline=true', '--no-pager', join(folder, unit));
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
  expect(exposure, output).toBeLessThan(exposureMax);
});

test.for(['tenure-backup', 'tenure-postgresql-backup'])(
  'is accepted when systemd reads the timer of %s',
  (name, { skip }) => {
    skip(...isMissing);
    const folder = installed(`${name}.service`, `${name}.service`);
    copyFileSync(join(unitsDir, `${name}.timer`), join(folder, `${name}.timer`));
    expect(run('verify', join(folder, `${name}.timer`))).toEqual({ status: 0, output: '' });
  },
);

/** Copies a unit into a folder, under the name of an instance, and with a program that exists here. */
function installed(file: string, unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'bin/node');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const text = readFileSync(join(unitsDir, file), 'utf8');
  writeFileSync(join(folder, unit), text.replaceAll('/usr/bin/node', program));
  return folder;
}

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(analyze!, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

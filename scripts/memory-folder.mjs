/*
 * Tells where tests keep their files: in memory, if there is room. Each test makes a database of thousands of small files, and deletes it.
 * On a disk, that can take half a second of processor time, in memory 0.03 s.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps files here in memory. */
const folder = '/dev/shm';

/** Bytes. The largest suites need two thirds of it. */
const neededBytes = 6 * 1024 ** 3;

/** Returns the folder for temporary files: `TMPDIR` if it is set, then one in memory, then that of the system. */
export function temporaryFolder() {
  return process.env.TMPDIR ?? (hasRoom() && allowsPrograms() ? folder : tmpdir());
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.min(bavail * bsize, process.availableMemory?.() ?? freemem()) >= neededBytes;
  } catch {
    return false;
  }
}

/** Containers may forbid programs there. Some tests run a copy of the project. */
function allowsPrograms() {
  const place = mkdtempSync(join(folder, 'tenure-try-'));
  try {
    const program = join(place, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(place, { recursive: true });
  }
}

if (import.meta.filename === process.argv[1]) process.stdout.write(`${temporaryFolder()}\n`);

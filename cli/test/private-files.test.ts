import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPrivateFile, readPrivateFile } from '../src/settings/private-files.ts';

test('keeps the file of the first process when a second one creates it too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'listen', 'first.secret');
  createPrivateFile(path, 'one');
  createPrivateFile(path, 'two');
  expect(readPrivateFile(path)).toBe('one');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'listen'))).toEqual(['first.secret']);
});

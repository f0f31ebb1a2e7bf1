import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const bundledNode = new URL('../../../node_modules/.bin/node', import.meta.url).pathname;
const node = existsSync(bundledNode) ? bundledNode : process.execPath;
const moduleUrl = new URL('../../src/server/log-output.ts', import.meta.url).href;

/** Runs a program with an output, and returns its exit code and what a reader got. A late reader reads from the word "read" on stderr on. */
async function run(program: string, { isRead }: { isRead: boolean | 'late' }): Promise<{ code: number; text: string }> {
  const child = spawn(node, ['--input-type=module', '-e', `import { LogOutput } from '${moduleUrl}'; ${program}`], {
    stdio: ['ignore', 'pipe', isRead === 'late' ? 'pipe' : 'inherit'],
  });
  let text = '';
  const read = (): void => void child.stdout!.on('data', (bytes) => (text += bytes));
  if (isRead === 'late') child.stderr!.once('data', read);
  else if (isRead) read();
  else child.stdout!.destroy();
  const [code] = await once(child, 'close');
  return { code, text };
}

const fiveThousandLines = `for (let line = 0; line < 5_000; line += 1) output.write('line ' + line + '\\n');`;
const lines = Array.from({ length: 5_000 }, (_, line) => `line ${line}\n`).join('');

test('writes each line once and in order when its reader is there', async () => {
  const program = `const output = new LogOutput(1); ${fiveThousandLines} output.flush();`;
  expect(await run(program, { isRead: true })).toEqual({ code: 0, text: lines });
});

test('writes the last lines when the process exits', async () => {
  const exits = `process.on('exit', () => output.flushSync()); output.write('last\\n'); process.exit(3);`;
  expect(await run(`const output = new LogOutput(1); ${exits}`, { isRead: true })).toEqual({ code: 3, text: 'last\n' });
});

test.each([
  ['the process exits', `output.write('last\\n'); process.exit(3);`],
  [
    'it has noticed that',
    `output.write('first\\n'); output.flush(); setTimeout(() => { output.write('last\\n'); process.exit(3); }, 500);`,
  ],
])('drops the lines without a reader when %s', async (_, ends) => {
  const program = `const output = new LogOutput(1); process.on('exit', () => output.flushSync()); setTimeout(() => { ${ends} }, 300);`;
  expect(await run(program, { isRead: false })).toEqual({ code: 3, text: '' });
});

test('writes the last lines when its reader is slow and the process exits', async () => {
  // A full pipe blocks this process unless the library has opened it.
  const exits = `const output = new LogOutput(process.stdout.fd); process.on('exit', () => output.flushSync());
    for (let round = 0; round < 5; round += 1) { ${fiveThousandLines} }
    output.flush(); setTimeout(() => { process.stderr.write('read'); process.exit(3); }, 300);`;
  const { code, text } = await run(exits, { isRead: 'late' });
  expect(code).toBe(3);
  expect(text).toBe(lines.repeat(5));
});

test('keeps a few megabytes, and tells how many lines are missing, when its reader stops', async () => {
  const writes = `const output = new LogOutput(process.stdout.fd); const line = 'x'.repeat(1023) + '\\n';
    for (let count = 0; count < 20 * 1024; count += 1) output.write(line);
    setTimeout(() => { process.stderr.write('read'); setTimeout(() => {}, 2_000); setInterval(() => output.flush(), 50).unref(); }, 300);`;
  const { text } = await run(writes, { isRead: 'late' });
  const whole = text.split('\n').filter((line) => line === 'x'.repeat(1023));
  expect(text.length).toBeLessThan(5 * 1024 * 1024);
  const [, dropped] = /"dropped (\d+) lines/.exec(text)!;
  expect(whole.length + Number(dropped)).toBe(20 * 1024);
});

test.runIf(existsSync('/dev/full'))('writes all lines when its full disk has room again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  // The file takes the number of the full one.
  const writes = `import { closeSync, openSync } from 'node:fs';
    const full = openSync('/dev/full', 'w'); const output = new LogOutput(full);
    output.write('first\\n'); output.flush();
    setTimeout(() => { closeSync(full); process.exitCode = openSync('${file}', 'w') === full ? 0 : 1; }, 300);
    setTimeout(() => { output.write('last\\n'); output.flushSync(); }, 1_000);`;
  expect((await run(writes, { isRead: true })).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('first\nlast\n');
});

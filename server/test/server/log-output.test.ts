import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const bundledNode = new URL('../../../node_modules/.bin/node', import.meta.url).pathname;
const node = existsSync(bundledNode) ? bundledNode : process.execPath;
const moduleUrl = new URL('../../src/server/log-output.ts', import.meta.url).href;

/** Runs a program with an output, and returns its exit code and what a reader got. */
async function run(program: string, { isRead }: { isRead: boolean }): Promise<{ code: number; text: string }> {
  const child = spawnWith(program);
  let text = '';
  if (isRead) child.stdout.on('data', (bytes) => (text += bytes));
  else child.stdout.destroy();
  const [code] = await once(child, 'close');
  return { code, text };
}

function spawnWith(program: string) {
  return spawn(node, ['--input-type=module', '-e', `import { LogOutput } from '${moduleUrl}'; ${program}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // So calls of the file system end in their order.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
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

test('keeps a few megabytes, and tells how many lines are missing, when its reader stops', async () => {
  // A full pipe blocks this process unless the library has opened it.
  const child = spawnWith(`const output = new LogOutput(process.stdout.fd); const line = 'x'.repeat(1023) + '\\n';
    for (let count = 0; count < 20 * 1024; count += 1) output.write(line);
    setInterval(() => output.flush(), 50);`);
  onTestFinished(() => void child.kill());
  let text = '';
  child.stdout.on('data', (bytes) => (text += bytes));
  await expect.poll(() => text.slice(-200)).toMatch(/"dropped \d+ lines.*\n$/);
  const whole = text.split('\n').filter((line) => line === 'x'.repeat(1023));
  expect(text.length).toBeLessThan(5 * 1024 * 1024);
  expect(whole.length + Number(/"dropped (\d+) lines/.exec(text)![1])).toBe(20 * 1024);
});

test.runIf(existsSync('/dev/full')).each([
  ['has room again', `setTimeout(() => output.flushSync(), 1_000)`],
  ['has room only at the end of the process', `process.on('exit', () => output.flushSync()); process.exit()`],
])('writes all lines in order when its full disk %s', async (_, ends) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  // The file takes the number of the full one.
  // After the answer of `stat`, no write is under way. The end of the process would lose its line if the disk is full.
  const writes = `import { closeSync, openSync, stat } from 'node:fs';
    const full = openSync('/dev/full', 'w'); const output = new LogOutput(full);
    output.write('first\\n'); output.flush();
    setTimeout(() => stat('/', () => {
      output.write('last\\n');
      closeSync(full); process.exitCode = openSync('${file}', 'w') === full ? 0 : 1;
      ${ends};
    }), 1_000);`;
  expect((await run(writes, { isRead: true })).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('first\nlast\n');
});

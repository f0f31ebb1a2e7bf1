import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const bundledNode = new URL('../../../node_modules/.bin/node', import.meta.url).pathname;
const node = existsSync(bundledNode) ? bundledNode : process.execPath;
const moduleUrl = new URL('../../src/server/log-output.ts', import.meta.url).href;

/** Runs a program with an output, and returns its exit code and what a reader got. */
async function run(program: string, { isRead }: { isRead: boolean }): Promise<{ code: number; text: string }> {
  const child = spawn(node, ['--input-type=module', '-e', `import { LogOutput } from '${moduleUrl}'; ${program}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  if (isRead) child.stdout.on('data', (bytes) => (text += bytes));
  else child.stdout.destroy();
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

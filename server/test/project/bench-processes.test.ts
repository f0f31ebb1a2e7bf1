import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryMb, processorMs } from '../../../bench/products/proc.ts';

/** Uses this much processor time, and then waits. */
const burnMs = 300;
const burn = `while (process.cpuUsage().user < ${burnMs}_000);`;

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startUntilReady(program: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child.pid!;
}

describe.runIf(process.platform === 'linux')('the use of processes', () => {
  test('includes the processor time of children when they have ended', async () => {
    const pid = await startUntilReady(`
      require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);
      ${burn} console.log('ready'); process.stdin.resume();`);
    // Time of ended children has a precision of 10 ms for each of its two parts.
    expect(processorMs([pid])).toBeGreaterThan(2 * burnMs - 20);
  });

  test('includes the processor time and the memory of children when they run', async () => {
    const child = JSON.stringify(`${burn} console.log('ready'); process.stdin.resume();`);
    const pid = await startUntilReady(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${child}]);
      child.stdout.on('data', () => console.log('ready'));`);
    expect(processorMs([pid])).toBeGreaterThan(burnMs);
    const alone = await startUntilReady(`console.log('ready'); process.stdin.resume();`);
    expect(memoryMb([pid])).toBeGreaterThan(1.2 * memoryMb([alone]));
  });

  test('is refused when a process does not run', async () => {
    const pid = await startUntilReady(`console.log('ready'); process.stdin.resume();`);
    const [child] = children;
    child!.kill('SIGKILL');
    await once(child!, 'exit');
    expect(() => processorMs([pid])).toThrow(`Process ${pid} does not run`);
  });
});

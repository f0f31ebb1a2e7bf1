import { createRequire } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import type { ReportContents } from '../../../src/referencing/report/index.ts';

/** Prints like the product, but misbehaves as the reference's id says. */
process.on('message', ({ referenceId }: ReportContents) => {
  if (referenceId === 'ref_dies') process.exit(7);
  if (referenceId === 'ref_tells') process.send!({ fault: JSON.stringify(itself()) });
  if (referenceId.startsWith('ref_SIG')) process.kill(process.pid, referenceId.slice('ref_'.length));
  if (referenceId === 'ref_endless') for (;;);
  if (referenceId === 'ref_waits') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12_000);
  if (referenceId === 'ref_greedy') for (const kept: number[][] = []; ; kept.push(Array(1e6).fill(0.5)));
});

// Use `require`, which runs at once, so that the product's listener misses no message. An import would only be prepared before this line.
createRequire(import.meta.url)('../../../src/referencing/report/process.ts');

function itself(): object {
  return { env: Object.keys(process.env), heapMb: Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024) };
}

import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ReportContents } from '../../../src/referencing/report/index.ts';

/** Prints like the product, but misbehaves as the reference's id says. */
parentPort!.on('message', ({ referenceId }: ReportContents) => {
  if (referenceId === 'ref_dies') process.exit(7);
  if (referenceId === 'ref_endless') for (;;);
  if (referenceId === 'ref_waits') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12_000);
  if (referenceId === 'ref_greedy') for (const kept: number[][] = []; ; kept.push(Array(1e6).fill(0.5)));
});

// Use `require`, which runs at once, so that the product's listener misses no message. An import would only be prepared before this line.
createRequire(import.meta.url)('../../../src/referencing/report/thread.ts');

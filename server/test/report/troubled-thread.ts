import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ReportContents } from '../../src/referencing/report/index.ts';

/** Prints as the product does, but for reports whose reference is named after the trouble that it makes. */
parentPort!.on('message', ({ referenceId }: ReportContents) => {
  if (referenceId === 'ref_dies') process.exit(7);
  if (referenceId === 'ref_endless') for (;;);
  if (referenceId === 'ref_greedy') for (const kept: number[][] = []; ; kept.push(Array(1e6).fill(0.5)));
});

// At once, so that no message comes before the product listens, too; an import would only be made ready before this.
createRequire(import.meta.url)('../../src/referencing/report/thread.ts');

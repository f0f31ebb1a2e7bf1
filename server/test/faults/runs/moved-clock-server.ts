import { readFileSync, writeFileSync } from 'node:fs';
import { runServer } from '../../../src/server/start.ts';

/*
 * The server with a clock that a test sets. A file has the milliseconds by which it is ahead of the machine's clock. The server writes the
 * value that it uses beside that file.
 */

const file = process.env.TEST_CLOCK_FILE!;
let aheadMs = 0;
setInterval(() => {
  const told = Number(readFileSync(file, 'utf8'));
  if (told === aheadMs) return;
  aheadMs = told;
  writeFileSync(`${file}.seen`, String(aheadMs));
}, 5);

await runServer({ clock: { nowMs: () => Date.now() + aheadMs } });

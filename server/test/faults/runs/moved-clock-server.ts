import { readFileSync, writeFileSync } from 'node:fs';
import { runServer } from '../../../src/server/start.ts';

/*
 * The server, by a clock that is set from outside: a file tells how many milliseconds it is ahead of the machine's. What it goes by
 * is written beside that file.
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

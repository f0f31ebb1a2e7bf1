import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is in use after everything unused was thrown away: objects, and the buffers that they hold. */
export function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a file that pages load. */
export function readAsset(file: 'docs.css' | 'search.js' | 'find.js'): string {
  return readFileSync(join(import.meta.dirname, 'assets', file), 'utf8');
}

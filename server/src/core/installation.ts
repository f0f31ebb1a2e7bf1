/**
 * Tells how this code runs: as TypeScript in the repository, or compiled in an installed release. Node strips no types below
 * `node_modules`, so `npm run release` compiles all of `server/src`.
 */
import { extname } from 'node:path';

/** The extension of the modules that run: `.ts` in the repository, `.js` in a release. */
const extension = extname(import.meta.filename);

/** True in an installed release. */
export const isRelease = extension === '.js';

/**
 * Returns the file of a module that another process runs. An import is rewritten when a release is compiled, but a path is not.
 *
 * @param path without its extension, such as `./process`.
 * @param from the `import.meta.url` of the caller.
 */
export function moduleFile(path: string, from: string): URL {
  return new URL(`${path}${extension}`, from);
}

/**
 * Returns what an operator types for a command: `npm run new-key` in the repository, `tenure-server new-key` in a release.
 *
 * @param args what follows the name.
 */
export function operatorCommand(name: string, args?: string): string {
  const isStart = name === 'start';
  if (isRelease) return ['tenure-server', ...(isStart ? [] : [name]), ...(args ? [args] : [])].join(' ');
  return [isStart ? 'npm start' : `npm run ${name}`, ...(args ? [`-- ${args}`] : [])].join(' ');
}

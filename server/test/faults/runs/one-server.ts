import { cpSync, lstatSync } from 'node:fs';
import { Deployment } from '../crash-checker/deployment.ts';
import type { FaultReport, PlayOptions } from './fault-run.ts';

/** Where a server is, and the key of its first account. */
export interface Place {
  url: string;
  secretKey: string;
}

/**
 * Plays against a real server with an embedded database of its own. Nothing of it is left, unless something was found: then its files are
 * kept, and their place is printed.
 *
 * @param options.settings of the server, by its environment.
 * @param options.program another one than the server's own.
 * @param options.dataDir a folder that goes away with the run, so that what was found is copied off it.
 */
export async function onOneServer(
  options: { settings?: Record<string, string>; program?: string; dataDir?: string },
  { print }: PlayOptions,
  play: (server: Deployment) => Promise<FaultReport>,
): Promise<FaultReport> {
  const server = await Deployment.create(options);
  let isClean = false;
  try {
    await server.start();
    const report = await play(server);
    isClean = report.violations.length === 0;
    return report;
  } finally {
    await server.remove({ keepFiles: !isClean });
    if (!isClean) {
      const kept = options.dataDir === undefined ? server.dataDir : copyOf(options.dataDir);
      print(`What was found is kept in ${kept} and ${server.logFile}`);
    }
  }
}

/** A folder's files beside it; sockets, which nobody listens at any more, cannot be copied. */
function copyOf(folder: string): string {
  const copy = `${folder}.kept`;
  cpSync(folder, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  return copy;
}

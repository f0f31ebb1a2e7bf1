import { cpSync, lstatSync } from 'node:fs';
import { Deployment } from '../crash-checker/deployment.ts';
import type { FaultReport, PlayOptions } from './fault-run.ts';

/** Where a server is, and the key of its first account. */
export interface Place {
  url: string;
  secretKey: string;
}

/**
 * Plays against a real server with an embedded database of its own, and removes it afterwards. After a finding, keeps its files and prints
 * their place.
 * @param options.settings of the server, as environment variables.
 * @param options.program to run in place of the server's own.
 * @param options.dataDir a folder that disappears with the run, so that its files are copied after a finding.
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
      print(`The data and log are kept in ${kept} and ${server.logFile}`);
    }
  }
}

/** Copies a folder's files beside it. Skips dead sockets, which cannot be copied. */
function copyOf(folder: string): string {
  const copy = `${folder}.kept`;
  cpSync(folder, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  return copy;
}

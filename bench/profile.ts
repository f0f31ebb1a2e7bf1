import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The used part of V8's profile of processor time. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

/**
 * Returns the share of a process's busy time, in per cent, in files whose address matches. It includes the code that they called.
 *
 * @param afterMs the end of the process's start, which does not count.
 */
export function shareOf(profileDir: string, pattern: RegExp, afterMs: number): number {
  const [file, ...more] = readdirSync(profileDir);
  if (file === undefined || more.length > 0) throw new Error(`${profileDir} should hold the profile of one process.`);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(profileDir, file), 'utf8')) as Profile;
  const within = nodesWithin(nodes, pattern);
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  let atUs = 0;
  let busyUs = 0;
  let withinUs = 0;
  samples.forEach((node, index) => {
    const spentUs = timeDeltas[index]!;
    atUs += spentUs;
    if (atUs < afterMs * 1_000 || idle.has(node)) return;
    busyUs += spentUs;
    if (within.has(node)) withinUs += spentUs;
  });
  return (100 * withinUs) / busyUs;
}

/** Returns the nodes that match and all below them. */
function nodesWithin(nodes: Profile['nodes'], pattern: RegExp): Set<number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const within = new Set<number>();
  const add = (id: number): void => {
    if (within.has(id)) return;
    within.add(id);
    for (const child of byId.get(id)!.children ?? []) add(child);
  };
  for (const { id, callFrame } of nodes) if (pattern.test(callFrame.url)) add(id);
  return within;
}

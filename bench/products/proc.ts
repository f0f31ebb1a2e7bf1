import { existsSync, readdirSync, readFileSync } from 'node:fs';

/*
 * Reads what processes use, with all their descendants, from Linux's /proc.
 */

/** Milliseconds of a clock tick, in which Linux counts the time of ended processes. */
const tickMs = 10;

/** Returns the processor time of these processes and all their descendants so far, ended ones included. */
export function processorMs(roots: readonly number[]): number {
  return sumOf(treesOf(roots), (pid) => {
    const threads = ifAlive(`/proc/${pid}/task`, (folder) => readdirSync(folder), []);
    const liveNs = sumOf(threads, (thread) => Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]));
    return liveNs / 1e6 + endedChildrenMs(pid);
  });
}

/** Returns the processor time of a process's first thread. In Node it executes the JavaScript. */
export function mainThreadMs(pid: number): number {
  return Number(textOf(`/proc/${pid}/task/${pid}/schedstat`).split(' ')[0]) / 1e6;
}

/** Returns the id of the process that started this one. */
export function parentOf(pid: number): number {
  return Number(statFieldsOf(pid)[1]);
}

/** Returns the memory of these processes and all their descendants, in MB. Shared pages count once in all (PSS). */
export function memoryMb(roots: readonly number[]): number {
  const kilobytes = sumOf(treesOf(roots), (pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes / 1024;
}

/** Reads the fields 16 and 17 of proc_pid_stat(5): the time of children that have ended, and of theirs. */
function endedChildrenMs(pid: number): number {
  const fields = statFieldsOf(pid);
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * tickMs;
}

/** Returns the ids of these processes and of all their descendants. */
function treesOf(roots: readonly number[]): number[] {
  if (!existsSync('/proc/self/stat')) throw new Error('processor time and memory can only be read on Linux');
  for (const root of roots) {
    if (statFieldsOf(root).length === 0) throw new Error(`Process ${root} does not run. Correct its id.`);
  }
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(statFieldsOf(Number(name))[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = new Set<number>();
  const add = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of children.get(pid) ?? []) add(child);
  };
  for (const root of roots) add(root);
  return [...found];
}

/** Returns the fields of proc_pid_stat(5) from the third on, or none if the process has ended. */
function statFieldsOf(pid: number): string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function textOf(file: string): string {
  return ifAlive(file, () => readFileSync(file, 'utf8'), '');
}

/** Reads something of a process that may end at any time. */
function ifAlive<Value>(file: string, read: (file: string) => Value, otherwise: Value): Value {
  try {
    return read(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return otherwise;
    throw new Error(`${file} cannot be read (${code}). Run as root, or as the user of that process.`, { cause: error });
  }
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

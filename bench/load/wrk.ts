import { fileURLToPath } from 'node:url';
import { run } from '../tools.ts';

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export const connections = 64;

/** Loads a server from 64 connections, or the given number. Each sends its next request after the last response. */
export async function runLoad(
  wrk: string,
  script: 'post' | 'get' | 'path',
  url: string,
  { seconds, env, clients = connections }: { seconds: number; env: Record<string, string>; clients?: number },
): Promise<LoadResult> {
  const file = fileURLToPath(new URL(`${script}.lua`, import.meta.url));
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const output = await run(wrk, ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '10s', '-s', file, url], {
    env: { SEED: seed, LOAD_DIR: fileURLToPath(new URL('./', import.meta.url)), ...env },
    timeoutMs: (seconds + 30) * 1000,
  });
  const told = JSON.parse(output.trim().split('\n').at(-1)!) as Record<
    'requests' | 'failed' | 'durationUs' | 'p50Us' | 'p99Us',
    number
  >;
  if (told.failed > 0) throw new Error(`The measurement is void: ${told.failed} requests to ${url} failed.`);
  return {
    requests: told.requests,
    requestsPerSecond: told.requests / (told.durationUs / 1e6),
    p50Ms: told.p50Us / 1000,
    p99Ms: told.p99Us / 1000,
  };
}

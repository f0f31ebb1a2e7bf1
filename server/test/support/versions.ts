import { apiVersions } from '../../src/versions/index.ts';

/** The dates of the API's versions, the newest first. */
export const versions: readonly string[] = apiVersions.map(({ date }) => date);

/** What a new account is pinned to. */
export const latestVersion = versions[0]!;

/** What the versions call and show differently. Written from their changelog and not from their changes, so that a mistake there is seen here. */
interface Words {
  /** A reference's file. */
  file: string;
  /** What no version of that date calls it. */
  notFile: string;
  /** How many there are in a list. */
  total: string;
  notTotal: string;
  /** An event's `request`: an object, or no more than the id. */
  request: 'object' | 'id';
}

const since2026 = { file: 'reference_pdf', notFile: 'pdf', total: 'count', notTotal: 'total_count' };

export const words: Readonly<Record<string, Words>> = {
  '2026-11-01': { ...since2026, request: 'object' },
  '2026-03-01': { ...since2026, request: 'id' },
  '2025-09-01': {
    file: 'pdf',
    notFile: 'reference_pdf',
    total: 'total_count',
    notTotal: 'count',
    request: 'id',
  },
};

/** The header of a request that is to be answered in this version. */
export function inVersion(version: string): { 'service-version': string } {
  return { 'service-version': version };
}

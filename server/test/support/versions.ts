import { apiVersions } from '../../src/versions/index.ts';

/** The dates of the API's versions, the newest first. */
export const versions: readonly string[] = apiVersions.map(({ date }) => date);

/** The version that a new account is pinned to. */
export const latestVersion = versions[0]!;

/**
 * How the versions name and show things differently. Written from their changelog and not from their changes, so that a mistake in those is
 * found.
 */
interface Words {
  /** The name of a reference's file. */
  file: string;
  /** A name that no version of that date uses. */
  notFile: string;
  /** The name of the number of records in a list. */
  total: string;
  notTotal: string;
  /** The form of an event's `request`: an object, or only the id. */
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

/** Returns the header of a request for a response in this version. */
export function inVersion(version: string): { 'service-version': string } {
  return { 'service-version': version };
}

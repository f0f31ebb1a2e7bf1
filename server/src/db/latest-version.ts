import { TtlCache } from './ttl-cache.ts';
import type { Client } from './pools.ts';
import type { Reader } from './reader.ts';
import { onlyRow } from './only-row.ts';

/** A process may use an outdated version for so many milliseconds. The version only ever rises. */
const ageMaxMs = 1_000;

/**
 * The latest API version that is served: the newest one that every process of the deployment knows. A release may know newer versions. They
 * are dormant until the deployment's row names them. So no account is pinned to a date that the previous release would refuse.
 */
export class LatestVersion {
  readonly #fresh: TtlCache<string>;
  /** The result of the last read. */
  known: string;

  constructor(reader: Reader, known: string) {
    this.known = known;
    this.#fresh = new TtlCache(ageMaxMs, async (keys) => {
      const rows = await reader.query<{ latest_api_version: string }>({
        name: 'read_latest_version',
        text: 'select latest_api_version from deployment',
        values: [],
      });
      this.known = onlyRow(rows).latest_api_version;
      return keys.map(() => this.known);
    });
  }

  /** Returns the version, at most a second old. */
  async look(): Promise<string> {
    return (await this.#fresh.get(''))!;
  }
}

/**
 * Makes the deployment serve this version. Each process follows within a second.
 *
 * @returns the latest version: a newer one than `version` if that was released before.
 */
export async function releaseVersion(client: Client, version: string): Promise<string> {
  const { rows } = await client.query<{ latest_api_version: string }>(
    'update deployment set latest_api_version = greatest(latest_api_version, $1) returning latest_api_version',
    [version],
  );
  return onlyRow(rows).latest_api_version;
}

import { TtlCache } from './ttl-cache.ts';
import type { Client } from './pools.ts';
import type { Reader } from './reader.ts';

/** What one process may still believe when the latest version has changed; it only ever grows. */
const ageMaxMs = 1_000;

/**
 * The latest version of the API that is served: the newest one that every process of the deployment knows. A release may know
 * newer ones; they are dormant until the deployment's row names them, so that no account is pinned to a date that a process of
 * the release before would refuse.
 */
export class LatestVersion {
  readonly #fresh: TtlCache<string>;
  /** As it was when somebody last looked. */
  known: string;

  constructor(reader: Reader, known: string) {
    this.known = known;
    this.#fresh = new TtlCache(ageMaxMs, async (keys) => {
      const [row] = await reader.query<{ latest_api_version: string }>({
        name: 'read_latest_version',
        text: 'select latest_api_version from deployment',
        values: [],
      });
      this.known = row!.latest_api_version;
      return keys.map(() => row!.latest_api_version);
    });
  }

  /** As it is, or was a second ago. */
  async look(): Promise<string> {
    return (await this.#fresh.get(''))!;
  }
}

/**
 * Has the deployment serve this version from now on; each process does so within a second.
 *
 * @returns the latest version, which is a newer one if that was released before.
 */
export async function releaseVersion(client: Client, version: string): Promise<string> {
  const { rows } = await client.query<{ latest_api_version: string }>(
    'update deployment set latest_api_version = greatest(latest_api_version, $1) returning latest_api_version',
    [version],
  );
  return rows[0]!.latest_api_version;
}

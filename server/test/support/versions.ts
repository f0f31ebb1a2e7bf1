import { apiVersions } from '../../src/versions/index.ts';

/** The dates of the API's versions, the newest first. */
export const versions: readonly string[] = apiVersions.map(({ date }) => date);

/** What a new account is pinned to. */
export const latestVersion = versions[0]!;

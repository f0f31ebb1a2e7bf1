/** The dates of the API's versions, the newest first. Handlers and stored data know the newest shape only. */
export const versions: readonly string[] = ['2026-11-01'];

export const latestVersion = versions[0]!;

const dayMs = 24 * 3600 * 1000;

/**
 * From when on events, logs, deliveries and their attempts are kept. Whoever is asked about an earlier time refuses. What is older is
 * removed, but not before one day later: longer than any request, so that nobody who was let in loses what they look at.
 */
export function retainedFromMs(nowMs: number, retentionDays: number): number {
  return Math.max(0, nowMs - retentionDays * dayMs);
}

/** What was made before may be removed: nobody who is under way can have been let in to it. */
export function removableBeforeMs(nowMs: number, retentionDays: number): number {
  return Math.max(0, retainedFromMs(nowMs, retentionDays) - dayMs);
}

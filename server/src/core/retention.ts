const dayMs = 24 * 3600 * 1000;

/** What happened before this may be gone already (contract of the retention): events, logs and deliveries with their attempts. */
export function retainedFromMs(nowMs: number, retentionDays: number): number {
  return nowMs - retentionDays * dayMs;
}

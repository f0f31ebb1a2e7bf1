/** Returns the known name that differs least from this one, or null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const allowed = Math.max(1, Math.min(3, Math.floor(name.length * 0.4)));
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const distance = distanceOf(name, candidate);
    if (distance <= allowed && (best === null || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name ?? known.find((candidate) => name.length >= 3 && candidate.startsWith(name)) ?? null;
}

/** Returns advice such as ` Did you mean "status"?`, or a list of the names if none is near. */
export function adviceOn(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? ` Use one of: ${known.join(', ')}.` : ` Did you mean "${nearest}"?`;
}

/** Returns how many letters must change, appear, vanish or swap. */
function distanceOf(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 1; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(changed, rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = least;
    }
  }
  return rows[a.length]![b.length]!;
}

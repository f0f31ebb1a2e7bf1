/**
 * Returns the known name closest to a misspelt one. Returns null if more than a third of its letters would be wrong. Two swapped neighbours
 * count as one error (optimal string alignment, after Damerau, CACM 7, 1964).
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let nearestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= nearestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Returns the number of errors in a text: letters that are wrong, missing, added, or swapped with their neighbour. */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  // The distance between the first `row` letters and the first `column` letters. Infinite outside of the table.
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column++) {
      const substituted = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Infinity;
      current.push(Math.min(substituted, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(from.length, to.length);
}

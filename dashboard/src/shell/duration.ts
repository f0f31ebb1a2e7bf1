/** Returns a duration in its two largest units, such as "2 d 5 h". Parts of a minute are left out. */
export function durationOf(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  const units: [count: number, unit: string][] = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ];
  const first = units.findIndex(([count]) => count > 0);
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Caches results of `load` for a second, so that keys and endpoints are not read each time. */
export function remembered<Found>(load: (id: string) => Promise<Found>): (id: string) => Promise<Found> {
  const entries = new Map<string, { found: Promise<Found>; untilMs: number }>();
  return (id) => {
    const entry = entries.get(id);
    if (entry && entry.untilMs > Date.now()) return entry.found;
    const found = load(id);
    entries.set(id, { found, untilMs: Date.now() + 1_000 });
    return found;
  };
}

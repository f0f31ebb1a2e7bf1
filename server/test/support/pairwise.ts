/**
 * Returns items that together have every pair of values of the whole list. They are for `npm test`, and the full product for `npm run
 * test:matrix`.
 * @param valuesOf returns as many values for each item, in the same order.
 */
export function pairwise<Item>(items: readonly Item[], valuesOf: (item: Item) => readonly unknown[]): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const values = valuesOf(item).map((value, place) => `${place} ${String(value)}`);
    const pairs = values.flatMap((one, place) => values.slice(place + 1).map((other) => `${one}\n${other}`));
    const unseen = pairs.filter((pair) => !seen.has(pair));
    for (const pair of unseen) seen.add(pair);
    return unseen.length > 0;
  });
}

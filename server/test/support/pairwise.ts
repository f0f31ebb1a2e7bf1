/**
 * Returns items that together have every pair of values of the whole list. They are for `npm test`, and the full product for `npm run
 * test:matrix`.
 * @param valuesOf returns as many values for each item, in the same order.
 */
export function pairwise<Item>(items: readonly Item[], valuesOf: (item: Item) => readonly unknown[]): Item[] {
  // Numbers stand for the values. For a million items, texts of all pairs take seconds.
  const numbers = new Map<string, number>();
  const seenBeside: Set<number>[] = [];
  const numberOf = (value: unknown, place: number): number => {
    const text = `${place} ${String(value)}`;
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return seenBeside.push(new Set()) - 1;
  };
  return items.filter((item) => {
    const values = valuesOf(item).map(numberOf);
    let isNew = false;
    values.forEach((one, place) => {
      const seen = seenBeside[one]!;
      for (let after = place + 1; after < values.length; after++) {
        const other = values[after]!;
        if (seen.has(other)) continue;
        seen.add(other);
        isNew = true;
      }
    });
    return isNew;
  });
}

/** A list with at least one item. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

export function isNonEmpty<Item>(list: readonly Item[]): list is NonEmpty<Item> {
  return list.length > 0;
}

/** Returns the first item that meets a condition, if there always is one. */
export function findKnown<Item>(list: readonly Item[], isWanted: (item: Item) => boolean): Item {
  const item = list.find(isWanted);
  if (item === undefined) throw new Error(`Bug! None of ${list.length} items meets the condition.`);
  return item;
}

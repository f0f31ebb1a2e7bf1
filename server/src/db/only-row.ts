/** Returns the row of a statement that always has one. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('Bug! A statement that always has a row has returned none.');
  return row;
}

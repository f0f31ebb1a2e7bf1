/** Returns the name of a column in SQL. Quotes let a member have a name that SQL reserves, such as `limit`. */
export function identifier(name: string): string {
  return `"${name}"`;
}

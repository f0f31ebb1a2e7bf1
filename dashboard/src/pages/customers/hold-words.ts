const kinds: Readonly<Record<string, { name: string; data: string }>> = {
  right_to_rent: { name: 'Right to rent', data: 'The check of the right to rent' },
  accounts: { name: 'Accounts', data: 'The name and the last address, for the accounts' },
};

/** The duties, for a choice. */
export const duties = Object.entries(kinds).map(([id, { name }]) => ({ id, name }));

/** Returns the name of a duty that keeps data of an erased person. */
export function dutyText(kind: string): string {
  return kinds[kind]?.name ?? kind;
}

/** Returns what a duty keeps. */
export function keptText(kind: string): string {
  return kinds[kind]?.data ?? kind;
}

/** Continues a sentence with a number of files. */
export function filesText(number: number): string {
  if (number === 0) return '';
  return number === 1 ? ', with one file' : `, with ${number} files`;
}

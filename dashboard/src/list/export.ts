/** Returns records as CSV (RFC 4180): a column for each member, and nested members as JSON. */
export function csvOf(records: readonly object[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = records.map((record) =>
    names.map((name) => csvCell((record as Record<string, unknown>)[name])).join(','),
  );
  return [names.map(csvCell).join(','), ...lines, ''].join('\r\n');
}

function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  // A spreadsheet would run such a cell as a formula. Numbers are none.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

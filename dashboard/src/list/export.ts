/** Tells spreadsheets that the text is UTF-8. Excel takes another encoding without it. */
const byteOrderMark = '\uFEFF';

/**
 * Returns records as CSV (RFC 4180): a column for each member, and nested members as JSON. A text that a spreadsheet would run as a formula
 * begins with an apostrophe.
 */
export function csvOf(records: readonly object[]): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = records.map((record) =>
    names.map((name) => csvCell((record as Record<string, unknown>)[name])).join(','),
  );
  return byteOrderMark + [names.map(csvCell).join(','), ...lines, ''].join('\r\n');
}

function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  // Numbers are no formulas. East Asian spreadsheets take the wide forms of the signs, too.
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  // Some spreadsheets separate cells by semicolons or tabs. A cell between quotes stays one.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Lets the browser save bytes as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

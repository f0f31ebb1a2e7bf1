// oxlint-disable-next-line no-control-regex -- Control characters are the very thing it looks for.
const needsCare = /[\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes a PostgreSQL array literal. Batches are sent as arrays, and the driver's own escaping took a tenth of the server's time. For text
 * without control characters, `JSON.stringify` escapes exactly as an array literal requires.
 */
export function arrayLiteral(values: readonly (string | number | boolean | null)[]): string {
  let literal = '{';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) literal += ',';
    literal += element(values[index]!);
  }
  return `${literal}}`;
}

function element(value: string | number | boolean | null): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  if (needsCare.test(value)) return `"${value.replace(/["\\]/g, '\\$&')}"`;
  return JSON.stringify(value);
}

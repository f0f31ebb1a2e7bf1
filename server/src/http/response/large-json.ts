import type { JsonObject } from '../../core/json-diff.ts';

/**
 * Returns the JSON of a large object as bytes. It converts the records of a list one by one, and takes them out of the list. So no text of
 * all is in memory.
 */
export function largeJson(object: JsonObject): Buffer {
  const { data, ...others } = object;
  if (!Array.isArray(data) || Object.keys(object).at(-1) !== 'data') return Buffer.from(JSON.stringify(object));
  const pieces = [Buffer.from(`${JSON.stringify(others).slice(0, -1)},"data":[`)];
  for (const [index, record] of data.entries()) {
    pieces.push(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(record)}`));
    data[index] = null;
  }
  pieces.push(Buffer.from(']}'));
  return Buffer.concat(pieces);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../core/json-diff.ts';

/** Bytes that are converted at a time. Other requests have their turn after them. */
const atOnceBytes = 128 * 1024;

/**
 * Returns the JSON of a large object as bytes. It converts the records of a list one by one, and takes them out of the list. So no text of
 * all is in memory. Other requests have their turn between the records.
 *
 * @param expectedBytes the usual size of such a JSON. A larger one is copied.
 */
export async function largeJson(object: JsonObject, expectedBytes: number): Promise<Buffer> {
  const { data, ...others } = object;
  if (!Array.isArray(data) || Object.keys(object).at(-1) !== 'data') return Buffer.from(JSON.stringify(object));
  const json = new JsonBytes(expectedBytes);
  json.add(`${JSON.stringify(others).slice(0, -1)},"data":[`);
  let turnAt = atOnceBytes;
  for (const [index, record] of data.entries()) {
    json.add(`${index === 0 ? '' : ','}${JSON.stringify(record)}`);
    data[index] = null;
    if (json.length < turnAt) continue;
    turnAt = json.length + atOnceBytes;
    await nextTurn();
  }
  json.add(']}');
  return json.bytes;
}

/** Texts behind each other in one buffer. Separate buffers would all be copied in the end. */
class JsonBytes {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes: number) {
    // The system gives memory only to the pages that are written. So a buffer that is too large costs nothing.
    this.#buffer = Buffer.allocUnsafeSlow(2 * expectedBytes + atOnceBytes);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.bytes.copy(larger);
      this.#buffer = larger;
    }
    this.#length += this.#buffer.write(text, this.#length);
  }
}

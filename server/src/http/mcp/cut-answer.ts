import { isObject, type Json, type JsonObject } from '../../core/json-diff.ts';

/** The most bytes of an answer. A model reads all of it, and has little room. */
export const answerBytesMax = 40_000;

/** Room for the member `cut`. */
const noteBytes = 2_000;

/** The most names of cut members that an answer lists. */
const namesMax = 20;

/**
 * Returns an answer of at most `answerBytesMax`. A list loses its last records. A record loses the ends of its longest members. The member
 * `cut` says what is missing, and how to ask for it.
 */
export function fitted(object: JsonObject): JsonObject {
  if (bytesOf(object) <= answerBytesMax) return object;
  const room = answerBytesMax - noteBytes;
  return object.object === 'list' && Array.isArray(object.data)
    ? fittedList(object, object.data, room)
    : fittedRecord(object, room);
}

function fittedList(list: JsonObject, data: readonly Json[], room: number): JsonObject {
  const kept: Json[] = [];
  let bytes = bytesOf({ ...list, data: [] });
  for (const item of data) {
    bytes += bytesOf(item) + 1;
    if (bytes > room) break;
    kept.push(item);
  }
  const [first] = data;
  if (kept.length === 0 && isObject(first)) kept.push(fittedRecord(first, room - 1_000));
  const left = data.slice(kept.length).map(idOf);
  const last = idOf(kept.at(-1));
  return {
    ...list,
    has_more: list.has_more === true || left.length > 0,
    data: kept,
    cut: {
      records: left.length,
      message: `The answer would have more than ${answerBytesMax} bytes. For the next records, call \`list\` with the same arguments and \`starting_after\`: "${last}".`,
      starting_after: last,
      retrieve: left.filter((id) => id !== ''),
    },
  };
}

function fittedRecord(record: JsonObject, room: number): JsonObject {
  for (let budget = room; ; budget *= 0.8) {
    const cut = new Map<string, string>();
    const shorter = shortened(record, budget, '', idOf(record), cut) as JsonObject;
    if (bytesOf(shorter) > room) continue;
    const ids = [...new Set(cut.values())].filter((id) => id !== '' && id !== idOf(record));
    const wayOn =
      ids.length > 0
        ? `Call \`retrieve\` with one of these ids for more of it: ${ids.slice(0, namesMax).join(', ')}.`
        : `A person can read all of ${idOf(record) || 'it'} in the dashboard, or by HTTP.`;
    return {
      ...shorter,
      cut: {
        members: [...cut.keys()].slice(0, namesMax),
        message: `The answer would have more than ${answerBytesMax} bytes. The ends of these members are left out. ${wayOn}`,
        retrieve: ids.slice(0, namesMax),
      },
    };
  }
}

/**
 * Returns a value with at most about so many bytes. Short members stay whole, and long ones share what is left.
 *
 * @param id the id of the nearest record around the value.
 * @param cut gets the paths of what was shortened, each with the id of its record.
 */
function shortened(value: Json, room: number, path: string, id: string, cut: Map<string, string>): Json {
  if (bytesOf(value) <= room) return value;
  if (typeof value === 'string') {
    cut.set(path, id);
    return beginningOf(value, room);
  }
  if (Array.isArray(value)) {
    const kept: Json[] = [];
    let left = room - 2;
    for (const item of value) {
      left -= bytesOf(item) + 1;
      if (left < 0) break;
      kept.push(item);
    }
    cut.set(path, id);
    return kept;
  }
  if (!isObject(value)) return value;
  const own = idOf(value) || id;
  const members = Object.entries(value)
    .map(([name, member]) => ({ name, member, bytes: bytesOf(member) }))
    .sort((one, other) => one.bytes - other.bytes);
  const fitting = new Map<string, Json>();
  let left = room - 2;
  for (const [index, { name, member }] of members.entries()) {
    const place = path === '' ? name : `${path}.${name}`;
    const nameBytes = bytesOf(name) + 2;
    const share = left / (members.length - index) - nameBytes;
    const short = shortened(member, Math.max(share, 0), place, own, cut);
    left -= bytesOf(short) + nameBytes;
    if (left >= 0 || name === 'id' || name === 'object') fitting.set(name, short);
    else cut.set(place, own);
  }
  // The members keep their order.
  return Object.fromEntries(
    Object.keys(value).flatMap((name) => (fitting.has(name) ? [[name, fitting.get(name)!]] : [])),
  );
}

/** Returns the beginning of a text, in so many bytes of JSON. A character can take up to six. */
function beginningOf(text: string, room: number): string {
  for (let length = Math.floor(room); length > 0; length = Math.floor(length * 0.7)) {
    const beginning = `${text.slice(0, length).toWellFormed()}…`;
    if (bytesOf(beginning) <= room) return beginning;
  }
  return '…';
}

function idOf(value: Json | undefined): string {
  return isObject(value) && typeof value.id === 'string' ? value.id : '';
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

import { inflateSync } from 'node:zlib';
import { tokensOf, type Token } from './pdf-tokens.ts';

/*
 * Looks for active content in a PDF (ISO 32000-2). A reader reaches objects that begin with `1 0 obj` somewhere in the file. It also
 * reaches those in object streams. Both are read, also if an earlier or a later part of the file replaces them. Other streams, such as
 * pages and pictures, have no objects, so nothing in them is found by mistake. Texts are skipped, because a link to `…/Launch` starts nothing.
 */

const advice = 'Print it to a new PDF, and send that.';

const faults = {
  script: `\`file\` is a PDF with a script. ${advice}`,
  program: `\`file\` is a PDF that starts a program or imports data. ${advice}`,
  attachment: `\`file\` is a PDF with another file, a film or a model inside. Send the files one by one, each as a PDF or a picture.`,
  form: `\`file\` is a PDF with a form that runs scripts (XFA). ${advice}`,
  closed: `\`file\` is a PDF with parts that cannot be checked for scripts: it is protected or damaged. Remove the protection, or print it to a new PDF, and send that.`,
} as const;

type Fault = keyof typeof faults;

/** Kinds of actions (12.6.4), by the name at `S`. */
const actions: Record<string, Fault> = {
  JavaScript: 'script',
  Launch: 'program',
  ImportData: 'program',
  GoToE: 'attachment',
  Rendition: 'attachment',
  RichMediaExecute: 'attachment',
};

/** Kinds of objects, by the name at `Type` or `Subtype`. */
const kinds: Record<string, Fault> = {
  EmbeddedFile: 'attachment',
  FileAttachment: 'attachment',
  RichMedia: 'attachment',
};

/** Members of dictionaries that have a dictionary, an array, a text or a reference. */
const members: Record<string, Fault> = {
  EmbeddedFiles: 'attachment',
  EF: 'attachment',
  JS: 'script',
  OnInstantiate: 'script',
  XFA: 'form',
};

/** Bytes of all object streams. Usual ones have less than 100 kB each. */
const inflatedMax = 32 * 1024 * 1024;

/** Objects of one object stream. Usual ones have some hundreds. */
const objectsMax = 100_000;

/** Bytes that are read as objects, as a multiple of the bytes in the file. Objects that overlap are read repeatedly. */
const readShareMax = 4;

/** The same for object streams. An object is read until the first token of the next one, so no token is read three times. */
const inflatedShareMax = 2;

const spare = 1024 * 1024;

/** Returns the reason against a PDF, for the person that sent it. Null if there is none. */
export function findFault(pdf: Buffer): string | null {
  const search = new Search(pdf.length);
  try {
    for (const at of objectsIn(pdf)) search.readObject(pdf, at);
    return null;
  } catch (error) {
    if (error instanceof FoundError) return faults[error.fault];
    throw error;
  }
}

class FoundError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault);
    this.fault = fault;
  }
}

/** Yields the places behind `obj` and `trailer`. */
function* objectsIn(pdf: Buffer): Generator<number> {
  for (const word of ['obj', 'trailer']) {
    for (let at = pdf.indexOf(word); at >= 0; at = pdf.indexOf(word, at + 1)) {
      const before = String.fromCharCode(pdf[at - 1] ?? 0);
      const after = String.fromCharCode(pdf[at + word.length] ?? 0);
      // Readers want numbers before it. `endobj` and `object` are other words.
      if (/[\s\0\d]/.test(before) && !/[A-Za-z]/.test(after)) yield at + word.length;
    }
  }
}

/** One search. Its methods throw a `FoundError`. */
class Search {
  #readable: number;
  #inflatable = inflatedMax;

  constructor(bytes: number) {
    this.#readable = readShareMax * bytes + spare;
  }

  /** Reads the object at a place, and what it has inside if it is an object stream. */
  readObject(bytes: Buffer, at: number): void {
    const stream = this.#readOne(bytes, at);
    if (stream) this.#readObjectStream(stream.dictionary, bytes.subarray(stream.at));
  }

  /** Reads one object. Returns its dictionary and the place of its bytes if it is an object stream. */
  #readOne(bytes: Buffer, at: number): { dictionary: Token[]; at: number } | null {
    const dictionary: Token[] = [];
    let depth = 0;
    let [last, isFirst]: [Token | null, boolean] = [null, true];
    let end = at;
    try {
      for (const token of tokensOf(bytes, at)) {
        end = token.end;
        if (end - at > this.#readable) throw new FoundError('closed');
        const isWhole = !isFirst && depth === 0;
        if (isWhole) return token.kind === 'word' && token.text === 'stream' ? streamAt(dictionary, bytes, end) : null;
        if (token.kind === 'word' && endWords.has(token.text)) return null;
        judge(last, token, isFirst);
        if (token.kind === 'open') depth++;
        else if (token.kind === 'close') depth--;
        // The members of an object stream are not nested deeper than a list of filters.
        if (depth <= 2 && dictionary.length < 200) dictionary.push(token);
        [last, isFirst] = [token, false];
      }
      return null;
    } finally {
      this.#readable -= end - at;
    }
  }

  #readObjectStream(dictionary: Token[], raw: Buffer): void {
    const first = numberAt(dictionary, 'First');
    const count = numberAt(dictionary, 'N');
    const bytes = inflated(dictionary, raw);
    if (first === null || count === null || count > objectsMax || bytes === null) throw new FoundError('closed');
    this.#inflatable -= bytes.length;
    if (this.#inflatable < 0) throw new FoundError('closed');
    this.#readable += inflatedShareMax * bytes.length;
    const numbers: number[] = [];
    for (const { kind, text } of tokensOf(bytes, 0)) {
      if (kind !== 'number' || numbers.length === 2 * count) break;
      numbers.push(Number(text));
    }
    for (let index = 1; index < numbers.length; index += 2) this.#readOne(bytes, first + numbers[index]!);
  }
}

const endWords: ReadonlySet<string> = new Set(['endobj', 'obj', 'stream', 'xref', 'startxref']);

/** @throws {FoundError} if a token has an active meaning behind the one before. */
function judge(last: Token | null, { kind, text }: Token, isFirst: boolean): void {
  const isName = kind === 'name';
  if (isName && (isFirst || isNamed(last, 'S')) && Object.hasOwn(actions, text)) throw new FoundError(actions[text]!);
  if (isName && (isNamed(last, 'Type') || isNamed(last, 'Subtype')) && Object.hasOwn(kinds, text))
    throw new FoundError(kinds[text]!);
  // A name or a literal number at such a member is something else, such as the name of a font.
  if (last?.kind !== 'name' || isName || kind === 'word' || kind === 'close') return;
  if (Object.hasOwn(members, last.text) && !(last.text === 'JS' && kind === 'number'))
    throw new FoundError(members[last.text]!);
}

function isNamed(token: Token | null, text: string): boolean {
  return token?.kind === 'name' && token.text === text;
}

/** Returns the place of the bytes if the dictionary is that of an object stream. */
function streamAt(dictionary: Token[], bytes: Buffer, end: number): { dictionary: Token[]; at: number } | null {
  const names = new Set(dictionary.filter(({ kind }) => kind === 'name').map(({ text }) => text));
  // Not all readers look at `Type`.
  if (!names.has('ObjStm') && !(names.has('First') && names.has('N'))) return null;
  const at = bytes[end] === 0x0d ? end + 1 : end;
  return { dictionary, at: bytes[at] === 0x0a ? at + 1 : at };
}

/** Returns the whole number of a member. Null if it has another value, such as a reference. */
function numberAt(dictionary: Token[], name: string): number | null {
  const at = dictionary.findIndex((token) => isNamed(token, name));
  const value = dictionary[at + 1];
  if (at < 0 || value?.kind !== 'number' || !/^\d{1,9}$/.test(value.text)) return null;
  return dictionary[at + 3]?.text === 'R' ? null : Number(value.text);
}

/** Returns the bytes of an object stream. Null if they are encrypted or damaged, or in a form that is unusual for objects. */
function inflated(dictionary: Token[], raw: Buffer): Buffer | null {
  const names = dictionary.filter(({ kind }) => kind === 'name').map(({ text }) => text);
  const filters = names.filter((name) => name === 'Fl' || /(Decode|Crypt)$/.test(name));
  if (names.includes('F') || names.includes('DecodeParms') || names.includes('DP')) return null;
  if (filters.length === 0) {
    if (names.includes('Filter')) return null;
    const end = raw.indexOf('endstream');
    return end < 0 ? null : raw.subarray(0, end);
  }
  if (filters.length > 1 || (filters[0] !== 'FlateDecode' && filters[0] !== 'Fl')) return null;
  try {
    return inflateSync(raw, { maxOutputLength: inflatedMax });
  } catch {
    return null;
  }
}

/** A token of a PDF (ISO 32000-2, 7.2 and 7.3). */
export interface Token {
  kind: 'name' | 'number' | 'text' | 'open' | 'close' | 'word';
  /** Of a name without its slash and its escapes. Empty for a text. */
  text: string;
  /** The place behind it. */
  end: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const isSpace = tableOf('\0\t\n\f\r ');
const isDelimiter = tableOf('()<>[]{}/%');

/** The values of hexadecimal digits by their codes. */
const hexDigits: number[] = Array.from({ length: 256 }, (_, code) =>
  Number(/[\da-f]/i.test(String.fromCharCode(code)) ? `0x${String.fromCharCode(code)}` : Number.NaN),
);

/** Longer words and names are read no further. A name has at most 127 bytes. */
const lengthMax = 1_000;

/** Yields the tokens from a place on, until the end of the bytes. */
export function* tokensOf(bytes: Buffer, start: number): Generator<Token> {
  for (let at = start; at < bytes.length;) {
    const byte = bytes[at]!;
    if (isSpace[byte]) {
      at++;
      continue;
    }
    if (byte === 0x25) {
      at = endOfLine(bytes, at);
      continue;
    }
    const token = tokenAt(bytes, at, String.fromCharCode(byte));
    yield token;
    at = token.end;
  }
}

function tokenAt(bytes: Buffer, at: number, sign: string): Token {
  const next = bytes[at + 1];
  if (sign === '(') return { kind: 'text', text: '', end: endOfText(bytes, at) };
  if (sign === '<' && next !== 0x3c) {
    const end = bytes.indexOf('>', at);
    return { kind: 'text', text: '', end: end < 0 ? bytes.length : end + 1 };
  }
  if (sign === '<') return { kind: 'open', text: '<<', end: at + 2 };
  if (sign === '>' && next === 0x3e) return { kind: 'close', text: '>>', end: at + 2 };
  if (sign === '[') return { kind: 'open', text: '[', end: at + 1 };
  if (sign === ']') return { kind: 'close', text: ']', end: at + 1 };
  if (sign === '/') {
    const end = endOfRegular(bytes, at + 1);
    return { kind: 'name', text: unescaped(textOf(bytes, at + 1, end)), end };
  }
  if (isDelimiter[bytes[at]!]) return { kind: 'word', text: sign, end: at + 1 };
  const end = endOfRegular(bytes, at);
  const text = textOf(bytes, at, end);
  return { kind: /^[+-]?[\d.]+$/.test(text) ? 'number' : 'word', text, end };
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, Math.min(end, start + lengthMax));
}

/** A file can have millions of escapes, so each is decoded without a regular expression. */
function unescaped(name: string): string {
  if (!name.includes('#')) return name;
  let text = '';
  for (let at = 0; at < name.length;) {
    const isEscape = name[at] === '#' && at + 2 < name.length;
    const code = isEscape ? 16 * hexOf(name, at + 1) + hexOf(name, at + 2) : Number.NaN;
    text += Number.isNaN(code) ? name[at] : String.fromCharCode(code);
    at += Number.isNaN(code) ? 1 : 3;
  }
  return text;
}

/** Returns the value of a hexadecimal digit, or NaN. */
function hexOf(text: string, at: number): number {
  return hexDigits[text.charCodeAt(at)] ?? Number.NaN;
}

function endOfRegular(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isSpace[bytes[at]!] && !isDelimiter[bytes[at]!]) at++;
  return at;
}

function endOfLine(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++;
  return at;
}

/** Returns the place behind a text in brackets, which can have pairs of brackets inside. */
function endOfText(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x5c) at++;
    else if (byte === 0x28) depth++;
    else if (byte === 0x29 && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}

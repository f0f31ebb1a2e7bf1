/** Digits in ASCII order, so that texts of equal width sort like their numbers. */
export const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Writes a non-negative whole number (up to 2^53) with exactly `width` digits. Higher digits that do not fit are lost. */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let position = 0; position < width; position++) {
    text = base62Digits[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** Returns the number that `toBase62` wrote. */
export function fromBase62(text: string): number {
  let value = 0;
  for (const digit of text) value = value * 62 + base62Digits.indexOf(digit);
  return value;
}

/** Returns random digits, each equally likely: bytes from 248 would favour the first digits, so they are discarded. */
export function randomBase62(length: number, randomBytes: (length: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < 248) text += base62Digits[byte % 62];
    }
  }
  return text;
}

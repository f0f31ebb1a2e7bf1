/*
 * Characters that could rewrite a terminal or its reading order: C0, DEL, C1, marks of direction, line separators. Data of the API comes from
 * anywhere, so each is shown as an escape.
 */
// oxlint-disable-next-line no-control-regex -- Control characters are what it looks for.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Escapes text for one line of a terminal. */
export function safeText(text: string): string {
  return text.replaceAll(unsafe, escaped);
}

/** What may pass: line ends, tabs, and the colours of `Terminal`. */
// oxlint-disable-next-line no-control-regex -- A colour begins with one.
const own = /[\n\t]|\u001b\[(?:1|2|22|31|32|33|39)m/g;

/** Escapes text of several lines, and leaves its colours. It is the last guard before a terminal. */
export function safeLines(text: string): string {
  let safe = '';
  let from = 0;
  for (const { 0: kept, index } of text.matchAll(own)) {
    safe += safeText(text.slice(from, index)) + kept;
    from = index + kept.length;
  }
  return safe + safeText(text.slice(from));
}

/** Returns JSON without characters that a terminal would obey. It is the same value. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(unsafe, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns how many columns a text takes. Wide characters take two, and marks that combine take none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x300) width += 1;
    else if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(character)) width += 0;
    else
      width +=
        /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
          character,
        )
          ? 2
          : 1;
  }
  return width;
}

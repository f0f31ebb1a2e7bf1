import { readFileSync } from 'node:fs';
import * as fontkit from 'fontkit';

/** Noto Sans in two weights, under the SIL Open Font License. It has Latin, Greek and Cyrillic as completely as any. */
export interface Fonts {
  regular: fontkit.Font;
  semibold: fontkit.Font;
}

/** Takes some hundredths of a second, and more at the first use; what a font has read is kept, so one pair serves all reports of a thread. */
export function loadFonts(): Fonts {
  return {
    regular: loadFont(import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')),
    semibold: loadFont(import.meta.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf')),
  };
}

/**
 * Without the substitutions that make one glyph of several letters, or several of one: then a glyph has one character wherever it
 * stands, so that text is found by search, and a font that has printed other reports before prints the same bytes.
 */
const noSubstitution = { ccmp: false, locl: false, rlig: false, liga: false, clig: false, calt: false, rclt: false };

function loadFont(url: string): fontkit.Font {
  const font = fontkit.create(readFileSync(new URL(url))) as fontkit.Font;
  const layOut = font.layout.bind(font);
  font.layout = (text) => layOut(text, noSubstitution);
  return font;
}

/** So many marks stand above and below one letter in any language; more would run into the lines around. */
const marksOfLetter = /(\p{M}{3})\p{M}+/gu;
const ofNoOtherScript = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Stands for every character that the font cannot show, so that nobody overlooks that something was there. */
const replacement = '\uFFFD';

/**
 * One line of text in characters that the font has. What it has not becomes a visible replacement; what is never seen, such as
 * controls of the writing direction, goes; white space of any kind becomes one space.
 */
export function printable(text: string, font: fontkit.Font): string {
  const line = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(marksOfLetter, '$1')
    .trim();
  let shown = '';
  for (const character of line) {
    const isShown = ofNoOtherScript.test(character) && font.hasGlyphForCodePoint(character.codePointAt(0)!);
    shown += isShown ? character : replacement;
  }
  return shown;
}

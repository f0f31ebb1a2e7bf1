import { readFileSync } from 'node:fs';
import * as fontkit from 'fontkit';
import { loadScriptFonts, type ScriptFonts } from './script-fonts.ts';
import type { Wish } from './shaping.ts';

/** Noto Sans in two weights, under the SIL Open Font License. It has Latin, Greek and Cyrillic as completely as any. */
export interface MainFonts {
  regular: fontkit.Font;
  semibold: fontkit.Font;
}

/** The main fonts, and those of the other scripts of one report. */
export interface Fonts extends MainFonts {
  scripts: ScriptFonts;
  /** Longer text is shortened. In characters. */
  textMax: number;
}

/** Longer text is shortened: whatever was reported, a report stays one that can be read. In characters. */
const textMax = 1_500;
/**
 * Other scripts take some 0.1 ms a character to lay out. With more of them, each text is shortened, so that the report is printed in
 * time. In characters.
 */
const scriptCharactersMax = 10_000;
/** A name has room in it. In characters. */
const shortTextMax = 60;

/** Takes some hundredths of a second, and more at the first use; what a font has read is kept, so one pair serves all reports of a thread. */
export function loadMainFonts(): MainFonts {
  return {
    regular: loadFont(import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')),
    semibold: loadFont(import.meta.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf')),
  };
}

/**
 * Adds the fonts that a report needs for its other scripts.
 *
 * @param text everything that the report may say.
 * @param country where the applicant lives, which decides how Han characters are written.
 */
export async function withScriptFonts(main: MainFonts, text: string, country: string | null): Promise<Fonts> {
  const codePoints = new Set<number>();
  let count = 0;
  for (const character of text.normalize('NFC')) {
    if (isInMainFont(character, main)) continue;
    codePoints.add(character.codePointAt(0)!);
    count++;
  }
  const share = Math.min(1, scriptCharactersMax / count);
  return {
    ...main,
    scripts: await loadScriptFonts(codePoints, country),
    textMax: Math.max(shortTextMax, Math.floor(textMax * share)),
  };
}

/**
 * Without the substitutions that make one glyph of several letters, or several of one: then a glyph has one character wherever it
 * stands, so that text is found by search, and a font that has printed other reports before prints the same bytes.
 */
const noSubstitution = { ccmp: false, locl: false, rlig: false, liga: false, clig: false, calt: false, rclt: false };

function loadFont(url: string): fontkit.Font {
  const font = fontkit.create(readFileSync(new URL(url))) as fontkit.Font;
  // A glyph keeps the text of its first use. As a part of an accented letter, it would have none.
  for (const codePoint of font.characterSet) font.glyphForCodePoint(codePoint);
  const layOut = font.layout.bind(font);
  font.layout = (text, wish) => {
    const { direction } = (wish ?? {}) as Partial<Wish>;
    // A copy, because fontkit adds to it.
    return layOut(text, { ...noSubstitution }, undefined, undefined, direction);
  };
  return font;
}

const ofNoOtherScript = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Tells whether the main font prints a character. It has some of other scripts, but does not shape them. */
export function isInMainFont(character: string, { regular }: MainFonts): boolean {
  return ofNoOtherScript.test(character) && regular.hasGlyphForCodePoint(character.codePointAt(0)!);
}

/** So many marks stand above and below one letter in any language; more would run into the lines around. */
const marksOfLetter = /(\p{Script=Inherited}{3})\p{Script=Inherited}+/gu;
/** A letter of Burmese or Tibetan has more of them. */
const marksOfSyllable = /(\p{M}{8})\p{M}+/gu;

/** Joins two letters, or keeps them apart: Persian and the scripts of India need it. */
const joiner = /[\u200C\u200D]/;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns one line of text in characters that the fonts have. A character that no font has becomes its number, `[U+1F600]`. Invisible
 * characters go, such as controls of the writing direction. White space of any kind becomes one space.
 */
export function printable(text: string, fonts: Fonts): string {
  const line = text.normalize('NFC').replace(/[\s\p{Cc}]+/gu, ' ');
  let shown = '';
  let previous = '';
  for (const character of line) {
    if (ignorable.test(character) && !(joiner.test(character) && takesJoiner(previous, fonts))) continue;
    shown += isShown(character, fonts) ? character : `[U+${hex(character)}]`;
    previous = character;
  }
  return shown.replace(/ {2,}/g, ' ').replace(marksOfLetter, '$1').replace(marksOfSyllable, '$1').trim();
}

function takesJoiner(character: string, { scripts }: Fonts): boolean {
  const script = character && scripts.fontOf(character.codePointAt(0)!);
  return Boolean(script && script.font.hasGlyphForCodePoint(0x200c) && script.font.hasGlyphForCodePoint(0x200d));
}

function isShown(character: string, fonts: Fonts): boolean {
  return (
    joiner.test(character) ||
    isInMainFont(character, fonts) ||
    fonts.scripts.fontOf(character.codePointAt(0)!) !== undefined
  );
}

function hex(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}

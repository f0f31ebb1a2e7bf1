import { readFileSync } from 'node:fs';
import * as fontkit from 'fontkit';
import { isRelease } from '../core/installation.ts';
import { loadScriptFonts, type ScriptFonts } from './script-fonts.ts';
import type { Wish } from './shaping.ts';

/** Noto Sans in two weights, under the SIL Open Font License. It covers Latin, Greek and Cyrillic. */
export interface MainFonts {
  regular: fontkit.Font;
  semibold: fontkit.Font;
}

/** The main fonts, and those of the other scripts of one document. */
export interface Fonts extends MainFonts {
  scripts: ScriptFonts;
  /** Characters beyond which a text is shortened. */
  textMax: number;
}

/** Characters beyond which a text is shortened, so that every document stays readable. */
const textMax = 1_500;
/**
 * Characters in other scripts, which take some 0.1 ms each to lay out. Beyond this limit each text is shortened, so that the document is
 * printed in time.
 */
const scriptCharactersMax = 10_000;
/** Characters of a shortened text. A name fits. */
const shortTextMax = 60;

/**
 * Loads the main fonts. That takes some hundredths of a second, and more at first use. Fonts cache what they read, so a process uses one
 * pair for all documents.
 */
export function loadMainFonts(): MainFonts {
  return {
    regular: loadFont(fileOf('400Regular/NotoSans_400Regular.ttf')),
    semibold: loadFont(fileOf('600SemiBold/NotoSans_600SemiBold.ttf')),
  };
}

/** Returns the URL of a font. A release has a copy of these two only, because their package has 18 fonts. */
function fileOf(path: string): string {
  return isRelease
    ? new URL(`./fonts/${path}`, import.meta.url).href
    : import.meta.resolve(`@expo-google-fonts/noto-sans/${path}`);
}

/**
 * Adds the fonts that a document needs for its other scripts.
 *
 * @param text all texts of the document.
 * @param country where its readers live, which decides the form of Han characters.
 */
export async function withScriptFonts(main: MainFonts, text: string, country: string | null): Promise<Fonts> {
  const codePoints = new Set<number>();
  let count = 0;
  for (const character of text.normalize('NFC')) {
    if (isInMainFont(character, main)) continue;
    codePoints.add(codePointOf(character));
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
 * Turns off substitutions that join letters into one glyph or split one letter into several. A glyph then has one character everywhere, so
 * that search finds the text. Also, a font that printed other documents before prints the same bytes.
 */
const noSubstitution = { ccmp: false, locl: false, rlig: false, liga: false, clig: false, calt: false, rclt: false };

function loadFont(url: string): fontkit.Font {
  const font = fontkit.create(readFileSync(new URL(url))) as fontkit.Font;
  // A glyph keeps the text of its first use. As part of an accented letter, it would have none.
  for (const codePoint of font.characterSet) font.glyphForCodePoint(codePoint);
  const layOut = font.layout.bind(font);
  font.layout = (text, wish) => {
    const { direction } = (wish ?? {}) as Partial<Wish>;
    // Pass a copy, because fontkit adds to it.
    return layOut(text, { ...noSubstitution }, undefined, undefined, direction);
  };
  return font;
}

const ofNoOtherScript = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Tells whether the main font prints a character. It has some of other scripts, but does not shape them. */
export function isInMainFont(character: string, { regular }: MainFonts): boolean {
  return ofNoOtherScript.test(character) && regular.hasGlyphForCodePoint(codePointOf(character));
}

/** Limits the marks on one letter to what a language needs. More would run into the lines around. */
const marksOfLetter = /(\p{Script=Inherited}{3})\p{Script=Inherited}+/gu;
/** A letter of Burmese or Tibetan has more of them. */
const marksOfSyllable = /(\p{M}{8})\p{M}+/gu;

/** Matches characters that join two letters or keep them apart, for Persian and the scripts of India. */
const joiner = /[\u200C\u200D]/;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns one line of text in characters that the fonts have. A character that no font has becomes its number, `[U+1F600]`. Invisible
 * characters are removed, such as controls of the writing direction. White space of any kind becomes one space.
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
  const script = character && scripts.fontOf(codePointOf(character));
  return Boolean(script && script.font.hasGlyphForCodePoint(0x200c) && script.font.hasGlyphForCodePoint(0x200d));
}

function isShown(character: string, fonts: Fonts): boolean {
  return (
    joiner.test(character) ||
    isInMainFont(character, fonts) ||
    fonts.scripts.fontOf(codePointOf(character)) !== undefined
  );
}

/** Returns the number of a character in Unicode. */
export function codePointOf(character: string): number {
  const codePoint = character.codePointAt(0);
  if (codePoint === undefined) throw new Error('Bug! An empty text is no character.');
  return codePoint;
}

function hex(character: string): string {
  return codePointOf(character).toString(16).toUpperCase().padStart(4, '0');
}

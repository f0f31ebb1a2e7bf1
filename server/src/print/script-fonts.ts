import { readFile } from 'node:fs/promises';
import * as fontkit from 'fontkit';
// @ts-expect-error The package has no types.
import wawoff2 from 'wawoff2/decompress.js';
import { shapeClusters } from './shaping.ts';

/*
 * Loads fonts for the scripts that the main font does not print, under the SIL Open Font License. Each package cuts its family into slices,
 * a WOFF2 file each, and lists the characters of a slice in `unicode.json`.
 */

const decompress = wawoff2 as (woff2: Uint8Array) => Promise<Uint8Array>;

/** The families of Han characters, in the order to try them without another preference. */
const hanFamilies = ['noto-sans-sc', 'noto-sans-tc', 'noto-sans-jp', 'noto-sans-kr'];

/** By region: the Near East and Africa, South Asia, Southeast Asia. */
const otherFamilies = (
  'arabic hebrew syriac thaana armenian georgian ethiopic ' +
  'devanagari bengali gurmukhi gujarati oriya tamil telugu kannada malayalam sinhala ' +
  'thai lao khmer myanmar'
)
  .split(' ')
  .map((script) => `noto-sans-${script}`);

const families = [...otherFamilies, 'noto-serif-tibetan', ...hanFamilies];

/** Matches slices that repeat what the main font has. */
const generalSlice = /^(?:latin|cyrillic|greek|vietnamese|math|symbols)/;

/** The families for countries whose Han characters differ from mainland China's. */
const familyOfCountry: ReadonlyMap<string, string> = new Map([
  ['HK', 'noto-sans-tc'],
  ['MO', 'noto-sans-tc'],
  ['TW', 'noto-sans-tc'],
  ['JP', 'noto-sans-jp'],
  ['KR', 'noto-sans-kr'],
]);

/**
 * The most slices for one document. A slice takes some 0.3 MB of memory. An ordinary name needs one to four. Only a text of very many
 * different Chinese characters needs more.
 */
const slicesMax = 40;

/** A font for some characters. Its key is its name within a document. */
export interface ScriptFont {
  key: string;
  font: fontkit.Font;
}

/** Finds the font that has a character. Holds the fonts of one document only. */
export class ScriptFonts {
  readonly #fontOf: ReadonlyMap<number, ScriptFont>;

  constructor(fontOf: ReadonlyMap<number, ScriptFont> = new Map()) {
    this.#fontOf = fontOf;
  }

  /** Returns undefined if no font has the character. */
  fontOf(codePoint: number): ScriptFont | undefined {
    return this.#fontOf.get(codePoint);
  }
}

/**
 * Loads the fonts for the characters, given in their order. The fonts are new for each document. A font that has printed other text would
 * print the same text in other bytes.
 *
 * @param country where its readers live. Han characters are printed in its form.
 */
export async function loadScriptFonts(codePoints: ReadonlySet<number>, country: string | null): Promise<ScriptFonts> {
  if (codePoints.size === 0) return new ScriptFonts();
  const slicesOf = await slicesByCharacter(codePoints, preferredFamily(codePoints, country));
  const loaded = new Map<string, ScriptFont>();
  const fontOf = new Map<number, ScriptFont>();
  for (const codePoint of codePoints) {
    for (const slice of slicesOf.get(codePoint) ?? []) {
      let font = loaded.get(slice.key);
      if (!font) {
        if (loaded.size === slicesMax) continue;
        font = await loadSlice(slice);
        loaded.set(slice.key, font);
      }
      if (!font.font.hasGlyphForCodePoint(codePoint)) continue;
      fontOf.set(codePoint, font);
      break;
    }
  }
  return new ScriptFonts(fontOf);
}

function preferredFamily(codePoints: ReadonlySet<number>, country: string | null): string | undefined {
  const ofCountry = familyOfCountry.get(country?.toUpperCase() ?? '');
  const hasKana = [...codePoints].some((codePoint) => codePoint >= 0x3041 && codePoint <= 0x30ff);
  return ofCountry ?? (hasKana ? 'noto-sans-jp' : undefined);
}

interface Slice {
  family: string;
  key: string;
}

/** Returns for each character the slices that list it, the best family first. */
async function slicesByCharacter(
  codePoints: ReadonlySet<number>,
  preferred: string | undefined,
): Promise<Map<number, Slice[]>> {
  const found = new Map<string, Map<number, Slice>>();
  for (const family of families) found.set(family, await slicesOfFamily(family, codePoints));
  const slicesOf = new Map<number, Slice[]>();
  for (const family of [...otherFamilies, 'noto-serif-tibetan', ...inOrder(found, preferred)]) {
    for (const [codePoint, slice] of found.get(family)!) {
      slicesOf.set(codePoint, [...(slicesOf.get(codePoint) ?? []), slice]);
    }
  }
  return slicesOf;
}

/** Sorts the families of Han characters: that of the country, then those with more of the characters. */
function inOrder(found: ReadonlyMap<string, ReadonlyMap<number, Slice>>, preferred: string | undefined): string[] {
  const countOf = (family: string): number => (family === preferred ? Infinity : found.get(family)!.size);
  return hanFamilies.toSorted((left, right) => countOf(right) - countOf(left) || 0);
}

async function slicesOfFamily(family: string, codePoints: ReadonlySet<number>): Promise<Map<number, Slice>> {
  const file = await readFile(fileOf(family, 'unicode.json'), 'utf8');
  const slices = new Map<number, Slice>();
  for (const [name, ranges] of Object.entries(JSON.parse(file) as Record<string, string>)) {
    if (generalSlice.test(name)) continue;
    const slice = { family, key: `${family}-${name.replaceAll(/[[\]]/g, '')}` };
    for (const range of ranges.split(',')) {
      const [first = '', last = first] = range.slice('U+'.length).split('-');
      const end = Number.parseInt(last, 16);
      for (let codePoint = Number.parseInt(first, 16); codePoint <= end; codePoint++) {
        if (codePoints.has(codePoint)) slices.set(codePoint, slice);
      }
    }
  }
  return slices;
}

async function loadSlice({ family, key }: Slice): Promise<ScriptFont> {
  const woff2 = await readFile(fileOf(family, `files/${key}-wght-normal.woff2`));
  const font = fontkit.create(Buffer.from(await decompress(woff2))) as fontkit.Font;
  // Some families are thin by default.
  const isThin = font.variationAxes.wght?.default !== 400;
  return { key, font: shapeClusters(isThin ? font.getVariation({ wght: 400 }) : font) };
}

function fileOf(family: string, path: string): URL {
  return new URL(import.meta.resolve(`@fontsource-variable/${family}/${path}`));
}

import bidiFactory from 'bidi-js';
import { codePointOf, isInMainFont, type Fonts } from './fonts.ts';
import type { ScriptFont } from './script-fonts.ts';

/** The package is CommonJS, whose default export Node and TypeScript see differently. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();

/** A part of a line in one font and one direction. */
export interface Run {
  text: string;
  /** Null for the main font. */
  script: ScriptFont | null;
  isRightToLeft: boolean;
}

/** The nesting depth of each UTF-16 unit in text of the other direction. An odd level reads right to left. */
export interface Levels {
  readonly levels: Uint8Array;
  /** The level of the whole text: 1 if it begins in a script that is written right to left. */
  readonly base: number;
}

/** Matches blocks with scripts that are written from right to left. */
const mayBeRightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Applies the Unicode bidirectional algorithm to a text before it is broken into lines. */
export function levelsOf(text: string): Levels {
  if (!mayBeRightToLeft.test(text)) return { levels: new Uint8Array(text.length), base: 0 };
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, 'auto');
  return { levels, base: paragraphs[0]?.level ?? 0 };
}

/** Takes the levels of one line of a text. The white space at its end reads as the whole text does. */
export function levelsOfLine({ levels, base }: Levels, start: number, line: string): Levels {
  const ofLine = levels.slice(start, start + line.length);
  ofLine.fill(base, line.trimEnd().length);
  return { levels: ofLine, base };
}

/** Divides a line into runs, in their visual order from left to right. */
export function runsOf(line: string, { levels }: Levels, fonts: Fonts): Run[] {
  const runs: (Run & { level: number })[] = [];
  let index = 0;
  for (const character of line) {
    const level = levels[index]!;
    index += character.length;
    const last = runs.at(-1);
    const script = scriptOf(character, last?.script ?? null, fonts);
    if (last && last.level === level && last.script === script) last.text += character;
    else runs.push({ text: character, script, isRightToLeft: level % 2 === 1, level });
  }
  for (const run of runs) if (run.isRightToLeft) run.text = mirrored(run.text);
  return inVisualOrder(runs);
}

/** A joiner belongs to the letter before it. */
function scriptOf(character: string, before: ScriptFont | null, fonts: Fonts): ScriptFont | null {
  if (/[\u200C\u200D]/.test(character)) return before;
  return isInMainFont(character, fonts) ? null : (fonts.scripts.fontOf(codePointOf(character)) ?? null);
}

/** Mirrors brackets, which open on the other side when they are read right to left. */
function mirrored(text: string): string {
  return Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character).join('');
}

/** Reverses runs that are read right to left, from the deepest level outwards: rule L2 of the algorithm. */
function inVisualOrder<T extends { level: number }>(runs: readonly T[]): T[] {
  const ordered = [...runs];
  const deepest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = deepest; level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return ordered;
}

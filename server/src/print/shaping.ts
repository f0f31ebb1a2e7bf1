import type * as fontkit from 'fontkit';

/** The value that pdfkit passes to a font instead of a list of features. */
export interface Wish {
  readonly direction: 'ltr' | 'rtl';
}
export const leftToRight: Wish = { direction: 'ltr' };
export const rightToLeft: Wish = { direction: 'rtl' };

/** The internals of fontkit that are used or corrected here. Its version is pinned. */
interface FontInside {
  _layoutEngine: { engine: { GSUBProcessor?: LookupProcessor; GPOSProcessor?: LookupProcessor } | null };
  maxp: { maxPoints: number; maxContours: number };
}
interface LookupProcessor {
  glyphs: unknown[];
  glyphIterator: { index: number };
  applyLookup(type: number, table: unknown): boolean;
}
interface SubsetInside {
  glyf: Uint8Array[];
  loca: { offsets: number[]; version: number };
  hmtx: { metrics: { advance: number; bearing: number }[] };
  offset: number;
}

/** A glyph of the file, and its position in a cluster, in units of the font. */
interface Part {
  glyphId: number;
  x: number;
  y: number;
}

/**
 * A unit that is embedded as one glyph: a letter with its dots and marks, or a syllable. Each embedded glyph then has its own text, so that
 * the document can be searched and read out.
 */
interface Cluster {
  id: string;
  codePoints: number[];
  advanceWidth: number;
  parts: Part[];
}

/** Units of the font. An embedded glyph has 16 bits for each distance, here in both directions. */
const clusterWidthMax = 16_000;

/** Characters. A document stores at most 512 bytes of text for a glyph. */
const clusterTextMax = 100;
/** Replaces an empty text, which a document cannot store. */
const zeroWidthSpace = 0x200b;

/** Makes a font lay out text in the wanted direction, and embed its clusters. */
export function shapeClusters(font: fontkit.Font): fontkit.Font {
  mendLookups(font);
  mendCodePoints(font);
  const layOut = font.layout.bind(font);
  const known = new Map<string, Cluster[]>();
  const clusters = new Map<string, Cluster>();
  font.layout = (text, wish) => {
    const { direction } = wish as unknown as Wish;
    const key = `${direction} ${text}`;
    let run = known.get(key);
    if (!run) {
      const isBurmese = /\p{Script=Myanmar}/u.test(text);
      const order = isBurmese ? inBurmeseOrder(text) : text;
      const features = isBurmese ? { ...burmeseFeatures } : undefined;
      run = clustersOf(text, layOut(order, features, undefined, undefined, direction), direction);
      for (const cluster of run) clusters.set(cluster.id, cluster);
      known.set(key, run);
    }
    return {
      glyphs: run,
      positions: run.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 })),
      advanceWidth: run.reduce((width, { advanceWidth }) => width + advanceWidth, 0),
    } as unknown as fontkit.GlyphRun;
  };
  embedClusters(font, clusters);
  return font;
}

/** fontkit 2.0.4 knows neither the order of a Burmese syllable nor its features. */
const burmeseFeatures = {
  rphf: true,
  pref: true,
  blwf: true,
  pstf: true,
  pres: true,
  abvs: true,
  blws: true,
  psts: true,
};

/** Matches a syllable: the marks above, its letter, the letters below, the medials, and a vowel that is drawn first. */
const burmeseSyllable =
  /(\u1004\u103A\u1039)?([\u1000-\u102A\u103F\u104E])((?:\u1039[\u1000-\u1021])*)(\u103B?)(\u103C?)([\u103D\u103E]*)(\u1031?)/g;

/** Moves the vowel E and the medial Ra before the letter that they follow in speech. */
function inBurmeseOrder(text: string): string {
  return text.replace(burmeseSyllable, '$7$5$2$1$3$4$6');
}

/**
 * Corrects two faults of fontkit 2.0.4. It throws at a rule that places a mark on a letter without a place for it. Fonts for Gurmukhi and
 * Malayalam have such rules, which do not apply. And in Burmese it applies a rule endlessly to the glyphs that the same rule has added.
 */
function mendLookups(font: fontkit.Font): void {
  const engine = (font as unknown as FontInside)['_layoutEngine'].engine;
  for (const processor of [engine?.GSUBProcessor, engine?.GPOSProcessor]) {
    if (!processor) continue;
    const applyLookup = processor.applyLookup.bind(processor);
    processor.applyLookup = (type, table) => {
      const { length } = processor.glyphs;
      try {
        const isApplied = applyLookup(type, table);
        // A rule of this type only names the one that was applied within.
        if (type !== extensionType) processor.glyphIterator.index += Math.max(0, processor.glyphs.length - length);
        return isApplied;
      } catch (error) {
        if (error instanceof TypeError) return false;
        throw error;
      }
    };
  }
}

/** Corrects the text of shared glyphs. fontkit keeps the first letter of a glyph, even if several letters share it. */
function mendCodePoints(font: fontkit.Font): void {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints = []) => {
    const glyph = getGlyph(id);
    // Read it here, so that it is kept for all letters.
    void glyph.advanceWidth;
    return Object.create(glyph, { codePoints: { value: codePoints } }) as fontkit.Glyph;
  };
}

/** The type of extension rules for substitutions. Positions add no glyphs. */
const extensionType = 7;

/** Matches a mark or a joiner. */
const staysWithLetter = /^[\p{M}\u200C\u200D]/u;

/** Divides glyphs, from left to right, wherever their characters so far match the text so far, in any order. */
function clustersOf(text: string, { glyphs, positions }: fontkit.GlyphRun, direction: Wish['direction']): Cluster[] {
  const characters = Array.from(text, (character) => character.codePointAt(0)!);
  const indices = [...glyphs.keys()];
  if (direction === 'rtl') indices.reverse();
  const groups: number[][] = [];
  const surplus = new Map<number, number>();
  const count = (codePoint: number, change: number): void => {
    const sum = (surplus.get(codePoint) ?? 0) + change;
    if (sum === 0) surplus.delete(codePoint);
    else surplus.set(codePoint, sum);
  };
  let readCount = 0;
  for (const index of indices) {
    const { codePoints } = glyphs[index]!;
    const [first] = codePoints;
    // A vowel that is drawn before its letter does not follow in the text.
    const isOfLast =
      first === undefined || (first === characters[readCount] && staysWithLetter.test(String.fromCodePoint(first)));
    if (groups.length > 0 && (isOfLast || surplus.size > 0)) groups.at(-1)!.push(index);
    else groups.push([index]);
    for (const codePoint of codePoints) {
      count(codePoint, 1);
      if (readCount < characters.length) count(characters[readCount++]!, -1);
    }
  }
  let start = 0;
  const clusters = groups.flatMap((group, place) => {
    const length = group.reduce((sum, index) => sum + glyphs[index]!.codePoints.length, 0);
    const letters = characters.slice(start, place === groups.length - 1 ? undefined : start + length);
    start += length;
    const cluster = clusterOf(group, letters, glyphs, positions);
    if (cluster.advanceWidth <= clusterWidthMax) return [cluster];
    return group.map((index) => clusterOf([index], glyphs[index]!.codePoints, glyphs, positions));
  });
  return direction === 'rtl' ? clusters.reverse() : clusters;
}

function clusterOf(
  group: readonly number[],
  codePoints: number[],
  glyphs: readonly fontkit.Glyph[],
  positions: readonly fontkit.GlyphPosition[],
): Cluster {
  const parts: Part[] = [];
  let advanceWidth = 0;
  for (const index of group.toSorted((left, right) => left - right)) {
    const { xAdvance, xOffset, yOffset } = positions[index]!;
    parts.push({ glyphId: glyphs[index]!.id, x: advanceWidth + xOffset, y: yOffset });
    advanceWidth += xAdvance;
  }
  const text = codePoints.length > 0 ? codePoints.slice(0, clusterTextMax) : [zeroWidthSpace];
  const id = JSON.stringify([text, parts.map(({ glyphId, x, y }) => [glyphId, x, y])]);
  return { id, codePoints: text, advanceWidth, parts };
}

/**
 * Makes a subset of the font embed clusters. fontkit itself would embed the glyphs one by one. Version 2.0.4 throws if they are of another
 * weight than the file's.
 */
function embedClusters(font: fontkit.Font, clusters: ReadonlyMap<string, Cluster>): void {
  function addGlyph(this: SubsetInside, id: number | string): number {
    const cluster = clusters.get(String(id));
    const parts = cluster?.parts ?? [{ glyphId: Number(id), x: 0, y: 0 }];
    const contours = parts.flatMap((part) => contoursOf(font.getGlyph(part.glyphId).path, part));
    const { maxp } = font as unknown as FontInside;
    maxp.maxPoints = Math.max(maxp.maxPoints, contours.flat().length);
    maxp.maxContours = Math.max(maxp.maxContours, contours.length);
    const advance = Math.round(cluster?.advanceWidth ?? font.getGlyph(Number(id)).advanceWidth);
    const outline = encodeOutline(contours);
    // Long offsets, because an outline takes more room here than in the file.
    this.loca.version = 1;
    this.loca.offsets.push(this.offset);
    // A reader of the font moves an outline until it begins there.
    this.hmtx.metrics.push({ advance, bearing: edgesOf(contours).left });
    this.offset += outline.length;
    return this.glyf.push(outline) - 1;
  }
  const createSubset = font.createSubset.bind(font);
  font.createSubset = () => Object.assign(createSubset(), { ['_addGlyph']: addGlyph });
}

interface Point {
  x: number;
  y: number;
  isOnCurve: boolean;
}

function contoursOf({ commands }: fontkit.Path, offset: Part): Point[][] {
  const contours: Point[][] = [];
  for (const { command, args } of commands) {
    if (command === 'moveTo') contours.push([]);
    for (let index = 0; index < args.length; index += 2) {
      contours.at(-1)!.push({
        x: clamp(args[index]! + offset.x),
        y: clamp(args[index + 1]! + offset.y),
        isOnCurve: command !== 'quadraticCurveTo' || index === 2,
      });
    }
  }
  return contours.filter((contour) => contour.length > 0);
}

function clamp(distance: number): number {
  return Math.max(-clusterWidthMax, Math.min(clusterWidthMax, Math.round(distance)));
}

function edgesOf(contours: readonly Point[][]): { left: number; bottom: number; right: number; top: number } {
  const points = contours.flat();
  if (points.length === 0) return { left: 0, bottom: 0, right: 0, top: 0 };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

/** Writes an outline of lines and quadratic curves as a simple glyph of a TrueType font, in its plainest form. */
function encodeOutline(contours: readonly Point[][]): Uint8Array {
  const points = contours.flat();
  if (points.length === 0) return new Uint8Array(0);
  const length = 10 + 2 * contours.length + 2 + 5 * points.length;
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  const { left, bottom, right, top } = edgesOf(contours);
  let at = 0;
  for (const value of [contours.length, left, bottom, right, top]) at = bytes.writeInt16BE(value, at);
  let last = -1;
  for (const contour of contours) at = bytes.writeUInt16BE((last += contour.length), at);
  // No instructions.
  at = bytes.writeUInt16BE(0, at);
  for (const { isOnCurve } of points) at = bytes.writeUInt8(isOnCurve ? 1 : 0, at);
  for (const axis of ['x', 'y'] as const) {
    let previous = 0;
    for (const point of points) {
      at = bytes.writeInt16BE(point[axis] - previous, at);
      previous = point[axis];
    }
  }
  return bytes;
}

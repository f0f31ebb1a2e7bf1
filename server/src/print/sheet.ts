import type * as fontkit from 'fontkit';
import PdfDocument from 'pdfkit';
import { printable, type Fonts, type MainFonts } from './fonts.ts';
import { leftToRight, rightToLeft, type Wish } from './shaping.ts';
import { levelsOf, levelsOfLine, runsOf, type Levels, type Run } from './runs.ts';

/** A picture that pdfkit has opened. Its sizes are in dots. */
export interface OpenImage {
  width: number;
  height: number;
}

/** Adds what the types of pdfkit lack: fonts of fontkit, open pictures, and a writing direction instead of features. */
declare global {
  namespace PDFKit {
    interface DocumentInfo {
      ContentsDigest?: string;
    }
    namespace Mixins {
      interface PDFFont {
        font(font: string | fontkit.Font): this;
        registerFont(name: string, font: fontkit.Font): this;
      }
      interface PDFText {
        text(text: string, x: number, y: number, options: ShapedText): this;
        widthOfString(text: string, options: ShapedText): number;
      }
      interface PDFImage {
        openImage(bytes: Uint8Array): OpenImage;
        image(image: OpenImage, x: number, y: number, options: { width: number; height: number }): this;
      }
      interface PDFMarking {
        struct(tag: string, options: { alt: string; bbox: number[] }, children: (() => void)[]): PDFStructureElement;
      }
    }
  }
}

interface ShapedText {
  features?: Wish | undefined;
  lineBreak?: boolean;
  baseline?: 'alphabetic';
}

/** A4 in points, and the place of its text: headings in the left column, their contents in the right one. */
export const page = { width: 595.28, height: 841.89, left: 56, right: 539.28, top: 84, bottom: 776 };
export const column = { x: 186, width: page.right - 186 };

export const ink = {
  text: '#1b2129',
  muted: '#59626e',
  hairline: '#d3d7dc',
  bar: '#40566b',
  track: '#e6e9ec',
  alarm: '#a02c2c',
};

/** The style of a line of text. `leading` is the distance to the next line. */
export interface Style {
  weight: keyof MainFonts;
  size: number;
  leading: number;
  color: string;
}

export const styles = {
  title: { weight: 'semibold', size: 22, leading: 28, color: ink.text },
  verdict: { weight: 'semibold', size: 17, leading: 22, color: ink.text },
  heading: { weight: 'semibold', size: 10.5, leading: 14, color: ink.text },
  body: { weight: 'regular', size: 9.5, leading: 14, color: ink.text },
  strong: { weight: 'semibold', size: 9.5, leading: 14, color: ink.text },
  label: { weight: 'regular', size: 9.5, leading: 14, color: ink.muted },
  small: { weight: 'regular', size: 8, leading: 11, color: ink.muted },
} as const satisfies Record<string, Style>;

/** The text of a cell in a row, and its place. */
export interface Cell {
  tag: 'TH' | 'TD' | 'Lbl' | 'LBody';
  scope?: 'Row' | 'Column';
  text: string;
  style: Style;
  x: number;
  width: number;
  /** Where its lines end or begin. By default, they begin on the left. */
  align?: 'left' | 'right' | undefined;
  /** Characters beyond which it is shortened, instead of the usual ones for a text beside another. */
  textMax?: number | undefined;
}

/** Characters of a text beside another one, so that both always fit on a page. */
const besideTextMax = 200;

/** Letters. No column has room for a longer word. */
const wordMax = 300;

interface WordPart {
  text: string;
  width: number;
}

/** A line of a text, which takes its directions from the whole of it. */
interface Line {
  text: string;
  levels: Levels;
}

/** Matches text that needs only the main font, from left to right. */
const printableAscii = /^[ -~]*$/;

/** Matches scripts that put no spaces between words. */
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const segmenters = {
  word: new Intl.Segmenter('en', { granularity: 'word' }),
  letter: new Intl.Segmenter('en', { granularity: 'grapheme' }),
};

type Structure = PDFKit.PDFStructureElement;

/**
 * Sets text line by line on as many pages as needed. It tags each part for screen readers (PDF/UA-1): every drawing is either content of a
 * structure element or an artifact.
 */
export class Sheet {
  readonly document: PDFKit.PDFDocument;
  /** The top of the next line. */
  y = page.top;
  readonly #fonts: Fonts;
  #structure: Structure;
  /** While it measures, nothing is drawn, and no page ends. */
  #isMeasuring = false;
  /** The font that pdfkit uses now, or its key. */
  #font: unknown = null;
  /** The widths of letters, by style and letter. */
  readonly #letterWidths = new Map<string, number>();
  /** The keys of registered fonts: pdfkit must know a font before its first use. */
  readonly #registered = new Set<string>();
  /** Broken texts, kept because a text that is measured is drawn next. */
  readonly #lines = new Map<string, Line[]>();

  constructor(fonts: Fonts, info: { title: string; author: string; created: Date; digest: string }) {
    this.#fonts = fonts;
    this.document = new PdfDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      bufferPages: true,
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en-GB',
      displayTitle: true,
      // Standard fonts are not embedded.
      font: fonts.regular as never,
      subset: 'PDF/UA' as never,
      // The file's id is made of all these.
      info: {
        Title: this.shortenBeside(info.title),
        Author: this.shortenBeside(info.author),
        Creator: 'Tenure',
        Producer: 'Tenure',
        CreationDate: info.created,
        ModDate: info.created,
        ContentsDigest: info.digest,
      },
    });
    escapeMetadata(this.document);
    this.#structure = this.document.struct('Document');
    this.document.addStructure(this.#structure);
    let written = this.document.page;
    this.document.on('pageAdded', () => {
      if (written) joinContents(written);
      written = this.document.page;
      this.y = page.top;
      // A text that continues on a new page gets the first font of the document there.
      this.#font = null;
    });
    this.document.addPage();
  }

  /** Puts everything that `draw` sets into one element, such as a section, a list or a table. */
  within(tag: string, draw: () => void): void {
    if (this.#isMeasuring) return draw();
    const outer = this.#structure;
    this.#structure = this.document.struct(tag);
    outer.add(this.#structure);
    draw();
    this.#structure.end();
    this.#structure = outer;
  }

  /** Draws a figure, which is read out as `alt`. It must fit on the page. */
  figure(alt: string, box: { x: number; y: number; width: number; height: number }, draw: () => void): void {
    if (this.#isMeasuring) return;
    const bbox = [box.x, box.y, box.x + box.width, box.y + box.height];
    this.#structure.add(this.document.struct('Figure', { alt: this.printable(alt), bbox }, [draw]));
  }

  /** Draws something that is not read out. */
  artifact(kind: 'Pagination' | 'Layout', draw: () => void): void {
    if (this.#isMeasuring) return;
    this.document.markContent('Artifact', { type: kind });
    draw();
    this.document.endMarkedContent();
  }

  /** Measures the height of a drawing on an endless page. */
  heightOf(draw: () => void): number {
    const startY = this.y;
    this.#isMeasuring = true;
    draw();
    this.#isMeasuring = false;
    const height = this.y - startY;
    this.y = startY;
    return height;
  }

  /** Returns whether this page has so much room left. */
  hasRoom(height: number): boolean {
    return this.#isMeasuring || this.y + height <= page.bottom;
  }

  /** Begins a new page if this one has less room left. */
  ensure(height: number): void {
    if (!this.hasRoom(height)) this.document.addPage();
  }

  /** Sets a paragraph, over several pages if needed. */
  paragraph(text: string, style: Style, { tag = 'P', x = column.x, width = column.width } = {}): void {
    const lines = this.linesOf(shorten(this.printable(text), this.#fonts.textMax), style, width);
    this.ensure(style.leading * Math.min(lines.length, 2));
    this.#element(tag, {}, () => this.#flow(lines, style, x, width));
  }

  /** Sets cells beside each other. The last one may continue on further pages. */
  row(tag: 'TR' | 'LI', cells: readonly Cell[]): void {
    const set = cells.map((cell, index) => {
      const isLast = index === cells.length - 1;
      const text = this.#cellText(cell, isLast);
      const lines = this.linesOf(text, cell.style, cell.width);
      return { ...cell, lines, height: lines.length * cell.style.leading };
    });
    const last = set.at(-1)!;
    const besides = set.slice(0, -1);
    this.ensure(Math.max(...besides.map(({ height }) => height), Math.min(last.height, 2 * last.style.leading)));
    const startPage = this.document.page;
    const startY = this.y;
    this.within(tag, () => {
      for (const { tag: cellTag, scope, lines, style, x, width, align } of set) {
        this.y = startY;
        this.#element(cellTag, scope ? { scope } : {}, () => this.#flow(lines, style, x, width, align));
      }
    });
    if (this.document.page === startPage) this.y = startY + Math.max(...set.map(({ height }) => height));
  }

  /** Sets one line at a fixed place, outside the flow of the page. */
  line(text: string, style: Style, x: number, baselineY: number): void {
    this.#drawLine({ text, levels: levelsOf(text) }, style, x, baselineY);
  }

  widthOf(text: string, style: Style): number {
    return this.#widthOfLine({ text, levels: levelsOf(text) }, style);
  }

  /** Breaks text to the width: between words, and within a word that is wider. */
  linesOf(text: string, style: Style, width: number): Line[] {
    const key = `${style.weight} ${style.size} ${width} ${text}`;
    const known = this.#lines.get(key);
    if (known) return known;
    const lines = this.#breakLines(text, style, width);
    this.#lines.set(key, lines);
    return lines;
  }

  printable(text: string): string {
    return printable(text, this.#fonts);
  }

  /** Shortens a text that stands beside another one. */
  shortenBeside(text: string): string {
    return shorten(this.printable(text), Math.min(besideTextMax, this.#fonts.textMax));
  }

  /** Draws on each page what depends on the number of pages, and returns the bytes. */
  finish(onPage: (number: number, count: number) => void): Buffer {
    const { count } = this.document.bufferedPageRange();
    for (let index = 0; index < count; index++) {
      this.document.switchToPage(index);
      onPage(index + 1, count);
    }
    this.#structure.end();
    this.document.end();
    const chunks: Buffer[] = [];
    for (let chunk = this.document.read(); chunk !== null; chunk = this.document.read()) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  #drawLine(line: Line, style: Style, startX: number, baselineY: number): void {
    if (line.text === '') return;
    const { document } = this;
    const runs = this.#runsOf(line);
    let x = startX;
    // The space between two lines stands outside, on the left of a line that is read from the right.
    if (line.levels.base === 1) x -= this.#widthOfLine(line, style) - this.#widthOfLine(trimmed(line), style);
    document.fillColor(style.color);
    for (const run of runs) {
      this.#use(run, style);
      const wish = wishOf(run);
      const options: ShapedText = { lineBreak: false, baseline: 'alphabetic', ...(wish && { features: wish }) };
      document.text(run.text, x, baselineY, options);
      x += this.#widthOfRun(run, style);
    }
  }

  #widthOfLine(line: Line, style: Style): number {
    return this.#runsOf(line).reduce((width, run) => width + this.#widthOfRun(run, style), 0);
  }

  #runsOf({ text, levels }: Line): Run[] {
    if (printableAscii.test(text) && levels.base === 0) return [{ text, script: null, isRightToLeft: false }];
    return runsOf(text, levels, this.#fonts);
  }

  #widthOfRun(run: Run, style: Style): number {
    this.#use(run, style);
    return this.document.widthOfString(run.text, { features: wishOf(run) });
  }

  #use({ script }: Run, { weight, size }: Style): void {
    if (script && !this.#registered.has(script.key)) {
      this.#registered.add(script.key);
      this.document.registerFont(script.key, script.font);
    }
    const font = script?.key ?? this.#fonts[weight];
    // Setting a font is slow: pdfkit compares the names of two fonts at each call.
    if (font !== this.#font) this.document.font(font);
    this.#font = font;
    this.document.fontSize(size);
  }

  #element(tag: string, options: object, draw: () => void): void {
    if (this.#isMeasuring) draw();
    else this.#structure.add(this.document.struct(tag, options, [draw]));
  }

  #cellText({ text, textMax }: Cell, isLast: boolean): string {
    const printableText = this.printable(text);
    if (isLast) return shorten(printableText, this.#fonts.textMax);
    return shorten(printableText, Math.min(textMax ?? besideTextMax, this.#fonts.textMax));
  }

  #flow(lines: readonly Line[], style: Style, x: number, width: number, align: Cell['align'] = 'left'): void {
    if (this.#isMeasuring) {
      this.y += lines.length * style.leading;
      return;
    }
    for (const line of lines) {
      if (this.y + style.leading > page.bottom) this.document.continueOnNewPage();
      // Several lines that are read from the right begin on the right, too.
      const isOnRight = align === 'right' || (line.levels.base === 1 && lines.length > 1);
      const lineX = isOnRight ? x + width - this.#widthOfLine(trimmed(line), style) : x;
      // Center a letter's height in the line.
      this.#drawLine(line, style, lineX, this.y + style.leading / 2 + style.size * 0.36);
      this.y += style.leading;
    }
  }

  #breakLines(text: string, style: Style, width: number): Line[] {
    const lines: Line[] = [];
    const levels = levelsOf(text);
    let start = 0;
    const push = (line: string): void => {
      lines.push({ text: line, levels: levelsOfLine(levels, start, line) });
      start += line.length;
    };
    const spaceWidth = this.widthOf(' ', style);
    let line = '';
    let lineWidth = 0;
    for (const word of text.split(' ')) {
      const parts = this.#partsOf(word, style, width, spaceWidth);
      const [first] = parts;
      if (line !== '' && parts.length === 1 && lineWidth + spaceWidth + first.width <= width) {
        line += ` ${word}`;
        lineWidth += spaceWidth + first.width;
        continue;
      }
      // Keep the space at the end of a line: it is invisible, but read out and searched.
      if (line !== '') push(`${line} `);
      for (const part of parts.slice(0, -1)) push(part.text);
      ({ text: line, width: lineWidth } = parts.at(-1) ?? first);
    }
    if (line !== '') push(line);
    return lines;
  }

  /** Splits a word that does not fit. No part begins with a mark that belongs to the letter before. */
  #partsOf(word: string, style: Style, width: number, spaceWidth: number): [WordPart, ...WordPart[]] {
    if (word.length <= wordMax) {
      // Measure it with its space, as pdfkit lays words out, so that each is laid out once.
      const wordWidth = this.widthOf(`${word} `, style) - spaceWidth;
      if (wordWidth <= width) return [{ text: word, width: wordWidth }];
    }
    const pieces = piecesOf(word).flatMap((piece) =>
      this.#fittingPieces(piece, [lettersOf, charactersOf], style, width),
    );
    const parts: WordPart[] = [];
    for (let start = 0, end = 0; start < pieces.length; start = end) {
      const part = { text: '', width: 0 };
      for (; end < pieces.length && (end === start || part.width + pieces[end]!.width <= width); end++) {
        part.text += pieces[end]!.text;
        part.width += pieces[end]!.width;
      }
      // Letters that join are wider than each by itself.
      while (!printableAscii.test(part.text) && end - start > 1 && this.widthOf(part.text, style) > width) {
        part.text = part.text.slice(0, -pieces[--end]!.text.length);
      }
      parts.push(part);
    }
    const [first = { text: '', width: 0 }, ...others] = parts;
    return [first, ...others];
  }

  #widthOfPiece(text: string, style: Style): number {
    const key = `${style.weight} ${style.size} ${text}`;
    const known = this.#letterWidths.get(key);
    if (known !== undefined) return known;
    const width = this.widthOf(text, style);
    this.#letterWidths.set(key, width);
    return width;
  }

  /** Splits a piece of a word more and more finely, until each part fits. */
  #fittingPieces(
    text: string,
    [split, ...finer]: ((text: string) => string[])[],
    style: Style,
    width: number,
  ): WordPart[] {
    const pieceWidth = this.#widthOfPiece(text, style);
    if (pieceWidth <= width || !split) return [{ text, width: pieceWidth }];
    return split(text).flatMap((piece) => this.#fittingPieces(piece, finer, style, width));
  }
}

/** Returns the pieces between which a word may be broken. Punctuation stays with its letter. */
function piecesOf(word: string): string[] {
  if (!withoutSpaces.test(word)) return lettersOf(word);
  const pieces: string[] = [];
  let isOpen = false;
  for (const { segment } of segmenters.word.segment(word)) {
    const isOpening = /^[\p{Ps}\p{Pi}]/u.test(segment);
    const belongsToLast = isOpen || (/^\p{P}/u.test(segment) && !isOpening);
    if (belongsToLast && pieces.length > 0) pieces.push(`${pieces.pop()}${segment}`);
    else pieces.push(segment);
    isOpen = isOpening;
  }
  return pieces;
}

function lettersOf(text: string): string[] {
  return Array.from(segmenters.letter.segment(text), ({ segment }) => segment);
}

function charactersOf(text: string): string[] {
  return Array.from(text);
}

/** Makes pdfkit lay out a run as a whole. It lays out the main font word by word, and caches the words. */
function wishOf({ script, isRightToLeft }: Run): Wish | undefined {
  if (isRightToLeft) return rightToLeft;
  return script ? leftToRight : undefined;
}

function trimmed({ text, levels }: Line): Line {
  return { text: text.trimEnd(), levels };
}

function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed().trimEnd()} …`;
}

/**
 * Escapes the title and the author, which pdfkit writes into XML as they are. It escapes them only in the document's own
 * dictionary, which it has written by then.
 */
function escapeMetadata(document: PDFKit.PDFDocument): void {
  const endMetadata = document.endMetadata.bind(document);
  document.endMetadata = () => {
    for (const name of ['Title', 'Author'] as const) document.info[name] = escapeXml(document.info[name] ?? '');
    endMetadata();
  };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The contents of a page in pdfkit: a piece for each of some ten operators that draw a run. */
interface PageInside {
  content: { buffer: Uint8Array[] };
}

/**
 * Joins the pieces of a page that is full. A piece takes some 200 bytes of memory for 20 of text. pdfkit keeps it until the document ends.
 * A statement in mixed scripts took 300 MB.
 */
function joinContents(full: PDFKit.PDFPage): void {
  const { content } = full as unknown as PageInside;
  content.buffer = [Buffer.concat(content.buffer)];
}

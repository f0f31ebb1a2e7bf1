import PdfDocument from 'pdfkit';
import { printable, type Fonts } from './fonts.ts';

/** A4 in points, and where on it the text stands: headings in the left column, what they are about in the right one. */
export const page = { width: 595.28, height: 841.89, left: 56, right: 539.28, top: 84, bottom: 776 };
export const column = { x: 186, width: page.right - 186 };

export const ink = { text: '#1b2129', muted: '#59626e', hairline: '#d3d7dc', bar: '#40566b', track: '#e6e9ec' };

/** How a line of text looks. `leading` is the distance to the next one. */
export interface Style {
  weight: keyof Fonts;
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

/** A cell of a row: what it says, and where it stands. */
export interface Cell {
  tag: 'TH' | 'TD' | 'Lbl' | 'LBody';
  scope?: 'Row' | 'Column';
  text: string;
  style: Style;
  x: number;
  width: number;
}

/** Longer text is shortened: whatever was reported, a report stays one that can be read. In characters. */
const textMax = 1_500;
/** Of a text that stands beside another one, so that the two fit on a page whatever they say. */
const besideTextMax = 200;

/** No column has room for a word of more letters. */
const wordMax = 300;

interface WordPart {
  text: string;
  width: number;
}

type Structure = PDFKit.PDFStructureElement;

/**
 * Sets text on as many pages as it takes, line by line, and tells screen readers what each part is (PDF/UA-1): everything that is
 * drawn either is content of a structure element or an artifact.
 */
export class Sheet {
  readonly document: PDFKit.PDFDocument;
  /** Where the next line begins. */
  y = page.top;
  readonly #fonts: Fonts;
  #structure: Structure;
  /** Then nothing is drawn, and no page ends. */
  #isMeasuring = false;
  /** What was measured is drawn next. */
  readonly #lines = new Map<string, string[]>();

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
      } as never,
    });
    escapeMetadata(this.document);
    this.#structure = this.document.struct('Document');
    this.document.addStructure(this.#structure);
    this.document.on('pageAdded', () => {
      this.y = page.top;
    });
    this.document.addPage();
  }

  /** Has everything that `draw` sets belong to one element, such as a section, a list or a table. */
  within(tag: string, draw: () => void): void {
    if (this.#isMeasuring) return draw();
    const outer = this.#structure;
    this.#structure = this.document.struct(tag);
    outer.add(this.#structure);
    draw();
    this.#structure.end();
    this.#structure = outer;
  }

  /** What is drawn is read out as `alt`. It must fit on the page. */
  figure(alt: string, box: { x: number; y: number; width: number; height: number }, draw: () => void): void {
    if (this.#isMeasuring) return;
    const bbox = [box.x, box.y, box.x + box.width, box.y + box.height];
    this.#structure.add(this.document.struct('Figure', { alt: this.printable(alt), bbox } as never, [draw]));
  }

  /** What is drawn is not read out. */
  artifact(kind: 'Pagination' | 'Layout', draw: () => void): void {
    if (this.#isMeasuring) return;
    this.document.markContent('Artifact', { type: kind });
    draw();
    this.document.endMarkedContent();
  }

  /** How much room it takes on a page without an end. */
  heightOf(draw: () => void): number {
    const startY = this.y;
    this.#isMeasuring = true;
    draw();
    this.#isMeasuring = false;
    const height = this.y - startY;
    this.y = startY;
    return height;
  }

  /** Begins a new page if less than so much is left of this one. */
  ensure(height: number): void {
    if (!this.#isMeasuring && this.y + height > page.bottom) this.document.addPage();
  }

  /** Flows over pages if it must. */
  paragraph(text: string, style: Style, { tag = 'P', x = column.x, width = column.width } = {}): void {
    const lines = this.linesOf(shorten(this.printable(text), textMax), style, width);
    this.ensure(style.leading * Math.min(lines.length, 2));
    this.#element(tag, {}, () => this.#flow(lines, style, x));
  }

  /** Cells beside each other. The last one flows over pages if it must. */
  row(tag: 'TR' | 'LI', cells: readonly Cell[]): void {
    const set = cells.map((cell, index) => {
      const isLast = index === cells.length - 1;
      const text = isLast ? shorten(this.printable(cell.text), textMax) : this.shortenBeside(cell.text);
      const lines = this.linesOf(text, cell.style, cell.width);
      return { ...cell, lines, height: lines.length * cell.style.leading };
    });
    const last = set.at(-1)!;
    const besides = set.slice(0, -1);
    this.ensure(Math.max(...besides.map(({ height }) => height), Math.min(last.height, 2 * last.style.leading)));
    const startPage = this.document.page;
    const startY = this.y;
    this.within(tag, () => {
      for (const { tag: cellTag, scope, lines, style, x } of set) {
        this.y = startY;
        this.#element(cellTag, scope ? { scope } : {}, () => this.#flow(lines, style, x));
      }
    });
    if (this.document.page === startPage) this.y = startY + Math.max(...set.map(({ height }) => height));
  }

  /** One line at a place of its own, which takes no room from what flows. */
  line(text: string, style: Style, x: number, baselineY: number): void {
    if (text === '') return;
    this.#use(style);
    this.document.fillColor(style.color).text(text, x, baselineY, { lineBreak: false, baseline: 'alphabetic' });
  }

  widthOf(text: string, style: Style): number {
    this.#use(style);
    return this.document.widthOfString(text);
  }

  /** The text, broken to the width: between words, and within one that is wider than that. */
  linesOf(text: string, style: Style, width: number): string[] {
    const key = `${style.weight} ${style.size} ${width} ${text}`;
    const known = this.#lines.get(key);
    if (known) return known;
    const lines = this.#breakLines(text, style, width);
    this.#lines.set(key, lines);
    return lines;
  }

  printable(text: string): string {
    return printable(text, this.#fonts.regular);
  }

  /** As it can stand beside something else. */
  shortenBeside(text: string): string {
    return shorten(this.printable(text), besideTextMax);
  }

  /** Draws on each page what only the number of pages tells, and gives the bytes. */
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

  #use({ weight, size }: Style): void {
    this.document.font(this.#fonts[weight] as never).fontSize(size);
  }

  #element(tag: string, options: object, draw: () => void): void {
    if (this.#isMeasuring) draw();
    else this.#structure.add(this.document.struct(tag, options, [draw]));
  }

  #flow(lines: readonly string[], style: Style, x: number): void {
    if (this.#isMeasuring) {
      this.y += lines.length * style.leading;
      return;
    }
    for (const line of lines) {
      if (this.y + style.leading > page.bottom) this.document.continueOnNewPage();
      // The middle of a letter's height is the middle of the line's.
      this.line(line, style, x, this.y + style.leading / 2 + style.size * 0.36);
      this.y += style.leading;
    }
  }

  #breakLines(text: string, style: Style, width: number): string[] {
    const lines: string[] = [];
    const spaceWidth = this.widthOf(' ', style);
    let line = '';
    let lineWidth = 0;
    for (const word of text.split(' ')) {
      const parts = this.#partsOf(word, width, spaceWidth);
      const [first] = parts as [WordPart];
      if (line !== '' && parts.length === 1 && lineWidth + spaceWidth + first.width <= width) {
        line += ` ${word}`;
        lineWidth += spaceWidth + first.width;
        continue;
      }
      // The space is read out and searched, though nobody sees it at the end of a line.
      if (line !== '') lines.push(`${line} `);
      lines.push(...parts.slice(0, -1).map((part) => part.text));
      ({ text: line, width: lineWidth } = parts.at(-1)!);
    }
    if (line !== '') lines.push(line);
    return lines;
  }

  /** A word, in parts if it does not fit, none of which begins with a mark that belongs to the letter before. */
  #partsOf(word: string, width: number, spaceWidth: number): WordPart[] {
    if (word.length <= wordMax) {
      // With its space, as pdfkit lays words out: so each is laid out once.
      const wordWidth = this.document.widthOfString(`${word} `) - spaceWidth;
      if (wordWidth <= width) return [{ text: word, width: wordWidth }];
    }
    const parts: WordPart[] = [];
    let part = { text: '', width: 0 };
    for (const [letter] of word.matchAll(/\P{M}?\p{M}*/gsu)) {
      const letterWidth = this.document.widthOfString(letter);
      if (part.text !== '' && part.width + letterWidth > width) {
        parts.push(part);
        part = { text: '', width: 0 };
      }
      part.text += letter;
      part.width += letterWidth;
    }
    return [...parts, part];
  }
}

function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()} …`;
}

/** pdfkit writes the title and the author into XML as they are; in the document's own dictionary, which it has written by then, it escapes them. */
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

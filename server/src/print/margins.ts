import { ink, page, styles, type Sheet, type Style } from './sheet.ts';

/* What a page shows around its contents. None of it is read out. */

/** Points between the middles of two words of a watermark. */
const wordsApart = 190;

/** Draws large pale words across the page. One word, such as TEST, runs through its middle. */
export function watermark(sheet: Sheet, words: readonly string[]): void {
  const centre = { x: page.width / 2, y: page.height / 2 };
  sheet.artifact('Pagination', () => {
    sheet.document
      .save()
      .fillOpacity(0.09)
      .rotate(-54.7, { origin: [centre.x, centre.y] });
    for (const [index, word] of words.entries()) {
      const size = words.length === 1 ? sizeOf(sheet, word) : Math.min(150, sizeOf(sheet, word));
      const style: Style = { weight: 'semibold', size, leading: size, color: ink.alarm };
      const y = centre.y + (index - (words.length - 1) / 2) * wordsApart;
      sheet.line(word, style, centre.x - sheet.widthOf(word, style) / 2, y + size * 0.36);
    }
    sheet.document.restore();
  });
}

/** Points. The size in which a word fills the diagonal of the page, as TEST does in the largest one. */
function sizeOf(sheet: Sheet, word: string): number {
  const size = 200;
  const width = sheet.widthOf(word, { weight: 'semibold', size, leading: size, color: ink.alarm });
  return Math.min(size, (size * 720) / width);
}

/** Writes a small text that ends at the right edge. */
export function atRight(sheet: Sheet, text: string, baselineY: number): void {
  sheet.line(text, styles.small, page.right - sheet.widthOf(text, styles.small), baselineY);
}

/** Shortens a small text after its label to the room beside another one. */
export function oneLine(sheet: Sheet, label: string, text: string): string {
  const [line, ...more] = sheet.linesOf(sheet.shortenBeside(text), styles.small, 280);
  return `${label}${line?.text ?? ''}${more.length > 0 ? '…' : ''}`;
}

import { atRight, oneLine, watermark } from '../print/margins.ts';
import { page, styles, type Sheet } from '../print/sheet.ts';

/** Draws the margins and the marks of each page, and returns the bytes. */
export function finishPages(
  sheet: Sheet,
  { head, foot, marks }: { head: string; foot: string; marks: readonly string[] },
): Buffer {
  return sheet.finish((number, count) => {
    sheet.artifact('Pagination', () => {
      if (number > 1) sheet.line(oneLine(sheet, '', head), styles.small, page.left, 52);
      sheet.line(oneLine(sheet, '', foot), styles.small, page.left, 808);
      atRight(sheet, `Page ${number} of ${count}`, 808);
    });
    if (marks.length > 0) watermark(sheet, marks);
  });
}

import { ink, page, styles, type Cell, type Sheet, type Style } from './sheet.ts';

/** A column of a table. */
export interface Column {
  title: string;
  x: number;
  width: number;
  align?: 'left' | 'right' | undefined;
  /** Characters beyond which a text is shortened. */
  textMax?: number | undefined;
}

/** A row, with one text for each column. */
export interface Row {
  texts: readonly string[];
  style?: Style;
}

const titleStyle: Style = { ...styles.small, leading: 14 };

/** Points between the lines of two rows. */
const rowPadding = 3;

/** Sets a table with a line under each row. No row is divided. Each further page repeats the titles, which are read out once. */
export function table(sheet: Sheet, columns: readonly Column[], rows: Iterable<Row>): void {
  sheet.within('Table', () => {
    // Begin no table at the end of a page.
    sheet.ensure(60);
    sheet.row(
      'TR',
      columns.map(({ title, ...place }) => ({ tag: 'TH', scope: 'Column', text: title, style: titleStyle, ...place })),
    );
    rule(sheet, ink.muted);
    for (const { texts, style = styles.body } of rows) {
      const cells = columns.map(({ x, width, align, textMax }, index): Cell => ({
        tag: index === 0 ? 'TH' : 'TD',
        ...(index === 0 && { scope: 'Row' }),
        text: texts[index]!,
        style,
        x,
        width,
        align,
        textMax,
      }));
      const height = sheet.heightOf(() => sheet.row('TR', cells)) + 2 * rowPadding;
      if (!sheet.hasRoom(height)) beginPage(sheet, columns);
      sheet.y += rowPadding;
      sheet.row('TR', cells);
      sheet.y += rowPadding;
      rule(sheet, ink.hairline);
    }
  });
}

/** Repeats the titles on a new page. */
function beginPage(sheet: Sheet, columns: readonly Column[]): void {
  sheet.document.addPage();
  sheet.artifact('Pagination', () => {
    for (const { title, x, width, align } of columns) {
      const titleX = align === 'right' ? x + width - sheet.widthOf(title, titleStyle) : x;
      sheet.line(title, titleStyle, titleX, sheet.y + titleStyle.leading / 2 + titleStyle.size * 0.36);
    }
  });
  sheet.y += titleStyle.leading;
  rule(sheet, ink.muted);
}

/** Draws a thin line across the page. */
export function rule(sheet: Sheet, color: string): void {
  sheet.artifact('Layout', () => {
    sheet.document.rect(page.left, sheet.y, page.right - page.left, 0.6).fill(color);
  });
}

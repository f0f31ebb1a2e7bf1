import { column, ink, page, styles, type Sheet, type Style } from './sheet.ts';
import { rule } from './table.ts';

/** Points. A section up to this height stays on one page. A longer one begins where some of its lines have room. */
const keptTogetherMax = 300;
const headingRoom = 84;

const labelWidth = 124;
const valueX = column.x + labelWidth + 10;

/** The places of a label and of its value, in the right column. */
export const factPlaces = {
  label: { x: column.x, width: labelWidth },
  value: { x: valueX, width: page.right - valueX },
};

/** Rows that a table of facts shows. More are only counted. */
const factsMax = 60;

/** Draws a heading in the left column and its contents in the right one, under a thin line. */
export function section(sheet: Sheet, title: string, body: () => void): void {
  const height = 28 + sheet.heightOf(body);
  sheet.ensure(height <= keptTogetherMax ? height : headingRoom);
  rule(sheet, ink.hairline);
  sheet.y += 12;
  const top = sheet.y;
  sheet.within('Sect', () => {
    sheet.paragraph(title, styles.heading, { tag: 'H2', x: page.left, width: column.x - page.left - 16 });
    sheet.y = top;
    body();
  });
  sheet.y += 16;
}

/** The smallest size of an id. The widest one fits beside the facts of an invoice in it. */
const idSizeMin = 7;

/**
 * Draws rows of a label and its value.
 *
 * @param places.isIdWhole draws a value of one word in a smaller size if it would not fit on its line. A broken id is hard to copy.
 */
export function factTable(
  sheet: Sheet,
  facts: readonly string[][],
  { label, value, isIdWhole = false }: typeof factPlaces & { isIdWhole?: boolean } = factPlaces,
): void {
  if (facts.length === 0) return;
  const shown = facts.slice(0, factsMax);
  sheet.within('Table', () => {
    for (const [name = '', text = ''] of shown) {
      sheet.row('TR', [
        { tag: 'TH', scope: 'Row', text: name, style: styles.label, ...label },
        { tag: 'TD', text, style: isIdWhole ? fittingStyle(sheet, text, value.width) : styles.body, ...value },
      ]);
    }
  });
  countMore(sheet, facts, shown);
}

function fittingStyle(sheet: Sheet, text: string, width: number): Style {
  const { body } = styles;
  const size = Math.floor(((body.size * width) / sheet.widthOf(`${text} `, body)) * 10) / 10;
  return text.includes(' ') || size >= body.size || size < idSizeMin ? body : { ...body, size };
}

/** Says how many entries are left out. */
export function countMore(sheet: Sheet, all: readonly unknown[], shown: readonly unknown[]): void {
  if (all.length > shown.length) sheet.paragraph(`and ${all.length - shown.length} more`, styles.label);
}

import { beside, halves } from '../print/columns.ts';
import { drawSender } from '../print/letterhead.ts';
import { factTable } from '../print/sections.ts';
import { ink, page, styles, type Sheet, type Style } from '../print/sheet.ts';
import { rule } from '../print/table.ts';
import { envelopeLines } from '../print/words.ts';
import type { DocumentContents } from './contents.ts';

/** The first page has no line above its text. */
const firstLineY = 56;

const boxStyle: Style = { weight: 'semibold', size: 15, leading: 20, color: ink.text };

const { left, right } = halves;
const rightFacts = {
  label: { x: right.x, width: 40 },
  value: { x: right.x + 46, width: right.width - 46 },
  isIdWhole: true,
};

/** What stands out under the head: the state of an invoice, or what is owed. */
export interface Summary {
  title: string;
  meaning: string;
  color: string;
  tint: string;
}

/** Colors of a summary. Its words say the same. */
export const moods = {
  neutral: { color: ink.text, tint: '#f1f4f7' },
  good: { color: '#1c6b4c', tint: '#eef6f1' },
  alarm: { color: ink.alarm, tint: '#fbefee' },
} as const;

/** Draws the sender, the title, the recipients beside some facts, and the summary. */
export function drawHead(
  sheet: Sheet,
  contents: DocumentContents,
  { title, facts, summary }: { title: string; facts: readonly string[][]; summary: Summary },
): void {
  sheet.y = firstLineY;
  drawSender(sheet, contents.sender);
  rule(sheet, ink.hairline);
  sheet.y += 22;
  const whole = { x: page.left, width: page.right - page.left };
  sheet.paragraph(sheet.shortenBeside(title), styles.title, { tag: 'H1', ...whole });
  if (contents.isTest) {
    const warning = 'This is a test, made in the sandbox: no money is owed or was paid.';
    sheet.paragraph(warning, { ...styles.strong, color: ink.alarm }, whole);
  }
  sheet.y += 14;
  beside(
    sheet,
    () => drawRecipients(sheet, contents),
    () => factTable(sheet, facts, rightFacts),
  );
  sheet.y += 18;
  drawSummary(sheet, summary);
}

function drawRecipients(sheet: Sheet, { recipients, home, sender }: DocumentContents): void {
  sheet.paragraph('To', styles.label, left);
  for (const name of recipients) sheet.paragraph(sheet.shortenBeside(name), styles.strong, left);
  if (!home) return;
  const isAbroad = home.address.country !== sender.address?.country;
  for (const line of [home.unit, ...envelopeLines(home.address, isAbroad)])
    sheet.paragraph(sheet.shortenBeside(line), styles.body, left);
}

function drawSummary(sheet: Sheet, { title, meaning, color, tint }: Summary): void {
  const place = { x: page.left + 18, width: page.right - page.left - 36 };
  const text = (): void => {
    sheet.paragraph(title, { ...boxStyle, color }, { tag: 'H2', ...place });
    sheet.paragraph(meaning, styles.body, place);
  };
  const height = sheet.heightOf(text) + 24;
  sheet.ensure(height);
  const top = sheet.y;
  sheet.artifact('Layout', () => {
    sheet.document.roundedRect(page.left, top, page.right - page.left, height, 6).fill(tint);
  });
  sheet.y = top + 12;
  sheet.within('Sect', text);
  sheet.y = top + height + 20;
}

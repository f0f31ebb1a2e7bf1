import { digestOf } from '../print/digest.ts';
import type { Fonts } from '../print/fonts.ts';
import { styles, Sheet, type Cell, type Style } from '../print/sheet.ts';
import { table, type Column } from '../print/table.ts';
import { calendarDay, dateOf, money, shortDay, shortSpan } from '../print/words.ts';
import type { InvoiceContents } from './contents.ts';
import { drawHead, moods, type Summary } from './head.ts';
import { finishPages } from './margins.ts';
import { drawHowToPay } from './pay.ts';
import { methodName } from './methods.ts';

/** Characters of a line's description. The longest of the API fits, unless each becomes its number. */
const descriptionMax = 600;

const lineColumns: readonly Column[] = [
  { title: 'Description', x: 56, width: 258, textMax: descriptionMax },
  { title: 'Period', x: 326, width: 110 },
  { title: 'Amount', x: 444, width: 95.28, align: 'right' },
];
const settlingColumns = (what: string): readonly Column[] => [
  { title: 'Date', x: 56, width: 90 },
  { title: what, x: 156, width: 280, textMax: descriptionMax },
  { title: 'Amount', x: 444, width: 95.28, align: 'right' },
];

const totalLabel = { x: 326, width: 110 };
const totalAmount = { x: 400, width: 139.28, align: 'right' } as const;
const dueStyle: Style = { ...styles.strong, size: 11.5, leading: 17 };

/**
 * Returns an invoice as a PDF. The same contents give the same bytes.
 *
 * @throws nothing for any text and any number.
 */
export function layOutInvoice(contents: InvoiceContents, fonts: Fonts): Buffer {
  const { sender, number, created, status, isTest, recipients } = contents;
  const title = number === null ? 'Draft invoice' : `Invoice ${number}`;
  const sheet = new Sheet(fonts, {
    title: `${title} for ${recipients.join(', ')}`,
    author: sender.name,
    created: dateOf(created),
    digest: digestOf(contents),
  });
  drawHead(sheet, contents, { title, facts: factsOf(contents), summary: summaryOf(contents) });
  drawLines(sheet, contents);
  drawTotals(sheet, contents);
  drawSettling(sheet, contents);
  const isPayable = status === 'open' || status === 'uncollectible';
  if (isPayable && number !== null) drawHowToPay(sheet, sender, number);
  const marks = [isTest && 'TEST', status === 'draft' && 'DRAFT', status === 'void' && 'VOID'];
  return finishPages(sheet, {
    head: title,
    foot: `${number ?? contents.id}, ${sender.name}`,
    marks: marks.filter((mark) => mark !== false),
  });
}

function factsOf({ number, finalizedOn, dueOn, period, tenancy }: InvoiceContents): string[][] {
  return [
    ['Number', number ?? 'None yet'],
    ['Date', finalizedOn ? calendarDay(finalizedOn) : 'Not finalized'],
    ['Due', calendarDay(dueOn)],
    ...(period ? [['Period', shortSpan(period)]] : []),
    ['Tenancy', tenancy],
  ];
}

/** Says what the reader has to do. */
function summaryOf(contents: InvoiceContents): Summary {
  const { status, isOverdue, dueOn, paidOn, voidReason, number, amountDue, currency } = contents;
  const amount = money({ amount: amountDue, currency });
  const due = calendarDay(dueOn);
  switch (status) {
    case 'draft':
      return { title: 'Draft', meaning: 'This invoice is not owed yet. Do not pay it.', ...moods.neutral };
    case 'void':
      return { title: 'Void', meaning: `This invoice is not owed. ${voidReason ?? ''}`.trim(), ...moods.neutral };
    case 'paid': {
      const since = paidOn === null ? '' : ` It was settled on ${calendarDay(paidOn)}.`;
      return { title: 'Paid', meaning: `Nothing is due.${since}`, ...moods.good };
    }
    case 'uncollectible':
    case 'open': {
      const quote = `Quote ${number} as the reference.`;
      // It is never overdue, and its due date can be past or to come.
      if (status === 'uncollectible')
        return { title: `${amount} is owed`, meaning: `The due date is ${due}. ${quote}`, ...moods.neutral };
      if (isOverdue)
        return { title: `${amount} is overdue`, meaning: `It was due on ${due}. ${quote}`, ...moods.alarm };
      return { title: `${amount} is due by ${due}`, meaning: quote, ...moods.neutral };
    }
  }
}

function drawLines(sheet: Sheet, { lines, currency }: InvoiceContents): void {
  table(
    sheet,
    lineColumns,
    lines.map(({ description, period, amount }) => ({
      texts: [description, period ? shortSpan(period) : '', money({ amount, currency })],
    })),
  );
}

/** Draws the way from the total to what is due. */
function drawTotals(sheet: Sheet, { total, amountCredited, amountPaid, amountDue, currency, status }: InvoiceContents) {
  const rows: [string, number, Style][] = [['Total', total, styles.strong]];
  if (amountCredited > 0) rows.push(['Credits', -amountCredited, styles.body]);
  if (amountPaid > 0) rows.push(['Payments so far', -amountPaid, styles.body]);
  if (status !== 'draft') rows.push(['Amount due', amountDue, dueStyle]);
  const draw = (): void => {
    for (const [label, amount, style] of rows) {
      const cells: Cell[] = [
        { tag: 'TH', scope: 'Row', text: label, style, ...totalLabel },
        { tag: 'TD', text: money({ amount, currency }), style, ...totalAmount },
      ];
      sheet.row('TR', cells);
      sheet.y += 2;
    }
  };
  sheet.y += 8;
  sheet.ensure(sheet.heightOf(draw));
  sheet.within('Table', draw);
  sheet.y += 18;
}

/** Draws what has settled the invoice so far. */
function drawSettling(sheet: Sheet, { payments, credits, currency }: InvoiceContents): void {
  if (payments.length > 0) {
    table(
      sheet,
      settlingColumns('Payment'),
      payments.map(({ on, method, amount }) => ({
        texts: [shortDay(on), methodName(method), money({ amount, currency })],
      })),
    );
    sheet.y += 18;
  }
  if (credits.length > 0) {
    table(
      sheet,
      settlingColumns('Credit'),
      credits.map(({ on, reason, amount }) => ({ texts: [shortDay(on), reason, money({ amount, currency })] })),
    );
    sheet.y += 18;
  }
}

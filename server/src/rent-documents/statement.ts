import { digestOf } from '../print/digest.ts';
import type { Fonts } from '../print/fonts.ts';
import { Sheet, styles } from '../print/sheet.ts';
import { table, type Column, type Row } from '../print/table.ts';
import { calendarDay, dateOf, money, shortDay } from '../print/words.ts';
import type { StatementContents, StatementRow } from './contents.ts';
import { drawHead, moods, type Summary } from './head.ts';
import { finishPages } from './margins.ts';
import { methodName } from './methods.ts';
import { drawHowToPay } from './pay.ts';

const columns: readonly Column[] = [
  { title: 'Date', x: 56, width: 62 },
  { title: 'Entry', x: 126, width: 152 },
  { title: 'Details', x: 286, width: 80 },
  { title: 'Amount', x: 374, width: 80, align: 'right' },
  { title: 'Balance', x: 459, width: 80.28, align: 'right' },
];

/** The words for each type of entry. */
const entryNames: ReadonlyMap<string, string> = new Map([
  ['invoice', 'Invoice'],
  ['void', 'Invoice withdrawn'],
  ['credit', 'Credit'],
  ['payment', 'Payment, thank you'],
  ['payment_failed', 'Payment that failed'],
  ['refund', 'Refund to you'],
]);

/**
 * Returns a statement as a PDF. The same contents give the same bytes.
 *
 * @throws nothing for any text and any number.
 */
export function layOutStatement(contents: StatementContents, fonts: Fonts): Buffer {
  const { sender, to, tenancy, recipients, isTest, closing } = contents;
  const sheet = new Sheet(fonts, {
    title: `Rent statement for ${recipients.join(', ')}`,
    author: sender.name,
    // A statement has no time of its own, so that the same days give the same bytes.
    created: dateOf(Date.parse(to) / 1000),
    digest: digestOf(contents),
  });
  const summary = summaryOf(contents);
  drawHead(sheet, contents, { title: 'Rent statement', facts: factsOf(contents), summary });
  table(sheet, columns, rowsOf(contents));
  sheet.y += 6;
  const signs = 'Payments and credits are below zero. A balance below zero is credit of the tenants.';
  sheet.paragraph(signs, styles.small, { x: 56, width: 483 });
  sheet.y += 18;
  if (closing > 0) drawHowToPay(sheet, sender, 'The number of the invoice that you pay');
  return finishPages(sheet, {
    head: 'Rent statement',
    foot: `${tenancy}, ${sender.name}`,
    marks: isTest ? ['TEST'] : [],
  });
}

function factsOf({ from, to, tenancy }: StatementContents): string[][] {
  return [
    ['From', from === null ? 'The first entry' : calendarDay(from)],
    ['To', calendarDay(to)],
    ['Tenancy', tenancy],
  ];
}

/** Says what is owed at the end, and what of it is overdue. */
function summaryOf({ closing, currency, to, arrears }: StatementContents): Summary {
  const amount = money({ amount: Math.abs(closing), currency });
  const day = calendarDay(to);
  const owed = closing > 0 ? `${amount} is owed` : closing < 0 ? `${amount} in credit` : 'Nothing is owed';
  const title = `${owed} on ${day}`;
  if (arrears.amount === 0)
    return { title, meaning: 'Nothing is overdue now.', ...moods[closing > 0 ? 'neutral' : 'good'] };
  const since = arrears.since === null ? '' : `, since ${calendarDay(arrears.since)}`;
  const meaning = `${money({ amount: arrears.amount, currency })} is overdue now${since}.`;
  return { title, meaning, ...moods.alarm };
}

function* rowsOf({ from, to, opening, closing, entries, currency }: StatementContents): Iterable<Row> {
  const first = from === null ? '' : shortDay(from);
  yield { texts: [first, 'Opening balance', '', '', money({ amount: opening, currency })], style: styles.strong };
  for (const entry of entries) {
    const { date, amount, balance } = entry;
    yield {
      texts: [
        shortDay(date),
        nameOf(entry),
        detailsOf(entry),
        money({ amount, currency }),
        money({ amount: balance, currency }),
      ],
    };
  }
  yield {
    texts: [shortDay(to), 'Closing balance', '', '', money({ amount: closing, currency })],
    style: styles.strong,
  };
}

function nameOf({ type, description }: StatementRow): string {
  const name = entryNames.get(type) ?? type;
  return description === null ? name : `${name}: ${description}`;
}

function detailsOf({ number, method }: StatementRow): string {
  return number ?? (method === null ? '' : methodName(method));
}

import type { Day } from '../core/calendar.ts';
import { formats, lineFault } from '../core/formats.ts';
import { currencyCodes } from '../core/vocabulary/iso-codes.ts';

/** The value of a cell, or the end of a sentence about its fault: `is empty. Write …`. */
export type Cell<Value> = { value: Value } | { fault: string };

/** The largest amount of money, in the smallest unit of its currency. */
const amountMax = 9_999_999_999;

/** Characters of a text. A payment’s reference has the same bound. */
const textMax = 500;

/** Reads a day: `2027-02-01`, or `01/02/2027` with the day first, as banks in the United Kingdom write it. */
export function readDay(text: string, today: Day): Cell<Day> {
  const written = text.trim();
  if (written === '') return { fault: 'is empty. Write a day such as 2027-02-01' };
  const [, date, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(written) ?? [];
  const day = year === undefined ? written : `${year}-${month}-${date}`;
  if (formats.date(day) !== null || day < '1900') {
    const isMonthFirst = year !== undefined && Number(month) > 12 && Number(date) <= 12;
    const reason = isMonthFirst ? 'has the month first' : 'is no calendar day';
    return { fault: `${reason}. Write 2027-02-01, or 01/02/2027 with the day first` };
  }
  if (day > today) return { fault: `is ${day}, which has not come. Today is ${today}` };
  return { value: day };
}

/** Reads the code of a currency (ISO 4217), in any case. An empty cell means pounds. */
export function readCurrency(text: string): Cell<string> {
  const code = text.trim().toLowerCase();
  if (code === '') return { value: 'gbp' };
  return currencyCodes.has(code) ? { value: code } : { fault: 'is no currency (ISO 4217). Write a code such as GBP' };
}

/**
 * Reads an amount: `950.00`, `1,250.00`, `-20`, `£950`. `1,250` is refused, because it can also mean one and a quarter. With pennies behind
 * the point, a comma can only mean thousands.
 *
 * @returns the amount in the smallest unit of the currency. It is below 0 if money went out.
 */
export function readAmount(text: string, currency: string): Cell<number> {
  const written = text.trim();
  if (written === '') return { fault: 'is empty. Write an amount such as 950.00' };
  const [, sign = '', pounds = '', units = '', fraction = ''] = /^([+-]?)(£?)([\d,]+)(?:\.(\d+))?$/.exec(written) ?? [];
  if (units === '')
    return { fault: 'is no amount. Write digits with a point, such as 950.00, and a minus for money that went out' };
  if (pounds !== '' && currency !== 'gbp')
    return { fault: `has a pound sign, and the currency is ${currency}. Remove the sign` };
  if (units.includes(',') && !(fraction !== '' && /^\d{1,3}(,\d{3})+$/.test(units)))
    return { fault: 'has a comma that can be read in two ways. Write a point before the pennies, and no other mark' };
  const digits = digitsOf(currency);
  if (fraction.length > digits) {
    const most = digits === 0 ? 'no digits' : `${digits} digits`;
    return { fault: `has a fraction of the smallest unit. ${currency} has ${most} after the point` };
  }
  const whole = units.replaceAll(',', '').replace(/^0+(?=\d)/, '');
  if (whole.length > 10) return { fault: tooLarge };
  const amount = Number(whole + fraction.padEnd(digits, '0'));
  if (amount > amountMax) return { fault: tooLarge };
  return { value: amount === 0 ? 0 : sign === '-' ? -amount : amount };
}

const tooLarge = `is more than ${amountMax} of the smallest unit. Correct it`;

/** The digits of currencies. A format takes longer to make than all else of a line. */
const digitsByCurrency = new Map<string, number>();

/** Returns how many digits an amount has after the point: two for pounds, none for yen. */
function digitsOf(currency: string): number {
  const known = digitsByCurrency.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  digitsByCurrency.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}

/**
 * Reads a text, such as a reference. Line breaks and runs of spaces become one space. A formula of a spreadsheet is a text like any other.
 *
 * @returns null for an empty text.
 */
export function readText(text: string): Cell<string | null> {
  const line = text
    .replaceAll(/[\s\u2028\u2029]+/gu, ' ')
    .trim()
    .normalize('NFC');
  if (line === '') return { value: null };
  if (line.length > textMax) return { fault: `has ${line.length} characters. Shorten it to ${textMax}` };
  const fault = lineFault(line, true);
  return fault === null ? { value: line } : { fault };
}

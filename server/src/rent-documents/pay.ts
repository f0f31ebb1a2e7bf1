import { factTable, section } from '../print/sections.ts';
import { styles, type Sheet } from '../print/sheet.ts';
import type { Bank, Sender } from './contents.ts';

/** Says how to pay: to which account, and with which reference. */
export function drawHowToPay(sheet: Sheet, { name, bank }: Sender, reference: string): void {
  section(sheet, 'How to pay', () => {
    if (!bank) {
      sheet.paragraph(`Ask ${name} for the account to pay to.`, styles.body);
      return factTable(sheet, [['Reference', reference]]);
    }
    factTable(sheet, [...bankFacts(bank), ['Reference', reference]]);
  });
}

function bankFacts({ accountName, bankName, sortCode, accountNumber, iban, bic }: Bank): string[][] {
  const facts: [string, string | null][] = [
    ['Account name', accountName],
    ['Bank', bankName],
    ['Sort code', sortCode && inGroups(sortCode, 2, '-')],
    ['Account number', accountNumber],
    ['IBAN', iban && inGroups(iban, 4, ' ')],
    ['BIC', bic],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

/** Groups characters for reading: `20-00-00`. */
function inGroups(text: string, size: number, separator: string): string {
  return (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(separator);
}

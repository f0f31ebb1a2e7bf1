import { beside, halves } from './columns.ts';
import { ink, styles, type Sheet, type Style } from './sheet.ts';
import { envelopeLines, type Address } from './words.ts';

const { left, right } = halves;

const senderStyle: Style = { weight: 'semibold', size: 13, leading: 18, color: ink.text };

/** The sender of a document. */
export interface Letterhead {
  name: string;
  address: Address | null;
  email: string | null;
  phone: string | null;
  registration: string | null;
}

/** Draws the sender at the head of the first page. */
export function drawSender(sheet: Sheet, sender: Letterhead): void {
  const { name, address, email, phone, registration } = sender;
  beside(
    sheet,
    () => {
      sheet.paragraph(sheet.shortenBeside(name), senderStyle, left);
      for (const line of address ? envelopeLines(address) : [])
        sheet.paragraph(sheet.shortenBeside(line), styles.label, left);
    },
    () => {
      sheet.y += 3;
      for (const line of [email, phone, registration])
        if (line !== null) sheet.paragraph(sheet.shortenBeside(line), styles.label, right);
    },
  );
  sheet.y += 16;
}

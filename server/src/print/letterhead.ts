import { beside, halves } from './columns.ts';
import { ink, page, styles, type Sheet, type Style } from './sheet.ts';
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
  logo: Logo | null;
}

/** A small picture, as JPEG or PNG. */
export interface Logo {
  /** Its media type. */
  type: string;
  base64: string;
}

/** The room for a logo, in points. */
const logoBox = { width: 160, height: 48 };

/** Draws the sender at the head of the first page. */
export function drawSender(sheet: Sheet, sender: Letterhead): void {
  const { name, address, email, phone, registration, logo } = sender;
  if (logo) drawLogo(sheet, logo, `Logo of ${name}`);
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

/** Draws a logo on the left, in its own proportions. */
function drawLogo(sheet: Sheet, { base64 }: Logo, alt: string): void {
  const image = sheet.document.openImage(Buffer.from(base64, 'base64'));
  const scale = Math.min(logoBox.width / image.width, logoBox.height / image.height);
  const box = { x: page.left, y: sheet.y, width: image.width * scale, height: image.height * scale };
  sheet.figure(alt, box, () => {
    sheet.document.image(image, box.x, box.y, { width: box.width, height: box.height });
  });
  sheet.y += box.height + 12;
}

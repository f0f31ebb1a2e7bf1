import type { EmailTexts } from '../model/email.ts';

/** The parts of an e-mail, as its recipient reads them. */
export interface RenderedEmail {
  subject: string;
  text: string;
  html: string;
}

/** Characters of a paragraph, with the names in it. A name in a record can be as long as thousands. */
const paragraphLengthMax = 1_000;
const subjectLengthMax = 200;

/** Control characters, line separators, and characters that change the direction of text. No header and no line may have them. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]+/gu;

/** Returns a text as one line that is safe in a header. */
export function oneLine(text: string, lengthMax = subjectLengthMax): string {
  const line = text.replace(unsafe, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`.toWellFormed();
}

/**
 * Makes the subject, the plain text and the HTML of an e-mail from the same texts. The HTML is simple: it loads nothing, and has no script.
 *
 * @param link null if it has none.
 * @param sender the name of the account.
 */
export function renderEmail(
  texts: EmailTexts,
  { link, sender }: { link: string | null; sender: string },
): RenderedEmail {
  const paragraph = (text: string): string => oneLine(text, paragraphLengthMax);
  const paragraphs = texts.paragraphs.map(paragraph);
  const notes = texts.notes.map(paragraph);
  const button = paragraph(texts.button ?? '');
  const from = paragraph(sender);
  return {
    subject: oneLine(texts.subject),
    text: `${[...paragraphs, ...(link === null ? [] : [`${button}:\n${link}`]), ...notes, `-- \n${from}`].join('\n\n')}\n`,
    html: [
      '<!doctype html>',
      '<html lang="en">',
      '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
      `<title>${escaped(oneLine(texts.subject))}</title></head>`,
      '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1c1c1c;background:#ffffff">',
      '<div style="max-width:560px;margin:0 auto">',
      ...paragraphs.map((each) => `<p>${escaped(each)}</p>`),
      ...(link === null
        ? []
        : [
            `<p><a href="${escaped(link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;color:#ffffff;background:#1f4f8f;text-decoration:none">${escaped(button)}</a></p>`,
            `<p style="font-size:13px;word-break:break-all">${escaped(link)}</p>`,
          ]),
      ...notes.map((each) => `<p style="font-size:13px;color:#555555">${escaped(each)}</p>`),
      `<p style="font-size:13px;color:#555555">${escaped(from)}</p>`,
      '</div>',
      '</body>',
      '</html>',
      '',
    ].join('\n'),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

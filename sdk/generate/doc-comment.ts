/** Characters of a description. An editor shows this much beside a completion without scrolling. */
const lengthMax = 240;

/** Characters of a line. With indentation, a line stays below the print width of the formatter. */
const lineMax = 100;

/** Returns a doc comment with its line break, or an empty text if there is nothing to say. */
export function docComment({ description = '', deprecated }: { description?: string; deprecated?: boolean }): string {
  const lines = [...wrapped(escaped(shortened(plain(description)))), ...(deprecated === true ? ['@deprecated'] : [])];
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}

/** Returns the first paragraph as one line, with the texts of links instead of links. */
function plain(description: string): string {
  const [paragraph = ''] = description.split(/\n\s*\n/);
  return paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns as many whole sentences as fit, and at least the first one. */
function shortened(text: string): string {
  const [first = '', ...others] = text.split(/(?<=[.!?])\s+(?=[A-Z`])/);
  let kept = first;
  for (const sentence of others) {
    if (kept.length + 1 + sentence.length > lengthMax) break;
    kept += ` ${sentence}`;
  }
  return kept;
}

/** Keeps a text from ending the comment, and from beginning a tag. */
function escaped(text: string): string {
  return text.replaceAll('*/', String.raw`*\/`).replaceAll(/(^|[\s{])@/g, String.raw`$1\@`);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= lineMax) lines[lines.length - 1] = `${line} ${word}`;
    else if (word !== '') lines.push(word);
  }
  return lines;
}

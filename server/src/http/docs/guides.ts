import { posix } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Marked, type Token, type Tokens } from 'marked';
import { rowsOfIndex, type GuideFile } from './guide-files.ts';
import { escaped } from './layout.ts';

/** A guide as pages show it. */
export interface Guide {
  name: string;
  title: string;
  /** The question that the guide answers, from the list in `docs/README.md`. */
  summary: string;
  html: string;
  /** The Markdown, in which each link leads to a page of the server. */
  markdown: string;
  sections: Section[];
}

/** A heading with the text below it. */
export interface Section {
  level: number;
  heading: string;
  anchor: string;
  text: string;
}

/** The folder of the guides, in the project. Links of the guides are relative to it. */
const guidesFolder = 'docs/guides';

/** The page of the API docs, which shows the folder `openapi/`. */
const apiDocs = '../../docs';

/** Converts the guides, in the order of the list in `docs/README.md`. Other requests get their turns between two guides. */
export async function guidesOf(files: readonly GuideFile[]): Promise<Guide[]> {
  const names = new Set(files.map(({ name }) => name));
  const rows = rowsOfIndex();
  const order = [...rows.keys()];
  const guides: Guide[] = [];
  for (const file of files) {
    guides.push(guideOf(file, names, rows.get(file.name) ?? ''));
    await turn();
  }
  return guides.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
}

function guideOf({ name, markdown }: GuideFile, names: ReadonlySet<string>, summary: string): Guide {
  const sections: Section[] = [];
  /** Links to files that are no guides, with what replaces them in the Markdown. */
  const outside = new Map<string, string>();
  const targetOf = (href: string): string | null => pageOf(href, names);
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = uniqueAnchor(text, sections);
        const heading = plainText(tokens);
        sections.push({ level: depth, heading, anchor, text: '' });
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to “${escaped(heading)}”">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${depth > 1 ? ` ${link}` : ''}</h${depth}>\n`;
      },
      link({ href, tokens, raw }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href);
        if (target === apiDocs) outside.set(raw, `[${plainText(tokens)}](${target})`);
        if (target !== null) return `<a href="${escaped(target)}">${text}</a>`;
        const file = posix.join(guidesFolder, href.split('#', 1)[0]!);
        outside.set(raw, `${plainText(tokens)} (\`${file}\`)`);
        return `${text} (<code>${escaped(file)}</code>)`;
      },
      image({ href, text }) {
        return `<img src="${escaped(href)}" alt="${escaped(text)}" loading="lazy">`;
      },
      codespan({ text }) {
        // A short one stays on one line in a table.
        return `<code${text.length > 40 ? ' class="long"' : ''}>${escaped(text)}</code>`;
      },
      code({ text, lang = '' }) {
        return `<pre tabindex="0"><code data-kind="${escaped(lang)}">${escaped(text)}</code></pre>\n`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string): string =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`;
      },
      html: ({ text }) => escaped(text),
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  addTexts(sections, tokens);
  return {
    name,
    title: sections[0]?.heading ?? name,
    summary,
    html,
    markdown: [...outside].reduce((text, [link, replacement]) => text.replaceAll(link, () => replacement), markdown),
    sections,
  };
}

/** Returns where a link of a guide leads on the server, relative to `/docs/guides/`. Returns null if no page of the server has its file. */
function pageOf(href: string, names: ReadonlySet<string>): string | null {
  if (href.startsWith('#') || /^[a-z]+:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const name = path.replace(/\.md$/, '');
  if (names.has(name)) return anchor === undefined ? name : `${name}#${anchor}`;
  return posix.join(guidesFolder, path).replace(/\/$/, '') === 'openapi' ? apiDocs : null;
}

/** Returns the anchor that GitHub gives to a heading. A repeated heading gets a number. */
function uniqueAnchor(heading: string, earlier: readonly Section[]): string {
  const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
  const taken = new Set(earlier.map((section) => section.anchor));
  let unique = anchor;
  for (let number = 1; taken.has(unique); number++) unique = `${anchor}-${number}`;
  return unique;
}

/** Adds to each section the text between its heading and the next one. Commands and responses follow the prose. */
function addTexts(sections: Section[], tokens: readonly Token[]): void {
  let next = 0;
  let prose: string[] = [];
  let code: string[] = [];
  const finish = (): void => {
    const section = sections[next - 1];
    if (section) section.text = [...prose, ...code].join(' ').replaceAll(/\s+/g, ' ').trim();
    [prose, code] = [[], []];
  };
  for (const token of tokens) {
    if (token.type === 'heading') {
      finish();
      next++;
    } else {
      (token.type === 'code' ? code : prose).push(plainText([token]));
    }
  }
  finish();
}

/** Returns the text of tokens without markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map((token) => childrenText(token) ?? ('text' in token ? String(token.text) : '')).join('');
}

function childrenText(token: Token): string | null {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
  return 'tokens' in token && token.tokens ? plainText(token.tokens) : null;
}

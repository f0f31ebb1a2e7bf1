import { Type } from 'typebox';
import { errorCatalogue, ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { nearestName } from '../../core/nearest.ts';
import { closedObject } from '../../model/schemas/make.ts';
import type { Guide } from '../docs/guides.ts';
import { searchEntries } from '../docs/search-entries.ts';
import { answerBytesMax } from './cut-answer.ts';
import { toolInput } from './input.ts';
import type { McpCall, Tool } from './tool.ts';

/** As many results as a model reads before it opens one. */
const resultsMax = 8;

/** The most characters of a result's text. */
const excerptMax = 400;

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

const search = toolInput(
  closedObject({
    query: Type.String({ minLength: 1, maxLength: 200, description: 'Words, such as "replay idempotency key".' }),
  }),
);
const read = toolInput(
  closedObject({
    guide: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The name of a guide, such as `webhooks`, or `errors`.',
    }),
    section: Type.Optional(
      Type.String({ maxLength: 200, description: 'The anchor of a section, or the code of an error. All by default.' }),
    ),
  }),
);

/** Finds sections of the guides, and errors, by their words. */
export const docsSearch: Tool = {
  name: 'docs_search',
  isWrite: false,
  kinds: [],
  describe: () => ({
    name: 'docs_search',
    title: 'Search the documentation',
    description: 'Finds sections of the guides, and explanations of error codes, by words.',
    inputSchema: search.listed,
    annotations: readOnly,
  }),
  async run({ parts }, input) {
    const words = search
      .read(input)
      .query.toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
      .slice(0, 20);
    const { find } = await import('../docs/assets/find.js');
    const found = find(searchEntries(await parts.guides()), words);
    const data = found.slice(0, resultsMax).map(({ url, page, heading, text }) => {
      const [path = '', anchor] = url.split('#');
      const [folder, name = ''] = path.split('/');
      const place = folder === 'errors' ? { guide: 'errors', section: name } : { guide: name, section: anchor ?? null };
      return { ...place, page, heading, text: excerptOf(text, words) };
    });
    return { object: { object: 'list', count: found.length, has_more: found.length > data.length, data } };
  },
};

/** Returns the part of a text around the first word that it has. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0), text.length);
  const begin = at < text.length ? Math.max(0, at - 100) : 0;
  const excerpt = text.slice(begin, begin + excerptMax).toWellFormed();
  return `${begin > 0 ? '… ' : ''}${excerpt}${begin + excerptMax < text.length ? ' …' : ''}`;
}

/** Returns a guide, or one of its sections, as Markdown. */
export const docsRead: Tool = {
  name: 'docs_read',
  isWrite: false,
  kinds: [],
  describe: () => ({
    name: 'docs_read',
    title: 'Read the documentation',
    description: 'Returns a guide, one of its sections, or the explanation of an error code, as Markdown.',
    inputSchema: read.listed,
    annotations: readOnly,
  }),
  async run({ parts }, input) {
    const { guide: name, section = null } = read.read(input);
    if (name === 'errors') return { object: errorPage(section) };
    const guides = await parts.guides();
    const guide = guides.find((each) => each.name === name);
    if (!guide) throw unknownName('guide', name, [...guides.map((each) => each.name), 'errors']);
    return { object: pageOf(guide, section) };
  },
};

function pageOf(guide: Guide, anchor: string | null): JsonObject {
  const { name, title, markdown, sections } = guide;
  const index = sections.filter(({ level }) => level <= 3).map(({ heading, anchor: at }) => ({ section: at, heading }));
  if (anchor === null) {
    const isWhole = Buffer.byteLength(JSON.stringify({ markdown, index })) <= answerBytesMax - 1_000;
    return isWhole
      ? { guide: name, title, markdown }
      : {
          guide: name,
          title,
          markdown: sectionOf(guide, 0, false),
          sections: index,
          cut: { message: 'The guide is too long for one answer. Read its sections by `section`.' },
        };
  }
  const at = sections.findIndex((section) => section.anchor === anchor);
  if (at === -1)
    throw unknownName(
      'section',
      anchor,
      sections.map((section) => section.anchor),
    );
  return { guide: name, title, section: anchor, markdown: sectionOf(guide, at, true) };
}

/** Returns the Markdown of a section, with the smaller sections in it if they are wanted. */
function sectionOf({ markdown, sections }: Guide, index: number, withSmaller: boolean): string {
  const starts = headingLines(markdown);
  const lines = markdown.split('\n');
  const { level } = sections[index]!;
  const next = sections.findIndex((section, at) => at > index && (!withSmaller || section.level <= level));
  return lines
    .slice(starts[index], next === -1 ? undefined : starts[next])
    .join('\n')
    .trim();
}

/** Returns the numbers of the lines with headings. A line in a block of code is none. */
function headingLines(markdown: string): number[] {
  const starts: number[] = [];
  let isCode = false;
  for (const [number, line] of markdown.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    else if (!isCode && /^#{1,6} /.test(line)) starts.push(number);
  }
  return starts;
}

function errorPage(code: string | null): JsonObject {
  const codes = Object.keys(errorCatalogue);
  if (code === null) return { guide: 'errors', title: 'Errors', sections: codes.map((each) => ({ section: each })) };
  const known = Object.entries(errorCatalogue).find(([each]) => each === code);
  if (!known) throw unknownName('section', code, codes);
  const [, { status, explanation }] = known;
  return { guide: 'errors', title: 'Errors', section: code, markdown: `# ${code}\n\nStatus ${status}. ${explanation}` };
}

function unknownName(param: string, name: string, known: readonly string[]): ApiError {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `Send one of ${known.slice(0, 60).join(', ')}.` : `Did you mean \`${nearest}\`?`;
  return new ApiError('parameter_invalid', `There is no ${param} of this name. ${hint}`, { param });
}

/** Returns the Markdown of a guide, or null. */
export async function guideText({ parts }: McpCall, name: string): Promise<string | null> {
  return (await parts.guides()).find((guide) => guide.name === name)?.markdown ?? null;
}

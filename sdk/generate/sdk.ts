import { format, type FormatConfig } from 'oxfmt';
import { docComment } from './doc-comment.ts';
import { declarationsOf, runtimeTypes, type Declaration } from './declarations.ts';
import type { OpenApiDocument } from './document.ts';
import { operationsOf, type SdkOperation, type TableEntry } from './operations.ts';

/** The documents of all versions, by date. */
export type Documents = Record<string, OpenApiDocument>;

/** The style of the repository, as `.oxfmtrc.json` has it. */
export type Style = Required<Pick<FormatConfig, 'printWidth' | 'singleQuote'>>;

/**
 * Generates the files of `sdk/src/generated/` from the documents, by name. The newest version has all of its types. An older version has
 * those that differ from the next newer one, and exports the rest from there.
 */
export async function generateSdk(documents: Documents, style: Style): Promise<Map<string, string>> {
  const dates = Object.keys(documents).sort().reverse();
  const files = new Map([
    ['operations.ts', operationsFile(documents)],
    ['versions.ts', versionsFile(dates)],
  ]);
  let newer: { date: string; declarations: Declaration[] } | null = null;
  for (const date of dates) {
    const declarations = declarationsOf(documents[date]!);
    files.set(`${date}.ts`, versionFile(declarations, newer));
    newer = { date, declarations };
  }
  const formatted = [...files].map(async ([name, text]): Promise<[string, string]> => {
    const { code, errors } = await format(name, `${header}${text}`, style);
    if (errors.length > 0) throw new Error(`The generated ${name} is no TypeScript: ${errors[0]!.message}`);
    return [name, code];
  });
  return new Map(await Promise.all(formatted));
}

const header = '// `npm run sdk` generates this file from `openapi/`. Do not edit it.\n\n';

function versionFile(declarations: Declaration[], newer: { date: string; declarations: Declaration[] } | null): string {
  const own = newer ? differing(declarations, newer.declarations) : declarations;
  const ownNames = new Set(own.map(({ name }) => name));
  const shared = declarations.map(({ name }) => name).filter((name) => !ownNames.has(name));
  const used = new Set(own.flatMap(({ refs }) => [...refs]));
  const imports = Object.entries(runtimeTypes).filter(([name]) => used.has(name));
  const sections = [
    ...[...new Set(imports.map(([, file]) => file))].sort().map((file) =>
      importText(
        'import',
        imports.filter((one) => one[1] === file).map(([name]) => name),
        file,
      ),
    ),
    newer
      ? importText(
          'import',
          shared.filter((name) => used.has(name)),
          `./${newer.date}.ts`,
        )
      : '',
    newer ? importText('export', shared, `./${newer.date}.ts`) : '',
    ...own.map(({ text }) => `\n${text}`),
  ];
  return sections.join('');
}

/** Returns the types that differ from those of the next newer version. A type also differs if it refers to such a type. */
function differing(declarations: Declaration[], newer: Declaration[]): Declaration[] {
  const newerTexts = new Map(newer.map(({ name, text }) => [name, text]));
  const names = new Set(declarations.filter(({ name, text }) => newerTexts.get(name) !== text).map(({ name }) => name));
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const { name, refs } of declarations) if ([...refs].some((ref) => names.has(ref))) names.add(name);
  }
  return declarations.filter(({ name }) => names.has(name));
}

function importText(keyword: 'import' | 'export', names: string[], from: string): string {
  return names.length === 0 ? '' : `${keyword} type { ${[...names].sort().join(', ')} } from '${from}';\n`;
}

function versionsFile(dates: string[]): string {
  const aliases = dates.map((date) => [date, `V${date.replaceAll('-', '')}`] as const);
  const table = (type: string): string => aliases.map(([date, alias]) => `'${date}': ${alias}.${type};\n`).join('');
  return `${aliases.map(([date, alias]) => `import type * as ${alias} from './${date}.ts';\n`).join('')}
export type * from './${dates[0]}.ts';

${docComment({ description: 'The version that the SDK sends unless you choose another one.' })}export const newestVersion = '${dates[0]}';

${docComment({ description: 'The versions of the API that this release of the SDK has types for.' })}export type ApiVersion = ${dates.map((date) => `'${date}'`).join(' | ')};

${docComment({ description: 'The resources of each version.' })}export interface ResourcesOf {\n${table('Resources')}}

${docComment({ description: 'The events of each version, in responses and in deliveries.' })}export interface EventOf {\n${table('Event')}}
`;
}

/** An entry of the table of operations: an operation, or a resource. */
interface Table {
  [name: string]: Table | TableEntry;
}

function operationsFile(documents: Documents): string {
  const tables = Object.entries(documents).map(([date, document]) => {
    return { date, table: tableOf(operationsOf(document)) };
  });
  const [{ table } = { table: {} }] = tables;
  const text = JSON.stringify(table);
  for (const other of tables) {
    if (JSON.stringify(other.table) !== text)
      throw new Error(`The operations of ${other.date} differ from those of other versions. The SDK has one table.`);
  }
  return `/** An operation of the API. */
export interface Operation {
  method: ${methodsOf(documents)};
  /** The path, with \`{id}\` in the place of an id. It can have a query that chooses the form of the response. */
  path: string;
  /** The response: JSON of one object, a list with pages, the bytes of a file, or a stream of events. */
  answer: 'object' | 'list' | 'file' | 'stream';
  /** The kind of the body. Left out if the operation takes none. */
  body?: 'json' | 'multipart';
  /** Parameters of a POST or of a file that belong to the query. All parameters of another GET do. */
  query?: readonly string[];
}

/** The operations of the API by resource and method. */
export interface OperationTable {
  readonly [name: string]: Operation | OperationTable;
}

/** All operations. They are the same in every version. */
export const operations = ${text} as const satisfies OperationTable;
`;
}

function methodsOf(documents: Documents): string {
  const methods = Object.values(documents).flatMap((document) =>
    operationsOf(document).map(({ entry }) => entry.method),
  );
  return [...new Set(methods)]
    .sort()
    .map((method) => `'${method}'`)
    .join(' | ');
}

function tableOf(operations: SdkOperation[]): Table {
  const root: Table = {};
  for (const { resource, method, entry } of operations) {
    let table = root;
    for (const name of resource) table = (table[name] ??= {}) as Table;
    table[method] = entry;
  }
  return root;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from './document.ts';
import type { Documents, Style } from './sdk.ts';

const projectDir = join(import.meta.dirname, '../..');
const documentsDir = join(projectDir, 'openapi');

/** The folder of the generated files. */
export const generatedDir = join(projectDir, 'sdk/src/generated');

/** Reads the documents of the versions in `openapi/`, by their dates. That of the portal is not for keys. */
export function readDocuments(): Documents {
  const names = readdirSync(documentsDir).filter((name) => /^\d{4}-\d{2}-\d{2}\.json$/.test(name));
  return Object.fromEntries(
    names.map((name) => [
      name.replace('.json', ''),
      JSON.parse(readFileSync(join(documentsDir, name), 'utf8')) as OpenApiDocument,
    ]),
  );
}

/** Reads the style of the repository. */
export function readStyle(): Style {
  const { printWidth, singleQuote } = JSON.parse(readFileSync(join(projectDir, '.oxfmtrc.json'), 'utf8')) as Style;
  return { printWidth, singleQuote };
}

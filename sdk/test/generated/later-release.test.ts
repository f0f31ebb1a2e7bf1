import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../generate/document.ts';
import { readDocuments, readStyle } from '../../generate/files.ts';
import { generateSdk } from '../../generate/sdk.ts';

const projectDir = join(import.meta.dirname, '../../..');
const workDir = mkdtempSync(join(tmpdir(), 'tenure-later-release-'));
afterAll(() => rmSync(workDir, { recursive: true }));

const documents = readDocuments();
const newest = Object.keys(documents).sort().at(-1)!;

describe('a later release of the newest version', () => {
  test('compiles code of today when it adds members, values, codes and types of events', async () => {
    const document = structuredClone(documents[newest]!);
    plantAdditions(document);
    const errors = await compileAgainst('additions', document, '');
    expect(errors).toBe('');
  });

  test('has the additions in its types when the document has them', async () => {
    const document = structuredClone(documents[newest]!);
    plantAdditions(document);
    const code = `
      import type { ErrorCode, Event, Outcome, Reference, ReferencesCreateParams } from '../../src/generated/versions.ts';
      export const code: ErrorCode = 'planted_code';
      export const outcome: Outcome = 'planted_outcome';
      export const memberOf = (reference: Reference): string => reference.planted_member;
      export const params: ReferencesCreateParams = { application: 'app_1', planted_parameter: 'x' };
      export const recordOf = (event: Event): Reference | null =>
        event.type === 'reference.planted' ? event.data.object : null;
    `;
    expect(await compileAgainst('new-code', document, code)).toBe('');
    expect(await compileAgainst('new-code-today', documents[newest]!, code)).toMatch(/planted_code/);
  });

  test('does not compile code of today when it removes a member', async () => {
    const document = structuredClone(documents[newest]!);
    delete document.components.schemas.Reference!.properties!.outcome;
    expect(await compileAgainst('removal', document, '')).toMatch(/Property 'outcome' does not exist/);
  });
});

/** Adds a value, a type of events, a member, a parameter and a code. A release may add these without a new version. */
function plantAdditions({ components: { schemas } }: OpenApiDocument): void {
  schemas.Outcome!.enum!.push('planted_outcome');
  schemas.ErrorCode!.enum!.push('planted_code');
  const reference = schemas.Reference!;
  reference.properties!.planted_member = { type: 'string' };
  reference.required!.push('planted_member');
  schemas.ReferencesCreateBody!.properties!.planted_parameter = { type: 'string' };
  const event = structuredClone(schemas.ReferenceCompletedEvent!);
  event.properties!.type = { type: 'string', const: 'reference.planted' };
  schemas.ReferencePlantedEvent = event;
  const known = schemas.KnownEvent!;
  known.oneOf!.push({ $ref: '#/components/schemas/ReferencePlantedEvent' });
  known.discriminator!.mapping['reference.planted'] = '#/components/schemas/ReferencePlantedEvent';
}

/** Compiles `todays-code.ts` and further code against the types of a document. Returns the errors of the compiler. */
async function compileAgainst(name: string, document: OpenApiDocument, code: string): Promise<string> {
  const dir = join(workDir, name);
  const generatedDir = join(dir, 'sdk/src/generated');
  cpSync(join(projectDir, 'sdk/src'), join(dir, 'sdk/src'), { recursive: true });
  mkdirSync(join(dir, 'sdk/test/generated'), { recursive: true });
  for (const [file, text] of await generateSdk({ ...documents, [newest]: document }, readStyle()))
    writeFileSync(join(generatedDir, file), text);
  cpSync(join(import.meta.dirname, 'todays-code.ts'), join(dir, 'sdk/test/generated/todays-code.ts'));
  writeFileSync(join(dir, 'sdk/test/generated/new-code.ts'), code);
  const config = {
    extends: join(projectDir, 'server/tsconfig.json'),
    compilerOptions: {
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
    },
    include: ['sdk/src', 'sdk/test'],
  };
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectDir, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', dir]);
  return run.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

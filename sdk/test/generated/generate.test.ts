import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../../generate/declarations.ts';
import { docComment } from '../../generate/doc-comment.ts';
import type { OpenApiDocument, Parameter, Schema } from '../../generate/document.ts';
import { generatedDir, readDocuments, readStyle } from '../../generate/files.ts';
import { typeOf } from '../../generate/schema-type.ts';
import { generateSdk } from '../../generate/sdk.ts';
import { operations, type Operation, type OperationTable } from '../../src/generated/operations.ts';

const documents = readDocuments();
const [newest, next] = Object.keys(documents).sort().reverse() as [string, string];

describe('the generated files', () => {
  test('match the documents in `openapi/`; `npm run sdk` rewrites them', async () => {
    const files = await generateSdk(documents, readStyle());
    expect(readdirSync(generatedDir).sort()).toEqual([...files.keys()].sort());
    for (const [name, text] of files) expect(readFileSync(join(generatedDir, name), 'utf8'), name).toBe(text);
  });

  test('have every operation of the documents once', () => {
    const inDocuments = Object.entries(documents[newest]!.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const inTable = operationsIn(operations).map(({ method, path }) => `${method} ${path}`);
    const asFiles = inTable.filter((name) => name.includes('?'));
    expect(inTable.filter((name) => !asFiles.includes(name)).sort()).toEqual(inDocuments.sort());
    // An operation that returns JSON or a file has a method for each.
    expect(asFiles).toEqual(['GET /v1/tenancies/{id}/statement?format=pdf']);
  });

  test('repeat no type when the next newer version has the same', async () => {
    const changed = structuredClone(documents[newest]!);
    changed.components.schemas.Address!.properties!.county = { type: 'string', description: 'The county.' };
    const files = await generateSdk({ [newest]: documents[newest]!, '2020-01-01': changed }, readStyle());
    const text = files.get('2020-01-01.ts')!;
    // A customer has addresses, and all that has a customer follows.
    for (const name of ['Address', 'Customer', 'CustomerCreatedEvent', 'CustomersResource', 'Resources'])
      expect(text).toContain(`export interface ${name} {`);
    for (const name of ['AddressInput', 'Building', 'BuildingsResource'])
      expect(text).not.toContain(`export interface ${name} {`);
    const exported = /export type \{([^}]*)\} from '\.\/[\d-]+\.ts'/.exec(text)![1]!;
    expect(exported.match(/\w+/g)).toEqual(expect.arrayContaining(['AddressInput', 'Building', 'BuildingsResource']));
  });

  test('export only the rest from the next newer version when two versions are equal', async () => {
    const files = await generateSdk({ [newest]: documents[newest]!, '2020-01-01': documents[newest]! }, readStyle());
    expect(files.get('2020-01-01.ts')).not.toMatch(/export (interface|type \w)/);
  });

  test('have all types of each version when a type is declared or exported again', async () => {
    const files = await generateSdk(documents, readStyle());
    for (const [date, document] of Object.entries(documents)) {
      const text = files.get(`${date}.ts`)!;
      for (const { name } of declarationsOf(document)) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  test('are refused when the operations of two versions differ', async () => {
    const changed = structuredClone(documents[next]!);
    delete changed.paths['/v1/references/{id}/cancel'];
    await expect(generateSdk({ ...documents, [next]: changed }, readStyle())).rejects.toThrow(/operations of/);
  });
});

describe('the converter of schemas', () => {
  test.each<[string, Schema, string]>([
    ['a string', { type: 'string' }, 'string'],
    ['an integer or null', { type: ['integer', 'null'] }, 'number | null'],
    ['a constant', { type: 'string', const: 'list' }, '"list"'],
    ['words or null', { type: ['string', 'null'], enum: ['a', 'b', null] }, '"a" | "b" | null'],
    ['a list of choices', { type: 'array', items: { enum: ['a', 'b'] } }, 'Array<"a" | "b">'],
    ['a component or null', { anyOf: [{ $ref: '#/components/schemas/Rent' }, { type: 'null' }] }, 'Rent | null'],
    [
      'a link',
      { anyOf: [{ type: ['string', 'null'] }, { $ref: '#/components/schemas/Rent' }] },
      'string | null | Rent',
    ],
    ['an open enum', { anyOf: [{ $ref: '#/components/schemas/Word' }, { type: 'string' }] }, 'Word | (string & {})'],
    ['an open enum in place', { anyOf: [{ enum: ['a'] }, { type: 'string' }] }, '"a" | (string & {})'],
    ['metadata', { type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    ['an open object', { type: 'object', properties: {} }, 'Record<string, unknown>'],
    ['a closed object', { type: 'object', additionalProperties: false }, 'Record<string, never>'],
    ['any value', { description: 'Any value.' }, 'unknown'],
    ['a member', { type: 'object', properties: { 'a-b': { type: 'null' } } }, '{\n"a-b"?: null;\n}'],
  ])('converts %s', (_, schema, type) => {
    expect(typeOf(schema, placeIn())).toBe(type);
  });

  test('allows `undefined` in an optional member and takes a Blob as a file when the schema is of a request', () => {
    const schema: Schema = {
      type: 'object',
      properties: { file: { type: 'string', contentMediaType: 'application/pdf' }, name: { type: 'string' } },
      required: ['file'],
    };
    expect(typeOf(schema, placeIn('request'))).toBe('{\nfile: Blob;\nname?: string | undefined;\n}');
    expect(typeOf(schema, placeIn('response'))).toBe('{\nfile: string;\nname?: string;\n}');
  });

  test.each<[string, unknown]>([
    ['an unknown keyword', { type: 'string', not: { const: 'a' } }],
    ['an unknown keyword inside', { type: 'array', items: { allOf: [{ type: 'string' }] } }],
    ['an unknown type', { type: 'decimal' }],
    ['a missing component', { $ref: '#/components/schemas/Missing' }],
    ['named members beside a schema for others', { type: 'object', properties: { a: {} }, additionalProperties: {} }],
  ])('refuses %s instead of guessing a type', (_, schema) => {
    expect(() => typeOf(schema as Schema, placeIn())).toThrow(/Teach|Check|leave one out/);
  });
});

describe('the parameters in a query', () => {
  const created = { name: 'created', in: 'query', description: 'When.', schema: { type: 'integer' } };
  const bound = { name: 'created[gt]', in: 'query', description: 'After.', schema: { type: 'integer' } };

  test('have bounds as one member, beside a value when the document has one', () => {
    expect(paramsText([bound])).toContain('created?: {\n/** After. */\ngt?: number | undefined;\n} | undefined;');
    expect(paramsText([created, bound])).toContain('created?: number | {\n/** After. */\ngt?: number | undefined;\n}');
  });

  test('are refused when a list is repeated instead of joined', () => {
    const list = { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'string' } } };
    expect(paramsText([{ ...list, style: 'form', explode: false }])).toContain('ids?: Array<string> | undefined;');
    expect(() => paramsText([{ ...list, style: 'form', explode: true }])).toThrow(/not sent with commas/);
  });
});

describe('a doc comment', () => {
  test('cannot be ended or made a tag when the description tries', () => {
    expect(docComment({ description: 'Matches `a*/b`. @deprecated says {@link x}.' })).toBe(
      '/** Matches `a*\\/b`. \\@deprecated says {\\@link x}. */\n',
    );
  });

  test('has whole sentences of the first paragraph when the description is long', () => {
    const description = `${'One sentence of eight words says it [plainly](#why). '.repeat(9)}\n\nMore.`;
    const text = docComment({ description });
    const sentences = text.replaceAll(/\s+\*\s/g, ' ').split('it plainly.');
    expect(sentences).toHaveLength(6);
    expect(sentences.at(-1)).toBe('\n */\n');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(104);
  });

  test('says that a member is deprecated when the document does', () => {
    expect(docComment({ description: 'Old.', deprecated: true })).toBe('/**\n * Old.\n * @deprecated\n */\n');
    expect(docComment({})).toBe('');
  });
});

/** Returns the type of the parameters of an operation with these parameters. */
function paramsText(parameters: Parameter[]): string {
  const schema = { $ref: '#/components/schemas/Rent' };
  const operation = {
    operationId: 'rents_retrieve',
    parameters,
    responses: { 200: { content: { 'application/json': { schema } } } },
  };
  const document = { ...placeIn().document, paths: { '/v1/rents': { get: operation } } };
  return declarationsOf(document).find(({ name }) => name === 'RentsRetrieveParams')!.text;
}

/** Returns a place in a document with the components `Rent` and `Word`. */
function placeIn(use: 'request' | 'response' = 'response') {
  const schemas: Record<string, Schema> = {
    Rent: { type: 'object', properties: { amount: { type: 'integer' } } },
    Word: { type: 'string', enum: ['a', 'b'] },
  };
  const document: OpenApiDocument = { paths: {}, components: { schemas, parameters: {} } };
  return { document, use, refs: new Set<string>(), at: 'Example' };
}

function operationsIn(table: OperationTable): Operation[] {
  return Object.values(table).flatMap((entry) => (isOperation(entry) ? [entry] : operationsIn(entry)));
}

function isOperation(entry: Operation | OperationTable): entry is Operation {
  return typeof entry.path === 'string';
}

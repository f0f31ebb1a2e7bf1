import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/core/formats.ts';
import { readConfig } from '../../src/server/config.ts';
import { defineResource, type Resource } from '../../src/model/resource.ts';
import { closedObject, named, nullable } from '../../src/model/schemas/make.ts';
import { storesFile } from '../../src/model/traits/stores-file.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { openApiDocument, portalDocument } from '../../src/http/openapi/document.ts';
import { portalOpening } from '../../src/http/portal/open.ts';
import { portalRoutes } from '../../src/http/portal/routes.ts';
import { Schemas } from '../../src/http/openapi/schemas.ts';
import type { Route } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { version as productVersion } from '../../src/server/version.ts';
import { file as fileResource } from '../../src/resources/file/index.ts';
import { resources } from '../../src/resources/index.ts';
import { ApiVersions } from '../../src/versions/apply.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { words } from '../support/versions.ts';

type Piece = Record<string, unknown>;

interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Piece>; [kind: string]: Record<string, Piece> };
  info: { description: string };
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Piece[];
  requestBody?: { content: Record<string, { schema: Piece; example?: unknown }> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema: Piece }> }>;
}

const versions = new ApiVersions(apiVersions);

/** The documents: one of each version, and that of the portal. */
const documents = new Map([...versions.dates.map((date) => [date, documentOf(date)] as const), ['portal', ofPortal()]]);

describe.each([...documents])('the OpenAPI document of %s', (version, document) => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const webhooks = Object.values(document.webhooks ?? {}).map(({ post }) => post);
  const text = JSON.stringify(document);

  test('generates the document in `openapi/`; `npm run openapi` rewrites the file', async () => {
    const written = `${JSON.stringify(document, null, 2)}\n`;
    await expect(written).toMatchFileSnapshot(`../../../openapi/${version}.json`);
  });

  test('generates valid OpenAPI 3.1 when the official schema checks it', async () => {
    const result = await new Validator().validate(structuredClone(document) as unknown as Piece);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test('resolves every $ref and has no unused component when the document is generated', () => {
    const referred = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const there = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((name) => `${kind}/${name}`));
    expect([...referred].sort()).toEqual(there.sort());
  });

  test('generates schemas that compile, and examples that fit them', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
    for (const [name, faultOf] of Object.entries(formats))
      ajv.addFormat(name, (told: string) => faultOf(told) === null);
    ajv.addVocabulary(['components', 'discriminator', 'example']);
    ajv.addSchema({ $id: 'document', components: document.components }, undefined, undefined, false);
    const faults: string[] = [];
    let examples = 0;
    const hold = (at: string, schema: Piece, example: unknown): void => {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Piece);
      examples++;
      if (!validate(example)) faults.push(`${at}: ${JSON.stringify(validate.errors)}`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const example of (schema.examples as unknown[]) ?? [])
        hold(name, { $ref: `#/components/schemas/${name}` }, example);
    }
    for (const { operationId, requestBody } of [...operations, ...webhooks]) {
      for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
        if (example !== undefined) hold(operationId, schema, example);
        else ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Piece);
      }
    }
    expect(faults).toEqual([]);
    expect(examples).toBeGreaterThanOrEqual(version === 'portal' ? 15 : 35);
  });

  test('documents a body when an operation accepts one, and for every webhook', () => {
    const without = [...operations, ...webhooks]
      .filter(({ requestBody }) =>
        Object.values(requestBody?.content ?? {}).some(({ example }) => example === undefined),
      )
      .map(({ operationId }) => operationId);
    expect(without).toEqual([]);
  });

  test('describes every operation, parameter, header, response and member when the document is generated', () => {
    expect(unexplained(document)).toEqual([]);
    for (const { operationId, summary, description } of operations) {
      expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z][^_]+[^.]$/)]);
      expect([operationId, description]).toEqual([operationId, expect.stringMatching(/\.$/)]);
    }
  });

  test('names each permission once when an operation needs several', () => {
    const needs = operations.map(({ operationId, description }) => ({
      operationId,
      permissions: [...(/Your key needs (.+?) besides/.exec(description)?.[1]?.matchAll(/`([a-z_.]+)`/g) ?? [])].map(
        ([, one]) => one,
      ),
    }));
    expect(needs).toEqual(
      needs.map(({ operationId, permissions }) => ({ operationId, permissions: [...new Set(permissions)] })),
    );
  });

  test('closes objects of requests and leaves those of responses open when the document is generated', () => {
    const { schemas } = document.components;
    const names = Object.keys(schemas).filter((name) => (schemas[name] as Piece).type === 'object');
    const further = (name: string): unknown[] =>
      objectsIn({ [name]: schemas[name]! }).map(({ schema }) => schema.additionalProperties);
    const openRequests = names.filter((name) => isOfRequest(name) && further(name).includes(undefined));
    const closedResponses = names.filter((name) => !isOfRequest(name) && further(name).includes(false));
    expect([openRequests, closedResponses]).toEqual([[], []]);
  });
});

describe.each(versions.dates)('the OpenAPI document of version %s', (version) => {
  const document = documents.get(version)!;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const text = JSON.stringify(document);

  test('describes each shape of a response once when it can have several', () => {
    const shapes = choicesIn(document);
    expect(shapes.length).toBeGreaterThan(2);
    for (const shape of shapes) expect(new Set(shape.map((one) => JSON.stringify(one))).size).toBe(shape.length);
  });

  test('allows any text besides the known values of an enum when it is of a response', () => {
    const { Reference, ReferencesUpdateBody } = document.components.schemas as Record<string, { properties: Piece }>;
    const outcome = { $ref: '#/components/schemas/Outcome' };
    expect(Reference!.properties.outcome).toMatchObject({ anyOf: [outcome, { type: 'string' }, { type: 'null' }] });
    expect(ReferencesUpdateBody!.properties.outcome).toMatchObject(outcome);
    expect(document.components.schemas.Outcome).toMatchObject({ enum: ['accept', 'consider', 'high_risk'] });
  });

  test('has one schema for each type of event, with the record in its data, when the document is generated', () => {
    const { schemas } = document.components;
    const { oneOf, discriminator } = schemas.KnownEvent as {
      oneOf: { $ref: string }[];
      discriminator: { mapping: Record<string, string> };
    };
    expect(Object.keys(discriminator.mapping)).toEqual(Object.keys(document.webhooks));
    expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
    for (const [type, $ref] of Object.entries(discriminator.mapping)) {
      const event = schemas[$ref.split('/').at(-1)!] as { properties: Record<string, Piece> };
      expect(event.properties.type).toMatchObject({ const: type });
      const { object } = (event.properties.data as { properties: Record<string, Piece> }).properties;
      expect(object).toHaveProperty('$ref');
      expect(document.webhooks[type]!.post.requestBody!.content['application/json']!.schema).toEqual({ $ref });
    }
    expect(schemas.Event).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/KnownEvent' }, { $ref: '#/components/schemas/OtherEvent' }],
    });
  });

  test('gives every operation a unique id when the document is generated', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    // An operation that is all of its path has one word.
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$|^search$/);
    expect(names).toEqual(
      expect.arrayContaining([
        'references_list',
        'references_create',
        'references_retrieve',
        'references_update',
        'references_cancel',
        'webhook_endpoints_list_deliveries',
        'account_api_version_rollback',
      ]),
    );
  });

  test('uses the names of its version when the document is generated', () => {
    const { file, notFile, total, notTotal, request } = words[version]!;
    const { Reference, ReferenceList, ReferenceCreatedEvent } = document.components.schemas as Record<
      string,
      { properties: Piece }
    >;
    expect(Reference!.properties).toHaveProperty(file);
    expect(Reference!.properties).not.toHaveProperty(notFile);
    expect(Object.keys(ReferenceList!.properties)).toEqual(['object', total, 'has_more', 'data']);
    expect(ReferenceList!.properties).not.toHaveProperty(notTotal);
    expect(ReferenceCreatedEvent!.properties.request).toMatchObject(
      request === 'object' ? { $ref: '#/components/schemas/EventRequest' } : { type: ['string', 'null'] },
    );
    // The first version's document mentions nothing newer.
    if (version === '2025-09-01') expect(text).not.toMatch(/reference_pdf|`count`|"count"/);
  });

  test('introduces the API in few words, with a link to each rule, when the document is generated', () => {
    const { description } = document.info;
    // The page shows it before the first operation, on one screen.
    expect(description.length).toBeLessThan(1_500);
    expect(description).not.toMatch(/^#|^\||```/m);
    for (const page of [
      'guides',
      'guides/requests',
      'guides/keys',
      'guides/versions',
      'guides/idempotency',
      'errors',
    ]) {
      expect(description).toContain(`/docs/${page})`);
    }
    expect(description).toContain(`\`${version}\``);
  });
});

describe('special bodies and responses of routes', () => {
  const note: Resource = defineResource({
    object: 'note',
    prefix: 'cus',
    path: 'notes',
    table: 'notes',
    delete: 'erases',
    fields: {
      text: { column: 'text', schema: Type.String(), description: 'What it says.' },
      flag: { column: null, schema: Type.Optional(Type.Boolean()), description: 'Left out if it is not set.' },
      parents: { column: 'text[]', schema: Type.Array(Type.String()), description: 'The notes it belongs to.' },
      first: { column: 'text', schema: nullable(Type.String()), description: 'The note it follows.' },
    },
    links: { parents: 'notes', first: 'notes' },
  });
  const body = closedObject({ file: closedObject({ size: Type.Integer() }) });
  const context = { resources: [...resources, note], versions, sandboxClock: {} } as unknown as HttpContext;
  const [list, retrieve] = routesOf(context).filter(({ object }) => object === 'note') as [Route, Route];
  const upload = {
    ...retrieve,
    method: 'POST',
    path: '/v1/notes',
    body,
    upload: { contents: storesFile.of(fileResource)!, prefix: 'file' },
    showsSecrets: false,
  } as unknown as Route;
  const contents: Route = {
    ...retrieve,
    path: '/v1/notes/:id/contents',
    operationId: 'notes_contents',
    response: { kind: 'file', contentTypes: ['application/pdf'], description: 'The file.' },
  };
  const { paths, components } = documentOf(versions.newest, [...resources, note], [list, retrieve, upload, contents]);

  test('describes a body when it is not JSON', () => {
    expect(Object.keys(paths['/v1/notes']!.post!.requestBody!.content)).toEqual(['multipart/form-data']);
  });

  test('describes a response when it is not JSON', () => {
    const { content } = paths['/v1/notes/{id}/contents']!.get!.responses['200']!;
    expect(content).toEqual({
      'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } },
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    });
  });

  test('describes a deleted record, by itself and in the place of its id, when one can be returned', () => {
    const noteRef = { $ref: '#/components/schemas/Note' };
    const deletedRef = { $ref: '#/components/schemas/DeletedNote' };
    const { schema } = paths['/v1/notes/{id}']!.get!.responses['200']!.content!['application/json']!;
    expect(schema).toEqual({ anyOf: [noteRef, deletedRef] });
    const { properties, required } = components.schemas.Note as {
      properties: Record<string, Piece>;
      required: string[];
    };
    expect(properties.first!.anyOf).toEqual([{ type: ['string', 'null'] }, noteRef, deletedRef]);
    expect(properties.parents!.items).toEqual({ anyOf: [{ type: 'string' }, noteRef, deletedRef] });
    expect(required).toEqual(['id', 'object', 'created', 'text', 'parents', 'first']);
  });
});

function isOfRequest(name: string): boolean {
  return /(Body|Input)$/.test(name);
}

test('throws when two different schemas have one name', () => {
  const schemas = new Schemas({ versions, resources }, versions.newest);
  schemas.parameter(named('Plan', 'A plan.', Type.Literal('monthly')));
  schemas.parameter(named('Plan', 'A plan.', Type.Literal('monthly')));
  expect(() => schemas.parameter(named('Plan', 'A plan.', Type.Literal('weekly')))).toThrow(
    'Two schemas have the name Plan.',
  );
  schemas.parameter(named('Customer', 'Another customer.', Type.Literal('a')));
  const customer = resources.find(({ object }) => object === 'customer')!;
  expect(() => schemas.record(customer)).toThrow('Two schemas have the name Customer.');
});

function documentOf(version: string, of: readonly Resource[] = resources, routes?: Route[]): Document {
  // A sandbox has every route.
  const context = { resources: of, versions, sandboxClock: {} } as unknown as HttpContext;
  const { publicUrl } = readConfig({});
  const made = openApiDocument(
    { resources: of, versions, routes: routes ?? routesOf(context), config: { publicUrl }, productVersion },
    version,
  );
  return made as unknown as Document;
}

function ofPortal(): Document {
  const { publicUrl } = readConfig({});
  const routes = portalRoutes({ resources, versions } as unknown as HttpContext);
  const documented = { resources, versions, routes, config: { publicUrl }, productVersion };
  return portalDocument(documented, portalOpening) as unknown as Document;
}

/** Returns the places without a description. */
function unexplained(document: Document): string[] {
  const { schemas, parameters, headers, responses } = document.components;
  const missing: string[] = [];
  const look = (at: string, { description }: Piece): void => {
    if (typeof description !== 'string' || description === '') missing.push(at);
  };
  for (const { at, schema } of objectsIn(schemas)) {
    for (const [name, member] of Object.entries((schema.properties as Record<string, Piece>) ?? {})) {
      if (!('$ref' in member)) look(`${at}.${name}`, member);
    }
  }
  for (const [at, piece] of Object.entries({ ...parameters, ...headers, ...responses })) look(at, piece);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const at = `${method} ${path}`;
      for (const parameter of operation.parameters ?? [])
        if (!('$ref' in parameter)) look(`${at} ${String(parameter.name)}`, parameter);
      for (const [status, response] of Object.entries(operation.responses))
        if (!response.$ref) look(`${at} ${status}`, response);
    }
  }
  return missing.filter((at) => !at.endsWith('Error.error'));
}

/** Returns every list of alternative shapes. */
function choicesIn(piece: unknown): unknown[][] {
  if (typeof piece !== 'object' || piece === null) return [];
  return Object.entries(piece).flatMap(([name, value]) => [
    ...(['anyOf', 'oneOf'].includes(name) ? [value as unknown[]] : []),
    ...choicesIn(value),
  ]);
}

/** Returns every schema of an object, with its place. */
function objectsIn(piece: unknown, at = ''): { at: string; schema: Piece }[] {
  if (typeof piece !== 'object' || piece === null || Array.isArray(piece)) {
    return Array.isArray(piece) ? piece.flatMap((item, index) => objectsIn(item, `${at}[${index}]`)) : [];
  }
  const schema = piece as Piece;
  const isObject = [schema.type].flat().includes('object');
  const inner = Object.entries(schema).filter(([name]) => !['examples', 'enum'].includes(name));
  return [
    ...(isObject ? [{ at, schema }] : []),
    ...inner.flatMap(([name, value]) => objectsIn(value, at === '' ? name : `${at}.${name}`)),
  ];
}

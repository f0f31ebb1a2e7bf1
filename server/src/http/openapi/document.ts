import type { JsonObject } from '../../core/json-diff.ts';
import type { Resource } from '../../model/resource.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { OpenPost, Route } from '../route.ts';
import { eventTypesOf } from './event-types.ts';
import { deliveryHeaders, headerComponents, parameterComponents, responseHeaders } from './headers.ts';
import { introduction, portalIntroduction } from './introduction.ts';
import { operationOf, tagNameOf, tagOf, type Shapes } from './operations.ts';
import { refusal, refusalComponents, sharedRefusals } from './refusals.ts';
import type { Piece } from './published.ts';
import { Schemas } from './schemas.ts';

/** The parts of a document. */
export interface Documented {
  resources: readonly Resource[];
  versions: ApiVersions;
  routes: readonly Route[];
  config: { publicUrl: string };
  /** The product's version, not the API's. */
  productVersion: string;
}

/**
 * Returns the OpenAPI 3.1 document of one API version, with every operation, schema and webhook (OpenAPI Specification 3.1.1). It is made
 * from the definitions that also serve requests.
 *
 * @param version one of `versions.dates`.
 */
export function openApiDocument(documented: Documented, version: string): JsonObject {
  const { resources, versions, routes, config, productVersion } = documented;
  const shapes: Shapes = {
    resources,
    versions,
    version,
    schemas: new Schemas({ versions, resources }, version),
    publicUrl: config.publicUrl,
  };
  const paths = pathsOf(shapes, routes);
  const webhooks = webhooksOf(shapes);
  const responses = refusalComponents(shapes.schemas);
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Tenure API',
      version,
      summary: 'An open leasing API: tenant references, events, signed webhooks.',
      description: introduction({ version, publicUrl: config.publicUrl }),
      license: { name: 'MIT', identifier: 'MIT' },
      'x-product-version': productVersion,
    },
    servers: [{ url: config.publicUrl }],
    security: [{ apiKey: [] }],
    tags: tagsOf(shapes, routes),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer sk_test_…`.',
        },
      },
      schemas: shapes.schemas.all(),
      parameters: parameterComponents(version),
      headers: headerComponents(),
      responses,
    },
    externalDocs: { url: `${config.publicUrl}/docs/errors`, description: 'Every error code, and what to do about it' },
  };
  // Leave only plain JSON, without the extra properties of the schemas.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

/**
 * Returns the OpenAPI document of the portal. It has one version: the newest shapes.
 *
 * @param documented.routes the routes of the portal.
 * @param opening what comes before a session.
 */
export function portalDocument(documented: Documented, opening: readonly OpenPost[]): JsonObject {
  const { resources, versions, routes, config, productVersion } = documented;
  const version = versions.newest;
  const shapes: Shapes = {
    resources,
    versions,
    version,
    schemas: new Schemas({ versions, resources }, version),
    publicUrl: config.publicUrl,
  };
  const paths = {
    ...Object.fromEntries(opening.map((post) => [post.path, { post: openOperation(shapes, post) }])),
    ...pathsOf(shapes, routes),
  };
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Tenure portal API',
      version,
      summary: 'What an applicant, a tenant or a guarantor can see and do, for pages of your own.',
      description: portalIntroduction(config.publicUrl),
      license: { name: 'MIT', identifier: 'MIT' },
      'x-product-version': productVersion,
    },
    servers: [{ url: config.publicUrl }],
    security: [{ portalSession: [] }],
    tags: [{ name: 'Portal' }],
    paths,
    components: {
      securitySchemes: {
        portalSession: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a session: `Authorization: Bearer pst_…`.',
        },
      },
      headers: headerComponents(),
      responses: refusalComponents(shapes.schemas),
      schemas: shapes.schemas.all(),
    },
    externalDocs: { url: `${config.publicUrl}/docs/errors`, description: 'Every error code, and what to do about it' },
  };
  return withoutUnused(JSON.parse(JSON.stringify(document)) as JsonObject);
}

/** The errors of a POST without a principal. */
const openCodes: ErrorCode[] = [
  'body_invalid',
  'parameter_invalid',
  'parameter_missing',
  'parameter_unknown',
  'request_invalid',
];

function openOperation({ schemas }: Shapes, { operationId, docs, body, response }: OpenPost): Piece {
  const { summary, description, example } = docs;
  return {
    operationId,
    summary,
    description,
    tags: ['Portal'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.body(operationId, 'portal', body), example } },
    },
    responses: {
      '200': {
        description: 'The requested object.',
        headers: responseHeaders(),
        content: { 'application/json': { schema: schemas.ofResponse(response, 'POST') } },
      },
      '400': refusal(schemas, 'The request is invalid.', openCodes, []),
      ...sharedRefusals(401, 403, 413, 415, 429, 500, 503),
    },
  };
}

/** Returns a document without the responses and headers that nothing refers to. */
function withoutUnused(document: JsonObject): JsonObject {
  const components = { ...(document.components as Record<string, JsonObject>) };
  // Responses refer to headers, so they go first.
  for (const kind of ['responses', 'headers']) {
    const text = JSON.stringify({ ...document, components });
    components[kind] = Object.fromEntries(
      Object.entries(components[kind]!).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    );
  }
  return { ...document, components };
}

function pathsOf(shapes: Shapes, routes: readonly Route[]): Record<string, Piece> {
  const paths: Record<string, Piece> = {};
  for (const route of routes) {
    const path = (paths[route.path.replaceAll(':id', '{id}')] ??= {});
    path[route.method.toLowerCase()] = operationOf(shapes, route);
  }
  return paths;
}

function tagsOf({ resources }: Shapes, routes: readonly Route[]): Piece[] {
  const names = new Set(routes.map((route) => tagOf(route, resources)));
  return [...names].map((name) => {
    const resource = resources.find(({ path }) => tagNameOf(path) === name);
    const types = resource ? eventTypesOf(resource).map(({ type }) => `\`${type}\``) : [];
    const text = [resource?.docs?.description, types.length > 0 && `Events: ${types.join(', ')}.`];
    const description = text.filter((part) => typeof part === 'string').join('\n\n');
    return { name, ...(description !== '' && { description }) };
  });
}

/** Returns the deliveries to webhook endpoints of this version, by the type of the event. */
function webhooksOf(shapes: Shapes): Record<string, Piece> {
  return Object.fromEntries(
    shapes.resources.flatMap((resource) =>
      eventTypesOf(resource).map(({ type, description }) => [type, webhookOf(shapes, resource, type, description)]),
    ),
  );
}

function webhookOf({ schemas }: Shapes, resource: Resource, type: string, description: string): Piece {
  const example = schemas.deliveredExample(resource, type);
  return {
    post: {
      operationId: type.replace('.', '_'),
      summary: type,
      description,
      tags: [tagNameOf(resource.path)],
      security: [],
      parameters: deliveryHeaders(),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.eventOfType(resource, type),
            ...(example && { example }),
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        default: { description: 'Failed: the event is retried later.' },
      },
    },
  };
}

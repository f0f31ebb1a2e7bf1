import { Type, type TObject, type TSchema } from 'typebox';
import { isObject, type Json } from '../../core/json-diff.ts';
import type { Resource } from '../../model/resource.ts';
import type { PortalFeature } from '../../model/callers/portal.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { anyBytes, displayName, sensitivityOf, type Route } from '../route.ts';
import { fileField } from '../body/upload.ts';
import { streamBounds, uploadBounds, type Bounds } from '../pipeline/concurrency.ts';
import { replayHeaders, requestHeaders, responseHeaders } from './headers.ts';
import { refusalsOf } from './refusals.ts';
import type { Piece } from './published.ts';
import type { Schemas } from './schemas.ts';
import type { UploadRoute } from '../request.ts';
import { findKnown } from '../../core/arrays.ts';

/** The parts for the operations of a document. */
export interface Shapes {
  versions: ApiVersions;
  version: string;
  resources: readonly Resource[];
  schemas: Schemas;
  /** The server's address. */
  publicUrl: string;
}

/** Returns the group of a route. */
export function tagOf({ path }: Route, resources: readonly Resource[]): string {
  const [, , kind = ''] = path.split('/');
  const resource = resources.find((candidate) => candidate.path === kind || ownAccount.of(candidate)?.ownPath === kind);
  return tagNameOf(resource?.path ?? kind);
}

export function tagNameOf(path: string): string {
  const name = displayName(path);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns one operation: all that a client can send, and every response. */
export function operationOf(shapes: Shapes, route: Route): Piece {
  const { permission, docs, operationId } = route;
  const needs = needsOf(route);
  const isFor = route.isForPersons && 'Only a person who is signed in to the dashboard can have it, and no API key.';
  const bounds = boundsOf(route);
  const bound =
    bounds &&
    `An account can have up to ${bounds.ofAccountMax} ${bounds.what} at once. More get 429 (\`rate_limit\`) before anything is read, or 503 (\`overloaded\`) if a server has too many of all accounts.`;
  const description = [docs.description, bound, isFor ? `${needs} ${isFor}` : needs]
    .filter((text) => text !== undefined)
    .join('\n\n');
  const body = route.method === 'POST' ? requestBodyOf(shapes, route) : null;
  return {
    operationId,
    summary: docs.summary,
    description: shapes.schemas.worded(route.object, description),
    tags: [tagOf(route, shapes.resources)],
    parameters: [...pathParameters(shapes, route), ...queryParameters(shapes, route), ...headerParameters(route)],
    ...(body && { requestBody: body }),
    responses: { '200': successOf(shapes, route), ...refusalsOf(shapes.schemas, route) },
    ...(permission !== null && { 'x-permission': permission }),
    ...(route.isForPersons && { 'x-for-persons': true }),
    ...xSensitive(shapes, route),
    ...(route.method === 'POST' &&
      route.upload && { 'x-codeSamples': [uploadSample(shapes.publicUrl, route, route.upload)] }),
  };
}

/** Returns the mark of a sensitive operation: `true`, or the members of the body that make a request sensitive. */
function xSensitive({ versions, version }: Shapes, route: Route): Piece {
  if (route.method === 'GET' || route.portalFeatures) return {};
  const sensitivity = sensitivityOf(route);
  if (sensitivity === undefined || sensitivity === 'never') return {};
  if (sensitivity === true) return { 'x-sensitive': true };
  const members = sensitivity.map((name) => versions.convertName(route.object, name, versions.newest, version));
  return { 'x-sensitive': members };
}

function needsOf({ permission, needsOneOf, portalFeatures }: Route): string {
  if (portalFeatures) return portalNeedsOf(portalFeatures);
  if (permission !== null) return `Needs the permission \`${permission}\`.`;
  if (!needsOneOf) return 'Needs a key, but no permission.';
  return `Needs one of the permissions ${needsOneOf.map((each) => `\`${each}\``).join(', ')}.`;
}

function portalNeedsOf(features: readonly PortalFeature[]): string {
  const listed = features.map((feature) => `\`${feature}\``).join(', ');
  if (features.length === 0) return 'Needs a session, but no feature.';
  return features.length === 1 ? `Needs the feature ${listed}.` : `Needs one of the features ${listed}.`;
}

function boundsOf(route: Route): Bounds | undefined {
  if ('subscribe' in route) return streamBounds;
  return 'upload' in route && route.upload ? uploadBounds : undefined;
}

function pathParameters({ resources }: Shapes, { path, idDescription }: Route): Piece[] {
  if (!path.includes(':id')) return [];
  const description =
    idDescription ?? recordIdDescription(findKnown(resources, ({ path: kind }) => path.includes(`/${kind}/:id`)));
  return [{ name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }];
}

function recordIdDescription({ object, prefix }: Resource): string {
  return `The id of the ${displayName(object)}: \`${prefix}_…\`.`;
}

function queryParameters({ versions, version, schemas }: Shapes, route: Route): Piece[] {
  const parameters = Object.entries(versions.propertiesIn(version, route.object, route.query)).map(([name, schema]) => {
    const { description = `Only records with this \`${name}\`.`, ...rest }: Piece = { ...schema };
    return {
      name,
      in: 'query',
      ...(route.requiredQuery?.includes(name) && { required: true }),
      description: schemas.worded(route.object, String(description)),
      schema: schemas.parameter(rest),
    };
  });
  return [...parameters, ...expandParameter({ versions, version }, route)];
}

/** Returns the parameter `expand` if the response has links. */
function expandParameter(
  { versions, version }: Pick<Shapes, 'versions' | 'version'>,
  { expandable, response }: Route,
): Piece[] {
  if (!expandable || !('resource' in response) || response.resource !== expandable.resource) return [];
  const { links = {}, object } = expandable.resource;
  const within = expandable.isList ? 'data.' : '';
  const paths = Object.keys(links).map((link) => within + versions.convertName(object, link, versions.newest, version));
  if (paths.length === 0) return [];
  return [
    {
      name: 'expand',
      in: 'query',
      description: `Linked records to return instead of their ids: ${paths.map((path) => `\`${path}\``).join(', ')}. Follow further links with dots, up to four. Your key needs the permission to read them.`,
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: false,
    },
  ];
}

function headerParameters(route: Route): Piece[] {
  const { method, response, portalFeatures } = route;
  // A session acts in its own account, in the newest version.
  if (portalFeatures) return [];
  return requestHeaders(
    'Service-Version',
    'Service-Context',
    ...(method === 'POST' ? ['Idempotency-Key'] : []),
    ...(method !== 'GET' && sensitivityOf(route) !== 'never' ? ['Service-Reason'] : []),
    ...(response.kind === 'stream' ? ['Last-Event-ID'] : []),
  );
}

function requestBodyOf(shapes: Shapes, route: Extract<Route, { method: 'POST' | 'DELETE' }>): Piece | null {
  const { versions, version, schemas, resources } = shapes;
  const { operationId, body, object, docs, upload } = route;
  if (Object.keys(body.properties).length === 0) return null;
  const resource = resources.find((candidate) => candidate.object === object);
  const example = docs.example && versions.convertBody(object, docs.example, versions.newest, version);
  return {
    required: (body.required ?? []).length > 0,
    content: {
      [upload ? 'multipart/form-data' : 'application/json']: {
        schema: schemas.body(operationId, object, withFieldTexts(upload ? asForm(body, upload) : body, resource)),
        ...(example && { example }),
        ...(upload && encodingOf(body, upload)),
      },
    },
  };
}

function encodingOf(body: TObject, { contents: { types } }: UploadRoute): Piece {
  const encoding = {
    // `metadata[key]` is a field of its own.
    ...('metadata' in body.properties && { metadata: { style: 'deepObject', explode: true } }),
    ...(types.length > 1 && { [fileField]: { contentType: types.map(({ contentType }) => contentType).join(', ') } }),
  };
  return Object.keys(encoding).length > 0 ? { encoding } : {};
}

/** Returns the schema of the form: the body's schema, with the file instead of its facts. */
function asForm(body: TObject, { contents }: UploadRoute): TObject {
  const { bytesMax, types, description } = contents;
  const file = Type.Unsafe({
    type: 'string',
    // The member has one type. `encoding` lists several.
    contentMediaType: types.length === 1 ? types[0].contentType : anyBytes,
    description: `The file, with a filename: ${description} of up to ${bytesMax / 1024 / 1024} MB.`,
  });
  return { ...body, properties: { ...body.properties, [fileField]: file } };
}

/** Returns a sample of an upload. The samples that tools generate from a form send the file's name as text. */
function uploadSample(publicUrl: string, { path, docs, portalFeatures }: Route, { contents }: UploadRoute): Piece {
  const fields = Object.entries(docs.example ?? {}).flatMap(([name, value]): string[] => {
    if (name === fileField) return [];
    if (typeof value === 'string') return [`-F ${name}=${value}`];
    return isObject(value) ? Object.entries(value).map(([key, inner]) => `-F "${name}[${key}]=${textOf(inner)}"`) : [];
  });
  const [, extension] = contents.types[0].contentType.split('/');
  const source = [
    `curl ${publicUrl}${path}`,
    `-H "Authorization: Bearer ${portalFeatures ? 'pst_…' : 'sk_test_…'}"`,
    ...fields,
    `-F ${fileField}=@report.${extension}`,
  ].join(' \\\n  ');
  return { lang: 'Shell', label: 'curl', source };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Adds the description of the field with the same name to members without one. */
function withFieldTexts(body: TObject, resource: Resource | undefined): TObject {
  const members = Object.entries(body.properties).map(([name, schema]): [string, TSchema] => {
    const { description = resource?.fields[name]?.description }: Piece = { ...schema };
    return [name, { ...schema, ...(description !== undefined && { description }) }];
  });
  return { ...body, properties: Object.fromEntries(members) };
}

function successOf(shapes: Shapes, route: Route): Piece {
  const { response, method } = route;
  const headers = responseHeaders(...replayHeaders(route));
  if (response.kind === 'file') {
    return { description: response.description, headers, content: fileContent(response.contentTypes) };
  }
  if (response.kind === 'stream') {
    const description = 'Server-sent events (HTML Standard, 9.2), without an end. `data` is JSON.';
    const schema = { type: 'string', description, 'x-data': shapes.schemas.record(response.resource) };
    return { description: describeResponse(route), headers, content: { 'text/event-stream': { schema } } };
  }
  const isCreation = response.kind === 'record' && route.operationId === `${response.resource.path}_create`;
  const example = isCreation ? shapes.schemas.newExample(response.resource) : null;
  return {
    description: describeResponse(route),
    headers,
    content: {
      'application/json': { schema: shapes.schemas.ofResponse(response, method), ...(example && { example }) },
      ...('asFile' in route && route.asFile && fileContent([route.asFile.contentType])),
    },
  };
}

function fileContent(contentTypes: readonly string[]): Piece {
  const content = contentTypes.map((contentType) => [
    contentType,
    { schema: { type: 'string', contentMediaType: contentType } },
  ]);
  // Some generators of clients leave out a response whose only type they do not know.
  const bytes = { type: 'string', format: 'binary' };
  return { ...Object.fromEntries(content), [anyBytes]: { schema: bytes } };
}

function describeResponse({ response, query }: Route): string {
  switch (response.kind) {
    case 'record':
      return `The ${displayName(response.resource.object)}.`;
    case 'list':
      return `A page of ${displayName(response.resource.path)}.`;
    case 'deletion':
      return `The id of the deleted ${displayName(response.resource.object)}.`;
    case 'stream':
      return `The ${displayName(response.resource.path)}, as soon as they are committed.`;
    case 'search':
      return 'The found records.';
    case 'objects':
      return 'limit' in query ? 'A page of the list.' : 'The complete list.';
    case 'object':
    case 'file':
      return 'The requested object.';
  }
}

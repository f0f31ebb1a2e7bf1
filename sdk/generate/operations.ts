import { camelCase, pascalCase, refName, resolve } from './document.ts';
import type { OpenApiDocument, OperationObject, Parameter, Schema } from './document.ts';

/** An operation of the API, as the SDK has it. */
export interface SdkOperation {
  /** The names of the resource, such as `['testHelpers', 'references']`. Empty for a method of the client itself. */
  resource: string[];
  /** The name of the method, such as `listDeliveries`. */
  method: string;
  /** The name of the type of its parameters. */
  paramsName: string;
  /** What the table of operations says. */
  entry: TableEntry;
  /** All parameters as one object, or null if the method takes none. */
  params: Schema | null;
  /** The schema of the response: for a stream, that of each event. Null for a file. */
  answer: Schema | null;
  summary: string;
  description: string;
  deprecated: boolean;
}

/** A row of the table of operations. `operations.ts` in the generated folder explains the members. */
export interface TableEntry {
  method: string;
  path: string;
  answer: 'object' | 'list' | 'file' | 'stream';
  body?: 'json' | 'multipart';
  query?: string[];
}

/** Returns the operations of a document in its order. */
export function operationsOf(document: OpenApiDocument): SdkOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      formsOf(document, path, operation).map((form) =>
        operationOf(document, form.path, method.toUpperCase(), form.operation),
      ),
    ),
  );
}

interface Form {
  path: string;
  operation: OperationObject;
}

/**
 * Divides an operation that returns JSON, or a file if `format` says so. Each form has a method of its own, so that its type is that of its
 * response. The method of the file is called after the format, such as `retrieveStatementPdf`.
 */
function formsOf(document: OpenApiDocument, path: string, operation: OperationObject): Form[] {
  const { operationId, summary = '', description = '', responses, parameters = [] } = operation;
  const { 'application/json': json, ...files } = responses['200']?.content ?? {};
  if (!json || Object.keys(files).length === 0) return [{ path, operation }];
  const choice = queryOf(document, operation).find(({ name }) => name === 'format');
  const formats = (choice?.schema.enum ?? []).filter((format) => format !== 'json').map(String);
  const [format] = formats;
  if (format === undefined || formats.length > 1)
    throw new Error(`${operationId} returns JSON and a file. Give it a parameter \`format\` with json and one other.`);
  const others = { ...operation, parameters: parameters.filter(({ name }) => name !== 'format') };
  const asFile = {
    ...others,
    operationId: `${operationId}_${format}`,
    summary: `${summary} as a ${format.toUpperCase()}`,
    description: `Returns a ${format.toUpperCase()} instead of JSON. ${description}`,
    responses: { '200': { content: files } },
  };
  return [
    { path, operation: { ...others, responses: { '200': { content: { 'application/json': json } } } } },
    { path: `${path}?format=${format}`, operation: asFile },
  ];
}

function operationOf(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OperationObject,
): SdkOperation {
  const { operationId, summary = '', description = '', deprecated = false } = operation;
  const { resource, name } = namesOf(path, operationId);
  const body = bodyOf(operation);
  const query = queryOf(document, operation);
  const queryNames = [...new Set(query.map((parameter) => outerName(parameter.name)))];
  const answer = answerOf(document, operation);
  const isFile = answer.kind === 'file';
  const entry: TableEntry = {
    method,
    path,
    answer: answer.kind,
    ...(body && { body: body.kind }),
    ...((method === 'POST' || isFile) && queryNames.length > 0 && { query: queryNames }),
  };
  // A deletion needs an id alone, and so do most downloads. What a deletion could expand is gone.
  const takesParams = method !== 'DELETE' && !(isFile && queryNames.length === 0);
  const ignored = takesParams ? [] : queryNames.filter((parameter) => parameter !== 'expand');
  if (ignored.length > 0)
    throw new Error(`${operationId} has parameters, but its method takes none: ${ignored.join()}`);
  return {
    resource,
    method: name,
    paramsName: `${pascalCase(operationId)}Params`,
    entry,
    params: takesParams ? paramsOf(body && resolve(document, body.schema), query) : null,
    answer: answer.schema,
    summary,
    description,
    deprecated,
  };
}

/** Takes the resource from the path, and the method from the rest of the operation's id. */
function namesOf(path: string, operationId: string): { resource: string[]; name: string } {
  const [, , ...segments] = path.split('/');
  const resource = segments.slice(0, segments[0] === 'test_helpers' ? 2 : 1);
  // The operation is all that the path has: `tenure.search()`.
  if (operationId === resource.join('_')) return { resource: [], name: camelCase(operationId) };
  const prefix = `${resource.join('_')}_`;
  if (!operationId.startsWith(prefix))
    throw new Error(`The id ${operationId} does not begin with ${prefix}. Rename the operation at ${path}.`);
  return { resource: resource.map(camelCase), name: camelCase(operationId.slice(prefix.length)) };
}

/** Returns the schemas that are bodies of requests. */
export function bodyNamesOf(document: OpenApiDocument): Set<string> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const names = operations.map((operation) => refName(bodyOf(operation)?.schema ?? {}));
  return new Set(names.filter((name) => name !== null));
}

function bodyOf({ operationId, requestBody }: OperationObject): { kind: 'json' | 'multipart'; schema: Schema } | null {
  if (!requestBody) return null;
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody.content);
  const kinds: Record<string, 'json' | 'multipart'> = {
    'application/json': 'json',
    'multipart/form-data': 'multipart',
  };
  const kind = kinds[type];
  if (!kind) throw new Error(`${operationId} takes a body of the type "${type}". Teach the SDK to send it first.`);
  return { kind, schema };
}

/** Returns the parameters in the query. Headers are options of a call, and the id in the path is an argument. */
function queryOf(document: OpenApiDocument, { operationId, parameters = [] }: OperationObject): Parameter[] {
  const known = parameters.map((parameter) => {
    const name = parameter.$ref?.replace('#/components/parameters/', '');
    return name === undefined ? parameter : (document.components.parameters[name] ?? parameter);
  });
  const query = known.filter((parameter) => parameter.in === 'query');
  for (const { name, schema, style, explode } of query) {
    if (schema.type === 'array' && !(style === 'form' && explode === false))
      throw new Error(`The list ${name} of ${operationId} is not sent with commas. Teach the SDK to send it first.`);
  }
  return query;
}

function paramsOf(body: Schema | null, query: Parameter[]): Schema {
  const properties = { ...body?.properties, ...queryProperties(query) };
  const required = [
    ...(body?.required ?? []),
    ...query.filter((parameter) => parameter.required).map(({ name }) => name),
  ];
  return { type: 'object', properties, required };
}

/** Joins parameters such as `created[gt]` and `created[lt]` to one member `created`. */
function queryProperties(query: Parameter[]): Record<string, Schema> {
  const outerNames = [...new Set(query.map(({ name }) => outerName(name)))];
  return Object.fromEntries(
    outerNames.map((outer) => {
      const whole = query.find(({ name }) => name === outer);
      const bounds = query.filter(({ name }) => name !== outer && outerName(name) === outer);
      if (bounds.length === 0) return [outer, memberOf(whole!)];
      const object: Schema = {
        type: 'object',
        properties: Object.fromEntries(bounds.map((bound) => [innerName(bound.name), memberOf(bound)])),
      };
      const description = whole?.description ?? `Bounds of \`${outer}\`.`;
      return [outer, whole ? { anyOf: [whole.schema, object], description } : { ...object, description }];
    }),
  );
}

function memberOf({ schema, description, deprecated }: Parameter): Schema {
  return { ...schema, ...(description !== undefined && { description }), ...(deprecated === true && { deprecated }) };
}

/** Returns `created` for `created[gt]`. */
function outerName(name: string): string {
  return name.replace(/\[.*$/, '');
}

/** Returns `gt` for `created[gt]`. */
function innerName(name: string): string {
  return name.slice(name.indexOf('[') + 1, -1);
}

function answerOf(
  document: OpenApiDocument,
  { operationId, responses }: OperationObject,
): { kind: TableEntry['answer']; schema: Schema | null } {
  const [type, media] = Object.entries(responses['200']?.content ?? {})[0] ?? [];
  if (!media) throw new Error(`${operationId} has no response with the status 200. Teach the SDK its response first.`);
  if (type === 'text/event-stream') return { kind: 'stream', schema: media.schema['x-data'] ?? {} };
  if (type !== 'application/json') return { kind: 'file', schema: null };
  const isList = resolve(document, media.schema).properties?.object?.const === 'list';
  return { kind: isList ? 'list' : 'object', schema: media.schema };
}

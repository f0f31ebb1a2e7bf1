import { docComment } from './doc-comment.ts';
import { pascalCase, refName, resolve, type OpenApiDocument, type Schema } from './document.ts';
import { bodyNamesOf, operationsOf, type SdkOperation } from './operations.ts';
import { objectBody, typeOf, type Place, type Use } from './schema-type.ts';

/** An exported type of a version. */
export interface Declaration {
  name: string;
  /** Its source, with its doc comment. */
  text: string;
  /** The names of the other types in its source. */
  refs: Set<string>;
}

/** Types that the generated files import from the sources of the SDK, with their files. */
export const runtimeTypes: Record<string, string> = {
  EventStream: '../event-stream.ts',
  ListPromise: '../lists.ts',
  RequestOptions: '../transport.ts',
  TenurePromise: '../transport.ts',
};

/** Names with a meaning in the generated files. A schema of this name would replace them. */
const reserved = new Set([...Object.keys(runtimeTypes), 'Array', 'Blob', 'Record', 'Resources', 'Response']);

/** Returns all types of a version: its schemas, the parameters of its operations, and its resources. */
export function declarationsOf(document: OpenApiDocument): Declaration[] {
  const operations = operationsOf(document);
  const declarations = [
    ...schemaDeclarations(document),
    ...operations.flatMap((operation) => paramsDeclaration(document, operation)),
    ...resourceDeclarations(document, operations),
  ];
  const seen = new Set<string>();
  for (const { name } of declarations) {
    if (seen.has(name)) throw new Error(`Two types have the name ${name}. Rename a schema or an operation.`);
    seen.add(name);
  }
  return declarations;
}

/** Returns the types of the components. Requests are closed and responses are open, which tells their types apart. */
function schemaDeclarations(document: OpenApiDocument): Declaration[] {
  const bodies = bodyNamesOf(document);
  return Object.entries(document.components.schemas)
    .filter(([name]) => !bodies.has(name))
    .flatMap(([name, schema]) => {
      if (reserved.has(name)) throw new Error(`The SDK needs the name ${name} for itself. Rename the schema.`);
      const use = schema.additionalProperties === false ? 'request' : 'response';
      const shown = name === 'Event' ? withoutOtherEvents(schema) : schema;
      return [declaration(document, name, shown, use), ...eventTypes(document, name, schema)];
    });
}

function paramsDeclaration(document: OpenApiDocument, { params, paramsName }: SdkOperation): Declaration[] {
  return params && hasMembers(params) ? [declaration(document, paramsName, params, 'request')] : [];
}

function declaration(document: OpenApiDocument, name: string, schema: Schema, use: Use): Declaration {
  const refs = new Set<string>();
  const place: Place = { document, use, refs, at: name };
  const text = hasMembers(schema)
    ? `export interface ${name} ${objectBody(schema, place)}\n`
    : `export type ${name} = ${typeOf(schema, place)};\n`;
  return { name, text: `${docComment(schema)}${text}`, refs };
}

/**
 * Leaves out events of unknown types. With them, `type` would be any string, and a check of `type` could not narrow the event. A new type
 * falls to the `default` of a switch.
 */
function withoutOtherEvents(schema: Schema): Schema {
  const known = schema.anyOf?.filter((choice) => refName(choice) !== 'OtherEvent');
  return known ? { ...schema, anyOf: known } : schema;
}

/** Returns the union of the types of events. The mapping of the discriminator has them. */
function eventTypes(document: OpenApiDocument, name: string, { discriminator }: Schema): Declaration[] {
  if (name !== 'KnownEvent' || !discriminator || document.components.schemas.EventType) return [];
  const schema: Schema = {
    description: 'The type of an event that this release has.',
    enum: Object.keys(discriminator.mapping),
  };
  return [declaration(document, 'EventType', schema, 'response')];
}

interface ResourceNode {
  children: Map<string, ResourceNode>;
  operations: SdkOperation[];
}

/** Returns an interface for each resource, and `Resources`, which has them all. */
function resourceDeclarations(document: OpenApiDocument, operations: SdkOperation[]): Declaration[] {
  const root: ResourceNode = { children: new Map(), operations: [] };
  for (const operation of operations) {
    let node = root;
    for (const name of operation.resource) {
      const child = node.children.get(name) ?? { children: new Map(), operations: [] };
      node.children.set(name, child);
      node = child;
    }
    node.operations.push(operation);
  }
  const declarations: Declaration[] = [];
  addResource(document, root, '', declarations);
  return declarations;
}

/** Adds the interface of a resource after those inside it, and returns its name. */
function addResource(document: OpenApiDocument, node: ResourceNode, path: string, to: Declaration[]): string {
  const refs = new Set<string>();
  const children = [...node.children].map(([name, child]) => {
    const type = addResource(document, child, `${path}${pascalCase(name)}`, to);
    refs.add(type);
    return `${name}: ${type};\n`;
  });
  const methods = node.operations.map((operation) => methodText(document, operation, refs));
  const name = path === '' ? 'Resources' : `${path}Resource`;
  const comment = path === '' ? docComment({ description: 'The resources of the API, with their methods.' }) : '';
  const text = `${comment}export interface ${name} {\n${[...methods, ...children].join('')}}\n`;
  to.push({ name, text, refs });
  return name;
}

function methodText(document: OpenApiDocument, operation: SdkOperation, refs: Set<string>): string {
  const { method, params, paramsName, entry } = operation;
  const place: Place = { document, use: 'response', refs, at: paramsName };
  refs.add('RequestOptions');
  const args = [
    ...(entry.path.includes('{id}') ? ['id: string'] : []),
    ...(params ? [paramsText(operation, params, refs)] : []),
    'options?: RequestOptions',
  ];
  return `${docComment(operation)}${method}(${args.join(', ')}): ${answerType(operation, place)};\n`;
}

/** Parameters may be left out if none is required. An update without parameters would be a mistake. */
function paramsText({ method, paramsName }: SdkOperation, params: Schema, refs: Set<string>): string {
  if (!hasMembers(params)) return 'params?: Record<string, never>';
  refs.add(paramsName);
  const isRequired = (params.required ?? []).length > 0 || method === 'update';
  return `params${isRequired ? '' : '?'}: ${paramsName}`;
}

function answerType({ entry, answer }: SdkOperation, place: Place): string {
  const data = answer ? typeOf(answer, place) : 'Response';
  switch (entry.answer) {
    case 'list': {
      const items = resolve(place.document, answer!).properties?.data?.items ?? {};
      place.refs.add('ListPromise');
      return `ListPromise<${typeOf(items, place)}, ${data}>`;
    }
    case 'stream':
      place.refs.add('EventStream');
      return `EventStream<${data}>`;
    default:
      place.refs.add('TenurePromise');
      return `TenurePromise<${data}>`;
  }
}

function hasMembers({ properties }: Schema): boolean {
  return Object.keys(properties ?? {}).length > 0;
}

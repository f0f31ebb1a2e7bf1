import { resolve, type OpenApiDocument, type OperationObject, type Schema } from '../../sdk/generate/document.ts';
import { operationsOf, type SdkOperation } from '../../sdk/generate/operations.ts';
import type { Catalogue, Parameter, Verb } from '../src/catalogue.ts';

/** Returns the texts and parameters of all commands for operations, from the newest document. */
export function catalogueOf(
  document: OpenApiDocument & { tags?: { name: string; description?: string }[] },
): Catalogue {
  const catalogue: Catalogue = { resources: {}, eventTypes: eventTypesOf(document) };
  for (const operation of operationsOf(document)) {
    const { path, method } = operation.entry;
    const told: PersonsOperation | undefined = document.paths[withoutQuery(path)]?.[method.toLowerCase()];
    // A command has a key, and no key can do this.
    if (told?.['x-for-persons']) continue;
    const [outer = '', inner] = operation.resource.map(snakeCase);
    const resource = inner === undefined ? outer : `${outer} ${inner}`;
    const verbs = (catalogue.resources[resource] ??= {});
    verbs[snakeCase(operation.method)] = verbOf(document, operation);
  }
  return catalogue;
}

type PersonsOperation = OperationObject & { 'x-for-persons'?: true };

/** Returns the path as the document has it, without the query of a second form. */
function withoutQuery(path: string): string {
  return path.replace(/\?.*$/, '');
}

function verbOf(document: OpenApiDocument, { entry, params, answer, summary, description }: SdkOperation): Verb {
  const told = document.paths[withoutQuery(entry.path)]![entry.method.toLowerCase()]!;
  const [about = '', permission] = description.split(/\s*Needs the permission `([a-z_.]+)`/);
  const example = Object.values(told.requestBody?.content ?? {}).map((content) => (content as Example).example)[0];
  return {
    summary,
    about,
    ...(permission !== undefined && { permission }),
    ...idOf(told),
    ...(params && { params: parametersOf(document, params) }),
    fields: fieldsOf(document, answer),
    ...(entry.answer === 'file' && { isFile: true }),
    ...(example !== undefined && { example }),
  };
}

/** Returns the form of the id in the path, from its description: ``The id of the customer: `cus_…`.`` */
function idOf({ parameters = [] }: OperationObject): Pick<Verb, 'id'> {
  const id = parameters.find((parameter) => parameter.in === 'path');
  if (!id) return {};
  const [, form = id.name] = /`([^`]+)`/.exec(id.description ?? '') ?? [];
  return { id: form };
}

interface Example {
  example?: Record<string, unknown>;
}

function parametersOf(
  document: OpenApiDocument,
  { properties = {}, required = [] }: Schema,
): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...parameterOf(document, schema), ...(required.includes(name) && { required: true as const }) },
    ]),
  );
}

function parameterOf(document: OpenApiDocument, schema: Schema): Parameter {
  const alternatives = alternativesOf(document, schema);
  const doc = schema.description ?? alternatives.find(({ description }) => description)?.description;
  const shown = { ...(doc !== undefined && { doc }) };
  const objects = alternatives.filter(({ properties }) => properties);
  if (objects.length > 0) {
    const members = Object.assign({}, ...objects.map((object) => parametersOf(document, object)));
    return { kind: 'object', members, ...shown };
  }
  const [first = {}] = alternatives;
  if (first.contentMediaType !== undefined) return { kind: 'file', ...shown };
  const type = [first.type].flat().find((each) => each !== 'null');
  switch (type) {
    case 'array':
      return { kind: 'list', ...shown, items: parameterOf(document, first.items ?? {}) };
    case 'object':
      return { kind: 'map', ...shown };
    case 'integer':
      return { kind: /Unix epoch/.test(doc ?? '') ? 'time' : 'integer', ...shown };
    case 'boolean':
      return { kind: 'boolean', ...shown };
    case 'string':
      return { kind: 'string', ...shown, ...(first.enum && { values: first.enum.map(String) }) };
    default:
      return { kind: 'json', ...shown };
  }
}

/** Returns the schemas that a value can have, without null. */
function alternativesOf(document: OpenApiDocument, schema: Schema): Schema[] {
  const resolved = resolve(document, schema);
  const alternatives = resolved.anyOf ?? resolved.oneOf;
  if (!alternatives) return resolved.type === 'null' ? [] : [resolved];
  return alternatives.flatMap((alternative) => alternativesOf(document, alternative));
}

/** Returns the members of a response. For a list and for a search, these are the members of its items. */
function fieldsOf(document: OpenApiDocument, answer: Schema | null): string[] {
  if (!answer) return [];
  const { data, has_more: more } = resolve(document, answer).properties ?? {};
  const records = more ? (data?.items ?? {}) : answer;
  return [...new Set(alternativesOf(document, records).flatMap(({ properties = {} }) => Object.keys(properties)))];
}

function eventTypesOf(document: OpenApiDocument): string[] {
  const known = document.components.schemas.KnownEvent;
  if (!known) throw new Error('The document has no schema "KnownEvent". The commands need the types of all events.');
  return (known.oneOf ?? []).map((each) => String(resolve(document, each).properties?.type?.const));
}

/** Converts `listDeliveries` to `list_deliveries`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A JSON Schema, as far as the documents use it. `schema-type.ts` refuses other keywords. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  deprecated?: boolean;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  contentMediaType?: string;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
  style?: string;
  explode?: boolean;
}

export interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema & { 'x-data'?: Schema } }> }>;
}

/** The parts of an OpenAPI document that the generator reads. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** Returns the name of the component that a schema refers to, or null if it refers to none. */
export function refName(schema: Schema): string | null {
  return schema.$ref === undefined ? null : schema.$ref.replace('#/components/schemas/', '');
}

/** Returns the component of this name. Throws if the document has none. */
export function findSchema(document: OpenApiDocument, name: string): Schema {
  const schema = document.components.schemas[name];
  if (!schema) throw new Error(`The document has no schema "${name}". Check its $refs.`);
  return schema;
}

/** Returns the schema itself, or the component that it refers to. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = refName(schema);
  return name === null ? schema : findSchema(document, name);
}

/** Converts `webhook_endpoint` to `WebhookEndpoint`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts `webhook_endpoint` to `webhookEndpoint`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

import type { SchemaValidateFunction } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { closedDocument } from './closed-document.ts';

/** A response as it goes out. */
export interface ObservedAnswer {
  method: string;
  /** The route's pattern, with `:id`; null if the request had no route. */
  path: string | null;
  status: number;
  headers: Record<string, unknown>;
  body: string | Buffer;
}

interface Header {
  required?: boolean;
  schema: object;
}

interface Response {
  headers: Record<string, Header>;
  content: Record<string, { schema: object }>;
  'x-error-codes'?: string[];
}

interface Operation {
  operationId: string;
  responses: Record<string, Response | { $ref: string }>;
}

/** The part of an OpenAPI document that responses are checked against. */
export interface AnswerDocument {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
}

/** Tells the schema of an object by one of its members. Each schema allows one value there, as `documents.test.ts` proves. */
interface Discriminator {
  propertyName: string;
  mapping: Record<string, string>;
}

/**
 * Checks responses against one OpenAPI document, as if it were closed. Compiles only the schemas that a response needs: a referenced schema
 * when it first meets a value. Each worker of the tests would otherwise compile hundreds of schemas that it never uses.
 */
export class AnswerChecker {
  readonly #document: AnswerDocument;
  readonly #ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    validateSchema: false,
    // Most schemas are used a few times. This option halves the time to compile them.
    code: { optimize: false },
  });
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(document: AnswerDocument) {
    this.#document = closedDocument(document, 'retrieved');
    this.#ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
    for (const name of ['single-line', 'country', 'currency']) this.#ajv.addFormat(name, true);
    this.#addKeyword('documented', ($ref) => this.#deref({ $ref: $ref as string }));
    this.#addKeyword('discriminator', (setting, value) => {
      const { propertyName, mapping } = setting as Discriminator;
      const $ref = mapping[(value as Record<string, string> | null)?.[propertyName] ?? ''];
      return $ref ? this.#deref({ $ref }) : noDocumentedType;
    });
  }

  /** Adds a keyword that holds a value against the schema which `schemaOf` finds. */
  #addKeyword(keyword: string, schemaOf: (setting: unknown, value: unknown) => object): void {
    const holds: SchemaValidateFunction = (setting: unknown, value: unknown, _parent, place) => {
      const validate = this.#validatorOf(schemaOf(setting, value));
      if (validate(value)) return true;
      holds.errors = validate.errors!.map((error) => ({
        ...error,
        instancePath: place!.instancePath + error.instancePath,
      }));
      return false;
    };
    this.#ajv.addKeyword({ keyword, validate: holds, errors: true });
  }

  /** Returns where the response differs from the document; empty if it matches. */
  faultsOf(answer: ObservedAnswer): string[] {
    const operation = this.#operationOf(answer);
    if (operation === undefined) return [this.#told(answer, null, 'there is no such operation')];
    const response = operation ? operation.responses[answer.status] : this.#refusalWithoutRoute(answer.status);
    if (!response) return [this.#told(answer, operation, 'the status is not documented')];
    const documented = this.#deref<Response>(response);
    const faults = [...this.#headerFaults(documented, answer), ...this.#bodyFaults(documented, answer)];
    return faults.map((fault) => this.#told(answer, operation, fault));
  }

  /** Returns null if there was no route and so no operation. */
  #operationOf({ method, path }: ObservedAnswer): Operation | null | undefined {
    if (path === null) return null;
    return this.#document.paths[path.replaceAll(':id', '{id}')]?.[method.toLowerCase()];
  }

  /** A refusal without an operation has the form of every refusal. */
  #refusalWithoutRoute(status: number): Response | null {
    const { InternalServerError: refusal } = this.#document.components.responses as Record<string, Response>;
    const { 'x-error-codes': _codes, ...form } = refusal!;
    return status >= 400 ? form : null;
  }

  #headerFaults({ headers }: Response, answer: ObservedAnswer): string[] {
    return Object.entries(headers).flatMap(([name, reference]) => {
      const { required, schema } = this.#deref<Header>(reference);
      const value = answer.headers[name.toLowerCase()];
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      const validate = this.#validatorOf(schema);
      return validate(value) ? [] : [`the header ${name} is ${JSON.stringify(value)}: ${errorsOf(validate)}`];
    });
  }

  #bodyFaults({ content, 'x-error-codes': codes }: Response, { headers, body }: ObservedAnswer): string[] {
    const type = String(headers['content-type']).split(';')[0]!;
    const documented = content[type];
    if (!documented) return [`the content type is ${type}, not ${Object.keys(content).join(' or ')}`];
    if (type !== 'application/json') return [];
    const value = JSON.parse(body.toString()) as { error?: { code: string } };
    const validate = this.#validatorOf(documented.schema);
    if (!validate(value)) return [errorsOf(validate)];
    const { code } = value.error ?? { code: '' };
    if (!codes || codes.includes(code)) return [];
    return [`the code ${code} is not documented: add it to \`refusals\` of the operation`];
  }

  #validatorOf(schema: object): ValidateFunction {
    let validate = this.#validators.get(schema);
    if (!validate) {
      const text = JSON.stringify(schema, withoutChoices).replaceAll('"$ref":', '"documented":');
      validate = this.#ajv.compile(JSON.parse(text) as object);
      this.#validators.set(schema, validate);
    }
    return validate;
  }

  #deref<Piece extends object>(piece: Piece | { $ref: string }): Piece {
    if (!('$ref' in piece)) return piece;
    const [, , kind, name] = piece.$ref.split('/');
    return this.#document.components[kind!]![name!] as Piece;
  }

  #told({ method, path, status, body }: ObservedAnswer, operation: Operation | null, fault: string): string {
    const asked = `${method} ${path ?? '(no route)'}${operation ? ` (${operation.operationId})` : ''}`;
    const { version } = this.#document.info;
    return `${asked} answered ${status} in version ${version}, but by the document ${fault}: ${body.toString().slice(0, 1_000)}`;
  }
}

/** Leaves out `oneOf` beside a discriminator, which tells the only choice. */
function withoutChoices(_key: string, piece: unknown): unknown {
  const { discriminator, oneOf: _choices, ...others } = (piece ?? {}) as Record<string, unknown>;
  return discriminator ? { ...others, discriminator } : piece;
}

/** Allows no object. The text is for the reader of a failed test. */
const noDocumentedType = { enum: ['an object of a documented type'] };

function errorsOf({ errors }: ValidateFunction): string {
  const told = errors!.map(({ instancePath, message, params }) => {
    const { additionalProperty, allowedValues } = params as { additionalProperty?: string; allowedValues?: unknown };
    return `${instancePath || 'the body'} ${message} ${JSON.stringify(additionalProperty ?? allowedValues ?? '')}`;
  });
  return told.slice(0, 8).join('; ');
}

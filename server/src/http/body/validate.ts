import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { formats, type FaultOf } from '../../core/formats.ts';
import { idPattern } from '../../core/ids.ts';
import { nearestName } from '../../core/nearest.ts';

/** Removes, coerces and fills in nothing: mistakes are reported, not repaired. One pass finds all of them. */
const ajv = new Ajv2020({ strict: true, allErrors: true, ownProperties: true, allowUnionTypes: true, verbose: true });
// The name of a schema in the API docs.
ajv.addKeyword('definition');
for (const [name, faultOf] of Object.entries(formats)) ajv.addFormat(name, (text: string) => faultOf(text) === null);

/**
 * Checks a value against a schema.
 *
 * @param earlier faults that were found before. They come first.
 * @throws {ApiError} the first fault, with the others.
 */
export type Validator = (value: unknown, earlier?: readonly ApiError[]) => void;

/** The number of faults that an error lists. It bounds the time to describe them, and people mend no more at once. */
export const faultsMax = 20;

/** Compiled schemas by their JSON. Compiling takes milliseconds, and many routes have the same parameters. */
const compiled = new Map<string, ValidateFunction>();

/** The number of errors that are described. Many can be about one parameter, because long names are cut. */
const describedMax = 200;

/** Compiles a schema at its first use, because all of them together take a tenth of a start. */
export function validator(schema: TSchema): Validator {
  let validate: ValidateFunction | undefined;
  return (value, earlier) => {
    validate ??= compiledOf(schema);
    if (validate(value) && !earlier?.length) return;
    const errors = validate.errors ?? [];
    // The errors refer to the value, which may be large.
    validate.errors = null;
    throw inOne(earlier ?? [], faultsOf(errors, schema));
  };
}

function compiledOf(schema: TSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate;
}

/** Returns the first fault, with the others. A parameter has one fault: any further one may follow from it. */
function inOne(...sources: Iterable<ApiError>[]): ApiError {
  const faults = new Map<string | undefined, ApiError>();
  for (const source of sources) {
    for (const fault of source) {
      if (faults.size === faultsMax) break;
      if (!faults.has(fault.param)) faults.set(fault.param, fault);
    }
  }
  const [first, ...otherFaults] = faults.values();
  if (!first) throw new Error('Bug! An invalid value has no error.');
  const { code, message, param } = first;
  return new ApiError(code, message, { ...(param !== undefined && { param }), otherFaults });
}

/** The number of names that one name is compared with. A comparison takes up to 0.1 ms, and reading the largest body longer than all. */
const comparedMax = 100;

/** Describes the faults one by one, because only the first ones are needed. */
function* faultsOf(errors: readonly ErrorObject[], schema: TSchema): Generator<ApiError> {
  const misspelt = errors[0]?.keyword === 'required' ? misspeltIn(errors[0]) : null;
  if (misspelt) yield misspelt;
  // The error of the key itself precedes that of `propertyNames`.
  for (const error of errors.slice(0, describedMax)) {
    if (error.keyword !== 'propertyNames') yield errorOf(error, schema);
  }
}

/** Returns the misspelt name in an object where a name is missing. It is both missing and unknown, and the second error says more. */
function misspeltIn({ instancePath, parentSchema, data }: ErrorObject): ApiError | null {
  const known = knownNames(parentSchema);
  const unused = known.filter((name) => !Object.hasOwn(data as object, name));
  const names = Object.keys(data as object).slice(0, comparedMax);
  const misspelt = names.find((name) => !known.includes(name) && meantBy(name, unused) !== null);
  return misspelt === undefined ? null : unknownParameter([...pathOf(instancePath), misspelt], known);
}

function errorOf(error: ErrorObject, schema: TSchema): ApiError {
  const path = pathOf(error.instancePath);
  switch (error.keyword) {
    case 'required': {
      const param = paramName([...path, String(error.params.missingProperty)]);
      return new ApiError('parameter_missing', `\`${param}\` is required.`, { param });
    }
    case 'additionalProperties':
      return unknownParameter([...path, String(error.params.additionalProperty)], knownNames(error.parentSchema));
    default: {
      const param = paramName(path);
      if (error.propertyName !== undefined) {
        const name = shorten(error.propertyName);
        return invalidParameter(
          `${param}[${name}]`,
          `${name === '' ? 'An empty text' : `\`${name}\``} is not a valid key of \`${param}\`. Use 1 to 40 characters without brackets.`,
        );
      }
      // The message of a format says more than that of a pattern.
      const format = { format: error.schema, pattern: error.parentSchema?.format }[error.keyword];
      const [, faultOf] = Object.entries<FaultOf>(formats).find(([name]) => name === format) ?? [];
      const fault = faultOf?.(String(error.data), isRequired(error, schema)) ?? null;
      if (fault !== null) return invalidParameter(param, `\`${param}\` ${fault}.`);
      if (error.keyword === 'pattern' && error.schema === idPattern)
        return invalidParameter(param, noId(param, String(error.data)));
      return invalidParameter(
        param,
        `${param === '' ? 'The body' : `\`${param}\``} must be ${allowed((error.parentSchema ?? {}) as Rules)}.`,
      );
    }
  }
}

/** Whether the object that the value is in must have it, by the rule that the value broke: `#/properties/name/format`. */
function isRequired({ schemaPath }: ErrorObject, schema: TSchema): boolean {
  const path = pathOf(schemaPath);
  const [properties, name] = path.slice(-3);
  if (properties !== 'properties') return false;
  let parent: unknown = schema;
  for (const step of path.slice(0, -3)) parent = (parent as Record<string, unknown> | undefined)?.[step];
  const { required = [] } = (parent ?? {}) as { required?: readonly string[] };
  return name !== undefined && required.includes(name);
}

/** Says that a linked id is invalid. It mentions hyphens, because many systems use UUIDs. */
function noId(param: string, id: string): string {
  const advice = id.includes('-') ? 'the hyphens' : 'all other characters';
  return `\`${param}\` must be an id, which has only letters, digits and _. Remove ${advice}.`;
}

/** Returns the error for an unknown parameter, with the nearest known name. */
export function unknownParameter(path: string[], known: readonly string[]): ApiError {
  const param = paramName(path);
  const nearest = meantBy(path.at(-1)!, known);
  const hint = nearest !== null ? ` Did you mean \`${paramName([...path.slice(0, -1), nearest])}\`?` : '';
  return new ApiError('parameter_unknown', `There is no parameter \`${param}\` here.${hint}`, { param });
}

/** Returns the nearest name. Compares in both directions, because the allowed distance depends on the length: `postcode`, `postal_code`. */
function meantBy(name: string, known: readonly string[]): string | null {
  return nearestName(name, known) ?? known.find((candidate) => nearestName(candidate, [name]) !== null) ?? null;
}

/** The rules of JSON Schema that our schemas use for single values. */
interface Rules {
  type?: string | string[];
  enum?: (string | null)[];
  pattern?: string;
  /** Examples in our own schemas. Error messages quote the first. */
  examples?: string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
}

/** Says in words what a schema allows. */
function allowed(schema: Rules): string {
  const {
    type,
    enum: values,
    pattern,
    examples,
    format,
    minLength,
    maxLength,
    minimum,
    maximum,
    minItems,
    maxItems,
    uniqueItems,
    maxProperties,
  } = schema;
  const types = [type].flat().filter((name) => name !== 'null');
  const orNull = [type].flat().includes('null') ? ', or null' : '';
  if (values) return `one of ${values.filter((value) => value !== null).join(', ')}${orNull}`;
  if (format === 'date') return `a calendar date such as 1990-12-31${orNull}`;
  const least = minLength === undefined ? 'up' : minLength;
  const lengths = maxLength === undefined ? '' : ` of ${least} to ${maxLength} characters`;
  const range = maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  const most = maxItems ?? maxProperties;
  const different = uniqueItems ? ' different' : '';
  const count = minItems === undefined ? `at most ${most}` : `${minItems} to ${most}`;
  const items = most === undefined ? '' : ` of ${count}${different} entries`;
  const example = examples === undefined ? '' : ` such as ${examples[0]}`;
  const form = pattern === undefined || example !== '' ? example : ` that matches ${pattern}`;
  const noun = types.map((name) => (name && nouns[name]) ?? name).join(' or ');
  return `${noun}${lengths}${range}${items}${form}${orNull}`;
}

const nouns: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function knownNames(schema: Record<string, unknown> | undefined): string[] {
  return Object.keys(schema?.properties ?? {});
}

/** Converts a JSON Pointer (RFC 6901) to names. */
function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Joins names: `automatic_reference[provider]`. Shortens them, because a client's own name may be as long as its body. */
function paramName([first = '', ...rest]: string[]): string {
  return shorten(first) + rest.map((name) => `[${shorten(name)}]`).join('');
}

function shorten(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 80).toWellFormed()}…`;
}

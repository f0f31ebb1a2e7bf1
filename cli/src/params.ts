import { readFileSync } from 'node:fs';
import type { Parameter } from './catalogue.ts';
import { CliError } from './errors.ts';
import { adviceOn } from './nearest.ts';
import { parseTime } from './times.ts';

export type Params = Record<string, unknown>;

/** Reads one value of a flag or of `-d` as the kind that its parameter has. */
export function valueOf(name: string, parameter: Parameter | null, text: string): unknown {
  switch (parameter?.kind) {
    case undefined:
    case 'string':
      return text;
    case 'integer': {
      if (/^-?\d{1,15}$/.test(text)) return Number(text);
      throw new CliError(`${name} must be a whole number, but it is "${text}".`);
    }
    case 'time':
      return parseTime(name, text, name.endsWith('expires_at') || name.endsWith('expires-at') ? 1 : -1);
    case 'boolean': {
      if (text === 'true' || text === 'false') return text === 'true';
      throw new CliError(`${name} must be true or false, but it is "${text}".`);
    }
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => valueOf(name, parameter.items ?? null, item.trim()));
    case 'file':
      return text;
    case 'map':
    case 'object':
    case 'json':
      return jsonOf(name, text);
  }
}

/** Reads the flag of a map, `k=v`, into the map. */
export function putPair(name: string, pairs: Record<string, string>, text: string): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError(`${name} must have the form key=value, but it is "${text}".`);
  return { ...pairs, [text.slice(0, at)]: text.slice(at + 1) };
}

/**
 * Adds what `-d` says to parameters: `a.b=c`, `a.b:=<JSON>`, `@file.json`, `-` for standard input, or a JSON object.
 *
 * @param known the parameters of the operation. Null takes any name, with strings as values.
 * @throws {CliError} if a name is unknown, or a value is of another kind.
 */
export function putData(params: Params, text: string, known: Record<string, Parameter> | null): void {
  if (text === '-' || text.startsWith('@') || text.startsWith('{')) {
    const object = objectFrom(text);
    if (known) requireKnown(object, known, '');
    merge(params, object);
    return;
  }
  const parts = /^([^=]+?)(:?=)(.*)$/s.exec(text);
  if (!parts) {
    throw new CliError(
      `-d "${text}" is not understood. Write -d name=value, -d a.b=value, -d 'name:=<JSON>', -d @file.json or -d -.`,
    );
  }
  const [, path = '', sign, value = ''] = parts;
  const names = path.replaceAll(/\[(\w*)\]/g, '.$1').split('.');
  const parameter = known ? findParameter(names, known) : null;
  let place = params;
  for (const name of names.slice(0, -1)) {
    const inner = Object.hasOwn(place, name) ? place[name] : undefined;
    place = (typeof inner === 'object' && inner !== null ? inner : set(place, name, {})) as Params;
  }
  const last = names.at(-1)!;
  const read = sign === ':=' ? jsonOf(path, value) : valueOf(path, parameter, value);
  const before = Object.hasOwn(place, last) ? place[last] : undefined;
  // A list grows by each `-d` of its name.
  set(
    place,
    last,
    Array.isArray(before) && Array.isArray(read) ? [...(before as unknown[]), ...(read as unknown[])] : read,
  );
}

/** Sets a member, even one with a name such as `__proto__`. */
function set(place: Params, name: string, value: unknown): unknown {
  Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
  return value;
}

function merge(params: Params, more: Params): void {
  for (const [name, value] of Object.entries(more)) {
    const known = Object.hasOwn(params, name) ? params[name] : undefined;
    if (isObject(known) && isObject(value)) merge(known, value);
    else set(params, name, value);
  }
}

/** Finds the parameter with this path. Members of a map, and of JSON, are not declared. */
function findParameter(names: string[], known: Record<string, Parameter>): Parameter | null {
  const [name = '', ...rest] = names;
  const parameter = Object.hasOwn(known, name) ? known[name]! : unknownName(name, known);
  if (rest.length === 0) return parameter;
  if (parameter.members) return findParameter(rest, parameter.members);
  if (parameter.kind === 'map' || parameter.kind === 'json') return null;
  throw new CliError(`"${name}" has no members. Write -d ${name}=value.`);
}

function requireKnown(object: Params, known: Record<string, Parameter>, at: string): void {
  for (const [name, value] of Object.entries(object)) {
    const parameter = Object.hasOwn(known, name) ? known[name]! : unknownName(name, known, at);
    if (parameter.members && isObject(value)) requireKnown(value, parameter.members, `${at}${name}.`);
    const { members } = parameter.items ?? {};
    if (!members || !Array.isArray(value)) continue;
    for (const item of value) if (isObject(item)) requireKnown(item, members, `${at}${name}.`);
  }
}

function unknownName(name: string, known: Record<string, Parameter>, at = ''): never {
  throw new CliError(`There is no field "${at}${name}".${adviceOn(name, Object.keys(known))}`);
}

function objectFrom(text: string): Params {
  const [name, source] =
    text === '-'
      ? ['Standard input', readInput()]
      : text.startsWith('@')
        ? [text.slice(1), readText(text.slice(1))]
        : ['-d', text];
  const value = jsonOf(name, source);
  if (isObject(value)) return value;
  throw new CliError(`${name} must be a JSON object.`);
}

function readInput(): string {
  return readFileSync(0, 'utf8');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

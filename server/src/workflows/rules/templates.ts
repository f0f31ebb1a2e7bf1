import type { Json, JsonObject } from '../../core/json-diff.ts';
import { valueAt } from './paths.ts';

/** The values that a template can name: the event, the outputs of earlier steps, and the item of a list. */
export type Scope = { event: Json; steps: JsonObject; item?: Json };

/** A template that cannot be filled in. The message is for the client. */
export class TemplateError extends Error {}

const placeholder = /\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g;
const alone = /^\{\{\s*([A-Za-z0-9_.]+)\s*\}\}$/;

/** Returns the paths that a text names between double braces, in their order. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, path = '']) => path);
}

/** Returns whether a text has braces that are no placeholder, such as `{{event.data.object.id}`. */
export function hasBrokenBraces(text: string): boolean {
  return /\{\{|\}\}/.test(text.replaceAll(placeholder, ''));
}

/** Returns all texts of a value, with the names of members. */
export function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      yield name;
      yield* textsIn(member);
    }
}

/**
 * Fills in the templates of a value. A template alone in a text keeps its type. Names of members stay as they are.
 *
 * @throws {TemplateError} if a path is missing.
 */
export function filledIn(value: Json, scope: Scope): Json {
  if (typeof value === 'string') {
    const only = alone.exec(value)?.[1];
    return only === undefined ? textFilledIn(value, scope) : valueOf(only, scope);
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member, scope)]));
}

/**
 * Fills in the templates of a text, and returns a text.
 *
 * @param encode makes a value safe for its place, such as a part of a URL.
 * @throws {TemplateError} if a path is missing, or leads to an object, a list or null.
 */
export function textFilledIn(text: string, scope: Scope, encode: (text: string) => string = (same) => same): string {
  return text.replaceAll(placeholder, (_, path: string) => {
    const value = valueOf(path, scope);
    if (typeof value === 'object')
      throw new TemplateError(`\`{{${path}}}\` is ${kindOf(value)}. In a text, name a text, a number or a boolean.`);
    return encode(String(value));
  });
}

/**
 * Returns the value at a path of the scope.
 *
 * @throws {TemplateError} if there is none.
 */
export function valueOf(path: string, scope: Scope): Json {
  const value = valueAt(scope, path.split('.'));
  if (value === undefined) throw new TemplateError(`There is no \`${path}\`.`);
  return value;
}

function kindOf(value: Json[] | object | null): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : 'an object';
}

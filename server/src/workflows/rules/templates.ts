import type { Json, JsonObject } from '../../core/json-diff.ts';
import { valueAt } from './paths.ts';

/** The values that a template can name: the event, the outputs of earlier steps, and the item of a list. */
export type Scope = { event: Json; steps: JsonObject; item?: Json };

/** Why a template cannot be filled in. */
export type TemplateFault = 'template_invalid' | 'body_too_large';

/** A template that cannot be filled in. The message is for the client. */
export class TemplateError extends Error {
  readonly code: TemplateFault;

  constructor(message: string, code: TemplateFault = 'template_invalid') {
    super(message);
    this.code = code;
  }
}

/** Characters that templates may fill in, of a body or a text. It is what a request of this API can have, in bytes. */
const filledMax = 256 * 1024;

/** Counts what templates fill in. One event can be named a thousand times. */
class Room {
  #left = filledMax;

  /** @throws {TemplateError} if nothing is left. */
  take(length: number): void {
    this.#left -= length;
    if (this.#left < 0)
      throw new TemplateError(
        `The templates fill in more than ${filledMax} characters. Name less of the event and of the outputs.`,
        'body_too_large',
      );
  }
}

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
 * @throws {TemplateError} if a path is missing, or if the result is too large.
 */
export function filledIn(value: Json, scope: Scope): Json {
  return withRoom(value, scope, new Room());
}

function withRoom(value: Json, scope: Scope, room: Room): Json {
  if (typeof value === 'string') {
    const only = alone.exec(value)?.[1];
    if (only === undefined) return textWithRoom(value, scope, room, unchanged);
    const found = valueOf(only, scope);
    room.take(typeof found === 'string' ? found.length : JSON.stringify(found).length);
    return found;
  }
  if (Array.isArray(value)) return value.map((item) => withRoom(item, scope, room));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withRoom(member, scope, room)]));
}

/** Makes the value at a path safe for its place, such as a part of a URL. */
type Encode = (text: string, path: string) => string;

const unchanged: Encode = (text) => text;

/**
 * Fills in the templates of a text, and returns a text.
 *
 * @throws {TemplateError} if a value is missing or no text, or if the result is too large.
 */
export function textFilledIn(text: string, scope: Scope, encode = unchanged): string {
  return textWithRoom(text, scope, new Room(), encode);
}

function textWithRoom(text: string, scope: Scope, room: Room, encode: Encode): string {
  return text.replaceAll(placeholder, (_, path: string) => {
    const value = valueOf(path, scope);
    if (typeof value === 'object')
      throw new TemplateError(`\`{{${path}}}\` is ${kindOf(value)}. In a text, name a text, a number or a boolean.`);
    const filled = encode(String(value), path);
    room.take(filled.length);
    return filled;
  });
}

/**
 * Fills in the templates of a URL. No value can leave its segment of the path, or its part of the query.
 *
 * @throws {TemplateError} as `textFilledIn` does, or if a segment becomes `.` or `..`, which URLs resolve.
 */
export function urlFilledIn(url: string, scope: Scope): URL {
  const [path = ''] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const parts = path.split('/').filter((part) => part.includes('{{'));
  if (parts.some((part) => /^(?:\.|%2e){1,2}$/i.test(textFilledIn(part, scope, encodeURIComponent))))
    throw new TemplateError('A template in `url` makes a part of the path `.` or `..`, which leads elsewhere.');
  return new URL(textFilledIn(url, scope, encodeURIComponent));
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

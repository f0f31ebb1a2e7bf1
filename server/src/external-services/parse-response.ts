import { Type, type Static, type TSchema } from 'typebox';
import Schema from 'typebox/schema';
import { withoutContacts } from './without-contacts.ts';
import { ProviderFault } from './service.ts';

/**
 * Checks that a service's response has the shape that its adapter knows, and returns it.
 *
 * @throws {ProviderFault} `response_invalid`, with the place of the first fault but never its value.
 */
export function parseResponse<Wanted extends TSchema>(schema: Wanted, body: unknown): Static<Wanted> {
  if (Schema.Check(schema, body)) return body;
  const [, faults] = Schema.Errors(schema, body);
  const place = faults[0]?.instancePath || '/';
  throw new ProviderFault('response_invalid', `The service's answer is not what it should be at ${place}.`);
}

/** Makes a schema nullable. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/**
 * Translates a service's word.
 *
 * @throws {ProviderFault} `response_invalid`, with the word. Unknown words are not guessed.
 */
export function meaningOf<Meaning>(meanings: Readonly<Record<string, Meaning>>, word: string): Meaning {
  const meaning = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  if (meaning !== undefined) return meaning;
  throw new ProviderFault(
    'response_invalid',
    `The service answered with a word that is not known: "${bounded(word)}".`,
  );
}

/** Returns the fault for a service's rejection, in its own words as far as they may be shown. */
export function refusal(status: number, fault: { code: unknown; message: unknown } | undefined): ProviderFault {
  const message = typeof fault?.message === 'string' ? bounded(fault.message) : '';
  return new ProviderFault(codeOf(fault?.code, 'refused'), message || `The service refused with status ${status}.`);
}

/** Converts a service's code to our form, or returns `fallback` if that is impossible. */
export function codeOf(told: unknown, fallback = 'other'): string {
  const code = typeof told === 'string' ? told.toLowerCase().replaceAll(/[-. ]/g, '_') : '';
  return /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : fallback;
}

function bounded(text: string): string {
  const clean = withoutContacts(text);
  return clean.length > 200 ? `${clean.slice(0, 199).toWellFormed()}…` : clean;
}

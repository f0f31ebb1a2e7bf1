import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { withoutContacts } from './contacts.ts';
import { ProviderFault, type Note } from './provider.ts';

/**
 * A service's answer, if it has the shape that its adapter knows.
 *
 * @throws {ProviderFault} `response_invalid`, with the place of the first fault and never what stands there.
 */
export function read<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Value.Check(schema, body)) return body;
  const place = Value.Errors(schema, body)[0]?.instancePath || '/';
  throw new ProviderFault('response_invalid', `The service's answer is not what it should be at ${place}.`);
}

/** What may be null. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/**
 * What a service's word means.
 *
 * @throws {ProviderFault} `response_invalid`, with the word: what nobody has translated is not guessed.
 */
export function meaningOf<Meaning>(meanings: Readonly<Record<string, Meaning>>, word: string): Meaning {
  const meaning = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  if (meaning !== undefined) return meaning;
  throw new ProviderFault(
    'response_invalid',
    `The service answered with a word that is not known: "${bounded(word)}".`,
  );
}

/** The fault of a service that refuses, in its own words as far as they are fit to be shown. */
export function refusal(status: number, told: { code: unknown; message: unknown } | undefined): ProviderFault {
  const message = typeof told?.message === 'string' ? bounded(told.message) : '';
  return new ProviderFault(codeOf(told?.code, 'refused'), message || `The service refused with status ${status}.`);
}

/** A service's code in our form; what cannot be brought into it is `fallback`. */
export function codeOf(told: unknown, fallback = 'other'): string {
  const code = typeof told === 'string' ? told.toLowerCase().replaceAll(/[-. ]/g, '_') : '';
  return /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : fallback;
}

/**
 * A note of a service.
 *
 * @param time RFC 3339.
 * @throws {ProviderFault} `response_invalid` if it is no time.
 */
export function noteOf(time: string, message: string, names: readonly string[] = []): Note {
  const created = Math.floor(Date.parse(time) / 1000);
  if (!Number.isSafeInteger(created)) throw new ProviderFault('response_invalid', 'A note of the service has no time.');
  return { created, message: withoutContacts(message, names) };
}

function bounded(text: string): string {
  const clean = withoutContacts(text);
  return clean.length > 200 ? `${clean.slice(0, 199).toWellFormed()}…` : clean;
}

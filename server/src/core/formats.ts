import { accountNumberFault, bicFault, ibanFault, sortCodeFault } from './bank-details.ts';
import { isTimeZone } from './calendar.ts';
import { countryCodes, currencyCodes } from './vocabulary/iso-codes.ts';
import { nearestName } from './nearest.ts';

/** Says what is wrong with a text, as the end of a sentence. Returns null if the text is valid. The advice depends on `isRequired`. */
export type FaultOf = (text: string, isRequired?: boolean) => string | null;

/** The values of `format` in our schemas. */
export const formats = {
  date: dateFault,
  'single-line': lineFault,
  email: emailFault,
  country: countryFault,
  currency: currencyFault,
  credential: credentialFault,
  'header-credential': headerCredentialFault,
  'time-zone': timeZoneFault,
  'sort-code': sortCodeFault,
  'account-number': accountNumberFault,
  iban: ibanFault,
  bic: bicFault,
} as const satisfies Record<string, FaultOf>;

/** Checks a calendar date (`YYYY-MM-DD`). The calendar has no year 0, and PostgreSQL knows none. */
function dateFault(text: string): string | null {
  const fault = 'must be a calendar date such as 1990-12-31';
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return fault;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? null : fault;
}

/** Control characters (C0, C1), and the two line separators outside these blocks. */
const control = /[\p{Cc}\u2028\u2029]/u;

/** Marks, embeddings, overrides and isolates (UAX #9), and the deprecated ones. Letters of every script have a direction without them. */
const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/u;

/** All characters but white space, those without a glyph (UAX #44), and the Braille blank. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Checks a text that people read on one line, such as a name. It needs a visible character, and no character that ends the line or changes
 * its direction. Joiners are allowed, because names in Persian and Indic scripts need them.
 */
export function lineFault(text: string, isRequired = false): string | null {
  const [odd] = control.exec(text) ?? direction.exec(text) ?? [];
  if (odd !== undefined) {
    const codePoint = odd.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    const kind = direction.test(odd)
      ? 'which changes the direction of text'
      : 'a control character or the end of a line';
    return `has the character U+${codePoint}, ${kind}: leave it out`;
  }
  if (visible.test(text)) return null;
  return `is blank: send a visible text${isRequired ? '' : ', or leave the member out'}`;
}

/** A label of a domain: letters and digits of any script, with hyphens in between. */
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const emailAddress = new RegExp(
  `^[^\\s@.\\p{Cc}\\p{Cf}]+(?:\\.[^\\s@.\\p{Cc}\\p{Cf}]+)*@${label}(?:\\.${label})+$`,
  'u',
);

/** Checks an e-mail address that is valid on the public internet. */
function emailFault(text: string): string | null {
  if (emailAddress.test(text)) return null;
  const domain = text.slice(text.lastIndexOf('@') + 1);
  return text.includes('@') && !domain.includes('.')
    ? 'must be an e-mail address with a dot in its domain, such as ada@example.org'
    : 'must be an e-mail address such as ada@example.org, with no spaces, control characters or dots at an end';
}

const pasteAgain = 'Paste it again exactly as the service shows it, without spaces or line breaks around it';

/** Checks a credential of a service, as a person pastes it. The message never quotes it, because it is secret. */
function credentialFault(text: string): string | null {
  if (text.includes('…')) return `is cut off or a placeholder: it has an ellipsis. ${pasteAgain}`;
  if (control.test(text)) return `has a line break or another control character. ${pasteAgain}`;
  return text.trim() === text ? null : `has a space at an end. ${pasteAgain}`;
}

/** Checks a credential that is sent unchanged in an HTTP header. RFC 9110, 5.5: only visible ASCII is safe there. */
function headerCredentialFault(text: string): string | null {
  const fault = credentialFault(text);
  if (fault !== null || /^[\x21-\x7e]*$/.test(text)) return fault;
  return `has a space or another character that cannot be sent in an HTTP header. ${pasteAgain}`;
}

function countryFault(text: string): string | null {
  if (countryCodes.has(text)) return null;
  const hint = text.toUpperCase() === 'UK' ? ': the United Kingdom is GB' : '';
  return `must be the code of a country in capitals (ISO 3166-1 alpha-2), such as GB${hint}`;
}

function currencyFault(text: string): string | null {
  return currencyCodes.has(text) ? null : 'must be the code of a currency in small letters (ISO 4217), such as gbp';
}

/** Checks the name of a time zone. Offsets are refused, because they do not follow the change to summer time. */
function timeZoneFault(text: string): string | null {
  if (isTimeZone(text)) return null;
  const near = nearestName(text, Intl.supportedValuesOf('timeZone'));
  return `must be the name of a time zone (IANA), such as ${near ?? 'Europe/London'}`;
}

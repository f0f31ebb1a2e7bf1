import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/core/formats.ts';
import { countryCodes, currencyCodes } from '../../src/core/vocabulary/iso-codes.ts';

const { 'single-line': lineFault, email: emailFault, date: dateFault, country, currency } = formats;

const controls = [...range(0x00, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029];
const directions = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
/** White space, zero-width characters, and fillers that look like white space. */
const unseen = [
  0x20,
  0xa0,
  0x1680,
  ...range(0x2000, 0x200d),
  0x202f,
  0x205f,
  0x2060,
  0x3000,
  0xfeff,
  0xad,
  0x34f,
  0x115f,
  0x1160,
  0x17b4,
  0x180e,
  0x2800,
  0x3164,
  0xfe0f,
  0xffa0,
  0xe0001,
  0xe0020,
];
const textOf = (codePoints: number[]) => fc.constantFrom(...codePoints).map((one) => String.fromCodePoint(one));
const anyLetters = fc.stringMatching(/^[\p{L}\p{N}]{1,8}$/u);

describe('lines of text', () => {
  test.each([
    'José Álvarez',
    'Łukasz Żółć',
    '李小龍',
    "O'Brien",
    'O’Neill',
    'محمد علي',
    'דוד בן־גוריון',
    // Persian and Malayalam need joiners.
    'علی\u200cرضا',
    'നന്\u200dമ',
    'Nguyễn Thị Minh Khai',
    'e\u0301',
    'X',
    '3',
    '-',
    ' both ends ',
    '👩\u200d👧',
    '+44 1904 555 0123',
    'YO1 9NR',
  ])('accepts the line %s', (text) => {
    expect(lineFault(text)).toBeNull();
  });

  test('refuses a line when it has a control character, line end or direction mark', () => {
    fc.assert(
      fc.property(anyLetters, textOf([...controls, ...directions]), anyLetters, (before, odd, after) => {
        const name = `U+${odd.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
        for (const text of [odd, odd + after, before + odd, before + odd + after])
          expect(lineFault(text)).toMatch(
            new RegExp(`^has the character ${name.replace('+', '\\+')}, .*: leave it out$`),
          );
      }),
      { numRuns: 1_000 },
    );
  });

  test('treats a line as blank exactly when it has no visible character', () => {
    fc.assert(
      fc.property(fc.array(textOf(unseen), { maxLength: 6 }), anyLetters, (blanks, letters) => {
        const blank = blanks.join('');
        expect(lineFault(blank)).toMatch(/^is blank: /);
        expect(lineFault(blank + letters)).toBeNull();
        expect(lineFault(letters + blank)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('e-mail addresses', () => {
  test.each([
    'ada@example.org',
    'Ada.Lovelace+tag@Mail.Example.co.uk',
    "o'brien@example.ie",
    'a@b.cc',
    'müller@bücher.example',
    'ada@xn--bcher-kva.example',
    'user@उदाहरण.भारत',
    'ada_99%x@1st.example',
  ])('accepts the e-mail address %s', (text) => {
    expect(emailFault(text)).toBeNull();
  });

  test.each([
    ['ada@localhost', 'with a dot in its domain'],
    ['ada@', 'with a dot in its domain'],
    ['ada', 'such as ada@example.org'],
    ['@example.org', 'such as'],
    ['a@b@example.org', 'such as'],
    ['ada@.example.org', 'dots at an end'],
    ['ada@example.org.', 'dots at an end'],
    ['ada@example..org', 'such as'],
    ['.ada@example.org', 'dots at an end'],
    ['ada.@example.org', 'dots at an end'],
    ['a..da@example.org', 'such as'],
    ['a da@example.org', 'no spaces'],
    ['ada@example.org\n', 'no spaces'],
    ['a\u0007da@example.org', 'control characters'],
    ['a\u202eda@example.org', 'control characters'],
    ['ada@exam\u200bple.org', 'such as'],
    ['Ada <ada@example.org>', 'such as'],
    ['ada@example.org,bob', 'such as'],
    ['ada@-example.org', 'such as'],
  ])('refuses the e-mail address %s with a reason', (text, says) => {
    expect(emailFault(text)).toContain(says);
  });

  test('accepts every plain e-mail address, and none of them without its dots or with another at sign', () => {
    const part = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,6}[a-z0-9])?$/);
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.array(part, { minLength: 2, maxLength: 4 }),
        (local, domain) => {
          expect(emailFault(`${local.join('.')}@${domain.join('.')}`)).toBeNull();
          expect(emailFault(`${local.join('.')}@${domain.join('')}`)).toContain('a dot in its domain');
          expect(emailFault(`${local.join('@')}@x@${domain.join('.')}`)).not.toBeNull();
        },
      ),
    );
  });

  test('checks an e-mail address quickly when it is made to be slow', () => {
    for (const text of [
      `${'a.'.repeat(100_000)}@`,
      `a@${'a'.repeat(250)}!`,
      `a@${'a-'.repeat(120)}`,
      '@'.repeat(200_000),
    ])
      expect(emailFault(text)).not.toBeNull();
  });
});

test('accepts exactly the days of the calendar as dates', () => {
  const days = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(days), (date) => {
      expect(dateFault(date.toISOString().slice(0, 10))).toBeNull();
    }),
  );
  for (const text of ['2023-02-29', '1900-02-29', '2023-13-01', '2023-1-1', '1990-12-31T00:00:00Z', ''])
    expect(dateFault(text)).toBe('must be a calendar date such as 1990-12-31');
});

describe('country and currency codes', () => {
  test('lists unique country and currency codes of the right form', () => {
    expect([...countryCodes].filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
    expect([...currencyCodes].filter((code) => !/^[a-z]{3}$/.test(code))).toEqual([]);
    // ISO 3166-1 has 249 codes. XK is Kosovo.
    expect(countryCodes.size).toBe(250);
  });

  test('lists only codes with a name in the runtime, so that none is misspelt', () => {
    const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect([...countryCodes].filter((code) => !countries.of(code))).toEqual([]);
    const currencies = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
    // Newer than some runtimes: the Caribbean guilder and Zimbabwe's gold currency.
    const unnamed = [...currencyCodes].filter((code) => !currencies.of(code.toUpperCase()));
    expect(unnamed.filter((code) => !['xcg', 'zwg'].includes(code))).toEqual([]);
  });

  test.each(['GB', 'DE', 'XK', 'TW'])('accepts the country %s', (code) => expect(country(code)).toBeNull());
  test.each(['gbp', 'eur', 'usd', 'jpy', 'xof', 'clf'])('accepts the currency %s', (code) =>
    expect(currency(code)).toBeNull(),
  );

  test('refuses an unknown code with a hint', () => {
    expect(country('UK')).toBe(
      'must be the code of a country in capitals (ISO 3166-1 alpha-2), such as GB: the United Kingdom is GB',
    );
    for (const code of ['XX', 'ZZ', 'EU', 'gb', '']) expect(country(code)).toMatch(/such as GB$/);
    for (const code of ['xxx', 'xts', 'xau', 'abc', 'dem', 'GBP', '']) expect(currency(code)).toMatch(/such as gbp$/);
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providers } from '../../src/core/vocabulary/providers.ts';
import { withoutContacts } from '../../src/external-services/without-contacts.ts';
import { processorMsOf } from '../support/processor-time.ts';
import { orderOf, servicesForTest, workingDayMs } from '../support/services.ts';

/* Referees gave their names and numbers to a service for a reference. The product does not pass them on. */

const anyLocalPart = fc.stringMatching(/^[a-zA-Z0-9.!#$%&*+/=?^_`~-]{1,40}$/);
const anyDomain = fc.stringMatching(/^[a-z0-9-]{1,20}(\.[a-z0-9-]{1,10}){1,3}$/);
const anyEmail = fc.tuple(anyLocalPart, fc.constantFrom('@', '＠'), anyDomain).map((parts) => parts.join(''));

const anyPhone = fc
  .tuple(
    fc.constantFrom('', '+', '(', '+('),
    fc.array(fc.stringMatching(/^\d{1,5}$/), { minLength: 2, maxLength: 6 }),
    fc.constantFrom('', ' ', '-', '.', ') ', ' - ', '\u2013', '\u2011', '/'),
  )
  .map(([start, groups, separator]) => start + groups.join(separator))
  .filter((phone) => {
    const digits = phone.replaceAll(/\D/g, '').length;
    return digits >= 7 && digits <= 15 && !/^\d{4}-\d{2}-\d{2}$/.test(phone);
  });

const anyWords = fc.array(fc.constantFrom('call', 'or', 'the', 'employer', '(', ')', '.', ',', ';', '—', 'ärger'));
const around = <Value>(value: fc.Arbitrary<Value>) =>
  fc.tuple(anyWords, value, anyWords).map(([before, told, after]) => ({
    told,
    text: [...before, told, ...after].join(' '),
  }));

describe('contact data in sentences', () => {
  test('removes every e-mail address when a service sends a sentence', () => {
    fc.assert(
      fc.property(around(anyEmail), ({ told, text }) => {
        const cleaned = withoutContacts(text);
        expect(cleaned).not.toMatch(/[@＠]/);
        expect(cleaned).not.toContain(told);
        expect(cleaned).toContain('[e-mail address removed]');
      }),
      { numRuns: 1_000 },
    );
  });

  test('removes every phone number in any grouping when a service sends a sentence', () => {
    fc.assert(
      fc.property(around(anyPhone), ({ told, text }) => {
        const cleaned = withoutContacts(text);
        expect(cleaned).not.toContain(told);
        expect(cleaned.replaceAll(/\D/g, '').length).toBeLessThan(7);
      }),
      { numRuns: 1_000 },
    );
  });

  test('removes the given names in any case when they look like patterns', () => {
    const anyName = fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((name) => /^\S.*\S$/.test(name) && !/[\d@]/.test(name));
    fc.assert(
      fc.property(anyName, (name) => {
        fc.pre(!/^(told|by|today)$/i.test(name) && !/\p{C}/u.test(name));
        expect(withoutContacts(`Told by ${name} today`, [name])).toBe('Told by the referee today');
        expect(withoutContacts(`| ${name.toUpperCase()} |`, [name.toLowerCase()])).toBe('| the referee |');
      }),
    );
  });

  test.each([
    'Reach Morgan at morgan.ellis@bakery.example.',
    '<morgan@x.example>',
    'mailto:morgan@x.example',
    'Tel. 020 7946 0182',
    'Tel.:(020)79460182,mobile:+44(0)7700/900417',
    '٠٢٠٧٩٤٦٠١٨٢',
    '+44\u00a07700\u2011900\u2011417',
    'mo\u200brgan@x.example and 020 794\u200b6 0182',
  ])('removes contact data when the sentence is: %s', (text) => {
    const cleaned = withoutContacts(text);
    expect(cleaned).toMatch(/removed\]/);
    expect(cleaned).not.toMatch(/@|0182|7700|900|٠١٨٢/);
  });
});

test.each([
  'Employed since 2019-04-01, paid until 2026-05-31.',
  '2019-04-01 2020-04-01',
  'Salary of £32,500 a year, verified with 3 payslips.',
  'Two accounts in default, 1 400 pounds in all (28 %).',
  'Lived at 12 High Street, LS1 1AA, from 2020 to 2024.',
])('keeps a text when it has no contact data: %s', (text) => {
  expect(withoutContacts(text)).toBe(text);
});

test('takes no longer when a sentence is made to be slow', () => {
  const texts = [
    'a'.repeat(1e6),
    '1 '.repeat(1e6),
    `${'a'.repeat(1e5)}@`,
    '('.repeat(1e6),
    '1-'.repeat(6) + 'x'.repeat(1e6),
  ];
  const allAtOnce = (): void => {
    for (const text of texts) withoutContacts(text.repeat(3), ['a', '1 ']);
  };
  expect(processorMsOf(allAtOnce)).toBeLessThan(500);
});

/** Providers whose responses have no names of referees. */
const withoutReferees: ReadonlySet<string> = new Set(['provider_d']);

test.each(providers)('passes nothing of the referees on when %s names them', async (name) => {
  const services = await servicesForTest();
  const service = services.service(name);
  for (const tag of ['accept', 'referee_silent']) {
    const { orderId } = await service.submit(orderOf(tag));
    services.clock.advanceMs(3.5 * workingDayMs);
    const early = JSON.stringify(await service.read(orderId));
    services.clock.advanceMs(4 * workingDayMs);
    const answers: unknown[] = [];
    const { client } = service.access;
    const call: typeof client.call = async (request) => {
      const answer = await client.call(request);
      answers.push(answer.body);
      return answer;
    };
    service.access.client = { call };
    const got = JSON.stringify([await service.read(orderId), await service.fetchFindings(orderId)]);
    const referee = /Morgan|Ellis|Priya|Nair|bakery\.example|lettings\.example|7946|7700 900417/;
    const about = `${name} sends no contact data of referees: add it to \`withoutReferees\`, if that is intended`;
    if (!withoutReferees.has(name)) expect(JSON.stringify(answers), about).toMatch(referee);
    expect(early + got).not.toMatch(referee);
    // The result of the contact is passed on.
    expect(got).toMatch(/employer/i);
    service.access.client = client;
  }
});

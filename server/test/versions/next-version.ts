import { Type } from 'typebox';
import type { Json } from '../../src/core/json-diff.ts';
import type { ApiVersion } from '../../src/versions/api-version.ts';

/**
 * An imaginary version that is newer than every real one. It has today's shapes. Versions before it have other names. Its date is far away,
 * so that real versions can be added below it.
 */
export const nextVersion: ApiVersion = {
  date: '2999-01-01',
  sentence: 'A reference names its `customer`, where it was `tenant`, and a birthday is written `YYYY-MM-DD`.',
  changes: [
    { object: 'reference', renamed: { customer: 'tenant' } },
    {
      object: 'customer',
      renamed: { email: 'email_address', date_of_birth: 'birthday' },
      reshaped: {
        date_of_birth: {
          schema: Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^\\d{2}/\\d{2}/\\d{4}$' }),
          older: (date) => turnedAround(date, '-', '/'),
          newer: (date) => turnedAround(date, '/', '-'),
        },
      },
    },
  ],
};

function turnedAround(date: Json, from: string, to: string): Json {
  return typeof date === 'string' ? date.split(from).reverse().join(to) : date;
}

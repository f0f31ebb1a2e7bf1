import { Type } from 'typebox';
import type { Json } from '../../src/core/json-diff.ts';
import type { ApiVersion } from '../../src/versions/api-version.ts';

/** A possible future version. It has today's shapes; versions before it have other names. */
export const version20270201: ApiVersion = {
  date: '2027-02-01',
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

import { Type, type Static } from 'typebox';
import { invalidParameter } from '../core/errors.ts';
import { CalendarDate, SingleLine } from '../model/fields.ts';
import type { Caller } from '../model/caller.ts';
import { createFromFields, updateFromFields } from '../model/inputs.ts';
import type { Fields, RecordOf } from '../model/record.ts';
import { defineResource } from '../model/resource.ts';
import { closedObject, described, named, nullable } from '../model/schemas.ts';

/** Stored values may be older than the rules for input. */
const Text = Type.String({ minLength: 1, maxLength: 500 });
const Email = Type.String({ maxLength: 255, pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['ada@example.org'] });
const EmailInput = Type.Unsafe<string>({ ...Email, format: 'email' });

const addressLines = {
  line1: described(Text, 'House and street.'),
  line2: described(nullable(Text), 'The second line. Null if there is none.'),
  city: described(Text, 'Town or city.'),
  postal_code: described(Text, 'The postal code, as it is written in the country.'),
  country: Type.String({ pattern: '^[A-Z]{2}$', examples: ['GB'], description: 'ISO 3166-1 alpha-2, such as `GB`.' }),
  from: described(nullable(CalendarDate), 'The first day there. Null if it is not known.'),
  to: described(
    nullable(CalendarDate),
    'The last day there. Null if the person still lives there, or if it is not known.',
  ),
};
const Address = named('Address', 'An address of a person.', closedObject(addressLines));
const AddressInput = named(
  'AddressInput',
  'An address of a person.',
  closedObject({
    line1: described(SingleLine, 'House and street.'),
    line2: Type.Optional(described(nullable(SingleLine), 'The second line. Null if there is none.')),
    city: described(SingleLine, 'Town or city.'),
    postal_code: described(SingleLine, 'The postal code, as it is written in the country.'),
    country: Type.Unsafe<string>({ ...addressLines.country, format: 'country' }),
    from: Type.Optional(addressLines.from),
    to: Type.Optional(addressLines.to),
  }),
);
const AddressInputs = Type.Array(AddressInput, { maxItems: 50 });

const fields = {
  name: {
    column: 'text',
    schema: Text,
    description: 'The full name.',
    input: { on: 'both', required: true, schema: SingleLine },
    erased: () => '[erased]',
  },
  email: {
    column: 'text',
    schema: nullable(Email),
    description: 'The e-mail address. Null if it is not known.',
    input: { on: 'both', schema: EmailInput },
    erased: () => null,
  },
  phone: {
    column: 'text',
    schema: nullable(Text),
    description: 'The phone number, as you sent it. Null if it is not known.',
    input: { on: 'both', schema: SingleLine },
    erased: () => null,
  },
  date_of_birth: {
    column: 'text',
    schema: nullable(CalendarDate),
    description: 'The day of birth. Null if it is not known.',
    input: { on: 'both', check: possibleBirthday },
    erased: () => null,
  },
  addresses: {
    column: 'json',
    schema: Type.Array(Address, { maxItems: 50 }),
    description:
      'The current and earlier addresses, in the order in which you sent them. An update replaces all of them.',
    input: { on: 'both', schema: AddressInputs, default: [], check: withNulls },
    erased: () => [],
  },
} satisfies Fields;

export type CustomerRecord = RecordOf<typeof fields>;

/** A person: an applicant, a tenant, or a person that may become one. */
export const customer = defineResource<CustomerRecord>({
  object: 'customer',
  prefix: 'cus',
  path: 'customers',
  table: 'customers',
  docs: {
    description: 'A person: an applicant, a tenant, or a person that may become one.',
    example: {
      record: {
        name: 'Ada Lovelace',
        email: 'ada@example.org',
        phone: '+44 1904 555 0123',
        date_of_birth: '1990-12-10',
        addresses: [
          {
            line1: '12 Coppergate',
            line2: null,
            city: 'York',
            postal_code: 'YO1 9NR',
            country: 'GB',
            from: '2021-04-01',
            to: null,
          },
        ],
        metadata: { crm: '88213' },
      },
      before: { phone: null },
    },
  },
  metadata: true,
  fields,
  filters: {
    email: {
      column: 'email',
      match: 'caseless',
      schema: described(Email, 'Only customers with this address. Capital and small ASCII letters are equal.'),
    },
  },
  create: createFromFields(fields, {
    example: {
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      date_of_birth: '1990-12-10',
      addresses: [{ line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB', from: '2021-04-01' }],
    },
  }),
  update: updateFromFields(fields, { example: { phone: '+44 1904 555 0123' } }),
  delete: 'erases',
});

/** Earlier birthdays are typing errors. */
const earliestBirthday = '1900-01-01';

/** The offset of the first time zone in which a new day begins, Kiritimati (UTC+14), in seconds. */
const earliestTimeZoneSeconds = 14 * 3600;

/** @throws {ApiError} `parameter_invalid` for a day that is still in the future everywhere, or is too long ago. */
function possibleBirthday(date: string | null, { nowSeconds }: Caller): string | null {
  if (date === null) return null;
  const latest = new Date((nowSeconds + earliestTimeZoneSeconds) * 1000).toISOString().slice(0, 10);
  if (date >= earliestBirthday && date <= latest) return date;
  throw invalidParameter('date_of_birth', `\`date_of_birth\` must be a day from ${earliestBirthday} to today.`);
}

/** Sets absent members of addresses to null, so that clients need not distinguish the two. */
function withNulls(addresses: Static<typeof AddressInputs>): Static<typeof Address>[] {
  return addresses.map((address, index) => ({
    ...requireDatesInOrder(address, index),
    line2: address.line2 ?? null,
    from: address.from ?? null,
    to: address.to ?? null,
  }));
}

/** @throws {ApiError} `parameter_invalid` for an address whose `to` is before its `from`. */
function requireDatesInOrder<Sent extends Static<typeof AddressInput>>(address: Sent, index: number): Sent {
  const { from, to } = address;
  if (!from || !to || from <= to) return address;
  const param = `addresses[${index}][to]`;
  throw invalidParameter(param, `\`${param}\` is ${to}, which is before \`from\`, ${from}. Swap them, or correct one.`);
}
